/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/emulator/memory/allocate.h"
#include "device/emulator/memory/texel_memory.h"
#include "device/emulator/stream/enqueue.h"
#include "device/emulator/stream/stream.h"

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static size_t slices_of(const struct proact_texture_array_shape *s)
{
    return s->is_cube ? 6 * at_least_one(s->layers)
                      : at_least_one(s->depth) * at_least_one(s->layers);
}

enum proact_status texels_create(struct device_set *set, unsigned device,
                                 const struct proact_texture_array_shape *shape,
                                 struct device_texels **out, struct proact_error *err)
{
    struct device_texels t = {.set = set, .device = device, .shape = *shape};

    t.pitch = shape->width * shape->texel.bits / 8 * shape->texel.channels;
    t.slice = t.pitch * at_least_one(shape->height);
    t.bytes = t.slice * slices_of(shape);
    enum proact_status status = allocate_memory(set, device, t.bytes, &t.base, err);

    if (status)
        return status;
    *out = must_calloc(1, sizeof t);
    **out = t;
    return PROACT_OK;
}

void texels_destroy(struct device_texels *t)
{
    if (!t)
        return;
    allocate_free(t->set, t->device, t->base);
    free(t);
}

/* Address of one side of the copy in slice `z`. */
static device_addr end_address(const struct proact_copy_3d_end *e,
                               const struct device_texels *t, size_t z)
{
    if (t)
        return t->base + (e->z + z) * t->slice + e->y * t->pitch + e->x;
    return e->address + z * e->slice_pitch;
}

/* Copies a slice; rows in host memory one by one. */
static enum proact_status copy_slice(struct device_stream *s,
                                     const struct proact_copy_3d *c,
                                     const struct device_rows *r, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (!c->from.is_host && !c->to.is_host)
        return parts_copy_rows(s, r, err);
    for (size_t y = 0; y < r->count && !status; y++) {
        const device_addr to = r->to + y * r->to_pitch, from = r->from + y * r->from_pitch;

        status = c->from.is_host
                     ? parts_write(s, to, (const void *)(uintptr_t)from, r->bytes, err)
                     : parts_read(s, (void *)(uintptr_t)to, from, r->bytes, err);
    }
    return status;
}

enum proact_status texels_copy_box(struct device_stream *s,
                                   const struct proact_copy_3d *copy,
                                   struct device_texels *to, struct device_texels *from,
                                   struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t z = 0; z < copy->slices && !status; z++) {
        const struct device_rows rows = {.to = end_address(&copy->to, to, z),
                                         .from = end_address(&copy->from, from, z),
                                         .bytes = copy->bytes,
                                         .count = copy->rows,
                                         .to_pitch = to ? to->pitch : copy->to.pitch,
                                         .from_pitch =
                                             from ? from->pitch : copy->from.pitch};

        status = copy_slice(s, copy, &rows, err);
    }
    return status;
}
