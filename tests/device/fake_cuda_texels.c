/* SPDX-License-Identifier: Apache-2.0 */
/* Texture arrays, row by row in device memory, and texture objects, whose handles are their
   addresses. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/fake_cuda.h"
#include "execute/texture.h"

struct CUarray_st {
    struct cu_array_shape shape;
    struct fake_memory *memory;
    size_t pitch, slice, slices;
};

static struct proact_texel_format texel_of(int format, unsigned channels)
{
    const enum proact_texel_type kind = format >= CU_FLOAT_16   ? PROACT_TEXEL_FLOAT
                                        : format >= CU_SIGNED_8 ? PROACT_TEXEL_SIGNED
                                                                : PROACT_TEXEL_UNSIGNED;
    const int size = kind == PROACT_TEXEL_SIGNED     ? format - CU_SIGNED_8
                     : kind == PROACT_TEXEL_UNSIGNED ? format - CU_UNSIGNED_8
                                                     : format / CU_FLOAT_16;

    return (struct proact_texel_format){kind, 8u << size, channels};
}

static size_t texel_bytes(struct proact_texel_format t)
{
    return (size_t)t.bits / 8 * t.channels;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

cu_result cuArray3DCreate_v2(cu_array *out, const struct cu_array_shape *shape)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct CUarray_st a = {.shape = *shape};

    if (result)
        return result;
    if (!shape->width || (shape->flags & CU_ARRAY_CUBE && shape->depth % 6))
        return CU_INVALID_VALUE;
    a.pitch = shape->width * texel_bytes(texel_of(shape->format, shape->channels));
    a.slice = a.pitch * at_least_one(shape->height);
    a.slices = at_least_one(shape->depth);
    if (!(a.memory = fake_add(fake_device(), a.slice * a.slices)))
        return CU_OUT_OF_MEMORY;
    *out = must_calloc(1, sizeof a);
    **out = a;
    return 0;
}

cu_result cuArrayDestroy(cu_array array)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    fake_drop(array->memory);
    free(array);
    return result;
}

/* Row address in plane z; NULL if the copy leaves the memory. */
static unsigned char *place(const struct cu_box_end *e, const struct cu_box *b, size_t z,
                            unsigned device)
{
    const size_t plane = e->rows * e->pitch, reach = (b->height - 1) * e->pitch + b->width;
    unsigned char *at = (unsigned char *)(uintptr_t)e->device + z * plane;

    if (e->memory == CU_MEMORY_ARRAY) {
        if (e->x + b->width > e->array->pitch || e->z + b->depth > e->array->slices ||
            e->y + b->height > at_least_one(e->array->shape.height))
            return NULL;
        return e->array->memory->address + (e->z + z) * e->array->slice +
               e->y * e->array->pitch + e->x;
    }
    if (e->x || e->y || e->z || (b->height > 1 && e->pitch < b->width) ||
        (b->depth > 1 && e->rows < b->height))
        return NULL;
    if (e->memory == CU_MEMORY_HOST)
        return (unsigned char *)(uintptr_t)e->host + z * plane;
    return fake_find(device, at, reach) ? at : NULL;
}

static cu_result copy_box(const struct cu_box *b, cu_stream stream)
{
    for (size_t z = 0; z < b->depth; z++) {
        unsigned char *to = place(&b->to, b, z, stream->device);
        const unsigned char *from = place(&b->from, b, z, stream->device);

        if (!to || !from)
            return CU_INVALID_VALUE;
        fake_queue(stream,
                   (struct fake_op){
                       .kind = FAKE_COPY,
                       .to = to,
                       .from = from,
                       .bytes = b->width,
                       .rows = b->height,
                       .to_pitch = b->to.array ? b->to.array->pitch : b->to.pitch,
                       .from_pitch = b->from.array ? b->from.array->pitch : b->from.pitch});
    }
    return 0;
}

static bool is_of(const struct cu_box_end *e, unsigned device)
{
    return e->memory != CU_MEMORY_ARRAY || e->array->memory->owner == device;
}

/* Arrays of other devices are refused by this call. */
cu_result cuMemcpy3DAsync_v2(const struct cu_box *b, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    stream = fake_stream(stream);
    if (b->to.context || b->from.context || !is_of(&b->to, stream->device) ||
        !is_of(&b->from, stream->device))
        return CU_INVALID_VALUE;
    return copy_box(b, stream);
}

