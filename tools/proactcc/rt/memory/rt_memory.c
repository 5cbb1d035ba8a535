/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: every allocation is an array of the session. Memory that host and kernels share
   has one address for both. Only registered memory has a copy on the device
   (rt_shadow.c). */
#include <stdio.h>

#include "rt/rt.h"

/* A distributed array stores one copy of each byte. It is used by request, or if a
   replicated array does not fit on each device. */
static enum proact_status create(struct rt *rt, const struct proact_shape *shape,
                                 struct proact_array **out, struct proact_error *err)
{
    if (rt->distribute && shape->count >= rt->distribute)
        return proact_array_create_distributed(rt->session, shape, out, err);
    enum proact_status status = proact_array_create(rt->session, shape, out, err);

    if (status == PROACT_ENOSPACE && rt->spare_count && !rt_wait(rt)) {
        rt_spare_clear(rt);
        return create(rt, shape, out, err);
    }
    /* If this fails too, the program is out of memory, as on one GPU. */
    if (status == PROACT_ENOSPACE &&
        !proact_array_create_distributed(rt->session, shape, out, NULL))
        return PROACT_OK;
    return status;
}

/* Creation of the array, unless the range has one. */
static enum cuda_error on_device(struct rt *rt, const char *call, struct rt_range *range)
{
    char name[48];
    struct proact_error err = {""};
    enum proact_status status = PROACT_OK;

    snprintf(name, sizeof name, "%s #%llu", call, (unsigned long long)++rt->allocations);
    const struct proact_shape shape = {name, range->bytes, 1};

    if (range->kind == RT_DEVICE && !range->array)
        status = create(rt, &shape, &range->array, &err);
    else if (!range->array)
        status = proact_array_create_host_accessible(
            rt->session, &shape, range->kind == RT_PINNED, &range->array, &err);
    if (status)
        return rt_error(rt, status, &err);
    range->first = proact_array_address(range->array, 0);
    return cudaSuccess;
}

enum cuda_error rt_allocate(struct rt *rt, const char *call, struct rt_range range,
                            void **out)
{
    enum cuda_error error;

    if (rt_open(rt))
        return rt->broken;
    if (!out)
        return cudaErrorInvalidValue;
    if (!range.bytes) {
        *out = NULL;
        return cudaSuccess;
    }
    if ((error = on_device(rt, call, &range)))
        return error;
    rt->bytes_allocated += range.bytes;
    rt_pool_reserve(range.pool, (int64_t)range.bytes);
    rt_pool_use(range.pool, (int64_t)range.bytes);
    *out = (void *)(uintptr_t)range_add(&rt->ranges, &range)->first;
    return cudaSuccess;
}

enum cuda_error rt_give_back(struct rt *rt, struct rt_range *range)
{
    enum cuda_error error = rt->session ? rt_wait(rt) : rt->broken;

    if (!range)
        return error;
    if (rt->session)
        proact_array_destroy(range->array);
    rt_pool_use(range->pool, -(int64_t)range->bytes);
    rt_pool_reserve(range->pool, -(int64_t)range->bytes);
    rt->bytes_allocated -= range->bytes;
    range_remove(&rt->ranges, range);
    return error;
}
