/* SPDX-License-Identifier: Apache-2.0 */
/* Graph launches: all graphs of one launch end before those of the next launch start. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/graph/cuda_tape.h"

cu_result cuda_come_together(struct device_set *set, struct device_stream *s,
                             const struct device_stream *to)
{
    const struct driver *v = &set->driver;

    cuda_context_push(v, set->devices[s->device].context);
    cu_result result = v->event_record(s->join, s->stream);

    cuda_context_pop(v);
    return result ? result : v->stream_wait_event(to->stream, s->join, 0);
}

/* Launches one part on a device. The stream of device 0 starts first and ends last. */
static cu_result launch_on(const struct device_graph *g, const struct cuda_part *part,
                           unsigned device)
{
    struct device_set *set = g->set;
    const struct driver *v = &set->driver;
    const struct cuda_device *d = &set->devices[device], *first = &set->devices[0];
    cu_stream stream = d->graph_stream->stream;
    cu_result result = 0;

    if (!part->exec[device])
        return 0;
    d->graph_stream->is_busy = true;
    cuda_context_push(v, d->context);
    if (device)
        result = v->stream_wait_event(stream, first->graph_begin, 0);
    if (!result)
        result = v->graph_launch(part->exec[device], stream);
    if (!result && device)
        result = v->event_record(d->graph_end, stream);
    cuda_context_pop(v);
    return result;
}

static bool works_on(const struct device_graph *g, unsigned device)
{
    for (size_t i = 0; i < g->part_count; i++)
        if (g->part[i].exec[device])
            return true;
    return false;
}

/* Launches the graphs after all work since the previous launch; later work follows them.
   Work that is known to be complete needs no event. */
static cu_result launch_between(const struct device_graph *g)
{
    struct device_set *set = g->set;
    const struct driver *v = &set->driver;
    const struct cuda_device *first = &set->devices[0];
    cu_result result = 0;

    for (struct device_stream *s = set->streams; s && !result; s = s->next) {
        bool is_own = s == set->devices[s->device].graph_stream;

        if (s->is_ahead && s->is_busy && !is_own)
            result = cuda_come_together(set, s, first->graph_stream);
        s->is_ahead = false;
        s->is_behind = !is_own;
    }
    first->graph_stream->is_busy = true;
    if (!result)
        result = v->event_record(first->graph_begin, first->graph_stream->stream);
    for (size_t i = 0; i < g->part_count; i++)
        for (unsigned d = 0; d < set->count && !result; d++)
            result = launch_on(g, &g->part[i], d);
    for (unsigned d = 1; d < set->count && !result; d++)
        if (works_on(g, d))
            result = v->stream_wait_event(first->graph_stream->stream,
                                          set->devices[d].graph_end, 0);
    if (!result)
        result = v->event_record(first->graph_end, first->graph_stream->stream);
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
    set->has_replayed = true;
    cuda_nvtx_begin(set, "replay");
    status = cuda_leave(set, 0, launch_between(g), "cuGraphLaunch", err);
    cuda_nvtx_end(set);
    return status;
}

void cuda_graph_destroy(struct device_graph *g)
{

    if (!g)
        return;
    struct device_set *set = g->set;

    cuda_synchronize(set, NULL);
    for (unsigned d = 0; d < set->count && !set->is_stuck; d++) {
        cuda_context_push(&set->driver, set->devices[d].context);
        for (size_t i = 0; i < g->part_count; i++)
            if (g->part[i].exec[d])
                set->driver.graph_exec_destroy(g->part[i].exec[d]);
        if (g->words[d])
            set->driver.memory_free(g->words[d]);
        cuda_context_pop(&set->driver);
    }
    free(g->part);
    free(g->waits);
    free(g);
}

void cuda_graphs_clear(struct device_set *set)
{

    cuda_tape_clear(set);
    for (unsigned i = 0; i < set->count && !set->is_stuck; i++) {
        struct cuda_device *d = &set->devices[i];

        if (!d->graph_stream)
            continue;
        cuda_context_push(&set->driver, d->context);
        if (d->graph_begin)
            set->driver.event_destroy(d->graph_begin);
        if (d->graph_end)
            set->driver.event_destroy(d->graph_end);
        cuda_context_pop(&set->driver);
    }
}
