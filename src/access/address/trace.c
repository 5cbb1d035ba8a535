/* SPDX-License-Identifier: Apache-2.0 */
#include "access/address/trace.h"
#include "access/form/apply.h"
#include "access/form/range.h"
#include "access/values/resolve.h"

#include <stdlib.h>
#include <string.h>

static void visit_selected(const struct study *s, struct trace *t, uint32_t value);

/* Marks a value, with the number of its low bits that matter. */
static void visit(const struct study *s, struct trace *t, int32_t value, unsigned bits)
{
    const struct ssa_value *d;
    bool is_more = value >= 0 && t->low_bits[value] < bits;

    if (is_more)
        t->low_bits[value] = (uint8_t)bits;
    if (value < 0 || t->is_listed[value]) {
        if (is_more)
            visit_selected(s, t, (uint32_t)value);
        return;
    }
    d = &s->ssa->values[value];
    /* A predicate selects between values, and the form already contains all of them. */
    if (!t->predicates && d->reg >= 0 &&
        s->function->registers[d->reg].type == PTX_PART_PRED)
        return;
    t->is_listed[value] = true;
    t->values[t->count++] = (uint32_t)value;
}

static void visit_operand(const struct study *s, struct trace *t, uint32_t instruction,
                          const struct ptx_operand *o, unsigned bits)
{
    if ((o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg >= 0)
        visit(s, t, ssa_read(s->ssa, instruction, o->reg), bits);
    for (uint32_t i = 0; i < o->count; i++)
        if (o->list[i].kind == PTX_REGISTER && o->list[i].reg >= 0)
            visit(s, t, ssa_read(s->ssa, instruction, o->list[i].reg), bits);
}

void trace_visit(const struct study *s, struct trace *t, uint32_t instruction,
                 const struct ptx_operand *o)
{
    visit_operand(s, t, instruction, o, 64);
}

/* A selected value has as many relevant bits as the result. */
static void visit_selected(const struct study *s, struct trace *t, uint32_t value)
{
    const struct ssa_value *d = &s->ssa->values[value];
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];

    for (uint32_t k = 1; d->kind == SSA_DEFINED && i->opcode == PTX_SELP && k <= 2; k++)
        visit_operand(s, t, d->instruction, &i->operands[k], t->low_bits[value]);
}

/* A mask ignores the bits above its highest bit; a conversion ignores the bits that the
   narrower type lacks. */
static unsigned bits_read(const struct ptx_instruction *i)
{
    uint64_t mask;

    if (i->opcode == PTX_CVT && !ptx_has(i, PTX_PART_SAT) &&
        i->source_type <= PTX_PART_B64 && i->type <= PTX_PART_B64) {
        unsigned from = ptx_type_bytes(i->source_type), to = ptx_type_bytes(i->type);

        return 8 * (from < to ? from : to);
    }
    if (i->opcode != PTX_AND || i->operand_count != 3 ||
        i->operands[2].kind != PTX_INTEGER || i->operands[2].negated)
        return 64;
    mask = apply_cut((uint64_t)i->operands[2].integer, 8 * ptx_type_bytes(i->type), false);
    return mask ? 64 - (unsigned)__builtin_clzll(mask) : 64;
}

/* A constant with a form is known before the launch, like a parameter. */
static bool reads_memory(const struct study *s, uint32_t value)
{
    const struct ptx_instruction *i =
        &s->function->instructions[s->ssa->values[value].instruction];
    enum ptx_effect effect = ptx_instruction_effect(i);
    bool is_known =
        i->space == PTX_SPACE_CONST &&
        form_holds(&s->maker.forms, s->values[value].form) >> ACCESS_CONSTANT & 1;

    return (effect == PTX_LOADS && i->space != PTX_SPACE_PARAM && !is_known) ||
           effect == PTX_ATOMIC;
}

/* Whether the value is an index that selects a known number. */
static bool reads_table(const struct study *s, uint32_t value)
{
    return form_holds(&s->maker.forms, s->values[value].form) >> ACCESS_ELEMENT & 1;
}

