/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/texels.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/bring.h"
#include "runtime/first_device.h"
#include "runtime/program_streams.h"

struct proact_texels {
    struct proact *session;
    struct proact_texels *next;
    struct proact_texels_shape shape;
    struct device_texels *device;
};

/* Of memory: what a texture reads of an array. */
struct session_texture {
    struct session_texture *next;
    uint64_t handle, address, bytes;
};

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static size_t texel_bytes(const struct proact_texel *t)
{
    return (size_t)t->bits / 8 * t->channels;
}

static enum proact_status check_texel(const struct proact_texel *t,
                                      struct proact_error *err)
{
    const bool has_bits = t->bits == 8 || t->bits == 16 || t->bits == 32;
    const bool has_channels = t->channels == 1 || t->channels == 2 || t->channels == 4;

    if (!has_bits || !has_channels || (t->kind == PROACT_FLOAT && t->bits == 8))
        return fail(err, PROACT_EINVAL,
                    "texels: %u channels of %u bits: there are 1, 2 or 4, of 8, 16 or 32 "
                    "bits, and floats of 16 or 32",
                    t->channels, t->bits);
    return PROACT_OK;
}

enum { SIDE_MAX = 131072, DEPTH_MAX = 16384, LAYERS_MAX = 2048 };

static enum proact_status check_shape(const struct proact_texels_shape *s,
                                      struct proact_error *err)
{
    if (!s->width || s->width > SIDE_MAX || s->height > SIDE_MAX || s->depth > DEPTH_MAX ||
        s->layers > LAYERS_MAX || (s->depth && (!s->height || s->layers)))
        return fail(err, PROACT_EINVAL,
                    "texels: %zu x %zu x %zu in %zu layers, of at most %d x %d x %d, or %d "
                    "layers",
                    s->width, s->height, s->depth, s->layers, SIDE_MAX, SIDE_MAX, DEPTH_MAX,
                    LAYERS_MAX);
    if (s->is_cube && (s->width != s->height || s->depth))
        return fail(err, PROACT_EINVAL, "texels: a cube's faces are %zu x %zu", s->width,
                    s->height);
    return check_texel(&s->texel, err);
}

static enum proact_status check_session(const struct proact *p, struct proact_error *err)
{
    if (!p->backend->texels_create)
        return fail(err, PROACT_EREFUSED, "textures and surfaces: '%s' has none",
                    p->backend->name);
    return p->recording ? fail(err, PROACT_EINVAL,
                               "textures and surfaces, and copies of them, cannot be "
                               "recorded")
                        : PROACT_OK;
}

enum proact_status proact_texels_create(struct proact *p,
                                        const struct proact_texels_shape *shape,
                                        struct proact_texels **out,
                                        struct proact_error *err)
{
    struct device_texels *device = NULL;
    enum proact_status status = check_session(p, err);

    if (status || (status = check_shape(shape, err)) ||
        (status = p->backend->texels_create(p->set, 0, shape, &device, err)))
        return status;
    struct proact_texels *t = must_calloc(1, sizeof *t);

    *t = (struct proact_texels){p, p->texels, *shape, device};
    p->texels = t;
    *out = t;
    return PROACT_OK;
}

void proact_texels_destroy(struct proact_texels *t)
{
    if (!t)
        return;
    struct proact_texels **link = &t->session->texels;

    session_settle(t->session);
    t->session->backend->texels_destroy(t->device);
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    free(t);
}

static size_t slices_of(const struct proact_texels_shape *s)
{
    return s->is_cube ? 6 * at_least_one(s->layers)
                      : at_least_one(s->depth) * at_least_one(s->layers);
}

static bool is_within(size_t first, size_t count, size_t limit)
{
    return first <= limit && count <= limit - first;
}

/* Of an end in memory: from its first byte to its last. */
static enum proact_status hull(const struct proact_box_copy *c,
                               const struct proact_box_end *e, uint64_t *bytes,
                               struct proact_error *err)
{
    uint64_t rows, slices;

