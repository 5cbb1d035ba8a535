/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional copies, expressed as cudaMemcpy3D(), which counts in elements. */
#include "rt/abi/cuda_calls.h"
#include "rt/abi/texture_calls.h"
#include "rt/graph/rt_graph.h"

static size_t element_of(const struct cuda_array *array)
{
    struct cuda_channel c;

    if (cudaGetChannelDesc(&c, array))
        return 0;
    return (size_t)(c.x + c.y + c.z + c.w) / 8;
}

/* The position and width must be multiples of the element size. */
static enum cuda_error queue(struct cuda_copy_3d *c, struct cuda_stream *stream,
                             bool is_async)
{
    const size_t element = element_of(c->to_array ? c->to_array : c->from_array);
    const struct cuda_pitched *memory = c->to_array ? &c->from : &c->to;
    size_t *const counts[] = {&c->extent.width, c->to_array ? &c->to_position.x : NULL,
                              c->from_array ? &c->from_position.x : NULL};

    for (unsigned n = 0; n < 3; n++) {
        if (!counts[n])
            continue;
        if (!element || *counts[n] % element) {
            struct rt *rt = rt_enter();

            return rt_leave(rt, element ? cudaErrorInvalidValue
                                        : cudaErrorInvalidResourceHandle);
        }
        *counts[n] /= element;
    }
    if (memory->pointer && memory->pitch < memory->width)
        return rt_leave(rt_enter(), cudaErrorInvalidPitchValue);
    return is_async ? cudaMemcpy3DAsync(c, stream) : cudaMemcpy3D(c);
}

static struct cuda_copy_3d rectangle(size_t width, size_t height, enum cuda_copy_kind kind)
{
    return (struct cuda_copy_3d){.extent = {width, height, 1}, .kind = kind};
}

static enum cuda_error in(struct cuda_array *to, size_t x, size_t y, const void *from,
                          size_t pitch, struct cuda_copy_3d c, struct cuda_stream *stream,
                          bool is_async)
{
    c.to_array = to;
    c.to_position = (struct cuda_position){x, y, 0};
    c.from = (struct cuda_pitched){(void *)(uintptr_t)from, pitch, c.extent.width,
                                   c.extent.height};
    return queue(&c, stream, is_async);
}

static enum cuda_error out(void *to, size_t pitch, const struct cuda_array *from, size_t x,
                           size_t y, struct cuda_copy_3d c, struct cuda_stream *stream,
                           bool is_async)
{
    c.from_array = (void *)(uintptr_t)from;
    c.from_position = (struct cuda_position){x, y, 0};
    c.to = (struct cuda_pitched){to, pitch, c.extent.width, c.extent.height};
    return queue(&c, stream, is_async);
}

enum cuda_error cudaMemcpy2DToArray(struct cuda_array *to, size_t x, size_t y,
                                    const void *from, size_t pitch, size_t width,
                                    size_t height, enum cuda_copy_kind kind)
{
    return in(to, x, y, from, pitch, rectangle(width, height, kind), NULL, false);
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaMemcpy2DToArrayAsync(struct cuda_array *to, size_t x, size_t y,
                                         const void *from, size_t pitch, size_t width,
                                         size_t height, enum cuda_copy_kind kind,
                                         struct cuda_stream *stream)
{
    return in(to, x, y, from, pitch, rectangle(width, height, kind), stream, true);
}

enum cuda_error cudaMemcpy2DFromArray(void *to, size_t pitch, const struct cuda_array *from,
                                      size_t x, size_t y, size_t width, size_t height,
                                      enum cuda_copy_kind kind)
{
    return out(to, pitch, from, x, y, rectangle(width, height, kind), NULL, false);
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                           const struct cuda_array *from, size_t x,
                                           size_t y, size_t width, size_t height,
                                           enum cuda_copy_kind kind,
                                           struct cuda_stream *stream)
{
    return out(to, pitch, from, x, y, rectangle(width, height, kind), stream, true);
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaMemcpy2DArrayToArray(struct cuda_array *to, size_t to_x, size_t to_y,
                                         const struct cuda_array *from, size_t from_x,
                                         size_t from_y, size_t width, size_t height,
                                         enum cuda_copy_kind kind)
{
    struct cuda_copy_3d c = rectangle(width, height, kind);

    c.to_array = to;
    c.from_array = (void *)(uintptr_t)from;
    c.to_position = (struct cuda_position){to_x, to_y, 0};
    c.from_position = (struct cuda_position){from_x, from_y, 0};
    return queue(&c, NULL, false);
}

/* A linear byte range in row order: the rest of the first row, full rows, and a final part.
   `done`: bytes processed. */
struct line {
    size_t row, x, y, bytes, done;
};

static bool line_next(struct line *l, struct cuda_copy_3d *c, enum cuda_copy_kind kind)
{
    if (l->done == l->bytes || !l->row || l->x >= l->row)
        return false;
    const size_t left = l->bytes - l->done, room = l->row - l->x;
    const bool is_whole = !l->x && left >= l->row;

    *c = is_whole ? rectangle(l->row, left / l->row, kind)
                  : rectangle(left < room ? left : room, 1, kind);
    return true;
}

static void line_step(struct line *l, const struct cuda_copy_3d *c)
{
    l->done += c->extent.width * c->extent.height;
    l->y += c->extent.height;
    l->x = 0;
}

static size_t row_of(const struct cuda_array *array)
{
    struct cuda_extent e = {0, 0, 0};

    return cudaArrayGetInfo(NULL, &e, NULL, (void *)(uintptr_t)array)
               ? 0
               : e.width * element_of(array);
}

static enum cuda_error line_end(const struct line *l)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, !l->row               ? cudaErrorInvalidResourceHandle
                        : l->done == l->bytes ? cudaSuccess
                                              : cudaErrorInvalidValue);
}

