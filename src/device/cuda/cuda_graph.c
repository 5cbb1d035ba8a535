/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: the driver keeps what streams are given while they are captured. A capture begins
   on a stream of its own, takes others in as they are used, and ends when all have come
   together there; a graph is launched on that stream, too. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_set.h"

struct device_graph {
    struct device_set *set;
    cu_graph_exec exec;
    struct cuda_wait *waits;
    size_t wait_count;
};

static enum proact_status make_stream(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    cu_result result = 0;

    if (set->graph_end)
        return PROACT_OK;
    if (!set->graph_stream)
        status = cuda_stream_create(set, 0, &set->graph_stream, err);
    if (status || (status = cuda_enter(set, 0, err)))
        return status;
    if (!set->graph_begin)
        result = set->driver.event_create(&set->graph_begin, CU_EVENT_WITHOUT_TIME);
    if (!result)
        result = set->driver.event_create(&set->graph_end, CU_EVENT_WITHOUT_TIME);
    return cuda_leave(set, 0, result, "cuEventCreate", err);
}

/* Within device 0's context: what the driver has captured so far goes. */
static void abandon(struct device_set *set)
{
    cu_graph graph = NULL;

    for (struct device_stream *s = set->streams; s; s = s->next)
        s->is_captured = false;
    set->driver.capture_end(set->graph_stream->stream, &graph);
    if (graph)
        set->driver.graph_destroy(graph);
    set->is_capturing = false;
    set->wait_count = set->captured_waits;
}

/* The driver captures no copy that goes through the host. */
static enum proact_status check_peers(const struct device_set *set,
                                      struct proact_error *err)
{
    for (unsigned from = 0; from < set->count; from++)
        for (unsigned to = 0; to < set->count; to++)
            if (from != to && !set->devices[from].reaches[to])
                return fail(err, PROACT_EREFUSED,
                            "copies between devices %u and %u go through the host, which "
                            "cannot be recorded: device %u does not reach device %u",
                            from, to, from, to);
    return PROACT_OK;
}

static enum proact_status load_standing(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < set->count && !status; d++)
        if (!(status = cuda_enter(set, d, err)))
            status =
                cuda_leave(set, d, cuda_standing_load(set, d), "cuModuleLoadDataEx", err);
    return status;
}

enum proact_status cuda_capture_begin(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = check_peers(set, err);

    if (status || (status = load_standing(set, err)) || (status = make_stream(set, err)) ||
        (status = cuda_enter(set, 0, err)))
        return status;
    cu_stream stream = set->graph_stream->stream;
    cu_result result = set->driver.capture_begin(stream, CU_CAPTURE_RELAXED);

    set->captures++;
    set->captured_waits = set->wait_count;
    set->is_capturing = result == 0;
    if (!result && (result = set->driver.event_record(set->graph_begin, stream)))
        abandon(set);
    return cuda_leave(set, 0, result, "cuStreamBeginCapture", err);
}

/* The graph's stream goes on when this one has come so far. */
static cu_result come_together(struct device_set *set, struct device_stream *s)
{
    const struct driver *v = &set->driver;
    cu_context was;

    v->context_push(set->devices[s->device].context);
    cu_result result = v->event_record(s->join, s->stream);

    v->context_pop(&was);
    return result ? result : v->stream_wait_event(set->graph_stream->stream, s->join, 0);
}

static struct device_graph *keep(struct device_set *set, cu_graph_exec exec)
{
    struct device_graph *g = must_calloc(1, sizeof *g);

    g->set = set;
    g->exec = exec;
    g->wait_count = set->wait_count - set->captured_waits;
    g->waits = must_calloc(g->wait_count, sizeof *g->waits);
    if (g->wait_count)
        memcpy(g->waits, set->waits + set->captured_waits,
               g->wait_count * sizeof *g->waits);
    return g;
}

/* Within device 0's context. */
static cu_result end_capture(struct device_set *set, cu_graph_exec *exec)
{
    const struct driver *v = &set->driver;
    cu_graph graph = NULL;
    cu_result result = 0;

    for (struct device_stream *s = set->streams; s; s = s->next) {
        if (s->is_captured && !result)
            result = come_together(set, s);
        s->is_captured = false;
    }
    cu_result ended = v->capture_end(set->graph_stream->stream, &graph);

    if (!result && !(result = ended))
        result = v->graph_make(exec, graph, CU_GRAPH_PRIORITIES);
    if (graph)
        v->graph_destroy(graph);
    return result;
}

enum proact_status cuda_capture_end(struct device_set *set, struct device_graph **out,
                                    struct proact_error *err)
{
    enum proact_status status = cuda_enter(set, 0, err);
    cu_graph_exec exec = NULL;
    cu_context was;

    if (status) {
        set->driver.context_push(set->devices[0].context);
        abandon(set);
        set->driver.context_pop(&was);
        return status;
    }
    set->is_capturing = false;
    cu_result result = end_capture(set, &exec);

    if (!(status = cuda_leave(set, 0, result, "cuStreamEndCapture", err)))
        *out = keep(set, exec);
    set->wait_count = set->captured_waits;
    return status;
}

/* The graph comes after all that was used since the last one, all else after the graph. */
static cu_result launch_between(struct device_graph *g)
{
    struct device_set *set = g->set;
    const struct driver *v = &set->driver;
    cu_result result = 0;

    for (struct device_stream *s = set->streams; s && !result; s = s->next) {
        if (s->is_ahead && s != set->graph_stream)
            result = come_together(set, s);
        s->is_ahead = false;
        s->is_behind = s != set->graph_stream;
    }
    if (!result)
        result = v->graph_launch(g->exec, set->graph_stream->stream);
    if (!result)
        result = v->event_record(set->graph_end, set->graph_stream->stream);
    return result;
}

enum proact_status cuda_graph_launch(struct device_graph *g, struct proact_error *err)
{
    struct device_set *set = g->set;
    enum proact_status status = cuda_enter(set, 0, err);

    if (status)
        return status;
    for (size_t i = 0; i < g->wait_count; i++) {
        set->waits =
            must_grow(set->waits, set->wait_count, &set->wait_capacity, sizeof *set->waits);
        set->waits[set->wait_count++] = g->waits[i];
    }
    cuda_nvtx_begin(set, "replay");
    status = cuda_leave(set, 0, launch_between(g), "cuGraphLaunch", err);
    cuda_nvtx_end(set);
    return status;
}

void cuda_graph_destroy(struct device_graph *g)
{
    cu_context was;

    if (!g)
        return;
    cuda_synchronize(g->set, NULL);
    g->set->driver.context_push(g->set->devices[0].context);
    if (!g->set->is_stuck)
        g->set->driver.graph_exec_destroy(g->exec);
    g->set->driver.context_pop(&was);
    free(g->waits);
    free(g);
}

void cuda_graphs_clear(struct device_set *set)
{
    cu_context was;

    if (!set->graph_stream || set->is_stuck)
        return;
    set->driver.context_push(set->devices[0].context);
    if (set->is_capturing)
        abandon(set);
    if (set->graph_begin)
        set->driver.event_destroy(set->graph_begin);
    if (set->graph_end)
        set->driver.event_destroy(set->graph_end);
    set->driver.context_pop(&was);
}