    if ((c->rows > 1 && e->pitch < c->bytes) ||
        __builtin_mul_overflow(e->pitch, c->rows - 1, &rows) ||
        (c->slices > 1 && e->slice_pitch < rows + c->bytes) ||
        __builtin_mul_overflow(e->slice_pitch, c->slices - 1, &slices) ||
        __builtin_add_overflow(rows + c->bytes, slices, bytes))
        return fail(err, PROACT_EINVAL,
                    "copy of texels: %zu rows of %zu bytes do not fit where rows are %zu "
                    "and slices %zu bytes apart",
                    c->rows, c->bytes, e->pitch, e->slice_pitch);
    return PROACT_OK;
}

/* `out`: the array that the end is in, NULL for texels and memory of the host. */
static enum proact_status check_end(struct proact *p, const struct proact_box_copy *c,
                                    const struct proact_box_end *e,
                                    struct proact_array **out, uint64_t *first,
                                    uint64_t *bytes, struct proact_error *err)
{
    *out = NULL;
    if (e->texels) {
        const struct proact_texels_shape *s = &e->texels->shape;
        const size_t row = s->width * texel_bytes(&s->texel);

        if (is_within(e->x, c->bytes, row) &&
            is_within(e->y, c->rows, at_least_one(s->height)) &&
            is_within(e->z, c->slices, slices_of(s)))
            return PROACT_OK;
        return fail(err, PROACT_EINVAL,
                    "copy of texels: %zu x %zu x %zu from (%zu, %zu, %zu) on, there are "
                    "%zu bytes x %zu x %zu",
                    c->bytes, c->rows, c->slices, e->x, e->y, e->z, row,
                    at_least_one(s->height), slices_of(s));
    }
    enum proact_status status = hull(c, e, bytes, err);

    if (status || e->is_host)
        return status;
    *out = proact_array_find(p, e->address, first);
    if (!*out || *bytes > (*out)->bytes - *first)
        return fail(err, PROACT_EINVAL,
                    "copy of texels: %" PRIu64 " bytes at 0x%" PRIx64
                    " do not lie in one array of the first device",
                    *bytes, e->address);
    return PROACT_OK;
}

static void written(struct proact_array *a, uint64_t first, const struct proact_box_copy *c)
{
    for (size_t z = 0; z < c->slices && array_has_replicas(a); z++)
        for (size_t y = 0; y < c->rows; y++) {
            const uint64_t at = first + z * c->to.slice_pitch + y * c->to.pitch;

            array_written(a, at, at + c->bytes, FIRST);
        }
}

static enum proact_status queue(struct proact *p, const struct proact_box_copy *c,
                                struct proact_error *err)
{
    enum proact_status status = streams_enter(p, err);

    if (!status && !(status = first_await_all(p, err)))
        status = p->backend->copy_box(p->devices.device[0].lane[TRANSFER_MAIN], c,
                                      c->to.texels ? c->to.texels->device : NULL,
                                      c->from.texels ? c->from.texels->device : NULL, err);
    streams_leave(p);
    return status;
}

enum proact_status proact_box_copy(struct proact *p, const struct proact_box_copy *c,
                                   struct proact_error *err)
{
    struct proact_array *to, *from;
    uint64_t to_first = 0, from_first = 0, to_bytes = 0, from_bytes = 0;
    enum proact_status status = check_session(p, err);

    if (status || !c->bytes || !c->rows || !c->slices)
        return status;
    if ((status = check_end(p, c, &c->to, &to, &to_first, &to_bytes, err)) ||
        (status = check_end(p, c, &c->from, &from, &from_first, &from_bytes, err)))
        return status;
    if (from && !from->part && p->devices.count > 1 &&
        (status = array_bring_first(from, from_first, from_first + from_bytes, err)))
        return status;
    if ((status = queue(p, c, err)))
        return status;
    p->sequence++;
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

static uint64_t memory_bytes(const struct proact_texture *t)
{
    const uint64_t row = t->width * texel_bytes(&t->texel);

    return t->height ? (t->height - 1) * t->pitch + row : row;
}

static enum proact_status check_memory(struct proact *p, const struct proact_texture *t,
                                       struct proact_error *err)
{
    uint64_t first = 0, bytes = memory_bytes(t);
    const struct proact_array *a = proact_array_find(p, t->address, &first);
    enum proact_status status = check_texel(&t->texel, err);

