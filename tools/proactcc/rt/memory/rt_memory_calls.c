/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation, free and memory queries of the runtime. */
#include "rt/abi/cuda_calls.h"
#include "rt/abi/pool_calls.h"
#include "rt/graph/rt_graph_memory.h"
#include "rt/stream/rt_capture_rules.h"

enum { PITCH = 512, HOST_MAPPED = 2 };

enum release_as { OF_DEVICE, OF_HOST, OF_STREAM };

static enum cuda_error release(struct rt *rt, const void *pointer, enum release_as as,
                               const struct cuda_stream *stream)
{
    struct rt_range *range = range_find(&rt->ranges, (uint64_t)(uintptr_t)pointer);

    if (!pointer)
        return rt->broken ? rt->broken : rt_open(rt);
    if (!range || range->first != (uint64_t)(uintptr_t)pointer ||
        (range->kind == RT_PINNED) != (as == OF_HOST) || range->kind == RT_VARIABLE ||
        range->kind == RT_REGISTERED || (range->graph_memory && range->is_free))
        return cudaErrorInvalidValue;
    if (as == OF_STREAM && rt_spare_keep(rt, range, stream))
        return rt->broken;
    range->is_free = true;
    return range->graph_nodes ? rt->broken : rt_give_back(rt, range);
}

/* A call that allocates at once, not in the order of a stream. */
static enum cuda_error allocate_now(const char *call, struct rt_range range, void **out)
{
    struct rt *rt = rt_enter();
    const enum cuda_error error = rt_capture_check_unsafe(rt);

    return rt_leave(rt, error ? error : rt_allocate(rt, call, range, out));
}

enum cuda_error cudaMalloc(void **out, size_t bytes)
{
    return allocate_now("cudaMalloc", (struct rt_range){.bytes = bytes, .kind = RT_DEVICE},
                        out);
}

static enum cuda_error allocate(struct rt *rt, void **out, size_t bytes,
                                const struct cuda_stream *stream, struct cuda_pool *pool)
{
    struct rt_range range = {.bytes = bytes, .kind = RT_DEVICE, .pool = pool};

    if (out && bytes && !rt_open(rt))
        range.array = rt_spare_take(rt, bytes, stream);
    return rt_allocate(rt, "cudaMallocAsync", range, out);
}

static enum cuda_error allocate_in_stream(struct rt *rt, void **out, size_t bytes,
                                          struct cuda_stream *stream,
                                          struct cuda_pool *pool)
{
    enum cuda_error error = rt_stream_check(rt, stream);

    if (error || (error = rt_capture_check_work(rt, stream)))
        return error;
    return out && rt_capture_of(rt, stream) ? rt_graph_memory_take(rt, out, bytes, stream)
                                            : allocate(rt, out, bytes, stream, pool);
}

enum cuda_error cudaMallocAsync(void **out, size_t bytes, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, allocate_in_stream(rt, out, bytes, stream, rt_pool_current(rt)));
}

enum cuda_error cudaMallocFromPoolAsync(void **out, size_t bytes, struct cuda_pool *pool,
                                        struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, pool ? allocate_in_stream(rt, out, bytes, stream, pool)
                             : cudaErrorInvalidValue);
}

enum cuda_error cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    return allocate_now(
        "cudaMallocManaged",
        (struct rt_range){
            .bytes = bytes, .kind = RT_MANAGED, .flags = flags, .is_shown = true},
        out);
}

enum cuda_error cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    return allocate_now("cudaHostAlloc",
                        (struct rt_range){.bytes = bytes,
                                          .kind = RT_PINNED,
                                          .flags = flags,
                                          .is_shown = flags & HOST_MAPPED},
                        out);
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

static enum cuda_error release_now(const void *pointer, enum release_as as)
{
    struct rt *rt = rt_enter();
    const enum cuda_error error = pointer ? rt_capture_check_unsafe(rt) : cudaSuccess;

    return rt_leave(rt, error ? error : release(rt, pointer, as, NULL));
}

enum cuda_error cudaFree(void *pointer)
{
    return release_now(pointer, OF_DEVICE);
}

enum cuda_error cudaFreeAsync(void *pointer, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, stream);

    if (error || (error = rt_capture_check_work(rt, stream)))
        return rt_leave(rt, error);
    if (rt_capture_of(rt, stream))
        return rt_leave(rt, rt_graph_memory_free(rt, pointer, stream));
    return rt_leave(rt, release(rt, pointer, OF_STREAM, stream));
}

enum cuda_error cudaFreeHost(void *pointer)
{
    return release_now(pointer, OF_HOST);
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
    const struct rt_range *range = rt_range_of(rt, pointer);
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
