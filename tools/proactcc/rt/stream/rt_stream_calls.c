/* SPDX-License-Identifier: Apache-2.0 */
/* Streams. If a library may use a stream, its handle is a driver stream, and all work of
   the session has one order. */
#include <stdlib.h>

#include <proact/interop.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/stream/rt_capture_rules.h"

enum { NON_BLOCKING = 1 };

/* A default stream has the properties of a stream created without options. */
static enum cuda_error look_up(struct rt *rt, const struct cuda_stream *handle,
                               struct rt_stream *out)
{
    static const struct rt_stream standard;
    const struct rt_stream *s =
        rt_stream_is_default(handle) ? &standard : *rt_stream_link(rt, handle);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    *out = *s;
    return cudaSuccess;
}

/* Driver streams share the hardware queues with ours, so one is created only if a library
   may need it. */
static enum cuda_error handle_create(struct rt *rt, struct rt_stream *s)
{
    struct proact_error err = {""};
    void *handle = s;
    enum cuda_error error = cudaSuccess;

    s->is_drivers = rt_streams_may_be_drivers(rt);
    if (s->is_drivers)
        error =
            rt_error(rt, proact_interop_stream_create(rt->session, &handle, &err), &err);
    s->handle = handle;
    return error;
}

enum cuda_error cudaStreamCreateWithPriority(struct cuda_stream **out, unsigned flags,
                                             int priority)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (!error && (!out || flags > NON_BLOCKING))
        error = cudaErrorInvalidValue;
    if (error)
        return rt_leave(rt, error);
    struct rt_stream *s = must_calloc(1, sizeof *s);

    *s = (struct rt_stream){.next = rt->streams,
                            .flags = flags,
                            .priority = priority,
                            .id = ++rt->allocations,
                            .number = 1 + rt->streams_made++ % PROACT_STREAMS_MAX};
    if ((error = handle_create(rt, s))) {
        free(s);
        return rt_leave(rt, error);
    }
    rt->streams = s;
    *out = s->handle;
    return rt_leave(rt, cudaSuccess);
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
    struct rt_stream **link = rt_stream_link(rt, s), *found = *link;

    if (rt_stream_is_default(s) || !found)
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    if (found->is_drivers && rt->session)
        proact_interop_stream_destroy(rt->session, s);
    rt_capture_drop(rt, found);
    *link = found->next;
    free(found);
    return rt_leave(rt, rt->broken);
}

/* A wait for one stream, if the backend can wait for less than all work. */
static enum cuda_error wait_in(struct rt *rt, const struct cuda_stream *s)
{
    struct proact_error err = {""};
    enum cuda_error error = rt_open(rt);

    if (error || rt->is_emulated || rt_stream_is_default(s))
        return error ? error : rt_wait(rt);
    if (!(error = rt_stream_enter(rt, s)))
        error = rt_error(rt, proact_stream_wait(rt->session, &err), &err);
    rt_stream_leave(rt);
    return error ? error : rt_shadows_out(rt);
}

/* Emulated devices execute only while the host waits. A query therefore waits, except for
   work that needs an action of the caller. */
static enum cuda_error stream_query(struct rt *rt, const struct cuda_stream *s)
{
    enum proact_progress progress = PROACT_PROGRESS_UNKNOWN;
    enum cuda_error error = rt_open(rt);

    if (!error && !rt->is_emulated) {
        if (!(error = rt_stream_enter(rt, s)))
            progress = proact_stream_query(rt->session);
        rt_stream_leave(rt);
    }
    if (!error && progress == PROACT_PROGRESS_UNKNOWN &&
        !proact_try_quiesce(rt->session, true))
        progress = PROACT_PROGRESS_RUNNING;
    if (error || progress == PROACT_PROGRESS_RUNNING)
        return error ? error : cudaErrorNotReady;
    return progress == PROACT_PROGRESS_DONE && !rt_stream_is_default(s) ? rt_shadows_out(rt)
                                                                        : wait_in(rt, s);
}

static enum cuda_error check_not_kept(struct rt *rt, const struct cuda_stream *s)
{
    enum cuda_error error = rt_stream_check(rt, s);

    return error ? error : rt_capture_check_wait(rt, s);
}

enum cuda_error cudaStreamSynchronize(struct cuda_stream *s)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check_not_kept(rt, s);

    return rt_leave(rt, error ? error : wait_in(rt, s));
}

enum cuda_error cudaStreamQuery(struct cuda_stream *s)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check_not_kept(rt, s);

    return rt_leave(rt, error ? error : stream_query(rt, s));
}

enum cuda_error cudaDeviceSynchronize(void)
{
    struct rt *rt = rt_enter();
    const enum cuda_error error = rt_capture_check_device(rt);

    return rt_leave(rt, error ? error : rt_wait(rt));
}

enum cuda_error cudaStreamGetFlags(struct cuda_stream *s, unsigned *flags)
{
    struct rt *rt = rt_enter();
    struct rt_stream found;
    enum cuda_error error = look_up(rt, s, &found);

    if (!error)
        *flags = found.flags;
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamGetPriority(struct cuda_stream *s, int *priority)
{
    struct rt *rt = rt_enter();
    struct rt_stream found;
    enum cuda_error error = look_up(rt, s, &found);

    if (!error)
        *priority = found.priority;
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamGetId(struct cuda_stream *s, unsigned long long *id)
{
    struct rt *rt = rt_enter();
    struct rt_stream found;
    enum cuda_error error = look_up(rt, s, &found);

    if (!error)
        *id = found.id;
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamGetDevice(struct cuda_stream *s, int *device)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, s);

    if (!error)
        *device = 0;
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamAttachMemAsync(struct cuda_stream *s, void *pointer, size_t bytes,
                                         unsigned flags)
{
    struct rt *rt = rt_enter();

    enum cuda_error error = rt_stream_check(rt, s);

    (void)pointer, (void)bytes, (void)flags;
    return rt_leave(rt, error ? error : rt->broken);
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

/* CUDA calls the function when the stream reaches it. Here the calling thread waits for the
   stream and calls it. */
enum cuda_error cudaLaunchHostFunc(struct cuda_stream *s, void (*function)(void *),
                                   void *context)
{
    struct rt *rt = rt_enter();
    const struct cuda_host_node c = {function, context};
    enum cuda_error error = rt_stream_check(rt, s);

    if (error || (error = rt_capture_check_work(rt, s)))
        return rt_leave(rt, error);
    if (!rt_capture_of(rt, s)) { /* without the lock, so that the function may wait for
                                    another thread */
        error = rt_leave(rt, wait_in(rt, s));
        if (!error)
            function(context);
        return error;
    }
    return rt_leave(rt, rt_in_stream(rt, s, rt_run_host, &c, sizeof c));
}

enum cuda_error cudaStreamAddCallback(struct cuda_stream *s,
                                      void (*callback)(struct cuda_stream *,
                                                       enum cuda_error, void *),
                                      void *context, unsigned flags)
{
    enum cuda_error error = cudaStreamSynchronize(s);

    (void)flags;
    if (error != cudaErrorInvalidResourceHandle)
        callback(s, error, context);
    return error;
}
