/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of graphs: taken when its node is made, so that each launch has it at the same
   place, and given back when no node of it is left and nobody has it. */
#include <string.h>

#include "cuda_calls.h"
#include "graph_calls.h"
#include "rt_graph.h"

/* What a node keeps: after a reset the place may be another one's. */
struct kept {
    void *place;
    uint64_t number;
};

enum { USED, USED_MOST, HELD, HELD_MOST, ATTRIBUTES };
enum { PINNED = 1, ON_DEVICE = 1 };

static struct rt_range *range_of(struct rt *rt, const void *data)
{
    struct kept m;

    memcpy(&m, data, sizeof m);
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)m.place);

    return range && range->graph_memory == m.number ? range : NULL;
}

static uint64_t count(struct rt *rt, int what)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < rt->ranges.count; i++) {
        const struct rt_range *range = &rt->ranges.list[i];

        if (range->graph_memory && (what == HELD || !range->is_free))
            bytes += range->bytes;
    }
    if (rt->graph_bytes_most[what / 2] < bytes)
        rt->graph_bytes_most[what / 2] = bytes;
    return bytes;
}

static enum cuda_error run_allocate(struct rt *rt, const void *data)
{
    struct rt_range *range = range_of(rt, data);

    if (!range)
        return cudaErrorInvalidValue;
    range->is_free = false;
    count(rt, USED);
    return rt->broken;
}

static enum cuda_error run_free(struct rt *rt, const void *data)
{
    struct rt_range *range = range_of(rt, data);

    if (!range)
        return cudaErrorInvalidValue;
    range->is_free = true;
    return rt->broken;
}

void rt_graph_memory_hold(const struct graph_op *op)
{
    if (op->run != run_allocate)
        return;
    struct rt *rt = rt_enter_as_guest();
    struct rt_range *range = range_of(rt, op->data);

    if (range)
        range->graph_nodes++;
    rt_leave(rt, cudaSuccess);
}

void rt_graph_memory_drop(const struct graph_op *op)
{
    if (op->run != run_allocate)
        return;
    struct rt *rt = rt_enter_as_guest();
    struct rt_range *range = range_of(rt, op->data);

    if (range && !--range->graph_nodes && range->is_free)
        rt_give_back(rt, range);
    rt_leave(rt, cudaSuccess);
}

int rt_graph_memory_type(const struct graph_op *op)
{
    return op->run == run_allocate ? GRAPH_ALLOCATE : op->run == run_free ? GRAPH_FREE : -1;
}

static enum cuda_error take(struct rt *rt, size_t bytes, struct kept *m)
{
    enum cuda_error error = bytes ? cudaMalloc(&m->place, bytes) : cudaErrorInvalidValue;

    if (error)
        return error;
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)m->place);

    range->graph_memory = m->number = rt->allocations;
    range->is_free = true; /* until the graph runs */
    count(rt, HELD);
    return cudaSuccess;
}

enum cuda_error rt_graph_memory_take(struct rt *rt, void **out, size_t bytes,
                                     const struct cuda_stream *stream)
{
    struct kept m = {NULL, 0};
    enum cuda_error error = take(rt, bytes, &m);

    if (!error)
        error = rt_in_stream(rt, stream, run_allocate, &m, sizeof m);
    if (!error)
        *out = m.place;
    return error;
}

enum cuda_error rt_graph_memory_free(struct rt *rt, void *place,
                                     const struct cuda_stream *stream)
{
    const struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)place);

    /* A graph finds all other memory where it was, however often it is launched. */
    if (!range || !range->graph_memory)
        return rt->broken;
    const struct kept m = {place, range->graph_memory};

    return rt_in_stream(rt, stream, run_free, &m, sizeof m);
}

enum cuda_error cudaGraphAddMemAllocNode(struct graph_op **out, struct cuda_graph *g,
                                         struct graph_op *const *after, size_t after_count,
                                         struct cuda_allocate_node *node)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, after_count};
    struct kept m = {NULL, 0};

    if (!node || node->how.where.type != ON_DEVICE || node->how.where.id)
        return rt_leave(rt, cudaErrorInvalidValue);
    enum cuda_error error = take(rt, node->bytes, &m);

    if (error)
        return rt_leave(rt, error);
    if ((error = graph_node_add(rt, &at, run_allocate, &m, sizeof m)))
        rt_give_back(rt, range_of(rt, &m));
    else
        node->place = m.place;
    return rt_leave(rt, error);
}

enum cuda_error cudaGraphAddMemFreeNode(struct graph_op **out, struct cuda_graph *g,
                                        struct graph_op *const *after, size_t after_count,
                                        void *place)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, after_count};
    const struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)place);

    if (!range || !range->graph_memory || range->first != (uint64_t)(uintptr_t)place)
        return rt_leave(rt, cudaErrorInvalidValue);
    const struct kept m = {place, range->graph_memory};

    return rt_leave(rt, graph_node_add(rt, &at, run_free, &m, sizeof m));
}

enum cuda_error cudaGraphMemAllocNodeGetParams(struct graph_op *op,
                                               struct cuda_allocate_node *out)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op) || op->run != run_allocate)
        return rt_leave(rt, cudaErrorInvalidValue);
    const struct rt_range *range = range_of(rt, op->data);

    *out = (struct cuda_allocate_node){.how = {.type = PINNED, .where = {ON_DEVICE, 0}},
                                       .bytes = range ? range->bytes : 0,
                                       .place =
                                           range ? (void *)(uintptr_t)range->first : NULL};
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphMemFreeNodeGetParams(struct graph_op *op, void *out)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op) || op->run != run_free)
        return rt_leave(rt, cudaErrorInvalidValue);
    memcpy(out, op->data, sizeof(void *));
    return rt_leave(rt, cudaSuccess);
}

/* Memory that has a node is kept for its next launch, all other is given back already. */
enum cuda_error cudaDeviceGraphMemTrim(int device)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    return rt_leave(rt, !error && device ? cudaErrorInvalidDevice : error);
}

enum cuda_error cudaDeviceGetGraphMemAttribute(int device, int what, void *out)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (error || device || !out || what < USED || what >= ATTRIBUTES)
        return rt_leave(rt, error    ? error
                            : device ? cudaErrorInvalidDevice
                                     : cudaErrorInvalidValue);
    uint64_t bytes = count(rt, what & ~1);

    if (what == USED_MOST || what == HELD_MOST)
        bytes = rt->graph_bytes_most[what / 2];
    memcpy(out, &bytes, sizeof bytes);
    return rt_leave(rt, cudaSuccess);
}

/* The most that there was begins anew; nothing else can be set. */
enum cuda_error cudaDeviceSetGraphMemAttribute(int device, int what, const void *value)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);
    uint64_t bytes = 1;

    if (value)
        memcpy(&bytes, value, sizeof bytes);
    if (error || device || bytes || (what != USED_MOST && what != HELD_MOST))
        return rt_leave(rt, error    ? error
                            : device ? cudaErrorInvalidDevice
                                     : cudaErrorInvalidValue);
    rt->graph_bytes_most[what / 2] = 0;
    count(rt, what & ~1);
    return rt_leave(rt, cudaSuccess);
}
