/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/arrays/texels.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/arrays/first_device.h"
#include "runtime/arrays/textures.h"
#include "runtime/coherence/fetch.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_texture.h"
#include "runtime/session/array_order.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/validity/array_validity.h"

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

size_t texels_bytes_each(const struct proact_texel_format *t)
{
    return (size_t)t->bits / 8 * t->channels;
}

enum proact_status texels_check_texel(const struct proact_texel_format *t,
                                      struct proact_error *err)
{
    const bool has_bits = t->bits == 8 || t->bits == 16 || t->bits == 32;
    const bool has_channels = t->channels == 1 || t->channels == 2 || t->channels == 4;

    if (!has_bits || !has_channels || (t->kind == PROACT_TEXEL_FLOAT && t->bits == 8))
        return fail(err, PROACT_EINVAL,
                    "texture array: %u channels of %u bits: 1, 2 or 4 of 8, 16 or 32 "
                    "bits are possible, floats of 16 or 32",
                    t->channels, t->bits);
    return PROACT_OK;
}

enum { SIDE_MAX = 131072, DEPTH_MAX = 16384, LAYERS_MAX = 2048 };

static enum proact_status check_shape(const struct proact_texture_array_shape *s,
                                      struct proact_error *err)
{
    if (!s->width || s->width > SIDE_MAX || s->height > SIDE_MAX || s->depth > DEPTH_MAX ||
        s->layers > LAYERS_MAX || (s->depth && (!s->height || s->layers)))
        return fail(err, PROACT_EINVAL,
                    "texture array: %zu x %zu x %zu in %zu layers, %d x %d x %d or %d "
                    "layers possible",
                    s->width, s->height, s->depth, s->layers, SIDE_MAX, SIDE_MAX, DEPTH_MAX,
                    LAYERS_MAX);
    if (s->is_cube && (s->width != s->height || s->depth))
        return fail(err, PROACT_EINVAL,
                    "texture array: the faces of a cube are %zu x %zu, not square",
                    s->width, s->height);
    return texels_check_texel(&s->texel, err);
}

enum proact_status texels_check_session(const struct proact *p,
                                        const struct proact_texture_array *t,
                                        struct proact_error *err)
{
    if (!p->backend->texels_create)
        return fail(err, PROACT_EREFUSED, "textures and surfaces: the %s backend has none",
                    p->backend->name);
    if (t && t->session != p)
        return fail(err, PROACT_EINVAL, "a texture array belongs to another session");
    return p->recording ? fail(err, PROACT_EINVAL,
                               "textures and surfaces, and copies of them, cannot be "
                               "recorded")
                        : PROACT_OK;
}

enum proact_status proact_texture_array_create(
    struct proact *p, const struct proact_texture_array_shape *shape,
    struct proact_texture_array **out, struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_texture_array_create(p, shape, out)",
                                             (const void *[]){p, shape, out}, err);

    if (status)
        return status;
    struct device_texels *device = NULL;
    status = texels_check_session(p, NULL, err);

    if (status || (status = check_shape(shape, err)) ||
        (status = p->backend->texels_create(p->set, 0, shape, &device, err)))
        return status;
    struct proact_texture_array *t = must_calloc(1, sizeof *t);

    *t = (struct proact_texture_array){
        .session = p, .next = p->texels, .shape = *shape, .device = device, .changes = 1};
    p->texels = t;
    *out = t;
    return PROACT_OK;
}

void proact_texture_array_destroy(struct proact_texture_array *t)
{
    if (!t)
        return;
    struct proact_texture_array **link = &t->session->texels;

    session_settle(t->session);
    textures_leave(t);
    for (unsigned d = 1; d < t->session->devices.count; d++)
        if (t->copy[d].device)
            t->session->backend->texels_destroy(t->copy[d].device);
    t->session->backend->texels_destroy(t->device);
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    free(t);
}

static size_t slices_of(const struct proact_texture_array_shape *s)
{
    return s->is_cube ? 6 * at_least_one(s->layers)
                      : at_least_one(s->depth) * at_least_one(s->layers);
}

static bool is_within(size_t first, size_t count, size_t limit)
{
    return first <= limit && count <= limit - first;
}

/* Bytes from the first to the last of an end in memory. */
static enum proact_status hull(const struct proact_copy_3d *c,
                               const struct proact_copy_3d_end *e, uint64_t *bytes,
                               struct proact_error *err)
{
    uint64_t rows, slices;

    if ((c->rows > 1 && e->pitch < c->bytes) ||
        __builtin_mul_overflow(e->pitch, c->rows - 1, &rows) ||
        (c->slices > 1 && e->slice_pitch < rows + c->bytes) ||
        __builtin_mul_overflow(e->slice_pitch, c->slices - 1, &slices) ||
        __builtin_add_overflow(rows + c->bytes, slices, bytes))
        return fail(err, PROACT_EINVAL,
                    "texture copy: %zu rows of %zu bytes do not fit into rows of %zu "
                    "bytes and slices of %zu bytes",
                    c->rows, c->bytes, e->pitch, e->slice_pitch);
    return PROACT_OK;
}

