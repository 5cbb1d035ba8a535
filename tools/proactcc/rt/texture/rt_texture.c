/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects, by the handles that kernels receive. */
#include <proact/texture.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/abi/texture_calls.h"
#include "rt/rt.h"

/* The description that the program gave at creation. */
struct rt_object {
    struct rt_object *next;
    uint64_t handle;
    bool is_surface;
    struct cuda_resource resource;
    struct cuda_texture texture;
};

enum { LINEAR_TEXELS_MAX = 1 << 28 };

static enum cuda_error take_resource(struct rt *rt, const struct cuda_resource *r,
                                     struct proact_texture *out)
{
    void *pointer = NULL;
    const struct cuda_channel *channel = NULL;
    enum cuda_error error;

    switch (r->type) {
    case CUDA_RESOURCE_ARRAY:
        out->array = rt_texels_of(rt, r->of.array);
        return out->array ? rt_texel_of(r->of.array, &out->texel)
                          : cudaErrorInvalidResourceHandle;
    case CUDA_RESOURCE_LINEAR:
        pointer = r->of.linear.pointer;
        channel = &r->of.linear.channel;
        break;
    case CUDA_RESOURCE_PITCHED:
        pointer = r->of.pitched.pointer;
        channel = &r->of.pitched.channel;
        break;
    case CUDA_RESOURCE_MIPMAPPED:
        rt_print("textures of mipmapped arrays are not supported");
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
    struct rt_range *range = rt_range_of(rt, pointer);

    if ((error = rt_texel(channel, &out->texel)))
        return error;
    if (!range)
        return cudaErrorInvalidValue;
    if (range->is_shadow) {
        rt_print("textures of memory that the program registered are not supported");
        return cudaErrorNotSupported;
    }
    range->is_shown = true;
    out->address = (uint64_t)(uintptr_t)pointer;
    if (r->type == CUDA_RESOURCE_LINEAR) {
        out->width = r->of.linear.bytes / (out->texel.bits / 8 * out->texel.channels);
        return out->width && out->width <= LINEAR_TEXELS_MAX ? cudaSuccess
                                                             : cudaErrorInvalidValue;
    }
    out->width = r->of.pitched.width;
    out->height = r->of.pitched.height;
    out->pitch = r->of.pitched.pitch;
    return out->height ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cuda_error take_texture(const struct cuda_texture *t,
                                    struct proact_texture *out)
{
    static const enum proact_address_mode address_mode[] = {
        PROACT_ADDRESS_WRAP, PROACT_ADDRESS_CLAMP, PROACT_ADDRESS_MIRROR,
        PROACT_ADDRESS_BORDER};

    for (unsigned a = 0; a < 3; a++) {
        if (t->address_mode[a] < 0 || t->address_mode[a] > 3)
            return cudaErrorInvalidValue;
        out->address_mode[a] = address_mode[t->address_mode[a]];
    }
    if (t->filter < 0 || t->filter > 1)
        return cudaErrorInvalidFilterSetting;
    if (t->reads < 0 || t->reads > 1)
        return cudaErrorInvalidNormSetting;
    if (t->is_seamless) {
        rt_print(
            "textures of cubes that are filtered across their edges are not supported");
        return cudaErrorNotSupported;
    }
    out->filter_linear = t->filter == 1;
    out->normalize_values = t->reads == 1;
    out->normalize_coordinates = t->has_normalized_coordinates != 0;
    out->is_srgb = t->is_srgb != 0;
    memcpy(out->border, t->border, sizeof out->border);
    return cudaSuccess;
}

/* A linear filter needs float values. Only integers of 8 and 16 bits can be normalized to
   them. */
static enum cuda_error check_filter(const struct proact_texture *t)
{
    if (t->texel.kind == PROACT_TEXEL_FLOAT)
        return cudaSuccess;
    if (t->normalize_values && t->texel.bits == 32)
        return cudaErrorInvalidNormSetting;
    return t->filter_linear && !t->normalize_values ? cudaErrorInvalidFilterSetting
                                                    : cudaSuccess;
}

static void keep(struct rt *rt, const struct rt_object *made)
{
    struct rt_object *o = must_calloc(1, sizeof *o);

    *o = *made;
    o->next = rt->objects;
    rt->objects = o;
}

static struct rt_object **find(struct rt *rt, uint64_t handle, bool is_surface)
{
    struct rt_object **link = &rt->objects;

    while (*link && ((*link)->handle != handle || (*link)->is_surface != is_surface))
        link = &(*link)->next;
    return link;
}

static enum cuda_error create_texture(struct rt *rt, cuda_object *out,
                                      const struct cuda_resource *r,
                                      const struct cuda_texture *t,
                                      const struct cuda_resource_view *view)
{
    struct proact_texture texture = {.array = NULL};
    struct proact_error err;
    uint64_t handle;
    enum cuda_error error = rt_open(rt);

    if (error || !out || !r || !t)
        return error ? error : cudaErrorInvalidValue;
    if (view && view->format) {
        rt_print("views of a texture's memory as another format are not supported");
        return cudaErrorNotSupported;
    }
    if ((error = take_resource(rt, r, &texture)) || (error = take_texture(t, &texture)) ||
        (error = check_filter(&texture)) ||
        (error = rt_texels_error(
             rt, proact_texture_create(rt->session, &texture, &handle, &err), &err)))
        return error;
    keep(rt, &(struct rt_object){.handle = handle, .resource = *r, .texture = *t});
    *out = handle;
    return cudaSuccess;
}

enum cuda_error cudaCreateTextureObject(cuda_object *out,
                                        const struct cuda_resource *resource,
                                        const struct cuda_texture *texture,
                                        const struct cuda_resource_view *view)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, create_texture(rt, out, resource, texture, view));
}

