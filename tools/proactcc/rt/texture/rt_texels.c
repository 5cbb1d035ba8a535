/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays: texels on device 0. */
#include <proact/texture.h>

#include <stdlib.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/abi/texture_calls.h"
#include "rt/rt.h"

struct cuda_array {
    struct proact_texture_array *texels;
    struct cuda_channel channel;
    struct cuda_extent extent;
    unsigned flags;
    size_t texel_bytes;
};

enum cuda_error rt_texels_error(struct rt *rt, enum proact_status status,
                                const struct proact_error *err)
{
    if (status != PROACT_EREFUSED)
        return rt_error(rt, status, err);
    rt_print("%s", err->text);
    return cudaErrorNotSupported;
}

enum cuda_error rt_texel(const struct cuda_channel *c, struct proact_texel_format *out)
{
    static const enum proact_texel_type kinds[] = {
        PROACT_TEXEL_SIGNED, PROACT_TEXEL_UNSIGNED, PROACT_TEXEL_FLOAT};
    const int bits[4] = {c->x, c->y, c->z, c->w};
    unsigned channels = 0;

    if (c->kind < 0 || c->kind > 2) {
        rt_print("channels of kind %d: signed, unsigned and float are supported", c->kind);
        return cudaErrorNotSupported;
    }
    while (channels < 4 && bits[channels])
        channels++;
    for (unsigned n = 0; n < 4; n++)
        if (bits[n] != (n < channels ? c->x : 0))
            return cudaErrorInvalidChannelDescriptor;
    if (channels == 0 || channels == 3 || (c->x != 8 && c->x != 16 && c->x != 32) ||
        (c->kind == 2 && c->x == 8))
        return cudaErrorInvalidChannelDescriptor;
    *out = (struct proact_texel_format){kinds[c->kind], (unsigned)c->x, channels};
    return cudaSuccess;
}

static enum cuda_error create(struct rt *rt, struct cuda_array **out,
                              const struct cuda_channel *channel, struct cuda_extent extent,
                              unsigned flags)
{
    const bool is_cube = flags & CUDA_ARRAY_CUBE, is_layered = flags & CUDA_ARRAY_LAYERED;
    struct proact_texture_array_shape shape = {
        .width = extent.width,
        .height = extent.height,
        .depth = is_cube || is_layered ? 0 : extent.depth,
        .is_cube = is_cube,
        .allows_surfaces = flags & CUDA_ARRAY_SURFACES,
        .allows_gather = flags & CUDA_ARRAY_GATHER};
    struct proact_texture_array *texels;
    struct proact_error err;
    enum cuda_error error = rt_open(rt);

    if (error || !out || !channel)
        return error ? error : cudaErrorInvalidValue;
    if (flags & ~15u) {
        rt_print(
            "an array with flags 0x%x: layers, cubes, surfaces and gathering (0xf) are "
            "supported",
            flags);
        return cudaErrorNotSupported;
    }
    if ((is_cube &&
         (extent.depth % 6 || !extent.depth || (!is_layered && extent.depth != 6))) ||
        (is_layered && !extent.depth))
        return cudaErrorInvalidValue;
    if (is_layered)
        shape.layers = is_cube ? extent.depth / 6 : extent.depth;
    if ((error = rt_texel(channel, &shape.texel)))
        return error;
    if ((error = rt_texels_error(
             rt, proact_texture_array_create(rt->session, &shape, &texels, &err), &err)))
        return error;
    *out = must_calloc(1, sizeof **out);
    **out = (struct cuda_array){texels, *channel, extent, flags,
                                (size_t)shape.texel.bits / 8 * shape.texel.channels};
    handle_add(&rt->handles, *out, RT_ARRAY);
    return cudaSuccess;
}

enum cuda_error cudaMalloc3DArray(struct cuda_array **out,
                                  const struct cuda_channel *channel,
                                  struct cuda_extent extent, unsigned flags)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, create(rt, out, channel, extent, flags));
}

enum cuda_error cudaMallocArray(struct cuda_array **out, const struct cuda_channel *channel,
                                size_t width, size_t height, unsigned flags)
{
    struct rt *rt = rt_enter();
    const struct cuda_extent extent = {width, height, 0};

    if (flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBE))
        return rt_leave(rt, cudaErrorInvalidValue);
    return rt_leave(rt, create(rt, out, channel, extent, flags));
}

struct proact_texture_array *rt_texels_of(struct rt *rt, const struct cuda_array *array)
{
    return handle_is(&rt->handles, array, RT_ARRAY) ? array->texels : NULL;
}

enum cuda_error rt_texel_of(const struct cuda_array *array, struct proact_texel_format *out)
{
    return rt_texel(&array->channel, out);
}

