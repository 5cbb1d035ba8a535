/* SPDX-License-Identifier: Apache-2.0 */
/* Registration of host memory, and queries about it. */
#include "rt/abi/cuda_calls.h"
#include "rt/stream/rt_capture_rules.h"

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
                                              .is_shadow = true,
                                              .is_locked = proact_host_register(
                                                  rt->session, pointer, bytes)});
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
    if (rt->session && range->is_locked)
        proact_host_unregister(rt->session, (void *)(uintptr_t)range->first);
    range_remove(&rt->ranges, range);
    return error;
}

enum cuda_error cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    struct rt *rt = rt_enter();
    const enum cuda_error error = rt_capture_check_unsafe(rt);

    return rt_leave(rt, error ? error : add(rt, pointer, bytes, flags));
}

enum cuda_error cudaHostUnregister(void *pointer)
{
    struct rt *rt = rt_enter();
    const enum cuda_error error = rt_capture_check_unsafe(rt);

    return rt_leave(rt, error ? error : drop(rt, pointer));
}

/* Host and device use the same address; a launch replaces it by the copy's address. */
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
