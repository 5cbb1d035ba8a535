/* SPDX-License-Identifier: Apache-2.0 */
/* Events. An event of the session lives as long as the session, so destroyed events of the
   program are reused. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/stream/rt_capture_rules.h"

enum { DISABLE_TIMING = 2, EXTERNAL = 1 };

struct cuda_event {
    struct proact_event *handle;
    bool has_time, is_recorded;
    uint64_t capture; /* capture of the last record; 0: none */
    size_t point;     /* of that capture */
};

static struct rt_spare_events *spare_of(struct rt *rt, bool has_time)
{
    return &rt->spare_events[has_time];
}

static enum cuda_error event_take_spare(struct rt *rt, bool has_time,
                                        struct proact_event **out)
{
    struct rt_spare_events *spare = spare_of(rt, has_time);
    struct proact_error err;

    if (spare->count) {
        *out = spare->handle[--spare->count];
        return cudaSuccess;
    }
    return rt_error(rt, proact_event_create(rt->session, has_time, out, &err), &err);
}

static void event_return_spare(struct rt *rt, const struct cuda_event *event)
{
    struct rt_spare_events *spare = spare_of(rt, event->has_time);

    spare->handle =
        must_grow(spare->handle, spare->count, &spare->capacity, sizeof *spare->handle);
    spare->handle[spare->count++] = event->handle;
}

static enum cuda_error check_event(const struct rt *rt, const struct cuda_event *event)
{
    return handle_is(&rt->handles, event, RT_EVENT) ? cudaSuccess
                                                    : cudaErrorInvalidResourceHandle;
}

enum cuda_error cudaEventCreateWithFlags(struct cuda_event **out, unsigned flags)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);
    const bool has_time = !(flags & DISABLE_TIMING);
    struct proact_event *handle = NULL;

    if (!error && !out)
        error = cudaErrorInvalidValue;
    if (!error && !(error = event_take_spare(rt, has_time, &handle))) {
        *out = must_calloc(1, sizeof **out);
        **out = (struct cuda_event){.handle = handle, .has_time = has_time};
        handle_add(&rt->handles, *out, RT_EVENT);
    }
    return rt_leave(rt, error);
}

enum cuda_error cudaEventCreate(struct cuda_event **out)
{
    return cudaEventCreateWithFlags(out, 0);
}

enum cuda_error cudaEventDestroy(struct cuda_event *event)
{
    struct rt *rt = rt_enter();

    if (check_event(rt, event))
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    handle_drop(&rt->handles, event);
    event_return_spare(rt, event);
    free(event);
    return rt_leave(rt, rt->broken);
}

static enum cuda_error event_record(struct rt *rt, struct cuda_event *event,
                                    const struct cuda_stream *s, bool is_external)
{
    struct proact_error err;
    enum cuda_error error = rt->broken;

    if (error || (error = rt_stream_check(rt, s)) || (error = check_event(rt, event)) ||
        (error = rt_capture_check_work(rt, s)))
        return error;
    if (is_external && rt_capture_of(rt, s))
        return rt_in_stream(rt, s, rt_run_event_record, &event,
                            sizeof(struct cuda_event *));
    event->point = rt_capture_point(rt, s);
    if ((event->capture = rt_capture_of(rt, s)))
        return cudaSuccess; /* a captured event only orders streams, which are already in
                               order */
    if (!(error = rt_stream_enter(rt, s)))
        error = rt_error(rt, proact_event_record(event->handle, &err), &err);
    rt_stream_leave(rt);
    if (!error)
        event->is_recorded = true;
    return error;
}

enum cuda_error cudaEventRecord(struct cuda_event *event, struct cuda_stream *s)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, event_record(rt, event, s, false));
}

enum cuda_error rt_run_event_record(struct rt *rt, const void *data)
{
    struct proact_error err;
    struct cuda_event *event;

    memcpy(&event, data, sizeof(struct cuda_event *));
    enum cuda_error error = check_event(rt, event);

