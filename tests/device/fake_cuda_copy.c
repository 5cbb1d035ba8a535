/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills. Both addresses are checked when the operation is queued. */
#include "device/fake_cuda.h"

static cu_result queue_copy(struct CUstream_st *stream, unsigned device, uint64_t to,
                            uint64_t from, size_t bytes)
{
    unsigned char *target = (unsigned char *)(uintptr_t)to;
    const unsigned char *source = (const unsigned char *)(uintptr_t)from;

    if ((device < FAKE_DEVICES_MAX && !fake_find(device, target, bytes)) ||
        (device < FAKE_DEVICES_MAX && !fake_find(device, source, bytes)))
        return CU_INVALID_VALUE;
    fake_queue(
        stream,
        (struct fake_op){
            .kind = FAKE_COPY, .to = target, .from = source, .bytes = bytes, .rows = 1});
    return 0;
}

cu_result cuMemcpyAsync(cu_address to, cu_address from, size_t bytes, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    stream = fake_stream(stream);
    return queue_copy(stream, stream->device, to, from, bytes);
}

static bool is_right(const struct cu_rows_end *e, const struct cu_rows *r, unsigned device)
{
    int pitch_max;

    cuDeviceGetAttribute(&pitch_max, CU_PITCH_MAX, (int)device);
    if (e->x || e->y || e->array || e->pitch < r->width || e->pitch > (size_t)pitch_max)
        return false;
    if (e->memory == CU_MEMORY_HOST)
        return e->host && !e->device;
    return e->memory == CU_MEMORY_UNIFIED && !e->host &&
           fake_find(device, (void *)(uintptr_t)e->device,
                     (r->height - 1) * e->pitch + r->width);
}

static uintptr_t place(const struct cu_rows_end *e)
{
    return e->memory == CU_MEMORY_HOST ? (uintptr_t)e->host : (uintptr_t)e->device;
}

cu_result cuMemcpy2DAsync_v2(const struct cu_rows *r, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    stream = fake_stream(stream);
    if (!r->width || !r->height || !is_right(&r->to, r, stream->device) ||
        !is_right(&r->from, r, stream->device))
        return CU_INVALID_VALUE;
    fake_queue(stream, (struct fake_op){.kind = FAKE_COPY,
                                        .to = (void *)place(&r->to),
                                        .from = (void *)place(&r->from),
                                        .bytes = r->width,
                                        .rows = r->height,
                                        .to_pitch = r->to.pitch,
                                        .from_pitch = r->from.pitch});
    return 0;
}

/* Through the host if necessary, which cannot be captured. */
cu_result cuMemcpyPeerAsync(cu_address to, cu_context to_context, cu_address from,
                            cu_context from_context, size_t bytes, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (stream->capture)
        return FAKE_CAPTURE_UNSUPPORTED;
    if (!fake_find(to_context->device, (void *)(uintptr_t)to, bytes) ||
        !fake_find(from_context->device, (void *)(uintptr_t)from, bytes))
        return CU_INVALID_VALUE;
    return queue_copy(stream, FAKE_DEVICES_MAX, to, from, bytes);
}

cu_result cuMemcpyHtoDAsync_v2(cu_address to, const void *from, size_t bytes,
                               cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    stream = fake_stream(stream);
    if (!fake_find(stream->device, (void *)(uintptr_t)to, bytes))
        return CU_INVALID_VALUE;
    return queue_copy(stream, FAKE_DEVICES_MAX, to, (uintptr_t)from, bytes);
}

cu_result cuMemcpyDtoHAsync_v2(void *to, cu_address from, size_t bytes, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    stream = fake_stream(stream);
    if (!fake_find(stream->device, (void *)(uintptr_t)from, bytes))
        return CU_INVALID_VALUE;
    result = queue_copy(stream, FAKE_DEVICES_MAX, (uintptr_t)to, from, bytes);
    /* A copy to pageable memory completes before the call returns. */
    return result || fake_find(stream->device, to, bytes) ? result : fake_drain(stream);
}

static cu_result queue_fill(cu_stream stream, cu_address to, unsigned char value,
                            size_t bytes)
{
    unsigned char *target = (unsigned char *)(uintptr_t)to;

    stream = fake_stream(stream);
    if (!fake_find(stream->device, target, bytes))
        return CU_INVALID_VALUE;
    fake_queue(
        stream,
        (struct fake_op){.kind = FAKE_FILL, .to = target, .bytes = bytes, .value = value});
    return 0;
}

cu_result cuMemsetD8Async(cu_address to, unsigned char value, size_t bytes,
                          cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    return result ? result : queue_fill(stream, to, value, bytes);
}

cu_result cuMemsetD2D8Async(cu_address to, size_t pitch, unsigned char value, size_t bytes,
                            size_t count, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    for (size_t i = 0; i < count && !result; i++)
        result = queue_fill(stream, to + i * pitch, value, bytes);
    return result;
}
