/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, and queries about addresses. */
#include <string.h>

#include "rt/driver/rt_driver.h"

enum cuda_error cuMemAlloc_v2(void **out, size_t bytes)
{
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error && !bytes)
        error = cudaErrorInvalidValue;
    return driver_leave(error ? error : cudaMalloc(out, bytes));
}

enum cuda_error cuMemAllocPitch_v2(void **out, size_t *pitch, size_t width, size_t height,
                                   unsigned element)
{
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error && (!width || !height || (element != 4 && element != 8 && element != 16)))
        error = cudaErrorInvalidValue;
    return driver_leave(error ? error : cudaMallocPitch(out, pitch, width, height));
}

enum cuda_error cuMemGetAddressRange_v2(uint64_t *first, size_t *bytes, const void *pointer)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);
    const struct rt_range *range = error ? NULL : rt_range_of(rt, pointer);

    if (!error && !range)
        error = cudaErrorSymbolNotFound;
    if (!error && first)
        *first = range->first;
    if (!error && bytes)
        *bytes = range->bytes;
    return driver_end(rt, error);
}

/* Pointer attributes by number. */
enum {
    ABOUT_CONTEXT = 1,
    ABOUT_TYPE,
    ABOUT_DEVICE_POINTER,
    ABOUT_HOST_POINTER,
    ABOUT_SYNCHRONOUS = 6,
    ABOUT_NUMBER,
    ABOUT_MANAGED,
    ABOUT_DEVICE,
    ABOUT_LEGACY_SHARING,
    ABOUT_FIRST,
    ABOUT_BYTES,
    ABOUT_MAPPED,
    ABOUT_HANDLES,
};

static bool is_hosts(const struct rt_range *range)
{
    return range->kind == RT_PINNED || range->kind == RT_REGISTERED;
}

static bool has_host_pointer(const struct rt_range *range)
{
    return is_hosts(range) || range->kind == RT_MANAGED;
}

/* Size of the value; 0: the attribute does not exist or does not apply to this memory. */
static size_t answer(struct rt *rt, const struct rt_range *range, int attribute,
                     uint64_t pointer, uint64_t *out)
{
    switch (attribute) {
    case ABOUT_CONTEXT:
        *out = (uint64_t)(uintptr_t)driver_current(rt);
        return sizeof(void *);
    case ABOUT_TYPE:
        *out = is_hosts(range) ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE;
        return sizeof(int);
    case ABOUT_DEVICE_POINTER:
        *out = pointer;
        return sizeof *out;
    case ABOUT_HOST_POINTER:
        *out = pointer;
        return has_host_pointer(range) ? sizeof(void *) : 0;
    case ABOUT_NUMBER: /* never reused during the lifetime of this memory */
    case ABOUT_FIRST:
        *out = range->first;
        return sizeof *out;
    case ABOUT_MANAGED:
        *out = range->kind == RT_MANAGED;
        return sizeof(char);
    case ABOUT_DEVICE:
        *out = 0;
        return sizeof(int);
    case ABOUT_SYNCHRONOUS:
    case ABOUT_LEGACY_SHARING:
        *out = 0;
        return sizeof(char);
    case ABOUT_BYTES:
        *out = range->bytes;
        return sizeof(size_t);
    case ABOUT_MAPPED:
        *out = 1;
        return sizeof(char);
    case ABOUT_HANDLES:
        *out = 0;
        return sizeof *out;
    }
    return 0;
}

enum cuda_error cuPointerGetAttribute(void *out, int attribute, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);
    const struct rt_range *range = error ? NULL : rt_range_of(rt, pointer);
    uint64_t value;
    size_t bytes = range ? answer(rt, range, attribute, address, &value) : 0;

    if (!error && (!bytes || !out))
        error = cudaErrorInvalidValue;
    if (!error)
        memcpy(out, &value, bytes);
    return driver_end(rt, error);
}

/* The value for an unknown address is zero; its size depends only on the attribute. */
static size_t bytes_of(struct rt *rt, int attribute)
{
    static const struct rt_range any = {.kind = RT_PINNED};
    uint64_t value;

    return answer(rt, &any, attribute, 0, &value);
}

enum cuda_error cuPointerGetAttributes(unsigned count, const int *attributes, void **out,
                                       const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);
    const struct rt_range *range = error ? NULL : rt_range_of(rt, pointer);

    for (unsigned i = 0; i < count && !error; i++) {
        const size_t most = bytes_of(rt, attributes[i]);
        uint64_t value = 0;
        size_t bytes = range ? answer(rt, range, attributes[i], address, &value) : 0;

        if (!bytes)
            value = attributes[i] == ABOUT_DEVICE ? (uint64_t)-2 : 0;
        if (!most || !out[i])
            error = cudaErrorInvalidValue;
        else
            memcpy(out[i], &value, most);
    }
    return driver_end(rt, error);
}

/* Accepted without effect: copies are synchronous as far as the program can observe. */
enum cuda_error cuPointerSetAttribute(const void *value, int attribute, const void *pointer)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && (!value || attribute != ABOUT_SYNCHRONOUS || !rt_range_of(rt, pointer)))
        error = cudaErrorInvalidValue;
    return driver_end(rt, error);
}