    if (!error)
        error = rt_error(rt, proact_event_record(event->handle, &err), &err);
    if (error)
        return error;
    event->capture = 0;
    event->is_recorded = true;
    return cudaSuccess;
}

enum cuda_error rt_run_event_wait(struct rt *rt, const void *data)
{
    struct cuda_event *event;

    memcpy(&event, data, sizeof(struct cuda_event *));
    return check_event(rt, event);
}

enum cuda_error cudaEventRecordWithFlags(struct cuda_event *event, struct cuda_stream *s,
                                         unsigned flags)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, event_record(rt, event, s, flags & EXTERNAL));
}

static enum cuda_error wait_for(struct rt *rt, const struct cuda_event *event)
{
    struct proact_error err;

    if (rt->broken || rt->is_emulated)
        return rt_wait(rt);
    enum cuda_error error = rt_error(rt, proact_event_wait(event->handle, &err), &err);

    return error ? error : rt_shadows_out(rt);
}

enum cuda_error cudaEventSynchronize(struct cuda_event *event)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check_event(rt, event);

    if (!error)
        error = rt_capture_check_event(rt, event->capture);
    return rt_leave(rt, error || !event->is_recorded ? error : wait_for(rt, event));
}

/* As stream_query() of rt_stream_calls.c. */
static bool is_under_way(struct rt *rt, const struct cuda_event *event)
{
    const enum proact_progress progress =
        rt->is_emulated ? PROACT_PROGRESS_UNKNOWN : proact_event_query(event->handle);

    return progress == PROACT_PROGRESS_RUNNING ||
           (progress == PROACT_PROGRESS_UNKNOWN && !proact_try_quiesce(rt->session, true));
}

enum cuda_error cudaEventQuery(struct cuda_event *event)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check_event(rt, event);

    if (!error)
        error = rt_capture_check_event(rt, event->capture);
    if (error || !event->is_recorded)
        return rt_leave(rt, error);
    if (!rt->broken && is_under_way(rt, event))
        return rt_leave(rt, cudaErrorNotReady);
    return rt_leave(rt, wait_for(rt, event));
}

enum cuda_error cudaEventElapsedTime(float *ms, struct cuda_event *from,
                                     struct cuda_event *to)
{
    struct rt *rt = rt_enter();
    struct proact_error err;
    enum cuda_error error = rt->broken;
    double ns = 0;

    if (!error && (check_event(rt, from) || check_event(rt, to) || !from->has_time ||
                   !to->has_time || !from->is_recorded || !to->is_recorded))
        error = cudaErrorInvalidResourceHandle;
    if (!check_event(rt, from) && !check_event(rt, to) &&
        (rt_capture_find(rt, from->capture) || rt_capture_find(rt, to->capture)))
        error = cudaErrorCapturedEvent;
    if (!error)
        error =
            rt_error(rt, proact_event_elapsed(from->handle, to->handle, &ns, &err), &err);
    if (!error)
        *ms = (float)(ns / 1e6);
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamWaitEvent(struct cuda_stream *s, struct cuda_event *event,
                                    unsigned flags)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, s);

    if (!error && !(error = check_event(rt, event)))
        error = rt_capture_check_work(rt, s);
    if (error)
        return rt_leave(rt, error);
    struct proact_error err;

    if ((flags & EXTERNAL) && rt_capture_of(rt, s))
        error = rt_in_stream(rt, s, rt_run_event_wait, &event, sizeof(struct cuda_event *));
    else if (event->capture || event->is_recorded)
        error = rt_capture_join(rt, s, event->capture, event->point);
    if (!error && event->is_recorded && !event->capture && !rt_capture_of(rt, s) &&
        !(error = rt_stream_enter(rt, s)))
        error = rt_error(rt, proact_stream_wait_event(event->handle, &err), &err);
    rt_stream_leave(rt);
    return rt_leave(rt, error ? error : rt->broken);
}
