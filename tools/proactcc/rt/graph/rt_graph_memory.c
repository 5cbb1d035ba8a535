/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetime of graph memory. It is allocated when its node is created, so that each launch
   uses the same address. It is freed when no node refers to it and the program has freed
   it. */
#include <string.h>

#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph_memory.h"

struct rt_range *graph_memory_range(struct rt *rt, const void *data)
{
    struct graph_memory m;

    memcpy(&m, data, sizeof m);
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)m.place);

    return range && range->graph_memory == m.number ? range : NULL;
}

uint64_t graph_memory_count(struct rt *rt, int what)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < rt->ranges.count; i++) {
        const struct rt_range *range = &rt->ranges.list[i];

        if (range->graph_memory && (what == GRAPH_MEMORY_RESERVED || !range->is_free))
            bytes += range->bytes;
    }
    if (rt->graph_bytes_most[what / 2] < bytes)
        rt->graph_bytes_most[what / 2] = bytes;
    return bytes;
}

enum cuda_error graph_memory_allocates(struct rt *rt, const void *data)
{
    struct rt_range *range = graph_memory_range(rt, data);

    if (!range)
        return cudaErrorInvalidValue;
    range->is_free = false;
    graph_memory_count(rt, GRAPH_MEMORY_USED);
    return rt->broken;
}

enum cuda_error graph_memory_frees(struct rt *rt, const void *data)
{
    struct rt_range *range = graph_memory_range(rt, data);

    if (!range)
        return cudaErrorInvalidValue;
    range->is_free = true;
    return rt->broken;
}

void rt_graph_memory_retain(const struct graph_op *op)
{
    if (op->run != graph_memory_allocates)
        return;
    struct rt *rt = rt_enter_interop();
    struct rt_range *range = graph_memory_range(rt, op->data);

    if (range)
        range->graph_nodes++;
    rt_leave(rt, cudaSuccess);
}

void rt_graph_memory_drop(const struct graph_op *op)
{
    if (op->run != graph_memory_allocates)
        return;
    struct rt *rt = rt_enter_interop();
    struct rt_range *range = graph_memory_range(rt, op->data);

    if (range && !--range->graph_nodes && range->is_free)
        rt_give_back(rt, range);
    rt_leave(rt, cudaSuccess);
}

int rt_graph_memory_type(const struct graph_op *op)
{
    return op->run == graph_memory_allocates ? GRAPH_ALLOCATE
           : op->run == graph_memory_frees   ? GRAPH_FREE
                                             : -1;
}
