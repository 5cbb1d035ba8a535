/* SPDX-License-Identifier: Apache-2.0 */
/* Captures. The calls of a captured stream are stored, and those of streams that wait for
   it. The order of the calls is a valid execution order. */
#include <stdlib.h>

#include "base/memory.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/stream/rt_capture_rules.h"

static struct cuda_graph *capture_of(struct rt *rt, const struct cuda_stream *handle)
{
    const struct rt_stream *s = rt->open_captures ? rt_stream_find(rt, handle) : NULL;

    return s ? s->capture : NULL;
}

static void capture_advance(struct rt_stream *s, size_t other, bool is_work)
{
    struct cuda_graph *g = s->capture;

    g->points = must_grow(g->points, g->point_count, &g->point_capacity, sizeof *g->points);
    g->points[g->point_count++] = (struct capture_point){{s->point, other}, is_work, false};
    s->point = g->point_count;
}

/* True if the work of every stream of the capture precedes its end in the stream `s`. */
static bool capture_is_joined(const struct rt_stream *s)
{
    struct capture_point *points = s->capture->points;
    bool is_joined = true;

    if (s->point)
        points[s->point - 1].is_joined = true;
    for (size_t i = s->capture->point_count; i-- > 0;)
        for (int k = 0; k < 2 && points[i].is_joined; k++)
            if (points[i].before[k])
                points[points[i].before[k] - 1].is_joined = true;
    for (size_t i = 0; i < s->capture->point_count; i++)
        is_joined = is_joined && (points[i].is_joined || !points[i].is_work);
    return is_joined;
}

enum cuda_error rt_in_stream(struct rt *rt, const struct cuda_stream *s, graph_run *run,
                             const void *data, size_t bytes)
{
    struct cuda_graph *g = capture_of(rt, s);
    enum cuda_error error = rt_stream_check(rt, s);

    if (!error)
        error = rt_capture_check_work(rt, s);
    if (!error && !g) {
        if (!(error = rt_stream_enter(rt, s)))
            error = run(rt, data);
        rt_stream_leave(rt);
    }
    if (error || !g)
        return error;
    struct graph_op *op = graph_add(g, run, data, bytes);

    capture_advance(rt_stream_find(rt, s), 0, true);
    if (g->count > 1) /* the program may query the dependency */
        graph_after(op, g->ops[g->count - 2]);
    return rt->broken;
}

uint64_t rt_capture_of(struct rt *rt, const struct cuda_stream *s)
{
    const struct cuda_graph *g = capture_of(rt, s);

    return g ? g->id : 0;
}

size_t rt_capture_point(struct rt *rt, const struct cuda_stream *handle)
{
    const struct rt_stream *s = rt_stream_find(rt, handle);

    return s ? s->point : 0;
}

enum cuda_error rt_capture_join(struct rt *rt, const struct cuda_stream *handle,
                                uint64_t capture, size_t point)
{
    struct rt_stream *s = rt_stream_find(rt, handle);
    struct cuda_graph *own = s ? s->capture : NULL,
                      *other = capture ? rt_capture_find(rt, capture) : NULL;
    enum cuda_error error = capture && !other ? cudaErrorInvalidValue : cudaSuccess;

    if (own && !capture)
        error = cudaErrorStreamCaptureIsolation;
    if (own && other && own != other) {
        other->is_broken = true;
        error = cudaErrorStreamCaptureMerge;
    }
    if (own && error)
        own->is_broken = true;
    if (error || !s || !other)
        return error;
    s->capture = other;
    capture_advance(s, point, false);
    return cudaSuccess;
}

/* A default stream cannot be captured: it would also capture calls without a stream. */
static enum cuda_error begin(struct rt *rt, const struct cuda_stream *handle, int mode)
{
    struct rt_stream *s = rt_stream_find(rt, handle);
    enum cuda_error error = rt_stream_check(rt, handle);

    if (error || !s)
        return error ? error : cudaErrorStreamCaptureUnsupported;
    if (mode < CUDA_CAPTURE_GLOBAL || mode > CUDA_CAPTURE_RELAXED)
        return cudaErrorInvalidValue;
    if (s->capture)
        return cudaErrorIllegalState;
    s->capture = rt_graph_create(rt);
    s->capture->id = ++rt->captures;
    s->capture->mode = mode;
    s->capture->thread = rt_thread();
    s->began_it = true;
    rt->open_captures++;
    return rt->broken;
}

