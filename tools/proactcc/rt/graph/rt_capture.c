/* SPDX-License-Identifier: Apache-2.0 */
/* Captures. The calls of a captured stream are stored, and those of streams that wait for
   it. The order of the calls is a valid execution order. */
#include <stdlib.h>

#include "base/memory.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

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

uint64_t rt_capture_break(struct rt *rt, const struct cuda_stream *s)
{
    struct cuda_graph *g = capture_of(rt, s);

    if (g)
        g->is_broken = true;
    return g ? g->id : 0;
}

enum cuda_error rt_capture_join(struct rt *rt, const struct cuda_stream *handle,
                                uint64_t capture, size_t point)
{
    struct rt_stream *s = rt_stream_find(rt, handle);
    const struct rt_stream *o = rt->streams;

    while (o && (!o->capture || o->capture->id != capture))
        o = o->next;
    if (!s || !o)
        return cudaSuccess;
    if (s->capture && s->capture != o->capture) {
        s->capture->is_broken = o->capture->is_broken = true;
        return cudaErrorStreamCaptureMerge;
    }
    s->capture = o->capture;
    capture_advance(s, point, false);
    return cudaSuccess;
}

/* A default stream cannot be captured: it would also capture calls without a stream. */
static enum cuda_error begin(struct rt *rt, const struct cuda_stream *handle)
{
    struct rt_stream *s = rt_stream_find(rt, handle);
    enum cuda_error error = rt_stream_check(rt, handle);

    if (error || !s)
        return error ? error : cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    s->capture = rt_graph_create(rt);
    s->capture->id = ++rt->captures;
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

    if (error || !g)
        return error ? error : cudaErrorIllegalState;
    if (!s->began_it)
        return cudaErrorStreamCaptureUnmatched;
    const bool is_joined = capture_is_joined(s);

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
    *out = g->is_broken || !is_joined ? NULL : g;
    if (*out)
        return rt->broken;
    error =
        g->is_broken ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
    rt_graph_destroy(rt, g);
    return error;
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

    (void)mode;
    return rt_leave(rt, begin(rt, s));
}

enum cuda_error cudaStreamEndCapture(struct cuda_stream *s, struct cuda_graph **out)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, end(rt, s, out));
}

enum cuda_error cudaStreamIsCapturing(struct cuda_stream *s, enum cuda_capture_status *out)
{
    struct rt *rt = rt_enter();

    *out = capture_of(rt, s) ? CUDA_CAPTURE_ACTIVE : CUDA_CAPTURE_NONE;
    return rt_leave(rt, rt_stream_check(rt, s));
}

enum cuda_error cudaStreamGetCaptureInfo(struct cuda_stream *s,
                                         enum cuda_capture_status *out,
                                         unsigned long long *id, struct cuda_graph **graph,
                                         struct graph_op *const **after, const void **edges,
                                         size_t *after_count)
{
    struct rt *rt = rt_enter();
    struct cuda_graph *g = capture_of(rt, s);

    *out = g ? CUDA_CAPTURE_ACTIVE : CUDA_CAPTURE_NONE;
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
    return rt_leave(rt, rt_stream_check(rt, s));
}

/* The mode is stored but restricts no call. */
enum cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    struct rt *rt = rt_enter();
    int was = rt->capture_mode;

    rt->capture_mode = *mode;
    *mode = was;
    return rt_leave(rt, cudaSuccess);
}
