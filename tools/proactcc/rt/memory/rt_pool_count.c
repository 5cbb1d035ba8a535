/* SPDX-License-Identifier: Apache-2.0 */
/* Creation of pools, and the bytes that their allocations have in use. */
#include "base/memory.h"
#include "rt/memory/rt_pool.h"

struct cuda_pool *rt_pool_create(void)
{
    struct cuda_pool *pool = must_calloc(1, sizeof *pool);

    for (int i = 1; i <= POOL_FLAGS; i++)
        pool->attribute[i] = 1;
    return pool;
}

static void pool_count(struct cuda_pool *pool, int what, int64_t bytes)
{
    if (!pool)
        return;
    uint64_t *now = &pool->attribute[what], *high = now + 1;

    *now += (uint64_t)bytes;
    if (*now > *high)
        *high = *now;
}

void rt_pool_use(struct cuda_pool *pool, int64_t bytes)
{
    pool_count(pool, POOL_USED, bytes);
}

void rt_pool_reserve(struct cuda_pool *pool, int64_t bytes)
{
    pool_count(pool, POOL_RESERVED, bytes);
}

struct cuda_pool *rt_pool_current(struct rt *rt)
{
    if (!rt->default_pool)
        rt->default_pool = rt_pool_create();
    return rt->pool ? rt->pool : rt->default_pool;
}
