/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of graphs: captured allocations, nodes, and statistics. */
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph_memory.h"

enum { PINNED = 1, ON_DEVICE = 1 };

static enum cuda_error take(struct rt *rt, size_t bytes, struct graph_memory *m)
{
    if (!bytes)
        return cudaErrorInvalidValue;
    enum cuda_error error =
        rt_allocate(rt, "cudaMallocAsync",
                    (struct rt_range){.bytes = bytes, .kind = RT_DEVICE}, &m->place);

    if (error)
        return error;
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)m->place);

    range->graph_memory = m->number = rt->allocations;
    range->is_free = true; /* until the graph runs */
    graph_memory_count(rt, GRAPH_MEMORY_RESERVED);
    return cudaSuccess;
}

enum cuda_error rt_graph_memory_take(struct rt *rt, void **out, size_t bytes,
                                     const struct cuda_stream *stream)
{
    struct graph_memory m = {NULL, 0};
    enum cuda_error error = take(rt, bytes, &m);

    if (!error)
        error = rt_in_stream(rt, stream, graph_memory_allocates, &m, sizeof m);
    if (!error)
        *out = m.place;
    return error;
}

enum cuda_error rt_graph_memory_free(struct rt *rt, void *place,
                                     const struct cuda_stream *stream)
{
    const struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)place);

    /* Only graph memory has a node; other memory stays allocated across launches of the
       graph. */
    if (!range || !range->graph_memory)
        return rt->broken;
    const struct graph_memory m = {place, range->graph_memory};

    return rt_in_stream(rt, stream, graph_memory_frees, &m, sizeof m);
}

enum cuda_error cudaGraphAddMemAllocNode(struct graph_op **out, struct cuda_graph *g,
                                         struct graph_op *const *after, size_t after_count,
                                         struct cuda_allocate_node *node)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, after_count};
    struct graph_memory m = {NULL, 0};

    if (!node || node->how.where.type != ON_DEVICE || node->how.where.id)
        return rt_leave(rt, cudaErrorInvalidValue);
    enum cuda_error error = take(rt, node->bytes, &m);

    if (error)
        return rt_leave(rt, error);
    if ((error = graph_node_add(rt, &at, graph_memory_allocates, &m, sizeof m)))
        rt_give_back(rt, graph_memory_range(rt, &m));
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
    const struct graph_memory m = {place, range->graph_memory};

    return rt_leave(rt, graph_node_add(rt, &at, graph_memory_frees, &m, sizeof m));
}

enum cuda_error cudaGraphMemAllocNodeGetParams(struct graph_op *op,
                                               struct cuda_allocate_node *out)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op) || op->run != graph_memory_allocates)
        return rt_leave(rt, cudaErrorInvalidValue);
    const struct rt_range *range = graph_memory_range(rt, op->data);

    *out = (struct cuda_allocate_node){.how = {.type = PINNED, .where = {ON_DEVICE, 0}},
                                       .bytes = range ? range->bytes : 0,
                                       .place =
                                           range ? (void *)(uintptr_t)range->first : NULL};
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphMemFreeNodeGetParams(struct graph_op *op, void *out)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op) || op->run != graph_memory_frees)
        return rt_leave(rt, cudaErrorInvalidValue);
    memcpy(out, op->data, sizeof(void *));
    return rt_leave(rt, cudaSuccess);
}

/* Memory with a node stays for its next launch; all other graph memory is already freed. */
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

    if (error || device || !out || what < GRAPH_MEMORY_USED ||
        what >= GRAPH_MEMORY_ATTRIBUTES)
        return rt_leave(rt, error    ? error
                            : device ? cudaErrorInvalidDevice
                                     : cudaErrorInvalidValue);
    uint64_t bytes = graph_memory_count(rt, what & ~1);

    if (what == GRAPH_MEMORY_USED_MOST || what == GRAPH_MEMORY_RESERVED_MAX)
        bytes = rt->graph_bytes_most[what / 2];
    memcpy(out, &bytes, sizeof bytes);
    return rt_leave(rt, cudaSuccess);
}

/* Only the maxima can be set, and only to a new start. */
enum cuda_error cudaDeviceSetGraphMemAttribute(int device, int what, const void *value)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);
    uint64_t bytes = 1;

    if (value)
        memcpy(&bytes, value, sizeof bytes);
    if (error || device || bytes ||
        (what != GRAPH_MEMORY_USED_MOST && what != GRAPH_MEMORY_RESERVED_MAX))
        return rt_leave(rt, error    ? error
                            : device ? cudaErrorInvalidDevice
                                     : cudaErrorInvalidValue);
    rt->graph_bytes_most[what / 2] = 0;
    graph_memory_count(rt, what & ~1);
    return rt_leave(rt, cudaSuccess);
}