static enum cuda_error end(struct rt *rt, const struct cuda_stream *handle,
                           struct cuda_graph **out)
{
    struct rt_stream *s = rt_stream_find(rt, handle);
    struct cuda_graph *g = s ? s->capture : NULL;
    enum cuda_error error = rt_stream_check(rt, handle);

    if (!out) /* the capture goes on */
        return error ? error : cudaErrorInvalidValue;
    *out = NULL;
    if (error || !g)
        return error ? error : cudaErrorIllegalState;
    if (!s->began_it) {
        g->is_broken = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    if (g->is_broken)
        error = cudaErrorStreamCaptureInvalidated;
    else if (g->mode != CUDA_CAPTURE_RELAXED && g->thread != rt_thread())
        error = cudaErrorStreamCaptureWrongThread;
    else if (!capture_is_joined(s))
        error = cudaErrorStreamCaptureUnjoined;

    for (struct rt_stream *o = rt->streams; o; o = o->next)
        if (o->capture == g) {
            o->capture = NULL;
            o->began_it = false;
            o->point = 0;
        }
    rt->open_captures--;
    free(g->points);
    g->points = NULL;
    g->point_count = g->point_capacity = 0;
    if (error) {
        rt_graph_destroy(rt, g);
        return error;
    }
    *out = g;
    return rt->broken;
}

void rt_capture_drop(struct rt *rt, struct rt_stream *s)
{
    struct cuda_graph *g = NULL;

    if (!s->began_it)
        return;
    end(rt, s->handle, &g);
    if (g)
        rt_graph_destroy(rt, g);
}

enum cuda_error cudaStreamBeginCapture(struct cuda_stream *s, int mode)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, begin(rt, s, mode));
}

enum cuda_error cudaStreamEndCapture(struct cuda_stream *s, struct cuda_graph **out)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, end(rt, s, out));
}

static enum cuda_capture_status capture_status(const struct cuda_graph *g)
{
    return !g             ? CUDA_CAPTURE_NONE
           : g->is_broken ? CUDA_CAPTURE_INVALIDATED
                          : CUDA_CAPTURE_ACTIVE;
}

static enum cuda_error capture_query(struct rt *rt, const struct cuda_stream *s)
{
    const enum cuda_error error = rt_stream_check(rt, s);

    return error ? error : rt_capture_check_query(rt, s);
}

enum cuda_error cudaStreamIsCapturing(struct cuda_stream *s, enum cuda_capture_status *out)
{
    struct rt *rt = rt_enter();

    *out = capture_status(capture_of(rt, s));
    return rt_leave(rt, capture_query(rt, s));
}

enum cuda_error cudaStreamGetCaptureInfo(struct cuda_stream *s,
                                         enum cuda_capture_status *out,
                                         unsigned long long *id, struct cuda_graph **graph,
                                         struct graph_op *const **after, const void **edges,
                                         size_t *after_count)
{
    struct rt *rt = rt_enter();
    struct cuda_graph *g = capture_of(rt, s);

    *out = capture_status(g);
    if (*out == CUDA_CAPTURE_INVALIDATED)
        return rt_leave(rt, cudaSuccess);
    if (id)
        *id = g ? g->id : 0;
    if (graph)
        *graph = g;
    if (after)
        *after = g ? g->ops + g->count - (g->count > 0) : NULL;
    if (edges)
        *edges = NULL;
    if (after_count)
        *after_count = g && g->count;
    return rt_leave(rt, capture_query(rt, s));
}

enum cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    struct rt *rt = rt_enter();
    const int was = rt_thread()->capture_mode;

    if (!mode || *mode < CUDA_CAPTURE_GLOBAL || *mode > CUDA_CAPTURE_RELAXED)
        return rt_leave(rt, cudaErrorInvalidValue);
    rt_thread()->capture_mode = *mode;
    *mode = was;
    return rt_leave(rt, cudaSuccess);
}