/* `out`: array of the end; NULL: a texture array or host memory. */
static enum proact_status check_end(struct proact *p, const struct proact_copy_3d *c,
                                    const struct proact_copy_3d_end *e,
                                    struct proact_array **out, uint64_t *first,
                                    uint64_t *bytes, struct proact_error *err)
{
    *out = NULL;
    if (e->array) {
        const struct proact_texture_array_shape *s = &e->array->shape;
        const size_t row = s->width * texels_bytes_each(&s->texel);

        if (is_within(e->x, c->bytes, row) &&
            is_within(e->y, c->rows, at_least_one(s->height)) &&
            is_within(e->z, c->slices, slices_of(s)))
            return PROACT_OK;
        return fail(err, PROACT_EINVAL,
                    "texture copy: %zu x %zu x %zu from (%zu, %zu, %zu) on, the array "
                    "has %zu bytes x %zu x %zu",
                    c->bytes, c->rows, c->slices, e->x, e->y, e->z, row,
                    at_least_one(s->height), slices_of(s));
    }
    enum proact_status status = hull(c, e, bytes, err);

    if (status || e->is_host)
        return status;
    *out = proact_array_find(p, e->address, first);
    if (!*out || *bytes > (*out)->bytes - *first)
        return fail(err, PROACT_EINVAL,
                    "texture copy: %" PRIu64 " bytes at 0x%" PRIx64
                    " are not in one array of device 0",
                    *bytes, e->address);
    return PROACT_OK;
}

static void written(struct proact_array *a, uint64_t first, const struct proact_copy_3d *c)
{
    for (size_t z = 0; z < c->slices && array_has_replicas(a); z++)
        for (size_t y = 0; y < c->rows; y++) {
            const uint64_t at = first + z * c->to.slice_pitch + y * c->to.pitch;

            array_written(a, at, at + c->bytes, FIRST);
        }
}

static enum proact_status queue(struct proact *p, const struct proact_copy_3d *c,
                                struct proact_error *err)
{
    enum proact_status status = streams_enter(p, err);

    if (!status && !(status = first_await_all(p, err)))
        status = p->backend->copy_box(p->devices.device[0].lane[TRANSFER_MAIN], c,
                                      c->to.array ? c->to.array->device : NULL,
                                      c->from.array ? c->from.array->device : NULL, err);
    streams_leave(p);
    return status;
}

enum proact_status proact_copy_3d(struct proact *p, const struct proact_copy_3d *c,
                                  struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_copy_3d(p, copy)", (const void *[]){p, c}, err);

    if (status)
        return status;
    struct proact_array *to, *from;
    uint64_t to_first = 0, from_first = 0, to_bytes = 0, from_bytes = 0;

    if ((status = texels_check_session(p, c->to.array, err)) ||
        (status = texels_check_session(p, c->from.array, err)) || !c->bytes || !c->rows ||
        !c->slices)
        return status;
    if ((status = check_end(p, c, &c->to, &to, &to_first, &to_bytes, err)) ||
        (status = check_end(p, c, &c->from, &from, &from_first, &from_bytes, err)))
        return status;
    if (from && !from->part && p->devices.count > 1 &&
        (status = array_fetch_device0(from, from_first, from_first + from_bytes, err)))
        return status;
    if ((status = queue(p, c, err)))
        return status;
    p->sequence++;
    if (c->to.array)
        c->to.array->changes++;
    if (to) {
        to->used = p->sequence;
        written(to, to_first, c);
        if (to->part)
            array_account_parts(to, 0, true, p->sequence);
    }
    if (from)
        from->used = p->sequence;
    if (from && from->part)
        array_account_parts(from, 0, false, p->sequence);
    return first_done(p, p->sequence, err);
}

enum proact_status texels_copy_make(struct proact_texture_array *t, unsigned device,
                                    struct proact_error *err)
{
    const struct proact *p = t->session;
    struct texels_copy *c = &t->copy[device];

    return c->device
               ? PROACT_OK
               : p->backend->texels_create(p->set, device, &t->shape, &c->device, err);
}

static struct proact_copy_3d all_of(const struct proact_texture_array_shape *s)
{
    return (struct proact_copy_3d){.bytes = s->width * texels_bytes_each(&s->texel),
                                   .rows = at_least_one(s->height),
                                   .slices = slices_of(s)};
}

/* Later work of device 0 follows on the same stream, so it cannot overwrite the source
   early. */
enum proact_status texels_copy_renew(struct proact_texture_array *t, unsigned device,
                                     struct proact_error *err)
{
    struct proact *p = t->session;
    const struct order_place first = {0, TRANSFER_MAIN}, there = {device, TRANSFER_MAIN};
    const struct proact_copy_3d all = all_of(&t->shape);
    struct texels_copy *c = &t->copy[device];

    if (c->changes == t->changes)
        return PROACT_OK;
    /* protocol: texture-readers (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = order_wait(&p->order, first, there, t->used, err);

    if (!status)
        /* protocol: texture-update */
        status = p->backend->copy_box(p->devices.device[0].lane[TRANSFER_MAIN], &all,
                                      c->device, t->device, err);
    if (status)
        return status;
    c->changes = t->changes;
    c->sent = ++p->sequence;
    /* protocol: texture-sent (else: return PROACT_OK;) */
    return order_record(&p->order, first, c->sent, err);
}

enum proact_status texels_copy_await(const struct proact_texture_array *t, unsigned device,
                                     struct proact_error *err)
{
    /* protocol: texture-wait (else: return PROACT_OK;) */
    return order_wait(&t->session->order, (struct order_place){device, TRANSFER_MAIN},
                      (struct order_place){0, TRANSFER_MAIN}, t->copy[device].sent, err);
}

void texels_written(struct proact *p)
{
    for (struct proact_texture_array *t = p->texels; t; t = t->next)
        t->changes += t->may_be_written;
}

void texels_close(struct proact *p)
{
    while (p->texels)
        proact_texture_array_destroy(p->texels);
}
