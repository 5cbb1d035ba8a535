/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events. All streams are one, so that an order between two is always there;
   what asks whether something is done waits for it. */
#include <stdlib.h>

#include "base/memory.h"
#include "cuda_calls.h"
#include "rt.h"

enum { NON_BLOCKING = 1, DISABLE_TIMING = 2, BLOCKING_SYNC = 1 };

struct cuda_stream {
    unsigned flags;
    int priority;
    unsigned long long id;
};

struct cuda_event {
    struct proact_moment *moment;
    bool has_time, is_recorded;
};

static bool is_default(const struct cuda_stream *s)
{
    return !s || s == CUDA_STREAM_LEGACY || s == CUDA_STREAM_PER_THREAD;
}

enum cuda_error cudaStreamCreateWithPriority(struct cuda_stream **out, unsigned flags,
                                             int priority)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (!error && (!out || flags > NON_BLOCKING))
        error = cudaErrorInvalidValue;
    if (!error) {
        *out = must_calloc(1, sizeof **out);
        **out = (struct cuda_stream){flags, priority, ++rt->allocations};
    }
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamCreateWithFlags(struct cuda_stream **out, unsigned flags)
{
    return cudaStreamCreateWithPriority(out, flags, 0);
}

enum cuda_error cudaStreamCreate(struct cuda_stream **out)
{
    return cudaStreamCreateWithPriority(out, 0, 0);
}

enum cuda_error cudaStreamDestroy(struct cuda_stream *s)
{
    struct rt *rt = rt_enter();

    if (is_default(s))
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    free(s);
    return rt_leave(rt, rt->broken);
}

static enum cuda_error wait(void)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, rt_wait(rt));
}

enum cuda_error cudaStreamSynchronize(struct cuda_stream *s)
{
    (void)s;
    return wait();
}

enum cuda_error cudaStreamQuery(struct cuda_stream *s)
{
    (void)s;
    return wait();
}

enum cuda_error cudaDeviceSynchronize(void)
{
    return wait();
}

enum cuda_error cudaStreamWaitEvent(struct cuda_stream *s, struct cuda_event *event,
                                    unsigned flags)
{
    struct rt *rt = rt_enter();

    (void)s, (void)flags;
    return rt_leave(rt, event ? rt->broken : cudaErrorInvalidResourceHandle);
}

enum cuda_error cudaStreamGetFlags(struct cuda_stream *s, unsigned *flags)
{
    struct rt *rt = rt_enter();

    *flags = is_default(s) ? 0 : s->flags;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaStreamGetPriority(struct cuda_stream *s, int *priority)
{
    struct rt *rt = rt_enter();

    *priority = is_default(s) ? 0 : s->priority;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaStreamGetId(struct cuda_stream *s, unsigned long long *id)
{
    struct rt *rt = rt_enter();

    *id = is_default(s) ? 0 : s->id;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaStreamGetDevice(struct cuda_stream *s, int *device)
{
    struct rt *rt = rt_enter();

    (void)s;
    *device = 0;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaStreamIsCapturing(struct cuda_stream *s, int *status)
{
    struct rt *rt = rt_enter();

    (void)s;
    *status = 0;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaStreamAttachMemAsync(struct cuda_stream *s, void *pointer, size_t bytes,
                                         unsigned flags)
{
    struct rt *rt = rt_enter();

    (void)s, (void)pointer, (void)bytes, (void)flags;
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    struct rt *rt = rt_enter();

    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return rt_leave(rt, cudaSuccess);
}

/* Called by the stream that has come so far: here, by its program. */
enum cuda_error cudaLaunchHostFunc(struct cuda_stream *s, void (*function)(void *),
                                   void *context)
{
    enum cuda_error error = wait();

    (void)s;
    if (!error)
        function(context);
    return error;
}

enum cuda_error cudaStreamAddCallback(struct cuda_stream *s,
                                      void (*callback)(struct cuda_stream *,
                                                       enum cuda_error, void *),
                                      void *context, unsigned flags)
{
    enum cuda_error error = wait();

    (void)flags;
    callback(s, error, context);
    return error;
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

    if (!event)
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
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

    (void)s;
    if (!error && !event)
        error = cudaErrorInvalidResourceHandle;
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
    return event && !event->is_recorded ? cudaSuccess : wait();
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

    if (!error && (!from || !to || !from->has_time || !to->has_time || !from->is_recorded ||
                   !to->is_recorded))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        error =
            rt_error(rt, proact_moment_elapsed(from->moment, to->moment, &ns, &err), &err);
    if (!error)
        *ms = (float)(ns / 1e6);
    return rt_leave(rt, error);
}
