/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/emulator/memory/texel_memory.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/stream/windows.h"
#include "execute/texture.h"

struct object {
    struct execute_texture face;
    unsigned device;
    uint64_t bytes; /* from face.base on */
};

struct objects {
    struct object **list; /* indexed by handle, from 1 on; NULL: destroyed */
    size_t count, capacity;
};

static uint64_t keep(struct device_set *set, const struct object *made)
{
    struct objects *all = set->objects;

    if (!all)
        all = set->objects = must_calloc(1, sizeof *all);
    struct object *o = must_calloc(1, sizeof *o);

    *o = *made;
    all->list = must_grow(all->list, all->count, &all->capacity, sizeof *all->list);
    all->list[all->count++] = o;
    return all->count;
}

static uint32_t extent(size_t n)
{
    return n ? (uint32_t)n : 1;
}

static struct object object_of_texels(const struct device_texels *t)
{
    const struct proact_texture_array_shape *s = &t->shape;

    return (struct object){
        .device = t->device,
        .bytes = t->bytes,
        .face = {.is_cube = s->is_cube,
                 .dimensions = s->depth    ? 3
                               : s->height ? 2
                                           : 1,
                 .size = {extent(s->width), extent(s->height), extent(s->depth)},
                 .layers = (uint32_t)s->layers,
                 .base = t->base,
                 .pitch = t->pitch,
                 .slice = t->slice,
                 .texel = s->texel}};
}

static struct object object_of_memory(const struct proact_texture *t, unsigned device)
{
    const size_t row = t->width * t->texel.bits / 8 * t->texel.channels;

    return (struct object){.device = device,
                           .bytes = t->height ? (t->height - 1) * t->pitch + row : row,
                           .face = {.dimensions = t->height ? 2 : 1,
                                    .size = {extent(t->width), extent(t->height), 1},
                                    .base = t->address,
                                    .pitch = t->pitch,
                                    .texel = t->texel}};
}

enum proact_status objects_create_texture(struct device_set *set, unsigned device,
                                          const struct proact_texture *texture,
                                          struct device_texels *texels, uint64_t *handle,
                                          struct proact_error *err)
{
    struct object o = texels ? object_of_texels(texels) : object_of_memory(texture, device);
    const struct allocation *in = memory_find(&set->memory, o.face.base, NULL);

    if (!in || o.bytes > in->end - o.face.base)
        return fail(err, PROACT_EINVAL,
                    "texture: %" PRIu64 " bytes at 0x%" PRIx64
                    " are not in one allocation, which ends %" PRIu64 " bytes later",
                    o.bytes, o.face.base, in ? in->end - o.face.base : 0);
    memcpy(o.face.address_mode, texture->address_mode, sizeof o.face.address_mode);
    memcpy(o.face.border, texture->border, sizeof o.face.border);
    o.face.is_linear = texture->filter_linear;
    o.face.reads_normalized = texture->normalize_values;
    o.face.has_normalized_coordinates = texture->normalize_coordinates;
    o.face.is_srgb = texture->is_srgb;
    if (!texels && !texture->height) /* linear memory, indexed: reads beyond the end are
                                        0 */
        o.face.address_mode[0] = PROACT_ADDRESS_BORDER;
    if (o.face.is_cube && !o.face.has_normalized_coordinates)
        o.face.address_mode[0] = o.face.address_mode[1] = PROACT_ADDRESS_CLAMP;
    *handle = keep(set, &o);
    return PROACT_OK;
}

enum proact_status objects_create_surface(struct device_texels *texels, uint64_t *handle,
                                          struct proact_error *err)
{
    struct object o = object_of_texels(texels);

    (void)err;
    o.face.is_surface = true;
    *handle = keep(texels->set, &o);
    return PROACT_OK;
}

void objects_destroy(struct device_set *set, unsigned device, uint64_t handle)
{
    struct objects *all = set->objects;

    (void)device;
    if (!all || !handle || handle > all->count)
        return;
    if (!set->broken && !streams_idle(set))
        machine_run(set, NULL, NULL);
    free(all->list[handle - 1]);
    all->list[handle - 1] = NULL;
}

const struct execute_texture *objects_find(void *context, uint64_t handle, const char **why)
{
    const struct emulated *d = context;
    const struct objects *all = d->set->objects;
    const struct object *o =
        all && handle && handle <= all->count ? all->list[handle - 1] : NULL;

    *why = "it was never created";
    if (!o)
        return NULL;
    *why = "it was created for another device";
    if (o->device != d->number)
        return NULL;
    const struct allocation *in = memory_find(&d->set->memory, o->face.base, NULL);

    *why = "its memory was freed";
    if (!in || o->bytes > in->end - o->face.base)
        return NULL;
    *why = "its memory is not on this device alone";
    return in->part || memory_device(&d->set->memory, o->face.base) != d->number ? NULL
                                                                                 : &o->face;
}

void objects_clear(struct device_set *set)
{
    for (size_t n = 0; set->objects && n < set->objects->count; n++)
        free(set->objects->list[n]);
    if (set->objects)
        free(set->objects->list);
    free(set->objects);
    set->objects = NULL;
}
