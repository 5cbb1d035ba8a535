/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the program registers: its copy on the device is brought up to date before
   a launch that is given its address, and copied back where the host may look again. */
#include <stdlib.h>

#include "cuda_calls.h"
#include "rt.h"

enum cuda_error rt_shadow_in(struct rt *rt, struct rt_range *range)
{
    struct proact_error err = {""};
    enum proact_status status = PROACT_OK;

    range->is_shown = true;
    if (!range->array)
        status = proact_array_create(rt->session,
                                     &(struct proact_shape){"host memory", range->bytes, 1},
                                     &range->array, &err);
    if (!status && !range->is_newer_there) {
        status =
            proact_first_write(rt->session, proact_array_address(range->array, 0),
                               (const void *)(uintptr_t)range->first, range->bytes, &err);
        rt->moved.to_device += range->bytes;
    }
    if (!status)
        range->is_newer_there = true;
    return rt_error(rt, status, &err);
}

enum cuda_error rt_shadows_out(struct rt *rt)
{
    struct proact_error err = {""};
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < rt->ranges.count && !status; i++) {
        struct rt_range *range = &rt->ranges.list[i];

        if (!range->is_newer_there)
            continue;
        status =
            proact_first_read(rt->session, (void *)(uintptr_t)range->first,
                              proact_array_address(range->array, 0), range->bytes, &err);
        range->is_newer_there = false;
        rt->moved.to_host += range->bytes;
    }
    return rt_error(rt, status, &err);
}

static enum cuda_error add(struct rt *rt, void *pointer, size_t bytes, unsigned flags)
{
    uint64_t first = (uint64_t)(uintptr_t)pointer;

    if (rt_open(rt))
        return rt->broken;
    if (!pointer || !bytes)
        return cudaErrorInvalidValue;
    if (range_find(&rt->ranges, first) || range_find(&rt->ranges, first + bytes - 1))
        return cudaErrorHostMemoryAlreadyRegistered;
    range_add(&rt->ranges, &(struct rt_range){.first = first,
                                              .bytes = bytes,
                                              .kind = RT_REGISTERED,
                                              .flags = flags,
                                              .is_shadow = true});
    return cudaSuccess;
}

static enum cuda_error drop(struct rt *rt, void *pointer)
{
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)pointer);
    enum cuda_error error;

    if (!range || range->kind != RT_REGISTERED)
        return cudaErrorHostMemoryNotRegistered;
    error = rt_wait(rt);
    if (rt->session)
        proact_array_destroy(range->array);
    range_remove(&rt->ranges, range);
    return error;
}

enum cuda_error cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, add(rt, pointer, bytes, flags));
}

enum cuda_error cudaHostUnregister(void *pointer)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, drop(rt, pointer));
}

/* The address is the same on both sides: a launch puts the copy's in its place. */
enum cuda_error cudaHostGetDevicePointer(void **out, void *pointer, unsigned flags)
{
    struct rt *rt = rt_enter();
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)pointer);

    (void)flags;
    if (!range || range->kind == RT_DEVICE || range->kind == RT_VARIABLE)
        return rt_leave(rt, cudaErrorInvalidValue);
    range->is_shown = true;
    *out = pointer;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaHostGetFlags(unsigned *flags, void *pointer)
{
    struct rt *rt = rt_enter();
    const struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)pointer);

    if (!range || (range->kind != RT_PINNED && range->kind != RT_REGISTERED))
        return rt_leave(rt, cudaErrorInvalidValue);
    *flags = range->flags;
    return rt_leave(rt, cudaSuccess);
}
