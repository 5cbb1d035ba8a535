/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/origin.h"

#include <string.h>

#include "instrument/flow/definition.h"

struct finder {
    const struct ptx_module *module;
    const struct ptx_function *function;
    const struct instrument_request *request;
    struct origin *origin;
    bool changed;
};

static const struct origin nothing = {.is_known = true, .parameter = -1};

static struct origin of_parts(unsigned parts)
{
    struct origin o = nothing;

    o.parts = (uint8_t)parts;
    return o;
}

static bool has_slots(const struct origin *o)
{
    for (int s = 0; s < PROACT_SLOTS_MAX; s++)
        if (o->slot[s])
            return true;
    return false;
}

/* Join of two origins. `a` only loses precision, so the iteration terminates. */
static void join(struct origin *a, const struct origin *b)
{
    if (!b->is_known)
        return;
    if (!a->is_known) {
        *a = *b;
        return;
    }
    a->is_mixed |= b->is_mixed || memcmp(a->slot, b->slot, sizeof a->slot) != 0;
    a->parts |= b->parts;
    if (a->parameter != b->parameter)
        a->parameter = -1;
}

/* a + sign * b. Unknown until both are known. */
static struct origin sum(const struct origin *a, const struct origin *b, int sign)
{
    struct origin o = *a;

    if (!a->is_known || !b->is_known)
        return (struct origin){.is_known = false};
    o.is_mixed |= b->is_mixed;
    o.parts |= b->parts;
    o.parameter = -1;
    for (int s = 0; s < PROACT_SLOTS_MAX; s++) {
        int times = a->slot[s] + sign * b->slot[s];

        if (times > 2 || times < -2) /* a loop that adds a pointer repeatedly */
            o.is_mixed = true;
        else
            o.slot[s] = (int8_t)times;
    }
    return o;
}

/* Result of any other operation. It is not an address if the operand is none. */
static struct origin blurred(const struct origin *a)
{
    struct origin o = nothing;

    o.is_known = a->is_known;
    o.is_mixed = a->is_mixed || has_slots(a);
    return o;
}

static struct origin of_symbol(const struct finder *f, int32_t symbol, int64_t offset)
{
    const struct ptx_symbol *s = ptx_symbol(f->module, f->function, symbol);

    if (s->space == PTX_SPACE_PARAM && symbol >= 0 &&
        (uint32_t)symbol < f->function->parameter_count) {
        struct origin o = of_parts(ORIGIN_LOCAL);
        int64_t at = (int64_t)s->offset + offset;

        o.parameter = at >= 0 && at < INT32_MAX ? (int32_t)at : -1;
        return o;
    }
    if (s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST)
        return of_parts(ORIGIN_MODULE);
    return of_parts(s->is_function ? 0 : ORIGIN_LOCAL);
}

static struct origin of_operand(const struct finder *f, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER)
        return f->origin[o->reg];
    if (o->kind == PTX_SYMBOL)
        return of_symbol(f, o->symbol, o->integer);
    return nothing;
}

struct origin origin_of_memory(const struct ptx_module *m, const struct ptx_function *f,
                               const struct origin *by_register,
                               const struct ptx_operand *memory)
{
    struct finder finder = {.module = m, .function = f};

    if (memory->symbol >= 0)
        return of_symbol(&finder, memory->symbol, memory->integer);
    struct origin o = memory->reg >= 0 ? by_register[memory->reg] : nothing;

    if (o.parameter >= 0)
        o.parameter += (int32_t)memory->integer;
    return o;
}

/* Origin of element `number` of the loaded value. */
static struct origin of_load(const struct finder *f, const struct ptx_instruction *i,
                             uint32_t number)
{
    struct origin from =
        origin_of_memory(f->module, f->function, f->origin, &i->operands[1]);

    if (!from.is_known)
        return from;
    if (ptx_type_bytes(i->type) != 8)
        return nothing;
    if (from.parameter < 0)
        return of_parts(ORIGIN_LOADED);
    struct origin o = of_parts(ORIGIN_PARAMETER);
    const uint32_t at = (uint32_t)from.parameter + 8 * number;

    for (uint32_t s = 0; s < f->request->slot_count; s++)
        if (f->request->slot_offset[s] == at) {
            o.parts = 0;
            o.slot[s] = 1;
        }
    return o;
}

static struct origin of_sum(const struct finder *f, const struct ptx_instruction *i,
                            uint32_t a, uint32_t b, int sign)
{
    if (i->operand_count <= a || i->operand_count <= b)
        return of_parts(ORIGIN_LOADED);
    struct origin left = of_operand(f, &i->operands[a]),
                  right = of_operand(f, &i->operands[b]), o = sum(&left, &right, sign);
    const struct ptx_operand *constant = &i->operands[b];

    if (constant->kind == PTX_INTEGER && left.parameter >= 0)
        o.parameter = left.parameter + sign * (int32_t)constant->integer;
    return o;
}

