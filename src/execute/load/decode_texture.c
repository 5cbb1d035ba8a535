/* SPDX-License-Identifier: Apache-2.0 */
/* tex, tld4, txq and suq are one operation for any sampler. suld and sust first compute
   addresses; an ordinary access of the lanes in bounds follows. */
#include "execute/load/decode_matrix.h"

#include <stdlib.h>

static void geometry_read(const struct ptx_instruction *i, struct texture_site *t)
{
    static const struct {
        enum ptx_part part;
        uint8_t dimensions;
        bool has_layer, is_cube;
    } rows[] = {
        {PTX_PART_1D, 1, false, false},  {PTX_PART_2D, 2, false, false},
        {PTX_PART_3D, 3, false, false},  {PTX_PART_A1D, 1, true, false},
        {PTX_PART_A2D, 2, true, false},  {PTX_PART_CUBE, 3, false, true},
        {PTX_PART_ACUBE, 3, true, true},
    };

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        if (ptx_has(i, rows[n].part)) {
            t->dimensions = rows[n].dimensions;
            t->has_layer = rows[n].has_layer;
            t->is_cube = rows[n].is_cube;
        }
}

/* [%rd1, {%f1, %f2}] */
static bool place_read(struct decoder *d, const struct ptx_instruction *i,
                       const struct ptx_operand *at, struct texture_site *t)
{
    const struct ptx_operand *list = at->list;
    uint32_t count = at->count;

    if (at->kind != PTX_MEMORY || at->reg < 0 || at->integer ||
        d->function->registers[at->reg].bytes != 8)
        return refuse_instruction(d, i);
    const struct ptx_operand handle = {.kind = PTX_REGISTER, .reg = at->reg};

    if (!operand_source(d, &handle, 8, &t->handle))
        return false;
    if (count == 1 && list->kind == PTX_VECTOR) {
        count = list->count;
        list = list->list;
    }
    t->coordinate_count = (uint8_t)(t->dimensions + t->has_layer);
    if (t->task == TEXTURE_QUERY)
        return !count || refuse_instruction(d, i);
    if (!t->dimensions || count < t->coordinate_count || count > TEXTURE_COORDINATES)
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < t->coordinate_count; n++)
        if (!operand_has_width(d, &list[n], 4) ||
            !operand_source(d, &list[n], 4, &t->coordinate[n]))
            return refuse_instruction(d, i);
    return true;
}

static bool values_read(struct decoder *d, const struct ptx_instruction *i,
                        const struct ptx_operand *values, struct texture_site *t)
{
    const struct ptx_operand *list = values->kind == PTX_VECTOR ? values->list : values;
    uint32_t count = values->kind == PTX_VECTOR ? values->count : 1;

    if (count > TEXTURE_VALUES || values->kind == PTX_PAIR)
        return refuse_instruction(d, i);
    t->value_count = (uint8_t)count;
    for (uint32_t n = 0; n < count; n++) {
        if (!operand_has_width(d, &list[n], 4))
            return refuse_instruction(d, i);
        t->value[n] =
            list[n].kind == PTX_REGISTER ? operand_target(d, &list[n], 4) : PLACE_NONE;
    }
    return true;
}

static void texture_emit(struct decoder *d, const struct texture_site *t)
{
    struct execute_kernel *k = d->kernel;

    k->textures =
        must_grow(k->textures, k->texture_count, &d->texture_capacity, sizeof *k->textures);
    k->textures[k->texture_count] = *t;
    emit(d, CODE_TEXTURE)->extra = (uint32_t)k->texture_count++;
}

static bool query_read(const struct ptx_instruction *i, struct texture_site *t)
{
    static const enum ptx_part parts[] = {PTX_PART_WIDTH, PTX_PART_HEIGHT, PTX_PART_DEPTH,
                                          PTX_PART_ARRAY_SIZE};

    for (unsigned n = 0; n < sizeof parts / sizeof *parts; n++)
        if (ptx_has(i, parts[n])) {
            t->word = (enum texture_word)n;
            return i->operand_count == 2;
        }
    return false;
}

