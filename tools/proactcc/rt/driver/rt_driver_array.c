/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, textures and surfaces as the driver interface describes them. */
#include <string.h>

#include "rt/driver/rt_driver.h"

static const struct {
    int format, bits, kind; /* signed, unsigned, floating-point */
} formats[] = {{0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
               {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2}};
enum { FORMATS = sizeof formats / sizeof *formats };

enum cuda_error driver_channel(int format, unsigned channels, struct cuda_channel *out)
{
    int *const bits[] = {&out->x, &out->y, &out->z, &out->w};
    size_t f = 0;

    while (f < FORMATS && formats[f].format != format)
        f++;
    if (f == FORMATS || (channels != 1 && channels != 2 && channels != 4))
        return cudaErrorInvalidChannelDescriptor;
    for (unsigned n = 0; n < 4; n++)
        *bits[n] = n < channels ? formats[f].bits : 0;
    out->kind = formats[f].kind;
    return cudaSuccess;
}

enum cuda_error cuArray3DCreate_v2(struct cuda_array **out,
                                   const struct driver_array_3d *shape)
{
    struct cuda_channel channel;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error && (!out || !shape))
        error = cudaErrorInvalidValue;
    if (!error)
        error = driver_channel(shape->format, shape->channels, &channel);
    if (!error)
        error = cudaMalloc3DArray(
            out, &channel, (struct cuda_extent){shape->width, shape->height, shape->depth},
            shape->flags);
    return driver_leave(error);
}

enum cuda_error cuArrayCreate_v2(struct cuda_array **out, const struct driver_array *shape)
{
    const struct driver_array_3d flat = {shape->width,  shape->height,   0,
                                         shape->format, shape->channels, 0};

    return cuArray3DCreate_v2(out, &flat);
}

enum cuda_error cuArray3DGetDescriptor_v2(struct driver_array_3d *out,
                                          struct cuda_array *array)
{
    struct cuda_channel c;
    struct cuda_extent e;
    unsigned flags;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error && !(error = cudaArrayGetInfo(&c, &e, &flags, array))) {
        *out = (struct driver_array_3d){.width = e.width,
                                        .height = e.height,
                                        .depth = e.depth,
                                        .channels = 1u + (c.y > 0) + (c.z > 0) + (c.w > 0),
                                        .flags = flags};
        for (size_t f = 0; f < FORMATS; f++)
            if (formats[f].bits == c.x && formats[f].kind == c.kind)
                out->format = formats[f].format;
    }
    return driver_leave(error);
}

enum cuda_error cuArrayGetDescriptor_v2(struct driver_array *out, struct cuda_array *array)
{
    struct driver_array_3d shape;
    enum cuda_error error = cuArray3DGetDescriptor_v2(&shape, array);

    if (!error)
        *out =
            (struct driver_array){shape.width, shape.height, shape.format, shape.channels};
    return error;
}

static enum cuda_error resource_of(const struct driver_resource *r,
                                   struct cuda_resource *out)
{
    *out = (struct cuda_resource){.type = r->type, .flags = r->flags};
    switch (r->type) {
    case CUDA_RESOURCE_ARRAY:
        out->of.array = r->of.array;
        return cudaSuccess;
    case CUDA_RESOURCE_LINEAR:
        out->of.linear.pointer = (void *)(uintptr_t)r->of.linear.place;
        out->of.linear.bytes = r->of.linear.bytes;
        return driver_channel(r->of.linear.format, r->of.linear.channels,
                              &out->of.linear.channel);
    case CUDA_RESOURCE_PITCHED:
        out->of.pitched.pointer = (void *)(uintptr_t)r->of.pitched.place;
        out->of.pitched.width = r->of.pitched.width;
        out->of.pitched.height = r->of.pitched.height;
        out->of.pitched.pitch = r->of.pitched.pitch;
        return driver_channel(r->of.pitched.format, r->of.pitched.channels,
                              &out->of.pitched.channel);
    }
    return cudaSuccess; /* the runtime reports an unknown type */
}

static enum cuda_error channel_of(const struct cuda_resource *r, struct cuda_channel *out)
{
    if (r->type == CUDA_RESOURCE_ARRAY)
        return cudaGetChannelDesc(out, r->of.array);
    *out = r->type == CUDA_RESOURCE_LINEAR ? r->of.linear.channel : r->of.pitched.channel;
    return cudaSuccess;
}

/* Integers of 8 and 16 bits are normalized by default. */
static struct cuda_texture texture_of(const struct driver_texture *t,
                                      const struct cuda_channel *channel)
{
    struct cuda_texture out = {
        .address_mode = {t->address_mode[0], t->address_mode[1], t->address_mode[2]},
        .filter = t->filter,
        .reads =
            channel->kind != 2 && channel->x < 32 && !(t->flags & DRIVER_READ_AS_INTEGER),
        .is_srgb = (t->flags & DRIVER_SRGB) != 0,
        .has_normalized_coordinates = (t->flags & DRIVER_NORMALIZED) != 0,
        .anisotropy = t->anisotropy,
        .mipmap_filter = t->mipmap_filter,
        .mipmap_bias = t->mipmap_bias,
        .mipmap_least = t->mipmap_least,
        .mipmap_most = t->mipmap_most,
        .is_not_optimized = (t->flags & DRIVER_NOT_OPTIMIZED) != 0,
        .is_seamless = (t->flags & DRIVER_SEAMLESS) != 0};

    memcpy(out.border, t->border, sizeof out.border);
    return out;
}

enum cuda_error cuTexObjectCreate(cuda_object *out, const struct driver_resource *resource,
                                  const struct driver_texture *texture,
                                  const struct cuda_resource_view *view)
{
    struct cuda_resource r;
    struct cuda_channel channel = {0, 0, 0, 0, 0};
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error && (!resource || !texture))
        error = cudaErrorInvalidValue;
    if (!error && !(error = resource_of(resource, &r)))
        error = channel_of(&r, &channel);
    if (!error) {
        const struct cuda_texture t = texture_of(texture, &channel);

        error = cudaCreateTextureObject(out, &r, &t, view);
    }
    return driver_leave(error);
}

enum cuda_error cuSurfObjectCreate(cuda_object *out, const struct driver_resource *resource)
{
    struct cuda_resource r;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        error = resource ? resource_of(resource, &r) : cudaErrorInvalidValue;
    return driver_leave(error ? error : cudaCreateSurfaceObject(out, &r));
}