enum cuda_error cudaFreeArray(struct cuda_array *array)
{
    struct rt *rt = rt_enter();

    if (!array)
        return rt_leave(rt, cudaSuccess);
    if (!rt_texels_of(rt, array))
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    handle_drop(&rt->handles, array);
    enum cuda_error error = rt_wait(rt);

    proact_texture_array_destroy(array->texels);
    free(array);
    return rt_leave(rt, error);
}

enum cuda_error cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent,
                                 unsigned *flags, struct cuda_array *array)
{
    struct rt *rt = rt_enter();

    if (!rt_texels_of(rt, array))
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    if (channel)
        *channel = array->channel;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGetChannelDesc(struct cuda_channel *out, const struct cuda_array *array)
{
    struct rt *rt = rt_enter();

    if (!out)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (!rt_texels_of(rt, array))
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    *out = array->channel;
    return rt_leave(rt, cudaSuccess);
}

/* Positions in an array and the width of a copy are in elements. */
static enum cuda_error array_end(struct rt *rt, const struct cuda_array *array,
                                 const struct cuda_position *at,
                                 struct proact_copy_3d_end *out, size_t *element)
{
    out->array = rt_texels_of(rt, array);
    if (!out->array)
        return cudaErrorInvalidResourceHandle;
    if (*element && *element != array->texel_bytes)
        return cudaErrorInvalidValue;
    *element = array->texel_bytes;
    out->x = at->x * array->texel_bytes;
    out->y = at->y;
    out->z = at->z;
    return cudaSuccess;
}

/* The copy first waits for kernels that may have written the shadow. */
static enum cuda_error memory_end(struct rt *rt, const struct cuda_pitched *p,
                                  const struct cuda_position *at, bool host_is_explicit,
                                  bool device_is_explicit, struct proact_copy_3d_end *out)
{
    char *place =
        (char *)p->pointer + at->z * p->height * p->pitch + at->y * p->pitch + at->x;
    const struct rt_range *range = rt_range_of(rt, place);

    if (!p->pointer)
        return cudaErrorInvalidValue;
    if ((host_is_explicit && range && range->kind == RT_DEVICE) ||
        (device_is_explicit && !range))
        return cudaErrorInvalidValue;
    out->address = (uint64_t)(uintptr_t)place;
    out->is_host = !rt_is_on_device(rt, place);
    out->pitch = p->pitch;
    out->slice_pitch = p->pitch * p->height;
    return range && range->is_newer_there ? rt_wait(rt) : cudaSuccess;
}

static enum cuda_error box_of(struct rt *rt, const struct cuda_copy_3d *c,
                              struct proact_copy_3d *box)
{
    const bool is_default = c->kind == CUDA_COPY_DEFAULT;
    const bool to_host = c->kind == CUDA_DEVICE_TO_HOST || c->kind == CUDA_HOST_TO_HOST;
    const bool from_host = c->kind == CUDA_HOST_TO_DEVICE || c->kind == CUDA_HOST_TO_HOST;
    size_t element = 0;
    enum cuda_error error;

    if (c->kind > CUDA_COPY_DEFAULT || (c->to_array && to_host) ||
        (c->from_array && from_host))
        return cudaErrorInvalidMemcpyDirection;
    error = c->to_array ? array_end(rt, c->to_array, &c->to_position, &box->to, &element)
                        : memory_end(rt, &c->to, &c->to_position, to_host,
                                     !to_host && !is_default, &box->to);
    if (error)
        return error;
    error = c->from_array
                ? array_end(rt, c->from_array, &c->from_position, &box->from, &element)
                : memory_end(rt, &c->from, &c->from_position, from_host,
                             !from_host && !is_default, &box->from);
    box->bytes = c->extent.width * element;
    box->rows = c->extent.height;
    box->slices = c->extent.depth;
    if (box->slices == 1) /* the program may leave the plane height unset */
        box->to.slice_pitch = box->from.slice_pitch = 0;
    return error;
}

enum cuda_error rt_copy_texels(struct rt *rt, const struct cuda_copy_3d *c)
{
    struct proact_copy_3d box = {.bytes = 0};
    struct proact_error err;
    enum cuda_error error = rt_open(rt);

    if (error || (error = box_of(rt, c, &box)))
        return error;
    const size_t bytes = box.bytes * box.rows * box.slices;
    enum proact_status status = proact_copy_3d(rt->session, &box, &err);

    if (status)
        return rt_error(rt, status, &err);
    if (box.from.is_host)
        rt->moved.to_device += bytes;
    else if (box.to.is_host)
        rt->moved.to_host += bytes;
    else
        rt->moved.on_device += bytes;
    return rt_queued(rt, box.from.is_host ? bytes : 0);
}
