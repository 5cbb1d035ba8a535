/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills. */
#include <string.h>

#include "rt/rt.h"
#include "rt/stream/rt_capture_rules.h"

enum { PINNED_BYTES = 64 << 10 }; /* minimum size at which a device copy is faster */

/* True if device operations access the bytes, so that host access needs a wait. */
static bool is_on_device(const struct rt_range *range)
{
    return range && !range->is_shadow && (range->kind != RT_PINNED || range->is_shown);
}

bool rt_is_on_device(struct rt *rt, const void *place)
{
    return is_on_device(rt_range_of(rt, place));
}

/* Pinned memory that a device copy accesses belongs to the device's order from then on. */
static void show_pinned(struct rt_range *pinned, const struct rt_range *other,
                        const struct rt_rows *r, bool is_async)
{
    if (pinned && pinned->kind == RT_PINNED && other && other->kind == RT_DEVICE &&
        (is_async || r->width * r->height >= PINNED_BYTES))
        pinned->is_shown = true;
}

/* True if the bytes reside on the device. */
static bool is_of_device(const struct rt_range *range)
{
    return range && range->kind != RT_PINNED && range->kind != RT_REGISTERED;
}

/* Byte counts of the report. */
static void count_moved(struct rt *rt, const struct rt_range *to,
                        const struct rt_range *from, size_t bytes)
{
    if (is_of_device(to) && is_of_device(from))
        rt->moved.on_device += bytes;
    else if (is_of_device(to))
        rt->moved.to_device += bytes;
    else if (is_of_device(from))
        rt->moved.to_host += bytes;
}

static bool is_kind_right(enum cuda_copy_kind kind, const struct rt_range *to,
                          const struct rt_range *from)
{
    bool to_host = kind == CUDA_DEVICE_TO_HOST, from_host = kind == CUDA_HOST_TO_DEVICE;

    if (kind == CUDA_COPY_DEFAULT || kind == CUDA_HOST_TO_HOST)
        return true; /* the addresses decide */
    return (to_host ? !to || to->kind != RT_DEVICE : !!to) &&
           (from_host ? !from || from->kind != RT_DEVICE : !!from);
}

/* The end of a copy. One range must contain it: a program must not assume that allocations
   are adjacent. */
static bool is_inside(const struct rt_range *range, const void *pointer, size_t bytes)
{
    return !range || bytes <= range->bytes - ((uint64_t)(uintptr_t)pointer - range->first);
}

static enum proact_status move(struct proact *p, const struct proact_copy_2d *rows,
                               bool to_device, bool from_device, struct proact_error *err)
{
    if (to_device && from_device)
        return proact_device0_copy_2d(p, rows, err);
    return to_device ? proact_device0_write_2d(p, rows, err)
                     : proact_device0_read_2d(p, rows, err);
}

static enum cuda_error move_rows(struct rt *rt, const struct rt_rows *r, bool to_device,
                                 bool from_device)
{
    struct proact_error err;
    const struct proact_copy_2d rows = {(uint64_t)(uintptr_t)r->to,
                                        (uint64_t)(uintptr_t)r->from,
                                        r->width,
                                        r->height,
                                        r->to_pitch,
                                        r->from_pitch};

    if (!to_device && !from_device) {
        for (size_t y = 0; y < r->height; y++)
            memmove((char *)r->to + y * r->to_pitch,
                    (const char *)r->from + y * r->from_pitch, r->width);
        return cudaSuccess;
    }
    enum proact_status status = move(rt->session, &rows, to_device, from_device, &err);

    if (status || !to_device)
        return rt_error(rt, status, &err);
    return rt_queued(rt, from_device ? 0 : r->width * r->height);
}

/* Bytes from the first byte of the first row to the last byte of the last row. */
static size_t hull(const struct rt_rows *r, size_t pitch)
{
    size_t ahead, all;

    return __builtin_mul_overflow(r->height - 1, pitch, &ahead) ||
                   __builtin_add_overflow(ahead, r->width, &all)
               ? SIZE_MAX
               : all;
}

enum cuda_error rt_copy_rows(struct rt *rt, const struct rt_rows *r,
                             enum cuda_copy_kind kind, bool is_async)
{
    struct rt_range *target, *source;

    if (r->width > r->to_pitch || r->width > r->from_pitch)
        return cudaErrorInvalidPitchValue;
    if (r->height > 1 && r->width == r->to_pitch && r->width == r->from_pitch)
        return rt_copy(rt, r->to, r->from, r->width * r->height, kind, is_async);
    enum cuda_error error = rt_open(rt);

    if (error || !r->width || !r->height)
        return error;
    if (kind > CUDA_COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    if (!is_async && (error = rt_capture_check_work(rt, NULL)))
        return error;
    if (!r->to || !r->from)
        return cudaErrorInvalidValue;
    rt_range_of(rt, r->to); /* may move the ranges */
    source = rt_range_of(rt, r->from);
    target = range_find(&rt->ranges, (uint64_t)(uintptr_t)r->to);
    if (!is_kind_right(kind, target, source) ||
        !is_inside(target, r->to, hull(r, r->to_pitch)) ||
        !is_inside(source, r->from, hull(r, r->from_pitch)))
        return cudaErrorInvalidValue;
    show_pinned(target, source, r, is_async);
    show_pinned(source, target, r, is_async);
    bool to_device = is_on_device(target), from_device = is_on_device(source);
    bool is_shared =
        (target && target->kind != RT_DEVICE) || (source && source->kind != RT_DEVICE);

    /* The host bytes of a shadow first receive the kernels' writes to its copy. */
    if ((target && target->is_newer_there) || (source && source->is_newer_there) ||
        (!to_device && !from_device))
        error = rt_wait(rt);
    if (!error)
        count_moved(rt, target, source, r->width * r->height);
    if (!error)
        error = move_rows(rt, r, to_device, from_device);
    /* The host may access its memory after the call. */
    return error || is_async || !is_shared || !to_device ? error : rt_wait(rt);
}

enum cuda_error rt_copy(struct rt *rt, void *to, const void *from, size_t bytes,
                        enum cuda_copy_kind kind, bool is_async)
{
    return rt_copy_rows(rt, &(struct rt_rows){to, from, bytes, bytes, bytes, 1}, kind,
                        is_async);
}

enum cuda_error rt_fill(struct rt *rt, void *to, size_t pitch, int value, size_t bytes,
                        size_t rows)
{
    const struct rt_rows r = {.to = to, .to_pitch = pitch, .width = bytes, .height = rows};
    const struct proact_copy_2d on_device = {
        (uint64_t)(uintptr_t)to, 0, bytes, rows, pitch, pitch};
    const struct rt_range *range;
    struct proact_error err;
    enum cuda_error error = rt_open(rt);

    if (error || !bytes || !rows)
        return error;
    range = rt_range_of(rt, to);
    if (!range || !is_inside(range, to, hull(&r, pitch)))
        return cudaErrorInvalidValue;
    if (is_on_device(range))
        return rt_error(
            rt, proact_device0_fill_2d(rt->session, &on_device, (unsigned char)value, &err),
            &err);
    error = rt_wait(rt);
    for (size_t y = 0; y < rows && !error; y++)
        memset((char *)to + y * pitch, value, bytes);
    return error;
}
