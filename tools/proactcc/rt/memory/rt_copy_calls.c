/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/abi/cuda_calls.h"
#include "rt/abi/texture_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/stream/rt_capture_rules.h"

static enum cuda_error copy(void *to, const void *from, size_t bytes,
                            enum cuda_copy_kind kind, bool is_async)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, rt_copy(rt, to, from, bytes, kind, is_async));
}

enum cuda_error rt_run_copy(struct rt *rt, const void *data)
{
    const struct rt_kept_copy *c = data;

    return rt_copy(rt, c->to, c->from, c->bytes, c->kind, true);
}

enum cuda_error cudaMemcpy(void *to, const void *from, size_t bytes,
                           enum cuda_copy_kind kind)
{
    return copy(to, from, bytes, kind, false);
}

/* A call that runs now checks the direction itself. */
static enum cuda_error copy_in_stream(struct rt *rt, const struct cuda_stream *stream,
                                      enum cuda_copy_kind kind, graph_run *run,
                                      const void *data, size_t bytes)
{
    return kind > CUDA_COPY_DEFAULT && rt_capture_of(rt, stream)
               ? cudaErrorInvalidMemcpyDirection
               : rt_in_stream(rt, stream, run, data, bytes);
}

enum cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                enum cuda_copy_kind kind, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_copy c = {to, from, bytes, kind};

    return rt_leave(rt, copy_in_stream(rt, stream, kind, rt_run_copy, &c, sizeof c));
}

/* A check of the attributes of a batch: attributes[k] applies from copy firsts[k] on. */
static bool has_attributes(const struct cuda_copy_attributes *attributes,
                           const size_t *firsts, size_t attribute_count, size_t count)
{
    bool has = attributes && firsts && attribute_count && !firsts[0];

    for (size_t k = 0; k < attribute_count && has; k++)
        has = firsts[k] < count && (!k || firsts[k] > firsts[k - 1]) &&
              attributes[k].order >= CUDA_COPY_IN_STREAM &&
              attributes[k].order <= CUDA_COPY_ANY_TIME;
    return has;
}

/* CUDA leaves the order of the copies open; here it is the order of the arrays. */
enum cuda_error cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                     const size_t *bytes, size_t count,
                                     struct cuda_copy_attributes *attributes,
                                     size_t *firsts, size_t attribute_count,
                                     struct cuda_stream *stream)
{
    enum cuda_error error = cudaSuccess;
    bool waits = false;

    if (!to || !from || !bytes ||
        !has_attributes(attributes, firsts, attribute_count, count)) {
        struct rt *rt = rt_enter();

        return rt_leave(rt, cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count && !error; i++)
        error = cudaMemcpyAsync(to[i], from[i], bytes[i], CUDA_COPY_DEFAULT, stream);
    for (size_t k = 0; k < attribute_count; k++)
        waits |= attributes[k].order == CUDA_COPY_IN_CALL;
    return error || !waits ? error : cudaStreamSynchronize(stream);
}

/* Peer copies: device 0 is the only valid device. */
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
    return to_device || from_device
               ? cudaMemcpyPeer(to, to_device, from, from_device, bytes)
               : cudaMemcpyAsync(to, from, bytes, CUDA_DEVICE_TO_DEVICE, stream);
}

enum cuda_error rt_run_rows(struct rt *rt, const void *data)
{
    const struct rt_kept_rows *c = data;

    return rt_copy_rows(rt, &c->rows, c->kind, true);
}

enum cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_rows rows = {to, from, to_pitch, from_pitch, width, height};

    return rt_leave(rt, rt_copy_rows(rt, &rows, kind, false));
}

enum cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                  size_t from_pitch, size_t width, size_t height,
                                  enum cuda_copy_kind kind, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_rows c = {{to, from, to_pitch, from_pitch, width, height}, kind};

    return rt_leave(rt, copy_in_stream(rt, stream, kind, rt_run_rows, &c, sizeof c));
}

static char *place_in(const struct cuda_pitched *p, const struct cuda_position *at)
{
    return (char *)p->pointer + at->z * p->height * p->pitch + at->y * p->pitch + at->x;
}

static enum cuda_error copy_3d(struct rt *rt, const struct cuda_copy_3d *c, bool is_async)
{
    enum cuda_error error = cudaSuccess;

    if ((c->from_array || c->to_array) && !is_async)
        error = rt_capture_check_work(rt, NULL);
    if (c->from_array || c->to_array)
        return error ? error : rt_copy_texels(rt, c);
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

enum cuda_error rt_run_copy_3d(struct rt *rt, const void *data)
{
    return copy_3d(rt, data, true);
}

enum cuda_error cudaMemcpy3D(const struct cuda_copy_3d *c)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, copy_3d(rt, c, false));
}

enum cuda_error cudaMemcpy3DAsync(const struct cuda_copy_3d *c, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, copy_in_stream(rt, stream, c->kind, rt_run_copy_3d, c, sizeof *c));
}

static enum cuda_error fill(struct rt *rt, void *to, size_t pitch, int value, size_t width,
                            size_t height)
{
    return width > pitch ? cudaErrorInvalidPitchValue
                         : rt_fill(rt, to, pitch, value, width, height);
}

enum cuda_error rt_run_fill_3d(struct rt *rt, const void *data)
{
    const struct rt_kept_fill *f = data;
    enum cuda_error error = cudaSuccess;

    for (size_t z = 0; z < f->extent.depth && !error; z++)
        error = fill(rt, (char *)f->to.pointer + z * f->to.height * f->to.pitch,
                     f->to.pitch, f->value, f->extent.width, f->extent.height);
    return error;
}

enum cuda_error cudaMemset3DAsync(struct cuda_pitched to, int value,
                                  struct cuda_extent extent, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_fill f = {to, value, extent};

    return rt_leave(rt, rt_in_stream(rt, stream, rt_run_fill_3d, &f, sizeof f));
}

enum cuda_error cudaMemset3D(struct cuda_pitched to, int value, struct cuda_extent extent)
{
    return cudaMemset3DAsync(to, value, extent, NULL);
}

enum cuda_error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                  size_t height, struct cuda_stream *stream)
{
    return cudaMemset3DAsync((struct cuda_pitched){to, pitch, pitch, height}, value,
                             (struct cuda_extent){width, height, 1}, stream);
}

enum cuda_error cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}

enum cuda_error cudaMemsetAsync(void *to, int value, size_t bytes,
                                struct cuda_stream *stream)
{
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

enum cuda_error cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, NULL);
}