static enum cuda_error create_surface(struct rt *rt, cuda_object *out,
                                      const struct cuda_resource *r)
{
    struct proact_error err;
    uint64_t handle;
    enum cuda_error error = rt_open(rt);

    if (error || !out || !r || r->type != CUDA_RESOURCE_ARRAY)
        return error ? error : cudaErrorInvalidValue;
    struct proact_texture_array *texels = rt_texels_of(rt, r->of.array);

    if (!texels)
        return cudaErrorInvalidResourceHandle;
    if ((error = rt_texels_error(
             rt, proact_surface_create(rt->session, texels, &handle, &err), &err)))
        return error;
    keep(rt, &(struct rt_object){.handle = handle, .is_surface = true, .resource = *r});
    *out = handle;
    return cudaSuccess;
}

enum cuda_error cudaCreateSurfaceObject(cuda_object *out,
                                        const struct cuda_resource *resource)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, create_surface(rt, out, resource));
}

static enum cuda_error destroy(struct rt *rt, uint64_t handle, bool is_surface)
{
    struct rt_object **link = find(rt, handle, is_surface), *gone = *link;
    enum cuda_error error = rt_open(rt);

    if (error || !gone) /* CUDA accepts 0 without effect */
        return error ? error : handle ? cudaErrorInvalidValue : cudaSuccess;
    error = rt_wait(rt);
    if (is_surface)
        proact_surface_destroy(rt->session, handle);
    else
        proact_texture_destroy(rt->session, handle);
    *link = gone->next;
    free(gone);
    return error;
}

enum cuda_error cudaDestroyTextureObject(cuda_object object)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, destroy(rt, object, false));
}

enum cuda_error cudaDestroySurfaceObject(cuda_object object)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, destroy(rt, object, true));
}

static enum cuda_error texture_get_resource(cuda_object object, bool is_surface,
                                            struct cuda_resource *r, struct cuda_texture *t)
{
    struct rt *rt = rt_enter();
    const struct rt_object *o = *find(rt, object, is_surface);

    if (!o || (!r && !t))
        return rt_leave(rt, cudaErrorInvalidValue);
    if (r)
        *r = o->resource;
    if (t)
        *t = o->texture;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGetTextureObjectResourceDesc(struct cuda_resource *out,
                                                 cuda_object object)
{
    return texture_get_resource(object, false, out, NULL);
}

enum cuda_error cudaGetTextureObjectTextureDesc(struct cuda_texture *out,
                                                cuda_object object)
{
    return texture_get_resource(object, false, NULL, out);
}

enum cuda_error cudaGetSurfaceObjectResourceDesc(struct cuda_resource *out,
                                                 cuda_object object)
{
    return texture_get_resource(object, true, out, NULL);
}

/* No texture has a resource view. */
enum cuda_error cudaGetTextureObjectResourceViewDesc(struct cuda_resource_view *out,
                                                     cuda_object object)
{
    struct rt *rt = rt_enter();

    (void)out, (void)object;
    return rt_leave(rt, cudaErrorInvalidValue);
}

enum cuda_error cudaDeviceGetTexture1DLinearMaxWidth(size_t *out,
                                                     const struct cuda_channel *channel,
                                                     int device)
{
    struct rt *rt = rt_enter();
    struct proact_texel_format texel;
    enum cuda_error error = device           ? cudaErrorInvalidDevice
                            : out && channel ? rt_texel(channel, &texel)
                                             : cudaErrorInvalidValue;

    if (!error)
        *out = LINEAR_TEXELS_MAX;
    return rt_leave(rt, error);
}