static uint8_t component_of(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_G)   ? 1
           : ptx_has(i, PTX_PART_B) ? 2
           : ptx_has(i, PTX_PART_A) ? 3
                                    : 0;
}

/* Mipmaps are not supported, so the level operand is ignored. */
static bool has_known_operands(const struct ptx_instruction *i)
{
    const uint32_t beside = ptx_has(i, PTX_PART_LEVEL)  ? 1
                            : ptx_has(i, PTX_PART_GRAD) ? 2
                                                        : 0;

    return i->operand_count == 2 + beside &&
           (i->type == PTX_PART_F32 || i->type == PTX_PART_S32 || i->type == PTX_PART_U32);
}

bool decode_texture(struct decoder *d, const struct ptx_instruction *i)
{
    const bool is_query = i->opcode == PTX_TXQ || i->opcode == PTX_SUQ;
    struct texture_site t = {
        .task = is_query ? TEXTURE_QUERY
                         : (i->opcode == PTX_TLD4 ? TEXTURE_GATHER : TEXTURE_SAMPLE),
        .takes_integers = i->source_type == PTX_PART_S32,
        .component = component_of(i),
        .access = {.kind = EXECUTE_LOAD, .bytes = 1, .align = 1, .line = i->line}};

    geometry_read(i, &t);
    if ((is_query ? !query_read(i, &t) : !has_known_operands(i)) ||
        (t.task == TEXTURE_SAMPLE && i->type == i->source_type && i->type != PTX_PART_F32 &&
         i->type != PTX_PART_S32))
        return refuse_instruction(d, i);
    if (!place_read(d, i, &i->operands[1], &t) || !values_read(d, i, &i->operands[0], &t))
        return false;
    if (!is_query) {
        struct site counted = {.access = t.access, .element = 1, .width = 4};

        counted.base = counted.spread = t.handle;
        site_add(d, &counted);
        t.access = counted.access;
    }
    texture_emit(d, &t);
    return true;
}

/* Emits the address computation, then the access for lanes that are in bounds and pass the
   guard. */
static bool surface_emit(struct decoder *d, const struct ptx_instruction *i,
                         struct texture_site *t, struct site *s)
{
    const struct ptx_instruction *guard = d->guard;

    if (!d->moved[1])
        d->moved[1] = place_new(d, FILE_WARP, 8);
    t->address = d->moved[1];
    t->inside = place_new(d, FILE_WARP, 0);
    t->access = s->access;
    t->access.line = i->line;
    for (unsigned n = 0; n < s->count; n++)
        t->value[n] = s->value[n];
    t->value_count = s->count;
    t->width = s->width;
    texture_emit(d, t);
    s->base = d->moved[1];
    s->base_bytes = 8;
    site_spread(d, s, -1);
    d->guard = NULL;
    emit(d, CODE_GUARD)->from[0] = t->inside;
    site_emit(d, s, CODE_GLOBAL)->detail[OP_GUARDED] = 1;
    d->guard = guard;
    return true;
}

bool decode_surface(struct decoder *d, const struct ptx_instruction *i)
{
    const bool is_load = i->opcode == PTX_SULD;
    struct texture_site t = {.task = SURFACE_PLACE,
                             .is_load = is_load,
                             .takes_integers = true,
                             .address_mode = ptx_has(i, PTX_PART_CLAMP)  ? SURFACE_CLAMP
                                             : ptx_has(i, PTX_PART_ZERO) ? SURFACE_ZERO
                                                                         : SURFACE_TRAP};
    struct site s = {.access = {.kind = is_load ? EXECUTE_LOAD : EXECUTE_STORE},
                     .element = (uint8_t)ptx_type_bytes(i->type)};

    geometry_read(i, &t);
    if (!ptx_has(i, PTX_PART_B) || i->operand_count != 2 || t.is_cube)
        return refuse_instruction(d, i);
    if (!place_read(d, i, &i->operands[is_load], &t) ||
        !site_values(d, &s, i, &i->operands[!is_load], is_load) || s.count > TEXTURE_VALUES)
        return refuse_instruction(d, i);
    return surface_emit(d, i, &t, &s);
}
