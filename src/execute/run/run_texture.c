/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface instructions, lane by lane. */
#include "execute/run/run_texture.h"

#include <inttypes.h>
#include <math.h>

/* Copies of the operands, taken before any result is written: results may use the same
   registers. */
struct given {
    uint64_t handle[LANES];
    uint32_t coordinate[TEXTURE_COORDINATES][LANES];
};

/* Object of a lane. NULL after a fault. Mostly all lanes have the same. */
struct object {
    uint64_t handle;
    const struct execute_texture *texture;
};

static void given_take(const struct execute_warp *w, const struct texture_site *t,
                       struct given *g)
{
    memcpy(g->handle, op_register(&w->registers, t->handle), sizeof g->handle);
    for (unsigned n = 0; n < t->coordinate_count && t->task != TEXTURE_QUERY; n++)
        memcpy(g->coordinate[n], op_register(&w->registers, t->coordinate[n]),
               sizeof g->coordinate[n]);
}

/* Layers times faces. 0: neither. */
static uint32_t slices_of(const struct execute_texture *x)
{
    return x->is_cube ? 6 * (x->layers ? x->layers : 1) : x->layers;
}

static bool fits(const struct texture_site *t, const struct execute_texture *x)
{
    if (t->task == TEXTURE_QUERY)
        return true;
    if ((t->task == SURFACE_PLACE) != x->is_surface)
        return false;
    if (x->is_surface)
        return t->dimensions == x->dimensions && t->has_layer == (slices_of(x) > 0);
    return t->is_cube == x->is_cube && t->has_layer == (x->layers > 0) &&
           (t->is_cube || t->dimensions == x->dimensions);
}

static bool object_find(struct execute_warp *w, const struct texture_site *t, unsigned lane,
                        uint64_t handle, struct object *o)
{
    const struct execute_host *host = w->grid->launch.host;
    const char *what = t->task == SURFACE_PLACE ? "surface" : "texture",
               *why = "there are none here";

    if (o->texture && o->handle == handle)
        return true;
    o->handle = handle;
    o->texture = host->texture ? host->texture(host->context, handle, &why) : NULL;
    if (!o->texture) {
        warp_fault(w, t->access.line, lane, "%s object %" PRIu64 ": %s", what, handle, why);
        return false;
    }
    if (fits(t, o->texture))
        return true;
    warp_fault(w, t->access.line, lane,
               "%s object %" PRIu64 " is a %s of %u dimensions%s%s, and the instruction "
               "takes a %s of %u%s%s",
               what, handle, o->texture->is_surface ? "surface" : "texture",
               o->texture->dimensions, o->texture->layers ? ", layered" : "",
               o->texture->is_cube ? ", of cubes" : "", what, t->dimensions,
               t->has_layer ? ", layered" : "", t->is_cube ? ", of cubes" : "");
    return false;
}

static float number_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Face of the axis with the largest coordinate, and the position on it. */
static unsigned cube_face(const float at[3], double on[2])
{
    const float x = at[0], y = at[1], z = at[2], ax = fabsf(x), ay = fabsf(y),
                az = fabsf(z);
    float m = az, s = z < 0 ? -x : x, t = -y;
    unsigned face = z < 0 ? 5 : 4;

    if (ax >= ay && ax >= az) {
        m = ax;
        s = x < 0 ? z : -z;
        face = x < 0;
    } else if (ay >= az) {
        m = ay;
        s = x;
        t = y < 0 ? -z : z;
        face = y < 0 ? 3 : 2;
    }
    on[0] = m > 0 ? ((double)s / (double)m + 1) / 2 : 0.5;
    on[1] = m > 0 ? ((double)t / (double)m + 1) / 2 : 0.5;
    return face;
}

static uint64_t layer_of(uint32_t given, uint32_t count)
{
    const int32_t layer = (int32_t)given;

    return layer < 0 ? 0 : (uint32_t)layer < count ? (uint32_t)layer : count - 1;
}

static struct texture_place place_of_lane(const struct texture_site *t,
                                          const struct execute_texture *x,
                                          const struct given *g, unsigned lane)
{
    const bool spreads = x->has_normalized_coordinates && !t->takes_integers;
    struct texture_place p = {{0, 0, 0}, 0};
    float at[3] = {0, 0, 0};

    for (unsigned a = 0; a < t->dimensions; a++) {
        const uint32_t word = g->coordinate[a + t->has_layer][lane];

        at[a] = number_of(word);
        p.at[a] = t->takes_integers ? (double)(int32_t)word : (double)at[a];
        if (spreads)
            p.at[a] *= x->size[a];
    }
    if (t->has_layer)
        p.layer = layer_of(g->coordinate[0][lane], x->layers);
    if (x->is_cube) {
        double on[2];

        p.layer = p.layer * 6 + cube_face(at, on);
        p.at[0] = on[0] * x->size[0];
        p.at[1] = on[1] * x->size[1];
        p.at[2] = 0;
    }
    return p;
}

static void answer(struct execute_warp *w, const struct texture_site *t, unsigned lane,
                   const struct texture_color *c)
{
    for (unsigned n = 0; n < t->value_count; n++)
        if (t->value[n] != PLACE_NONE)
            ((uint32_t *)op_register(&w->registers, t->value[n]))[lane] =
                c->channel[n].bits;
}

