/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: handles that count bytes. An allocation from a pool is an ordinary stream
   allocation (rt_spare.c). */
#include <stdlib.h>
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/abi/pool_calls.h"
#include "rt/memory/rt_pool.h"

enum { READ_WRITE = 3 };

static enum cuda_error get(struct rt *rt, bool is_default, struct cuda_pool **out,
                           int device)
{
    enum cuda_error error = rt_open(rt);

    if (error)
        return error;
    if (device || !out)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *out = rt_pool_current(rt);
    if (is_default)
        *out = rt->default_pool;
    return cudaSuccess;
}

enum cuda_error cudaDeviceGetDefaultMemPool(struct cuda_pool **out, int device)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, get(rt, true, out, device));
}

enum cuda_error cudaDeviceGetMemPool(struct cuda_pool **out, int device)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, get(rt, false, out, device));
}

enum cuda_error cudaDeviceSetMemPool(int device, struct cuda_pool *pool)
{
    struct rt *rt = rt_enter();

    if (device || !pool)
        return rt_leave(rt, device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    rt->pool = pool;
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaMemPoolCreate(struct cuda_pool **out, const void *how)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (!error && (!out || !how))
        error = cudaErrorInvalidValue;
    if (!error)
        *out = rt_pool_create();
    return rt_leave(rt, error);
}

enum cuda_error cudaMemPoolDestroy(struct cuda_pool *pool)
{
    struct rt *rt = rt_enter();

    if (!pool || pool == rt->default_pool)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (pool == rt->pool)
        rt->pool = NULL;
    for (size_t i = 0; i < rt->ranges.count; i++) /* its memory stays until it is freed */
        if (rt->ranges.list[i].pool == pool)
            rt->ranges.list[i].pool = NULL;
    rt_spare_forget_pool(rt, pool);
    free(pool);
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaMemPoolTrimTo(struct cuda_pool *pool, size_t bytes)
{
    struct rt *rt = rt_enter();

    (void)bytes;
    if (pool && rt->spare_count && !rt_wait(rt))
        rt_spare_clear(rt);
    return rt_leave(rt, pool ? rt->broken : cudaErrorInvalidValue);
}

/* Bytes are read-only, except that 0 sets a maximum to the present value. */
enum cuda_error cudaMemPoolSetAttribute(struct cuda_pool *pool, int what, const void *value)
{
    struct rt *rt = rt_enter();
    int flag;

    if (!pool || !value || what < 1 || what > POOL_ATTRIBUTES)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (what <= POOL_FLAGS) {
        memcpy(&flag, value, sizeof flag);
        pool->attribute[what] = flag != 0;
    } else if (what == POOL_THRESHOLD) {
        memcpy(&pool->attribute[what], value, sizeof pool->attribute[what]);
    } else {
        uint64_t bytes;

        memcpy(&bytes, value, sizeof bytes);
        if ((what != POOL_RESERVED_HIGH && what != POOL_USED_HIGH) || bytes)
            return rt_leave(rt, cudaErrorInvalidValue);
        pool->attribute[what] = pool->attribute[what - 1];
    }
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaMemPoolGetAttribute(struct cuda_pool *pool, int what, void *out)
{
    struct rt *rt = rt_enter();

    if (!pool || !out || what < 1 || what > POOL_ATTRIBUTES)
        return rt_leave(rt, cudaErrorInvalidValue);
    const uint64_t value = pool->attribute[what];
    int flag = (int)value;

    if (what <= POOL_FLAGS)
        memcpy(out, &flag, sizeof flag);
    else
        memcpy(out, &value, sizeof value);
    return rt_leave(rt, rt->broken);
}

/* The only device always has access. */
enum cuda_error cudaMemPoolSetAccess(struct cuda_pool *pool,
                                     const struct cuda_pool_access *list, size_t count)
{
    struct rt *rt = rt_enter();

    for (size_t i = 0; i < count && pool; i++)
        if (list[i].where.id)
            return rt_leave(rt, cudaErrorInvalidDevice);
    return rt_leave(rt, pool ? rt->broken : cudaErrorInvalidValue);
}

enum cuda_error cudaMemPoolGetAccess(int *flags, struct cuda_pool *pool,
                                     const struct cuda_memory_location *where)
{
    struct rt *rt = rt_enter();

    if (!flags || !pool || !where)
        return rt_leave(rt, cudaErrorInvalidValue);
    *flags = where->id ? 0 : READ_WRITE;
    return rt_leave(rt, rt->broken);
}
