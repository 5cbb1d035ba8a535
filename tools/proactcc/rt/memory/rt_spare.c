/* SPDX-License-Identifier: Apache-2.0 */
/* Cached memory of freed stream allocations. A free does not wait, and the next allocation
   of equal size reuses the memory. Memory that is not reused between two waits for all work
   is freed at the second one. The cache is emptied if another allocation does not fit. */
#include "base/memory.h"
#include "rt/graph/rt_graph.h"

struct rt_spare {
    struct proact_array *array;
    struct cuda_pool *pool; /* has reserved the memory; NULL: none */
    size_t bytes;
    unsigned stream; /* its number; 0: a default stream */
    uint64_t waits;  /* rt.waits at the time of the free */
};

static unsigned number_of(struct rt *rt, const struct cuda_stream *handle)
{
    const struct rt_stream *s = rt_stream_find(rt, handle);

    return s ? s->number : 0;
}

/* A default stream follows all earlier work of all streams and precedes all later work. */
static bool in_order(unsigned a, unsigned b)
{
    return a == b || !a || !b;
}

bool rt_spare_keep(struct rt *rt, struct rt_range *range, const struct cuda_stream *stream)
{
    if (range->kind != RT_DEVICE || !range->array || range->graph_memory ||
        rt_streams_may_be_drivers(rt) || rt->interop.any)
        return false;
    rt->spare =
        must_grow(rt->spare, rt->spare_count, &rt->spare_capacity, sizeof *rt->spare);
    rt->spare[rt->spare_count++] = (struct rt_spare){
        range->array, range->pool, range->bytes, number_of(rt, stream), rt->waits};
    rt_pool_use(range->pool, -(int64_t)range->bytes);
    rt->bytes_allocated -= range->bytes;
    range_remove(&rt->ranges, range);
    return true;
}

struct proact_array *rt_spare_take(struct rt *rt, size_t bytes,
                                   const struct cuda_stream *stream)
{
    const unsigned number = number_of(rt, stream);

    for (size_t i = rt->spare_count; i-- > 0;) {
        const struct rt_spare s = rt->spare[i];

        if (s.bytes != bytes || !in_order(s.stream, number))
            continue;
        rt->spare[i] = rt->spare[--rt->spare_count];
        rt_pool_reserve(s.pool, -(int64_t)bytes);
        return s.array;
    }
    return NULL;
}

/* The caller has waited for all work. */
static void free_before(struct rt *rt, uint64_t waits)
{
    size_t kept = 0;

    for (size_t i = 0; i < rt->spare_count; i++)
        if (rt->spare[i].waits < waits) {
            rt_pool_reserve(rt->spare[i].pool, -(int64_t)rt->spare[i].bytes);
            proact_array_destroy(rt->spare[i].array);
        } else {
            rt->spare[kept++] = rt->spare[i];
        }
    rt->spare_count = kept;
}

void rt_spare_forget_pool(struct rt *rt, const struct cuda_pool *pool)
{
    for (size_t i = 0; i < rt->spare_count; i++)
        if (rt->spare[i].pool == pool)
            rt->spare[i].pool = NULL;
}

void rt_spare_waited(struct rt *rt)
{
    free_before(rt, rt->waits++);
}

void rt_spare_clear(struct rt *rt)
{
    free_before(rt, UINT64_MAX);
}
