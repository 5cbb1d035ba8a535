/* SPDX-License-Identifier: Apache-2.0 */
/* Events. All streams are one, so that an order between two is always there. */
#include <stdlib.h>

#include "base/memory.h"
#include "cuda_calls.h"
#include "rt_graph.h"

enum { DISABLE_TIMING = 2 };

struct cuda_event {
    struct proact_moment *moment;
    bool has_time, is_recorded;
    uint64_t capture; /* that it was last recorded in; 0: none */
};

static enum cuda_error check_event(const struct rt *rt, const struct cuda_event *event)
{
    return handle_is(&rt->handles, event, RT_EVENT) ? cudaSuccess
                                                    : cudaErrorInvalidResourceHandle;
}

enum cuda_error cudaEventCreateWithFlags(struct cuda_event **out, unsigned flags)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);
    struct proact_error err = {""};
    struct proact_moment *moment = NULL;

    if (!error && !out)
        error = cudaErrorInvalidValue;
    if (!error && !(flags & DISABLE_TIMING))
        error = rt_error(rt, proact_moment_create(rt->session, &moment, &err), &err);
    if (!error) {
        *out = must_calloc(1, sizeof **out);
        **out = (struct cuda_event){.moment = moment, .has_time = moment != NULL};
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
    if (rt->session)
        proact_moment_destroy(event->moment);
    free(event);
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaEventRecord(struct cuda_event *event, struct cuda_stream *s)
{
    struct rt *rt = rt_enter();
    struct proact_error err = {""};
    enum cuda_error error = rt->broken;

    if (!error && !(error = rt_stream_check(rt, s)))
        error = check_event(rt, event);
    if (!error && (event->capture = rt_capture_of(rt, s)))
        return rt_leave(rt, cudaSuccess); /* it orders streams, and they are in order */
    if (!error && event->has_time)
        error = rt_error(rt, proact_moment_set(event->moment, &err), &err);
    if (!error)
        event->is_recorded = true;
    return rt_leave(rt, error);
}

enum cuda_error cudaEventRecordWithFlags(struct cuda_event *event, struct cuda_stream *s,
                                         unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, s);
}

enum cuda_error cudaEventSynchronize(struct cuda_event *event)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check_event(rt, event);

    return rt_leave(rt, error || !event->is_recorded ? error : rt_wait(rt));
}

enum cuda_error cudaEventQuery(struct cuda_event *event)
{
    return cudaEventSynchronize(event);
}

enum cuda_error cudaEventElapsedTime(float *ms, struct cuda_event *from,
                                     struct cuda_event *to)
{
    struct rt *rt = rt_enter();
    struct proact_error err = {""};
    enum cuda_error error = rt->broken;
    double ns = 0;

    if (!error && (check_event(rt, from) || check_event(rt, to) || !from->has_time ||
                   !to->has_time || !from->is_recorded || !to->is_recorded))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        error =
            rt_error(rt, proact_moment_elapsed(from->moment, to->moment, &ns, &err), &err);
    if (!error)
        *ms = (float)(ns / 1e6);
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamWaitEvent(struct cuda_stream *s, struct cuda_event *event,
                                    unsigned flags)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, s);

    (void)flags;
    if (!error)
        error = check_event(rt, event);
    if (error)
        return rt_leave(rt, error);
    if (event->capture)
        rt_capture_join(rt, s, event->capture);
    return rt_leave(rt, rt->broken);
}