static void visit_sources(const struct study *s, struct trace *t, uint32_t value)
{
    const struct ssa_value *d = &s->ssa->values[value];
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];

    if (d->kind == SSA_PHI) {
        const struct ptx_block *b = &s->regions->flow->blocks[d->block];

        for (uint32_t k = 0; k < b->predecessor_count; k++)
            visit(s, t, d->from[k], 64);
        visit(s, t, s->values[value].chosen_by - 1, 64);
        return;
    }
    if (i->guard >= 0 && s->ssa->single[d->reg] == -2)
        visit(s, t, ssa_read(s->ssa, d->instruction, d->reg), 64);
    if (reads_memory(s, value)) {
        t->data_line = t->data_line ? t->data_line : i->line;
        if (i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
            (!t->loads && !reads_table(s, value)))
            return;
    }
    visit_selected(s, t, value);
    for (uint32_t k = i->opcode == PTX_SELP ? 3 : 1; k < i->operand_count; k++)
        visit_operand(s, t, d->instruction, &i->operands[k], bits_read(i));
}

struct trace trace_open(const struct study *s, bool predicates)
{
    return (struct trace){.is_listed = must_calloc(s->ssa->count, sizeof(bool)),
                          .low_bits = must_calloc(s->ssa->count, 1),
                          .values = must_calloc(s->ssa->count, sizeof(uint32_t)),
                          .predicates = predicates};
}

void trace_finish(const struct study *s, struct trace *t)
{
    while (t->visited < t->count)
        visit_sources(s, t, t->values[t->visited++]);
}

struct trace trace_operand(struct study *s, uint32_t instruction,
                           const struct ptx_operand *o)
{
    struct trace t = trace_open(s, false);

    trace_visit(s, &t, instruction, o);
    trace_finish(s, &t);
    return t;
}

struct trace trace_predicate(struct study *s, uint32_t instruction, int32_t reg)
{
    struct trace t = trace_open(s, true);

    visit(s, &t, ssa_read(s->ssa, instruction, reg), 64);
    trace_finish(s, &t);
    return t;
}

static void add_range(struct study *s, const struct access_range *range,
                      struct access_range **ranges, uint32_t *count)
{
    struct range_view any = {.symbols = s->maker.forms.symbols};

    if (range_fits(&any, range->form, range->bits, range->is_signed))
        return;
    for (uint32_t i = 0; i < *count; i++)
        if ((*ranges)[i].bits == range->bits &&
            (*ranges)[i].is_signed == range->is_signed &&
            form_equal((*ranges)[i].form, range->form)) {
            if ((*ranges)[i].block != range->block)
                (*ranges)[i].block = -1;
            return;
        }
    if (!(*count & (*count - 1))) { /* full at each power of two */
        size_t room = *count ? 2 * *count : 1;
        struct access_range *more = arena_alloc(s->arena, room * sizeof *more);

        if (*count)
            memcpy(more, *ranges, *count * sizeof *more);
        *ranges = more;
    }
    (*ranges)[(*count)++] = *range;
}

/* Number of bits that a right shift drops; -1: no shift, or unknown. */
static int64_t shifted(const struct ptx_instruction *i)
{
    return i->opcode == PTX_SHR && i->operands[2].kind == PTX_INTEGER &&
                   !i->operands[2].negated && i->operands[2].integer < 64
               ? i->operands[2].integer
               : -1;
}

/* Whether wrap-around of a value matters. It does not if the value is the narrow form,
   widened or shifted, and only bits matter that wrap-around preserves. Examples: in[(i - 1)
   & 255], where i - 1 wraps in 32 bits; and the lower half of ((x << 32) - (1 << 32)) >>
   32, which equals that of x - 1. */
static bool may_wrap(const struct study *s, const struct trace *t, uint32_t value,
                     const struct access_range *range)
{
    const struct ssa_value *d = &s->ssa->values[value];
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];

    if (d->kind == SSA_DEFINED && shifted(i) >= 0)
        return t->low_bits[value] + shifted(i) <= range->bits;
    return d->kind == SSA_DEFINED && t->low_bits[value] <= range->bits &&
           (i->opcode == PTX_CVT || (i->opcode == PTX_MUL && ptx_has(i, PTX_PART_WIDE)));
}

bool trace_ranges(struct study *s, const struct trace *t, struct access_range **ranges,
                  uint32_t *count)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct study_value *v = &s->values[t->values[i]];

        for (uint32_t k = 0; k < v->range_count; k++) {
            struct access_range range = s->maker.ranges[v->first_range + k];

            if (may_wrap(s, t, t->values[i], &range))
                continue;
            range.block = (int32_t)s->ssa->values[t->values[i]].block;
            range.form = resolve_form(s, range.form, (uint32_t)range.block);
            if (!range.form)
                return false;
            add_range(s, &range, ranges, count);
        }
    }
    return true;
}

void trace_clear(struct trace *t)
{
    free(t->is_listed), free(t->low_bits), free(t->values);
}
