/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: handles without memory. An allocation from a pool is an ordinary stream
   allocation (rt_spare.c). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/abi/pool_calls.h"
#include "rt/rt.h"

enum { FLAGS = 3, THRESHOLD, IN_USE, ATTRIBUTES = 8, READ_WRITE = 3 };

struct cuda_pool {
    uint64_t attribute[THRESHOLD + 1]; /* by number: three flags, a threshold */
};

static struct cuda_pool *make(void)
{
    struct cuda_pool *pool = must_calloc(1, sizeof *pool);

    for (int i = 1; i <= FLAGS; i++)
        pool->attribute[i] = 1;
    return pool;
}

static enum cuda_error get(struct rt *rt, bool is_default, struct cuda_pool **out,
                           int device)
{
    enum cuda_error error = rt_open(rt);

    if (error)
        return error;
    if (device || !out)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!rt->default_pool)
        rt->default_pool = make();
    *out = is_default || !rt->pool ? rt->default_pool : rt->pool;
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
        *out = make();
    return rt_leave(rt, error);
}

enum cuda_error cudaMemPoolDestroy(struct cuda_pool *pool)
{
    struct rt *rt = rt_enter();

    if (!pool || pool == rt->default_pool)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (pool == rt->pool)
        rt->pool = NULL;
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

/* The bytes in use, now and at most, are read-only; a reset to 0 is accepted. */
enum cuda_error cudaMemPoolSetAttribute(struct cuda_pool *pool, int what, const void *value)
{
    struct rt *rt = rt_enter();
    int flag;

    if (!pool || !value || what < 1 || what > ATTRIBUTES)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (what <= FLAGS) {
        memcpy(&flag, value, sizeof flag);
        pool->attribute[what] = flag != 0;
    } else if (what == THRESHOLD) {
        memcpy(&pool->attribute[what], value, sizeof pool->attribute[what]);
    }
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaMemPoolGetAttribute(struct cuda_pool *pool, int what, void *out)
{
    struct rt *rt = rt_enter();

    if (!pool || !out || what < 1 || what > ATTRIBUTES)
        return rt_leave(rt, cudaErrorInvalidValue);
    uint64_t value = what >= IN_USE ? rt->bytes_allocated : pool->attribute[what];
    int flag = (int)value;

    if (what <= FLAGS)
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

enum cuda_error cudaMallocFromPoolAsync(void **out, size_t bytes, struct cuda_pool *pool,
                                        struct cuda_stream *stream)
{
    if (!pool) {
        struct rt *rt = rt_enter();

        return rt_leave(rt, cudaErrorInvalidValue);
    }
    return cudaMallocAsync(out, bytes, stream);
}
