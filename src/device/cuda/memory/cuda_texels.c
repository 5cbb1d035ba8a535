/* SPDX-License-Identifier: Apache-2.0 */
/* Texture storage: CUDA arrays of the driver, with an opaque layout. */
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_set.h"

static bool has_calls(const struct driver *v)
{
    return v->array_create && v->array_destroy && v->copy_box && v->copy_peer_box &&
           v->texture_create && v->texture_destroy && v->surface_create &&
           v->surface_destroy;
}

/* Shape of an array; the driver counts layers and faces as depth. */
static struct cu_array_shape shape_of(const struct proact_texture_array_shape *s)
{
    const size_t layers = s->is_cube ? 6 * (s->layers ? s->layers : 1) : s->layers;

    return (struct cu_array_shape){.width = s->width,
                                   .height = s->height,
                                   .depth = layers ? layers : s->depth,
                                   .format = cuda_texel_format(&s->texel),
                                   .channels = s->texel.channels,
                                   .flags = (s->layers ? CU_ARRAY_LAYERED : 0u) |
                                            (s->is_cube ? CU_ARRAY_CUBE : 0u) |
                                            (s->allows_surfaces ? CU_ARRAY_SURFACES : 0u) |
                                            (s->allows_gather ? CU_ARRAY_GATHERED : 0u)};
}

enum proact_status cuda_texels_create(struct device_set *set, unsigned device,
                                      const struct proact_texture_array_shape *shape,
                                      struct device_texels **out, struct proact_error *err)
{
    const struct cu_array_shape wanted = shape_of(shape);
    cu_array array = NULL;

    if (!has_calls(&set->driver))
        return fail(err, PROACT_EREFUSED,
                    "textures and surfaces: the CUDA driver does not support them");
    enum proact_status status = cuda_enter(set, device, err);

    if (status)
        return status;
    cu_result result = set->driver.array_create(&array, &wanted);

    if ((status = cuda_leave(set, device, result, "cuArray3DCreate", err)))
        return status;
    struct device_texels *t = must_calloc(1, sizeof *t);

    *t = (struct device_texels){set, device, array};
    *out = t;
    return PROACT_OK;
}

void cuda_texels_destroy(struct device_texels *t)
{
    if (!t)
        return;
    cuda_await(t->set, NULL, NULL);
    if (!t->set->is_stuck) {
        cuda_context_push(&t->set->driver, t->set->devices[t->device].context);
        t->set->driver.array_destroy(t->array);
        cuda_context_pop(&t->set->driver);
    }
    free(t);
}

static struct cu_box_end end_of(const struct proact_copy_3d_end *e,
                                const struct device_texels *t)
{
    if (t)
        return (struct cu_box_end){
            .x = e->x, .y = e->y, .z = e->z, .memory = CU_MEMORY_ARRAY, .array = t->array};
    struct cu_box_end out = {.memory = e->is_host ? CU_MEMORY_HOST : CU_MEMORY_UNIFIED,
                             .pitch = e->pitch};

    if (e->is_host)
        out.host = (const void *)(uintptr_t)e->address; /* NOLINT */
    else
        out.device = e->address;
    return out;
}

/* Whether the slice pitch is a multiple of the row pitch, as the driver requires; other
   copies are made slice by slice. */
static bool is_in_rows(const struct proact_copy_3d_end *e, const struct device_texels *t)
{
    return t || (e->pitch && e->slice_pitch % e->pitch == 0);
}

/* Copies between devices; without peer access the driver copies through the host. */
static cu_result carry_over(struct device_stream *s, const struct proact_copy_3d *c,
                            const struct device_texels *to,
                            const struct device_texels *from)
{
    struct cu_peer_box peer = {.box = {.from = end_of(&c->from, from),
                                       .to = end_of(&c->to, to),
                                       .width = c->bytes,
                                       .height = c->rows,
                                       .depth = c->slices}};

    peer.box.from.context = s->set->devices[from->device].context;
    peer.box.to.context = s->set->devices[to->device].context;
    return s->set->driver.copy_peer_box(&peer, s->stream);
}

static cu_result carry(struct device_stream *s, const struct proact_copy_3d *c,
                       const struct device_texels *to, const struct device_texels *from)
{
    const bool at_once =
        c->slices == 1 || (is_in_rows(&c->to, to) && is_in_rows(&c->from, from));
    struct cu_box box = {.from = end_of(&c->from, from),
                         .to = end_of(&c->to, to),
                         .width = c->bytes,
                         .height = c->rows,
                         .depth = at_once ? c->slices : 1};
    cu_result result = 0;

    if (box.depth > 1) {
        box.to.rows = to ? 0 : c->to.slice_pitch / c->to.pitch;
        box.from.rows = from ? 0 : c->from.slice_pitch / c->from.pitch;
    }
    for (size_t z = 0; z < (at_once ? 1 : c->slices) && !result; z++) {
        result = s->set->driver.copy_box(&box, s->stream);
        struct cu_box_end *const ends[] = {&box.to, &box.from};
        const size_t steps[] = {c->to.slice_pitch, c->from.slice_pitch};

        for (unsigned n = 0; n < 2; n++) {
            if (ends[n]->array)
                ends[n]->z++;
            else if (ends[n]->memory == CU_MEMORY_HOST)
                ends[n]->host = (const unsigned char *)ends[n]->host + steps[n];
            else
                ends[n]->device += steps[n];
        }
    }
    return result;
}

enum proact_status cuda_copy_box(struct device_stream *s, const struct proact_copy_3d *copy,
                                 struct device_texels *to, struct device_texels *from,
                                 struct proact_error *err)
{
    const bool is_host = copy->to.is_host || copy->from.is_host;
    enum proact_status status = PROACT_OK;

    /* Waits for words have a limit that this backend enforces. */
    if (is_host && s->set->wait_count)
        status = cuda_await(s->set, s, err);
    if (status || (status = cuda_use(s, err)))
        return status;
    const bool is_over = to && from && to->device != from->device;
    cu_result result = is_over ? carry_over(s, copy, to, from) : carry(s, copy, to, from);

    if (!result && is_host)
        result = s->set->driver.stream_synchronize(s->stream);
    return cuda_leave(s->set, s->device, result,
                      is_over ? "cuMemcpy3DPeerAsync" : "cuMemcpy3DAsync", err);
}
