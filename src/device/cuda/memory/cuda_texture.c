/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects of the driver; its handles are ours. */
#include <string.h>

#include "base/fail.h"
#include "device/cuda/cuda_set.h"

int cuda_texel_format(const struct proact_texel_format *t)
{
    static const int of_unsigned[] = {CU_UNSIGNED_8, CU_UNSIGNED_16, CU_UNSIGNED_32};
    static const int of_signed[] = {CU_SIGNED_8, CU_SIGNED_16, CU_SIGNED_32};
    const unsigned size = t->bits / 16; /* 0, 1, 2 */

    if (t->kind == PROACT_TEXEL_FLOAT)
        return t->bits == 16 ? CU_FLOAT_16 : CU_FLOAT_32;
    return t->kind == PROACT_TEXEL_SIGNED ? of_signed[size] : of_unsigned[size];
}

static struct cu_resource resource_of(const struct proact_texture *t,
                                      const struct device_texels *texels)
{
    struct cu_resource r = {.type = CU_OF_ARRAY};

    if (texels) {
        r.of.array = texels->array;
        return r;
    }
    r.type = t->height ? CU_OF_ROWS : CU_OF_LINE;
    r.of.memory.address = t->address;
    r.of.memory.format = cuda_texel_format(&t->texel);
    r.of.memory.channels = t->texel.channels;
    r.of.memory.width =
        t->height ? t->width : t->width * t->texel.bits / 8 * t->texel.channels;
    if (t->height) {
        r.of.memory.height = t->height;
        r.of.memory.pitch = t->pitch;
    }
    return r;
}

static struct cu_sampler sampler_of(const struct proact_texture *t)
{
    struct cu_sampler s = {.filter = t->filter_linear,
                           .flags = (t->normalize_values ? 0u : CU_READ_ELEMENTS) |
                                    (t->normalize_coordinates ? CU_READ_NORMALIZED : 0u) |
                                    (t->is_srgb ? CU_READ_SRGB : 0u)};

    for (unsigned a = 0; a < 3; a++)
        s.address_mode[a] = (int)t->address_mode[a]; /* equal values in CUDA */
    memcpy(s.border, t->border, sizeof s.border);
    return s;
}

enum proact_status cuda_texture_create(struct device_set *set, unsigned device,
                                       const struct proact_texture *texture,
                                       struct device_texels *texels, uint64_t *handle,
                                       struct proact_error *err)
{
    const struct cu_resource resource = resource_of(texture, texels);
    const struct cu_sampler sampler = sampler_of(texture);
    cu_object made = 0;

    if (!set->driver.texture_create)
        return fail(err, PROACT_EREFUSED,
                    "textures: the CUDA driver does not support them");
    enum proact_status status = cuda_enter(set, device, err);

    if (status)
        return status;
    cu_result result = set->driver.texture_create(&made, &resource, &sampler, NULL);

    status = cuda_leave(set, device, result, "cuTexObjectCreate", err);
    if (!status)
        *handle = made;
    return status;
}

enum proact_status cuda_surface_create(struct device_texels *texels, uint64_t *handle,
                                       struct proact_error *err)
{
    const struct cu_resource resource = {.type = CU_OF_ARRAY, .of.array = texels->array};
    struct device_set *set = texels->set;
    cu_object made = 0;
    enum proact_status status = cuda_enter(set, texels->device, err);

    if (status)
        return status;
    cu_result result = set->driver.surface_create(&made, &resource);

    status = cuda_leave(set, texels->device, result, "cuSurfObjectCreate", err);
    if (!status)
        *handle = made;
    return status;
}

/* Destroys an object after all devices are idle. */
static void destroy(struct device_set *set, unsigned device, uint64_t handle,
                    cu_result (*call)(cu_object object))
{
    cuda_await(set, NULL, NULL);
    if (set->is_stuck || !call)
        return;
    cuda_context_push(&set->driver, set->devices[device].context);
    call(handle);
    cuda_context_pop(&set->driver);
}

void cuda_texture_destroy(struct device_set *set, unsigned device, uint64_t handle)
{
    destroy(set, device, handle, set->driver.texture_destroy);
}

void cuda_surface_destroy(struct device_set *set, unsigned device, uint64_t handle)
{
    destroy(set, device, handle, set->driver.surface_destroy);
}
