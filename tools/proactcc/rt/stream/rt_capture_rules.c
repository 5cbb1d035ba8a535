/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/stream/rt_capture_rules.h"

#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

enum { NON_BLOCKING = 1 };

static bool is_legacy(const struct cuda_stream *s)
{
    return rt_stream_is_default(s) && s != CUDA_STREAM_PER_THREAD;
}

struct cuda_graph *rt_capture_find(const struct rt *rt, uint64_t id)
{
    for (const struct rt_stream *s = rt->streams; s; s = s->next)
        if (s->capture && s->capture->id == id)
            return s->capture;
    return NULL;
}

static bool capture_blocks(const struct rt_stream *s)
{
    return s->capture && !(s->flags & NON_BLOCKING);
}

enum cuda_error rt_capture_check_query(const struct rt *rt, const struct cuda_stream *s)
{
    const struct rt_stream *o = rt->open_captures && is_legacy(s) ? rt->streams : NULL;

    while (o && !capture_blocks(o))
        o = o->next;
    return o ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

enum cuda_error rt_capture_check_work(struct rt *rt, const struct cuda_stream *s)
{
    const struct rt_stream *found = rt->open_captures ? rt_stream_find(rt, s) : NULL;
    const enum cuda_error error = rt_capture_check_query(rt, s);

    for (struct rt_stream *o = rt->streams; o && error; o = o->next)
        if (capture_blocks(o))
            o->capture->is_broken = true;
    return found && found->capture && found->capture->is_broken
               ? cudaErrorStreamCaptureInvalidated
               : error;
}

static bool capture_forbids(const struct cuda_graph *g, int mode)
{
    const bool is_own = g->thread == rt_thread();

    return mode != CUDA_CAPTURE_RELAXED &&
           (is_own ? g->mode != CUDA_CAPTURE_RELAXED
                   : g->mode == CUDA_CAPTURE_GLOBAL && mode == CUDA_CAPTURE_GLOBAL);
}

enum cuda_error rt_capture_check_unsafe(struct rt *rt)
{
    const int mode = rt_thread()->capture_mode;
    enum cuda_error error = cudaSuccess;

    for (struct rt_stream *s = rt->open_captures ? rt->streams : NULL; s; s = s->next)
        if (s->capture && capture_forbids(s->capture, mode)) {
            s->capture->is_broken = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    return error;
}

enum cuda_error rt_capture_check_wait(struct rt *rt, const struct cuda_stream *s)
{
    struct rt_stream *found = rt->open_captures ? rt_stream_find(rt, s) : NULL;
    enum cuda_error error;

    if (found && found->capture) {
        found->capture->is_broken = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    error = rt_capture_check_work(rt, s);
    return error ? error : rt_capture_check_unsafe(rt);
}

enum cuda_error rt_capture_check_device(struct rt *rt)
{
    for (struct rt_stream *s = rt->open_captures ? rt->streams : NULL; s; s = s->next)
        if (s->capture)
            s->capture->is_broken = true;
    return rt->open_captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

enum cuda_error rt_capture_check_event(struct rt *rt, uint64_t capture)
{
    struct cuda_graph *g = capture ? rt_capture_find(rt, capture) : NULL;

    if (!capture)
        return rt_capture_check_unsafe(rt);
    if (!g)
        return cudaErrorInvalidValue;
    g->is_broken = true;
    return cudaErrorCapturedEvent;
}