/* The first texel that each lane reads is reported as a load. */
static bool count_load(struct execute_warp *w, const struct texture_site *t, uint32_t mask,
                       const uint64_t *address, uint32_t bytes)
{
    const struct execute_host *host = w->grid->launch.host;
    struct execute_access a = t->access;

    a.mask = mask;
    a.shape = EXECUTE_SCATTERED;
    a.bytes = bytes;
    a.address = address;
    if (!mask || host->access(host->context, w, &a) == EXECUTE_GO)
        return true;
    warp_fault(w, t->access.line, (unsigned)__builtin_ctz(mask),
               "a texture's memory is not on this device");
    return false;
}

static bool sample(struct execute_warp *w, const struct texture_site *t, uint32_t mask,
                   const struct given *g)
{
    uint64_t address[LANES] = {0};
    struct object o = {0, NULL};
    struct texture_color color[LANES];
    uint32_t read = 0, bytes = 1;

    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);

        if (!object_find(w, t, l, g->handle[l], &o))
            return false;
        const struct texture_place p = place_of_lane(t, o.texture, g, l);

        color[l] = t->task == TEXTURE_GATHER
                       ? texture_gather(o.texture, &p, t->component, &address[l])
                       : texture_sample(o.texture, &p, &address[l]);
        read |= (uint32_t)(address[l] != 0) << l;
        bytes = o.texture->texel.bits / 8 * o.texture->texel.channels;
    }
    for (uint32_t left = mask; left; left &= left - 1)
        answer(w, t, (unsigned)__builtin_ctz(left), &color[__builtin_ctz(left)]);
    return count_load(w, t, read, address, bytes);
}

static bool query(struct execute_warp *w, const struct texture_site *t, uint32_t mask,
                  const struct given *g)
{
    struct object o = {0, NULL};

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        if (!object_find(w, t, l, g->handle[l], &o))
            return false;
        const struct texture_color c = {
            {{.bits =
                  t->word == TEXTURE_LAYERS ? o.texture->layers : o.texture->size[t->word]},
             {0},
             {0},
             {0}}};

        answer(w, t, l, &c);
    }
    return true;
}

/* Moves a position out of bounds to the edge. Returns false if the texel must not be
   accessed. */
static bool keep_inside(int64_t *at, int64_t count, enum surface_address_mode address_mode)
{
    if (*at >= 0 && *at < count)
        return true;
    *at = *at < 0 ? 0 : count - 1;
    return address_mode == SURFACE_CLAMP;
}

static bool surface_address(const struct texture_site *t, const struct execute_texture *x,
                            const struct given *g, unsigned lane, uint64_t *address)
{
    const int64_t texel = x->texel.bits / 8 * x->texel.channels;
    const int64_t room = x->size[0] * texel - (int64_t)t->access.bytes + 1;
    const uint64_t step[3] = {1, x->pitch, x->slice};
    bool is_inside = room > 0;

    *address = x->base;
    for (unsigned a = 0; a < t->dimensions && is_inside; a++) {
        int64_t at = (int32_t)g->coordinate[a + t->has_layer][lane];

        is_inside = keep_inside(&at, a ? (int64_t)x->size[a] : room, t->address_mode);
        *address += (uint64_t)at * step[a];
    }
    int64_t layer = t->has_layer ? (int32_t)g->coordinate[0][lane] : 0;

    is_inside =
        is_inside && keep_inside(&layer, t->has_layer ? slices_of(x) : 1, t->address_mode);
    *address += (uint64_t)layer * x->slice;
    return is_inside;
}

static bool surface(struct execute_warp *w, const struct texture_site *t, uint32_t mask,
                    const struct given *g)
{
    uint64_t *address = op_register(&w->registers, t->address);
    uint32_t *inside = op_register(&w->registers, t->inside);
    struct object o = {0, NULL};

    *inside = 0;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        if (!object_find(w, t, l, g->handle[l], &o))
            return false;
        if (surface_address(t, o.texture, g, l, &address[l])) {
            *inside |= UINT32_C(1) << l;
            continue;
        }
        if (t->address_mode == SURFACE_TRAP) {
            warp_fault(w, t->access.line, l,
                       "%u bytes at (%d, %d) are outside of a surface of %u x %u texels",
                       t->access.bytes, (int)g->coordinate[t->has_layer][l],
                       t->dimensions > 1 ? (int)g->coordinate[t->has_layer + 1][l] : 0,
                       o.texture->size[0], o.texture->size[1]);
            return false;
        }
        for (unsigned n = 0; n < t->value_count && t->is_load; n++)
            memset((unsigned char *)op_register(&w->registers, t->value[n]) + l * t->width,
                   0, t->width);
    }
    return true;
}

bool texture_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct texture_site *t = &w->grid->kernel->textures[op->extra];
    struct given g;

    given_take(w, t, &g);
    switch (t->task) {
    case TEXTURE_QUERY:
        return query(w, t, mask, &g);
    case SURFACE_PLACE:
        return surface(w, t, mask, &g);
    default:
        return sample(w, t, mask, &g);
    }
}
