/* SPDX-License-Identifier: Apache-2.0 */
/* Fills with elements of 1, 2 or 4 bytes. A fill whose bytes are equal becomes a byte fill,
   as for graph nodes. */
#include "rt/driver/rt_driver.h"
#include "rt/graph/rt_graph.h"

static bool is_even(const struct cuda_fill_node *f)
{
    return (uint64_t)(uintptr_t)f->to % f->element_bytes == 0 &&
           f->pitch % f->element_bytes == 0 && f->width <= f->pitch / f->element_bytes;
}

static enum cuda_error fill(struct cuda_fill_node f, struct cuda_stream *stream)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (f.height <= 1) /* a single row has no pitch */
        f.pitch = f.width * f.element_bytes;
    if (!error && (f.width > SIZE_MAX / f.element_bytes || !is_even(&f)))
        error = cudaErrorInvalidValue;
    if (!error)
        error = rt_in_stream(rt, stream,
                             rt_is_fill_of_bytes(&f) ? rt_run_fill : rt_run_fill_wide, &f,
                             sizeof f);
    return driver_end(rt, error);
}

static enum cuda_error row(void *to, unsigned value, unsigned element_bytes, size_t count,
                           struct cuda_stream *stream)
{
    return fill((struct cuda_fill_node){to, 0, value, element_bytes, count, 1}, stream);
}

enum cuda_error cuMemsetD8Async(void *to, unsigned char value, size_t count,
                                struct cuda_stream *stream)
{
    return row(to, value, 1, count, stream);
}

enum cuda_error cuMemsetD16Async(void *to, unsigned short value, size_t count,
                                 struct cuda_stream *stream)
{
    return row(to, value, 2, count, stream);
}

enum cuda_error cuMemsetD32Async(void *to, unsigned value, size_t count,
                                 struct cuda_stream *stream)
{
    return row(to, value, 4, count, stream);
}

enum cuda_error cuMemsetD2D8Async(void *to, size_t pitch, unsigned char value, size_t width,
                                  size_t height, struct cuda_stream *stream)
{
    return fill((struct cuda_fill_node){to, pitch, value, 1, width, height}, stream);
}

enum cuda_error cuMemsetD2D16Async(void *to, size_t pitch, unsigned short value,
                                   size_t width, size_t height, struct cuda_stream *stream)
{
    return fill((struct cuda_fill_node){to, pitch, value, 2, width, height}, stream);
}

enum cuda_error cuMemsetD2D32Async(void *to, size_t pitch, unsigned value, size_t width,
                                   size_t height, struct cuda_stream *stream)
{
    return fill((struct cuda_fill_node){to, pitch, value, 4, width, height}, stream);
}

enum cuda_error cuMemsetD8_v2(void *to, unsigned char value, size_t count)
{
    return cuMemsetD8Async(to, value, count, NULL);
}

enum cuda_error cuMemsetD16_v2(void *to, unsigned short value, size_t count)
{
    return cuMemsetD16Async(to, value, count, NULL);
}

enum cuda_error cuMemsetD32_v2(void *to, unsigned value, size_t count)
{
    return cuMemsetD32Async(to, value, count, NULL);
}

enum cuda_error cuMemsetD2D8_v2(void *to, size_t pitch, unsigned char value, size_t width,
                                size_t height)
{
    return cuMemsetD2D8Async(to, pitch, value, width, height, NULL);
}

enum cuda_error cuMemsetD2D16_v2(void *to, size_t pitch, unsigned short value, size_t width,
                                 size_t height)
{
    return cuMemsetD2D16Async(to, pitch, value, width, height, NULL);
}

enum cuda_error cuMemsetD2D32_v2(void *to, size_t pitch, unsigned value, size_t width,
                                 size_t height)
{
    return cuMemsetD2D32Async(to, pitch, value, width, height, NULL);
}
