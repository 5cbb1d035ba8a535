/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "instrument/inline/inline_site.h"

int32_t inline_called(const struct ptx_module *m, const struct ptx_function *f,
                      const struct ptx_instruction *i)
{
    for (uint32_t k = 0; i->opcode == PTX_CALL && k < i->operand_count; k++) {
        const struct ptx_operand *o = &i->operands[k];

        if (o->kind == PTX_SYMBOL && ptx_symbol(m, f, o->symbol)->is_function)
            return ptx_symbol(m, f, o->symbol)->function;
    }
    return -1;
}

static bool names_symbol(const struct ptx_operand *list, uint32_t count, int32_t symbol)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = &list[i];

        if ((o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) && o->symbol == symbol)
            return true;
        if (o->count && names_symbol(o->list, o->count, symbol))
            return true;
    }
    return false;
}

/* The register operand of `st.param [SYMBOL+4], {%r1, %r2}` or of the matching ld.param.
   NULL: another instruction. */
static const struct ptx_operand *moved(const struct ptx_instruction *i, int32_t symbol,
                                       bool is_load)
{
    const struct ptx_operand *memory = &i->operands[is_load];

    if (i->opcode != (is_load ? PTX_LD : PTX_ST) || i->space != PTX_SPACE_PARAM ||
        i->guard >= 0 || i->operand_count != 2 || memory->kind != PTX_MEMORY ||
        memory->symbol != symbol || memory->count || memory->integer < 0)
        return NULL;
    return &i->operands[!is_load];
}

/* True if `f` only loads or only stores the symbol, except in `call`. */
static bool only_moves(const struct ptx_function *f, int32_t symbol, bool is_load,
                       const struct ptx_instruction *call)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (i != call && names_symbol(i->operands, i->operand_count, symbol) &&
            !moved(i, symbol, is_load))
            return false;
    }
    return true;
}

/* A variable with one instance for all threads must not be declared twice. */
bool inline_is_plain(const struct ptx_function *f)
{
    uint32_t own = f->parameter_count + f->return_count;

    for (uint32_t s = 0; s < own; s++)
        if (!only_moves(f, (int32_t)s, s < f->parameter_count, NULL))
            return false;
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (f->instructions[n].opcode == PTX_ALLOCA)
            return false; /* its return releases the memory */
    for (uint32_t s = own; s < f->symbol_count; s++)
        if (f->symbols[s].space != PTX_SPACE_LOCAL &&
            f->symbols[s].space != PTX_SPACE_PARAM)
            return false;
    return f->instruction_count > 0;
}

struct place {
    uint64_t at;
    uint32_t bytes, count;
};

static struct place place_of(const struct ptx_instruction *i, bool is_load)
{
    return (struct place){(uint64_t)i->operands[is_load].integer, ptx_type_bytes(i->type),
                          i->vector};
}

/* True if the locations do not overlap, or overlap in equal elements. */
static bool agree(const struct place *a, const struct place *b)
{
    uint64_t a_end = a->at + a->bytes * a->count, b_end = b->at + b->bytes * b->count;

    if (a_end <= b->at || b_end <= a->at)
        return true;
    return a->bytes == b->bytes && a->at % a->bytes == b->at % b->bytes;
}

struct places {
    struct place *list;
    uint32_t count, capacity;
};

/* Returns false if a location of the function does not fit into a register, or if it
   conflicts with another one. */
static bool add_places(struct places *p, const struct ptx_function *f, int32_t symbol,
                       bool is_load)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (!moved(i, symbol, is_load))
            continue;
        const struct place place = place_of(i, is_load);

        if (p->count == p->capacity || !place.bytes || place.bytes > 8)
            return false;
        for (uint32_t k = 0; k < p->count; k++)
            if (!agree(&p->list[k], &place))
                return false;
        p->list[p->count++] = place;
    }
    return true;
}

static bool find_value(struct inline_site *site, const struct ptx_operand *o,
                       struct inline_value *v)
{
    enum { PLACES_MAX = 256 };
    const struct ptx_function *caller = site->caller, *called = site->called;
    struct place list[PLACES_MAX];
    struct places places = {list, 0, PLACES_MAX};

    if (o->kind != PTX_SYMBOL || o->symbol >= PTX_SYMBOL_MODULE || o->integer ||
        caller->symbols[o->symbol].space != PTX_SPACE_PARAM ||
        (uint32_t)o->symbol < caller->parameter_count + caller->return_count ||
        caller->symbols[o->symbol].bytes != called->symbols[v->inside].bytes ||
        !only_moves(caller, o->symbol, v->is_result, site->call))
        return false;
    for (const struct inline_value *other = site->values; other < v; other++)
        if (other->outside == o->symbol)
            return false;
    v->outside = o->symbol;
    v->is_memory = !add_places(&places, caller, v->outside, v->is_result) ||
                   !add_places(&places, called, v->inside, !v->is_result);
    return true;
}

static bool find_values(struct inline_site *site, const struct ptx_operand *list,
                        uint32_t first, uint32_t count, bool is_result)
{
    if ((list ? list->count : 0) != count || (list && list->kind != PTX_LIST))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        struct inline_value *v = &site->values[site->value_count++];

        *v = (struct inline_value){
            .inside = (int32_t)(first + k), .is_result = is_result, .number = k};
        if (!find_value(site, &list->list[k], v))
            return false;
    }
    return true;
}

bool inline_find(struct inline_site *site, struct arena *arena)
{
    const struct ptx_function *called = site->called;
    const struct ptx_instruction *i = site->call;
    bool has_results = i->operand_count && i->operands[0].kind == PTX_LIST;
    uint32_t name = has_results, own = called->parameter_count + called->return_count;

    if (i->guard >= 0 || i->operand_count > name + 2 || i->operand_count <= name ||
        i->operands[name].kind != PTX_SYMBOL)
        return false;
    site->values = arena_alloc(arena, (own + 1) * sizeof *site->values);
    site->value_count = 0;
    return find_values(site, i->operand_count > name + 1 ? &i->operands[name + 1] : NULL, 0,
                       called->parameter_count, false) &&
           find_values(site, has_results ? &i->operands[0] : NULL, called->parameter_count,
                       called->return_count, true);
}