/* Origin of a 64-bit result. */
static struct origin of_result(const struct finder *f, const struct ptx_instruction *i)
{
    struct origin o = nothing;

    if (i->operand_count < 2)
        return of_parts(ORIGIN_LOADED);
    switch (i->opcode) {
    case PTX_CVTA: /* from 32 bits, which no global address has */
        if (i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL)
            return of_parts(ORIGIN_LOCAL);
        return of_operand(f, &i->operands[1]);
    case PTX_MOV:
    case PTX_CVT:
        if (i->operands[1].kind == PTX_VECTOR) /* built from two halves */
            return of_parts(ORIGIN_LOADED);
        return of_operand(f, &i->operands[1]);
    case PTX_ADD:
        return of_sum(f, i, 1, 2, 1);
    case PTX_SUB:
        return of_sum(f, i, 1, 2, -1);
    case PTX_MAD:
        return of_sum(f, i, 3, 3, 0);
    case PTX_NEG:
        o = of_operand(f, &i->operands[1]);
        return sum(&nothing, &o, -1);
    case PTX_AND: /* aligns the address or sets its low bits */
    case PTX_OR:
        return of_sum(f, i, 1, 2, 1);
    case PTX_SELP:
    case PTX_MIN:
    case PTX_MAX: {
        if (i->operand_count < 3)
            return of_parts(ORIGIN_LOADED);
        struct origin other = of_operand(f, &i->operands[2]);

        o = of_operand(f, &i->operands[1]);
        join(&o, &other);
        return o;
    }
    case PTX_ATOM:
    case PTX_CALL:
    case PTX_OPCODE_COUNT:
        return of_parts(ORIGIN_LOADED);
    default:
        for (uint32_t k = 1; k < i->operand_count; k++) {
            struct origin operand = of_operand(f, &i->operands[k]), b = blurred(&operand);

            o.is_mixed |= b.is_mixed;
        }
        return o;
    }
}

static void define(struct finder *f, int32_t reg, const struct origin *value)
{
    struct origin before = f->origin[reg];

    if (f->function->registers[reg].bytes < 8) /* too narrow for an address */
        join(&f->origin[reg], &nothing);
    else
        join(&f->origin[reg], value);
    const struct origin *now = &f->origin[reg];

    f->changed |= before.is_known != now->is_known || before.is_mixed != now->is_mixed ||
                  before.parts != now->parts || before.parameter != now->parameter;
}

struct defined {
    struct finder *finder;
    struct origin value;
};

static void define_as_value(void *context, int32_t reg)
{
    struct defined *d = context;

    define(d->finder, reg, &d->value);
}

static void run(struct finder *f, const struct ptx_instruction *i)
{
    if (!i->operand_count)
        return;
    const struct ptx_operand *to = &i->operands[0];

    if ((i->opcode == PTX_LD || i->opcode == PTX_LDU) && i->operand_count > 1) {
        uint32_t count = to->kind == PTX_VECTOR ? to->count : 1;

        for (uint32_t k = 0; k < count; k++) {
            const struct ptx_operand *one = to->kind == PTX_VECTOR ? &to->list[k] : to;
            struct origin value = of_load(f, i, k);

            if (one->kind == PTX_REGISTER)
                define(f, one->reg, &value);
        }
        return;
    }
    struct defined d = {f, of_parts(ORIGIN_LOADED)};

    if (to->kind == PTX_REGISTER)
        d.value = of_result(f, i);
    definition_each(i, define_as_value, &d);
}

struct origin *origin_find(const struct ptx_module *m, const struct ptx_function *f,
                           const struct instrument_request *r, struct arena *arena)
{
    struct finder finder = {
        m, f, r, arena_alloc(arena, f->register_count * sizeof(struct origin) + 1), true};

    while (finder.changed) {
        finder.changed = false;
        for (uint32_t i = 0; i < f->instruction_count; i++)
            run(&finder, &f->instructions[i]);
    }
    return finder.origin;
}

bool origin_is_number(const struct origin *o)
{
    return o->is_known && !o->is_mixed && !o->parts && o->parameter < 0 && !has_slots(o);
}

int origin_slot(const struct origin *o)
{
    int found = -1;

    if (o->is_mixed)
        return -2;
    for (int s = 0; s < PROACT_SLOTS_MAX; s++) {
        if (!o->slot[s])
            continue;
        if (found != -1 || o->slot[s] != 1)
            return -2;
        found = s;
    }
    if (found == -1 && (o->parts == 0 || o->parts & ORIGIN_LOADED))
        return -2;
    return found;
}
