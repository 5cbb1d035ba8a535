/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: every allocation is an array of the session. What host and kernels share lies
   where both reach it by the same address; only what the program registers has a copy on
   the device (rt_shadow.c). */
#include <stdio.h>

#include "cuda_calls.h"
#include "rt_graph.h"

enum { PITCH = 512, HOST_MAPPED = 2 };

/* Of what does not fit on each device, or is to be so, there is one. */
static enum proact_status create(struct rt *rt, const struct proact_shape *shape,
                                 struct proact_array **out, struct proact_error *err)
{
    if (rt->distribute && shape->count >= rt->distribute)
        return proact_array_create_distributed(rt->session, shape, out, err);
    enum proact_status status = proact_array_create(rt->session, shape, out, err);

    /* Where that cannot be had either, there is no room, as on one device. */
    if (status == PROACT_ENOSPACE &&
        !proact_array_create_distributed(rt->session, shape, out, NULL))
        return PROACT_OK;
    return status;
}

static enum cuda_error on_device(struct rt *rt, const char *call, struct rt_range *range)
{
    char name[48];
    struct proact_error err = {""};
    enum proact_status status;

    snprintf(name, sizeof name, "%s #%llu", call, (unsigned long long)++rt->allocations);
    const struct proact_shape shape = {name, range->bytes, 1};

    if (range->kind == RT_DEVICE)
        status = create(rt, &shape, &range->array, &err);
    else
        status = proact_array_create_shared(rt->session, &shape, range->kind == RT_PINNED,
                                            &range->array, &err);
    if (status)
        return rt_error(rt, status, &err);
    range->first = proact_array_address(range->array, 0);
    return cudaSuccess;
}

static enum cuda_error allocate(struct rt *rt, const char *call, struct rt_range range,
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
    *out = (void *)(uintptr_t)range_add(&rt->ranges, &range)->first;
    return cudaSuccess;
}

static enum cuda_error release(struct rt *rt, const void *pointer, bool is_host)
{
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)pointer);

    if (!pointer)
        return rt->broken ? rt->broken : rt_open(rt);
    if (!range || range->first != (uint64_t)(uintptr_t)pointer ||
        (range->kind == RT_PINNED) != is_host || range->kind == RT_VARIABLE ||
        range->kind == RT_REGISTERED || (range->graph_memory && range->is_free))
        return cudaErrorInvalidValue;
    range->is_free = true;
    return range->graph_nodes ? rt->broken : rt_give_back(rt, range);
}

enum cuda_error rt_give_back(struct rt *rt, struct rt_range *range)
{
    enum cuda_error error = rt->session ? rt_wait(rt) : rt->broken;

    if (!range)
        return error;
    if (rt->session)
        proact_array_destroy(range->array);
    rt->bytes_allocated -= range->bytes;
    range_remove(&rt->ranges, range);
    return error;
}

enum cuda_error cudaMalloc(void **out, size_t bytes)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt,
                    allocate(rt, "cudaMalloc",
                             (struct rt_range){.bytes = bytes, .kind = RT_DEVICE}, out));
}

enum cuda_error cudaMallocAsync(void **out, size_t bytes, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, stream);

    if (!error)
        error = out && rt_capture_of(rt, stream)
                    ? rt_graph_memory_take(rt, out, bytes, stream)
                    : cudaMalloc(out, bytes);
    return rt_leave(rt, error);
}

enum cuda_error cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    struct rt *rt = rt_enter();

    return rt_leave(
        rt,
        allocate(rt, "cudaMallocManaged",
                 (struct rt_range){
                     .bytes = bytes, .kind = RT_MANAGED, .flags = flags, .is_shown = true},
                 out));
}

enum cuda_error cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, allocate(rt, "cudaHostAlloc",
                                 (struct rt_range){.bytes = bytes,
                                                   .kind = RT_PINNED,
                                                   .flags = flags,
                                                   .is_shown = flags & HOST_MAPPED},
                                 out));
}

enum cuda_error cudaMallocHost(void **out, size_t bytes)
{
    return cudaHostAlloc(out, bytes, 0);
}

enum cuda_error cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    size_t row = (width + PITCH - 1) / PITCH * PITCH;

    if (!pitch || row < width || (height && row > SIZE_MAX / height)) {
        struct rt *rt = rt_enter();

        return rt_leave(rt, cudaErrorInvalidValue);
    }
    *pitch = row;
    return cudaMalloc(out, row * height);
}

enum cuda_error cudaMalloc3D(struct cuda_pitched *out, struct cuda_extent extent)
{
    struct cuda_pitched p = {NULL, 0, extent.width, extent.height};
    enum cuda_error error =
        cudaMallocPitch(&p.pointer, &p.pitch, extent.width, extent.height * extent.depth);

    if (!error)
        *out = p;
    return error;
}

enum cuda_error cudaFree(void *pointer)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, release(rt, pointer, false));
}

enum cuda_error cudaFreeAsync(void *pointer, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, stream);

    if (error)
        return rt_leave(rt, error);
    if (rt_capture_of(rt, stream))
        return rt_leave(rt, rt_graph_memory_free(rt, pointer, stream));
    return rt_leave(rt, release(rt, pointer, false));
}

enum cuda_error cudaFreeHost(void *pointer)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, release(rt, pointer, true));
}

enum cuda_error cudaMemGetInfo(size_t *free_bytes, size_t *bytes)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (!error) {
        *bytes = proact_device_describe(rt->session).memory_bytes;
        *free_bytes =
            *bytes - (rt->bytes_allocated < *bytes ? rt->bytes_allocated : *bytes);
    }
    return rt_leave(rt, error);
}

enum cuda_error cudaPointerGetAttributes(struct cuda_pointer_attributes *out,
                                         const void *pointer)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);
    const struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)pointer);
    static const enum cuda_memory_type types[] = {[RT_DEVICE] = CUDA_MEMORY_DEVICE,
                                                  [RT_VARIABLE] = CUDA_MEMORY_DEVICE,
                                                  [RT_MANAGED] = CUDA_MEMORY_MANAGED,
                                                  [RT_PINNED] = CUDA_MEMORY_HOST,
                                                  [RT_REGISTERED] = CUDA_MEMORY_HOST};

    if (error)
        return rt_leave(rt, error);
    *out = (struct cuda_pointer_attributes){.type = CUDA_MEMORY_UNREGISTERED,
                                            .host_pointer = (void *)(uintptr_t)pointer,
                                            .device = -2};
    if (range) {
        out->type = types[range->kind];
        out->device = 0;
        out->device_pointer = out->host_pointer;
        if (out->type == CUDA_MEMORY_DEVICE)
            out->host_pointer = NULL;
    }
    return rt_leave(rt, cudaSuccess);
}
