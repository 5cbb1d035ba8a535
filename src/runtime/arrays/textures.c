/* SPDX-License-Identifier: Apache-2.0 */
/* Creation of texture and surface objects; a handle is the value that kernels receive. */
#include "runtime/arrays/textures.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/arrays/texels.h"
#include "runtime/coherence/fetch.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_texture.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/validity/array_validity.h"

static uint64_t memory_bytes(const struct proact_texture *t)
{
    const uint64_t row = t->width * texels_bytes_each(&t->texel);

    return t->height ? (t->height - 1) * t->pitch + row : row;
}

static enum proact_status check_memory(struct proact *p, const struct proact_texture *t,
                                       struct proact_error *err)
{
    uint64_t first = 0, bytes = memory_bytes(t);
    const struct proact_array *a = proact_array_find(p, t->address, &first);
    enum proact_status status = texels_check_texel(&t->texel, err);

    if (status)
        return status;
    if (a && a->part)
        return fail(err, PROACT_EREFUSED,
                    "texture: array '%s' is distributed: its memory is not on device 0 "
                    "alone",
                    a->name);
    if (!a || bytes > a->bytes - first || !t->width ||
        (t->height && t->pitch < t->width * texels_bytes_each(&t->texel)))
        return fail(
            err, PROACT_EINVAL,
            "texture: %zu x %zu texels of %zu bytes, rows %zu bytes apart, are not in "
            "one array of device 0 at 0x%" PRIx64,
            t->width, t->height, texels_bytes_each(&t->texel), t->pitch, t->address);
    return PROACT_OK;
}

static enum proact_status check_filter(const struct proact_texture *t,
                                       struct proact_error *err)
{
    const struct proact_texel_format *texel = t->array ? &t->array->shape.texel : &t->texel;

    if (texel->kind == PROACT_TEXEL_FLOAT || !(t->filter_linear || t->normalize_values) ||
        (t->normalize_values && texel->bits < 32))
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "texture: a linear filter or normalized values of integers of %u bits %s",
                texel->bits,
                t->normalize_values ? "(8 or 16 possible)" : "that are not normalized");
}

enum proact_status proact_texture_create(struct proact *p,
                                         const struct proact_texture *texture,
                                         uint64_t *handle, struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_texture_create(p, texture, handle)",
                                             (const void *[]){p, texture, handle}, err);

    if (status)
        return status;
    const struct proact_texture_array *t = texture->array;
    status = texels_check_session(p, t, err);

    if (status || (!t && (status = check_memory(p, texture, err))) ||
        (status = check_filter(texture, err)) ||
        (status = p->backend->texture_create(p->set, 0, texture, t ? t->device : NULL,
                                             handle, err)))
        return status;
    struct session_texture *s = must_calloc(1, sizeof *s);

    *s = (struct session_texture){.next = p->textures,
                                  .is = *texture,
                                  .handle = *handle,
                                  .bytes = t ? 0 : memory_bytes(texture)};
    p->textures = s;
    return PROACT_OK;
}

struct session_texture *texture_find(const struct proact *p, uint64_t handle)
{
    struct session_texture *t = p->textures;

    while (t && t->handle != handle)
        t = t->next;
    return t;
}

struct proact_array *texture_array(const struct session_texture *t, struct proact *p,
                                   uint64_t *first)
{
    struct proact_array *a = t->bytes ? proact_array_find(p, t->is.address, first) : NULL;

    return a && array_has_replicas(a) && t->bytes <= a->bytes - *first ? a : NULL;
}

/* A new array may have the same address on device 0 as a destroyed one, with other
   addresses on other devices. */
enum proact_status texture_make(struct session_texture *t, struct proact *p,
                                unsigned device, struct proact_error *err)
{
    struct texture_elsewhere *there = &t->on[device], made = {.is_made = true};
    struct proact_texture how = t->is;
    struct device_texels *copy = NULL;
    uint64_t first;
    enum proact_status status = PROACT_OK;

    if (t->bytes) {
        const struct proact_array *a = texture_array(t, p, &first);

        how.address = made.address = a->base[device] + first;
    } else if (!(status = texels_copy_make(t->is.array, device, err)))
        copy = t->is.array->copy[device].device;
    if (status || (there->is_made && there->address == made.address))
        return status;
    if (there->is_made) {
        session_settle(p);
        texture_unmake(p, t);
    }
    status = p->backend->texture_create(p->set, device, &how, copy, &made.handle, err);
    if (!status)
        *there = made;
    return status;
}

void proact_texture_destroy(struct proact *p, uint64_t handle)
{
    struct session_texture **link = &p->textures;

    if (!p->backend->texture_destroy)
        return;
    session_settle(p);
    p->backend->texture_destroy(p->set, 0, handle);
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    if (*link) {
        struct session_texture *gone = *link;

        texture_unmake(p, gone);
        *link = gone->next;
        free(gone);
    }
}

enum proact_status proact_surface_create(struct proact *p,
                                         struct proact_texture_array *texels,
                                         uint64_t *handle, struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_surface_create(p, array, handle)",
                                             (const void *[]){p, texels, handle}, err);

    if (status)
        return status;
    status = texels_check_session(p, texels, err);

    if (!status)
        status = p->backend->surface_create(texels->device, handle, err);
    texels->may_be_written |= !status;
    return status;
}

void proact_surface_destroy(struct proact *p, uint64_t handle)
{
    if (!p->backend->surface_destroy)
        return;
    session_settle(p);
    p->backend->surface_destroy(p->set, 0, handle);
}

/* Destroyed arrays are skipped: no kernel may read them. */
enum proact_status textures_fetch(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (const struct session_texture *t = p->textures; t && !status; t = t->next) {
        uint64_t first = 0;
        struct proact_array *a = texture_array(t, p, &first);

        if (a)
            status = array_fetch_device0(a, first, first + t->bytes, err);
    }
    return status;
}

void textures_close(struct proact *p)
{
    while (p->textures) {
        struct session_texture *next = p->textures->next;

        texture_unmake(p, p->textures);
        p->backend->texture_destroy(p->set, 0, p->textures->handle);
        free(p->textures);
        p->textures = next;
    }
}
