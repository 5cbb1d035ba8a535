/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_calls.h"
#include "rt.h"

static enum cuda_error copy(void *to, const void *from, size_t bytes,
                            enum cuda_copy_kind kind, bool is_async)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, rt_copy(rt, to, from, bytes, kind, is_async));
}

enum cuda_error cudaMemcpy(void *to, const void *from, size_t bytes,
                           enum cuda_copy_kind kind)
{
    return copy(to, from, bytes, kind, false);
}

enum cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                enum cuda_copy_kind kind, struct cuda_stream *stream)
{
    (void)stream;
    return copy(to, from, bytes, kind, true);
}

/* There is one device to name. */
enum cuda_error cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                               size_t bytes)
{
    if (to_device || from_device) {
        struct rt *rt = rt_enter();

        return rt_leave(rt, cudaErrorInvalidDevice);
    }
    return copy(to, from, bytes, CUDA_DEVICE_TO_DEVICE, false);
}

enum cuda_error cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                    int from_device, size_t bytes,
                                    struct cuda_stream *stream)
{
    (void)stream;
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

static enum cuda_error copy_rows(const struct rt_rows *rows, enum cuda_copy_kind kind,
                                 bool is_async)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, rt_copy_rows(rt, rows, kind, is_async));
}

enum cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cuda_copy_kind kind)
{
    return copy_rows(&(struct rt_rows){to, from, to_pitch, from_pitch, width, height}, kind,
                     false);
}

enum cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                  size_t from_pitch, size_t width, size_t height,
                                  enum cuda_copy_kind kind, struct cuda_stream *stream)
{
    (void)stream;
    return copy_rows(&(struct rt_rows){to, from, to_pitch, from_pitch, width, height}, kind,
                     true);
}

static char *place_in(const struct cuda_pitched *p, const struct cuda_position *at)
{
    return (char *)p->pointer + at->z * p->height * p->pitch + at->y * p->pitch + at->x;
}

static enum cuda_error copy_3d(struct rt *rt, const struct cuda_copy_3d *c, bool is_async)
{
    enum cuda_error error = cudaSuccess;

    if (c->from_array || c->to_array) {
        rt_say("cudaMemcpy3D() is supported between pointers, not with a cudaArray");
        return cudaErrorNotSupported;
    }
    for (size_t z = 0; z < c->extent.depth && !error; z++)
        error = rt_copy_rows(
            rt,
            &(struct rt_rows){
                place_in(&c->to, &c->to_position) + z * c->to.height * c->to.pitch,
                place_in(&c->from, &c->from_position) + z * c->from.height * c->from.pitch,
                c->to.pitch, c->from.pitch, c->extent.width, c->extent.height},
            c->kind, is_async);
    return error;
}

enum cuda_error cudaMemcpy3D(const struct cuda_copy_3d *c)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, copy_3d(rt, c, false));
}

enum cuda_error cudaMemcpy3DAsync(const struct cuda_copy_3d *c, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();

    (void)stream;
    return rt_leave(rt, copy_3d(rt, c, true));
}

static enum cuda_error fill(struct rt *rt, void *to, size_t pitch, int value, size_t width,
                            size_t height)
{
    enum cuda_error error = cudaSuccess;

    if (width > pitch)
        return cudaErrorInvalidPitchValue;
    if (width == pitch)
        return rt_fill(rt, to, value, width * height);
    for (size_t y = 0; y < height && !error; y++)
        error = rt_fill(rt, (char *)to + y * pitch, value, width);
    return error;
}

enum cuda_error cudaMemset(void *to, int value, size_t bytes)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, rt_fill(rt, to, value, bytes));
}

enum cuda_error cudaMemsetAsync(void *to, int value, size_t bytes,
                                struct cuda_stream *stream)
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}

enum cuda_error cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, fill(rt, to, pitch, value, width, height));
}

enum cuda_error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                  size_t height, struct cuda_stream *stream)
{
    (void)stream;
    return cudaMemset2D(to, pitch, value, width, height);
}

enum cuda_error cudaMemset3D(struct cuda_pitched to, int value, struct cuda_extent extent)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = cudaSuccess;

    for (size_t z = 0; z < extent.depth && !error; z++)
        error = fill(rt, (char *)to.pointer + z * to.height * to.pitch, to.pitch, value,
                     extent.width, extent.height);
    return rt_leave(rt, error);
}

enum cuda_error cudaMemset3DAsync(struct cuda_pitched to, int value,
                                  struct cuda_extent extent, struct cuda_stream *stream)
{
    (void)stream;
    return cudaMemset3D(to, value, extent);
}