static enum cuda_error line_in(struct cuda_array *to, size_t x, size_t y, const void *from,
                               size_t bytes, enum cuda_copy_kind kind,
                               struct cuda_stream *stream, bool is_async)
{
    struct line l = {row_of(to), x, y, bytes, 0};
    struct cuda_copy_3d c;
    enum cuda_error error = cudaSuccess;

    for (; !error && line_next(&l, &c, kind); line_step(&l, &c))
        error = in(to, l.x, l.y, (const char *)from + l.done, l.row, c, stream, is_async);
    return error ? error : line_end(&l);
}

static enum cuda_error line_out(void *to, const struct cuda_array *from, size_t x, size_t y,
                                size_t bytes, enum cuda_copy_kind kind,
                                struct cuda_stream *stream, bool is_async)
{
    struct line l = {row_of(from), x, y, bytes, 0};
    struct cuda_copy_3d c;
    enum cuda_error error = cudaSuccess;

    for (; !error && line_next(&l, &c, kind); line_step(&l, &c))
        error = out((char *)to + l.done, l.row, from, l.x, l.y, c, stream, is_async);
    return error ? error : line_end(&l);
}

enum cuda_error cudaMemcpyToArray(struct cuda_array *to, size_t x, size_t y,
                                  const void *from, size_t bytes, enum cuda_copy_kind kind)
{
    return line_in(to, x, y, from, bytes, kind, NULL, false);
}

enum cuda_error cudaMemcpyToArrayAsync(struct cuda_array *to, size_t x, size_t y,
                                       const void *from, size_t bytes,
                                       enum cuda_copy_kind kind, struct cuda_stream *stream)
{
    return line_in(to, x, y, from, bytes, kind, stream, true);
}

enum cuda_error cudaMemcpyFromArray(void *to, const struct cuda_array *from, size_t x,
                                    size_t y, size_t bytes, enum cuda_copy_kind kind)
{
    return line_out(to, from, x, y, bytes, kind, NULL, false);
}

enum cuda_error cudaMemcpyFromArrayAsync(void *to, const struct cuda_array *from, size_t x,
                                         size_t y, size_t bytes, enum cuda_copy_kind kind,
                                         struct cuda_stream *stream)
{
    return line_out(to, from, x, y, bytes, kind, stream, true);
}

/* Rows of both arrays must start at the same offset; other cases are refused as unused. */
enum cuda_error cudaMemcpyArrayToArray(struct cuda_array *to, size_t to_x, size_t to_y,
                                       const struct cuda_array *from, size_t from_x,
                                       size_t from_y, size_t bytes,
                                       enum cuda_copy_kind kind)
{
    struct line l = {row_of(to), to_x, to_y, bytes, 0};
    struct cuda_copy_3d c;
    enum cuda_error error = cudaSuccess;

    if ((l.row != row_of(from) || to_x != from_x) &&
        (bytes + to_x > l.row || bytes + from_x > row_of(from)))
        return rt_refuse("cudaMemcpyArrayToArray (of rows with different offsets)");
    for (; !error && line_next(&l, &c, kind); line_step(&l, &c))
        error = cudaMemcpy2DArrayToArray(to, l.x, l.y, from, l.done ? 0 : from_x,
                                         from_y + (l.y - to_y), c.extent.width,
                                         c.extent.height, kind);
    return error ? error : line_end(&l);
}