    if (status)
        return status;
    if (a && a->part)
        return fail(err, PROACT_EREFUSED,
                    "texture: array '%s' is distributed: its memory is not the first "
                    "device's alone",
                    a->name);
    if (!a || bytes > a->bytes - first || !t->width ||
        (t->height && t->pitch < t->width * texel_bytes(&t->texel)))
        return fail(
            err, PROACT_EINVAL,
            "texture: %zu x %zu texels of %zu bytes, %zu bytes apart, do not lie in "
            "one array of the first device at 0x%" PRIx64,
            t->width, t->height, texel_bytes(&t->texel), t->pitch, t->address);
    return PROACT_OK;
}

static enum proact_status check_filter(const struct proact_texture *t,
                                       struct proact_error *err)
{
    const struct proact_texel *texel = t->texels ? &t->texels->shape.texel : &t->texel;

    if (texel->kind == PROACT_FLOAT || !(t->is_linear || t->reads_normalized) ||
        (t->reads_normalized && texel->bits < 32))
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "texture: a linear filter, or numbers up to 1, of integers of %u bits %s",
                texel->bits,
                t->reads_normalized ? "(8 or 16 possible)" : "read as they are");
}

enum proact_status proact_texture_create(struct proact *p,
                                         const struct proact_texture *texture,
                                         uint64_t *handle, struct proact_error *err)
{
    const struct proact_texels *t = texture->texels;
    enum proact_status status = check_session(p, err);

    if (status || (!t && (status = check_memory(p, texture, err))) ||
        (status = check_filter(texture, err)) ||
        (status = p->backend->texture_create(p->set, 0, texture, t ? t->device : NULL,
                                             handle, err)) ||
        t)
        return status;
    struct session_texture *s = must_calloc(1, sizeof *s);

    *s = (struct session_texture){p->textures, *handle, texture->address,
                                  memory_bytes(texture)};
    p->textures = s;
    return PROACT_OK;
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

        *link = gone->next;
        free(gone);
    }
}

enum proact_status proact_surface_create(struct proact *p, struct proact_texels *texels,
                                         uint64_t *handle, struct proact_error *err)
{
    enum proact_status status = check_session(p, err);

    return status ? status : p->backend->surface_create(texels->device, handle, err);
}

void proact_surface_destroy(struct proact *p, uint64_t handle)
{
    if (!p->backend->surface_destroy)
        return;
    session_settle(p);
    p->backend->surface_destroy(p->set, 0, handle);
}

static uint32_t line_in(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (ptx_opcode_has_texels(f->instructions[n].opcode))
            return f->instructions[n].line;
    return 0;
}

uint32_t texels_line(const struct ptx_module *m, const struct ptx_function *kernel)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    uint32_t line = 0;

    ptx_reach(m, kernel, reached);
    for (uint32_t n = 0; n < m->function_count && !line; n++)
        if (reached[n])
            line = line_in(&m->functions[n]);
    free(reached);
    return line;
}

/* Arrays that are gone, which no kernel may read any more, are left out. */
enum proact_status texels_bring(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (const struct session_texture *t = p->textures; t && !status; t = t->next) {
        uint64_t first = 0;
        struct proact_array *a = proact_array_find(p, t->address, &first);

        if (a && array_has_replicas(a) && t->bytes <= a->bytes - first)
            status = array_bring_first(a, first, first + t->bytes, err);
    }
    return status;
}

void texels_close(struct proact *p)
{
    while (p->texels)
        proact_texels_destroy(p->texels);
    while (p->textures) {
        struct session_texture *next = p->textures->next;

        free(p->textures);
        p->textures = next;
    }
}