cu_result cuMemcpy3DPeerAsync(const struct cu_peer_box *peer, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    const struct cu_box *b = &peer->box;

    if (result)
        return result;
    if (!b->to.context || !b->from.context || !is_of(&b->to, b->to.context->device) ||
        !is_of(&b->from, b->from.context->device))
        return CU_INVALID_VALUE;
    return copy_box(b, fake_stream(stream));
}

static struct execute_texture of_array(const struct CUarray_st *a)
{
    const struct cu_array_shape *s = &a->shape;
    const bool is_cube = s->flags & CU_ARRAY_CUBE, has_layers = s->flags & CU_ARRAY_LAYERED;

    return (struct execute_texture){
        .is_cube = is_cube,
        .dimensions = s->depth && !is_cube && !has_layers ? 3
                      : s->height                         ? 2
                                                          : 1,
        .size = {(uint32_t)s->width, (uint32_t)at_least_one(s->height),
                 is_cube || has_layers ? 1 : (uint32_t)a->slices},
        .layers = !has_layers ? 0 : (uint32_t)(is_cube ? a->slices / 6 : a->slices),
        .base = (uintptr_t)a->memory->address,
        .pitch = a->pitch,
        .slice = a->slice,
        .texel = texel_of(s->format, s->channels)};
}

static struct execute_texture of_memory(const struct cu_resource *r)
{
    const struct proact_texel_format texel =
        texel_of(r->of.memory.format, r->of.memory.channels);
    const bool is_line = r->type == CU_OF_LINE;

    return (struct execute_texture){
        .dimensions = is_line ? 1 : 2,
        .size = {(uint32_t)(r->of.memory.width / (is_line ? texel_bytes(texel) : 1)),
                 (uint32_t)at_least_one(r->of.memory.height), 1},
        .base = r->of.memory.address,
        .pitch = r->of.memory.pitch,
        .texel = texel};
}

struct fake_object {
    struct execute_texture face;
    unsigned device;
};

static cu_object keep(const struct execute_texture *t)
{
    struct fake_object *made = must_calloc(1, sizeof *made);

    *made = (struct fake_object){*t, fake_device()};
    fake_cuda()->left++;
    return (uintptr_t)made;
}

cu_result cuTexObjectCreate(cu_object *out, const struct cu_resource *resource,
                            const struct cu_sampler *s, const struct cu_view *view)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result || view)
        return result ? result : CU_INVALID_VALUE;
    struct execute_texture t =
        resource->type == CU_OF_ARRAY ? of_array(resource->of.array) : of_memory(resource);

    for (unsigned a = 0; a < 3; a++)
        t.address_mode[a] = (enum proact_address_mode)s->address_mode[a];
    if (resource->type == CU_OF_LINE)
        t.address_mode[0] = PROACT_ADDRESS_BORDER;
    t.is_linear = s->filter;
    t.reads_normalized = !(s->flags & CU_READ_ELEMENTS);
    t.has_normalized_coordinates = s->flags & CU_READ_NORMALIZED;
    t.is_srgb = s->flags & CU_READ_SRGB;
    memcpy(t.border, s->border, sizeof t.border);
    *out = keep(&t);
    return 0;
}

cu_result cuSurfObjectCreate(cu_object *out, const struct cu_resource *resource)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (!(resource->of.array->shape.flags & CU_ARRAY_SURFACES))
        return CU_INVALID_VALUE;
    struct execute_texture t = of_array(resource->of.array);

    t.is_surface = true;
    *out = keep(&t);
    return 0;
}

cu_result cuTexObjectDestroy(cu_object texture)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    free((void *)(uintptr_t)texture);
    fake_cuda()->left--;
    return result;
}

cu_result cuSurfObjectDestroy(cu_object surface)
{
    return cuTexObjectDestroy(surface);
}

const struct execute_texture *fake_texture(unsigned device, uint64_t handle,
                                           const char **why)
{
    const struct fake_object *o = (const struct fake_object *)(uintptr_t)handle;

    *why = o ? "it is another device's" : "there is none";
    return o && o->device == device ? &o->face : NULL;
}
