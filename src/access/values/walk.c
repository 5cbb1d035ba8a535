/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/walk.h"
#include "access/values/arithmetic.h"
#include "access/values/capped.h"
#include "access/values/joins.h"
#include "access/values/narrow.h"
#include "access/values/predicate.h"

#include <stdio.h>

static const struct access_form *phi_symbol(struct study *s, uint32_t value)
{
    const struct access_symbol y = {.kind = ACCESS_PHI, .variable = (int32_t)value};

    return form_make(&s->maker.forms, &y);
}

static const struct access_form *no_form(struct study *s, uint32_t instruction,
                                         uint32_t element)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const char *name = ptx_opcode_spelling(i->opcode);
    char *reason = arena_alloc(s->arena, 64);

    snprintf(reason, 64, "depends on %s, which is not analyzed", name ? name : "an opcode");
    return study_opaque(s, instruction, element, reason);
}

static const struct access_form *loaded(struct study *s, uint32_t instruction,
                                        uint32_t element)
{
    const struct access_symbol y = {.kind = ACCESS_LOADED,
                                    .variable = (int32_t)instruction,
                                    .offset = element,
                                    .line = s->function->instructions[instruction].line,
                                    .reason = "is read from memory"};

    return form_make(&s->maker.forms, &y);
}

static bool reads_memory(const struct ptx_instruction *i)
{
    enum ptx_effect effect = ptx_instruction_effect(i);

    return (effect == PTX_LOADS && i->space != PTX_SPACE_PARAM) || effect == PTX_ATOMIC;
}

static void add_option(struct study_value *v, const struct access_form *f, uint32_t origin)
{
    v->options[v->option_count] = f;
    v->origins[v->option_count++] = origin;
}

static void make_options(struct study *s, struct study_value *v, uint32_t most)
{
    v->options = arena_alloc(s->arena, most * sizeof(struct access_form *));
    v->origins = arena_alloc(s->arena, most * sizeof *v->origins);
}

/* Two options of a value: a guarded instruction keeps the old value if its guard is false,
   and a selection takes one of two. */
static void set_either(struct study *s, uint32_t value, const struct access_form *a,
                       const struct access_form *b)
{
    struct study_value *v = &s->values[value];

    if (!a || !b || form_equal(a, b)) {
        v->form = b;
        return;
    }
    make_options(s, v, 2);
    add_option(v, a, s->ssa->values[value].block);
    add_option(v, b, s->ssa->values[value].block);
    v->form = phi_symbol(s, value);
}

static void set_guarded(struct study *s, uint32_t value)
{
    const struct ssa_value *d = &s->ssa->values[value];
    int32_t old =
        s->ssa->single[d->reg] == -2 ? ssa_read(s->ssa, d->instruction, d->reg) : -1;

    set_either(
        s, value,
        old >= 0 ? s->values[old].form
                 : study_opaque(s, d->instruction, value, "is not assigned on every path"),
        s->values[value].form);
}

static void set_selected(struct study *s, uint32_t value)
{
    const struct ssa_value *d = &s->ssa->values[value];
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];

    set_either(s, value, study_operand(s, d->instruction, &i->operands[1]),
               study_operand(s, d->instruction, &i->operands[2]));
}

static void walk_value(struct study *s, uint32_t value)
{
    const struct ssa_value *d = &s->ssa->values[value];
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];
    struct study_value *v = &s->values[value];

    v->first_range = s->maker.range_count;
    if (d->reg >= 0 && s->function->registers[d->reg].type == PTX_PART_PRED) {
        v->condition = predicate_condition(s, d->instruction, d->element);
        v->form = study_opaque(s, d->instruction, d->element, "is a predicate");
    } else if (reads_memory(i)) {
        if (i->space == PTX_SPACE_CONST)
            v->form = arithmetic_form(s, d->instruction, d->element);
        if (!v->form)
            v->form = loaded(s, d->instruction, d->element);
    } else {
        v->form = arithmetic_form(s, d->instruction, d->element);
        if (!v->form && i->opcode == PTX_SELP && i->operand_count > 2 &&
            i->type <= PTX_PART_B64)
            set_selected(s, value);
    }
    v->form = form_light(&s->maker.forms, v->form);
    if (!v->form)
        v->form = no_form(s, d->instruction, d->element);
    if (i->guard >= 0 && d->reg >= 0)
        set_guarded(s, value);
    v->range_count = s->maker.range_count - v->first_range;
}

static void start_phi(struct study *s, uint32_t value)
{
    struct study_value *v = &s->values[value];
    const struct ssa_value *phi = &s->ssa->values[value];
    const struct ptx_block *b = &s->regions->flow->blocks[phi->block];
    const bool is_predicate = s->function->registers[phi->reg].type == PTX_PART_PRED;

    if (is_predicate && !s->regions->irreducible)
        v->condition = joins_condition(s, value);
    if (is_predicate || s->regions->irreducible)
        v->form = study_opaque(s, b->first, value,
                               s->regions->irreducible
                                   ? "is carried around a loop with two entries"
                                   : "is a predicate");
    else
        v->form = phi_symbol(s, value);
}

static const struct access_form *option_of(struct study *s, uint32_t value, uint32_t k)
{
    const struct ssa_value *phi = &s->ssa->values[value];
    const struct access_form *next = phi->from[k] >= 0 ? capped_back(s, value, k) : NULL;

    if (next)
        return next;
    return phi->from[k] >= 0 ? s->values[phi->from[k]].form
                             : study_opaque(s, s->regions->flow->blocks[phi->block].first,
                                            value, "is not assigned on every path");
}

/* Completes a phi after the walk, when the values of back edges are known. */
static void end_phi(struct study *s, uint32_t value)
{
    struct study_value *v = &s->values[value];
    const struct ssa_value *phi = &s->ssa->values[value];
    const struct ptx_block *b = &s->regions->flow->blocks[phi->block];
    const int32_t only = narrow_is(s, value);

    make_options(s, v, b->predecessor_count);
    v->first_range = s->maker.range_count;
    for (uint32_t k = 0; k < b->predecessor_count; k++)
        if (s->regions->position[b->predecessors[k]] >= 0 &&
            (only < 0 || (uint32_t)only == k))
            add_option(v, option_of(s, value, k), b->predecessors[k]);
    v->range_count = s->maker.range_count - v->first_range;
}

void walk_values(struct study *s)
{
    const struct regions *r = s->regions;

    for (uint32_t n = 0; n < r->order_count; n++) {
        const struct ptx_block *b = &r->flow->blocks[r->order[n]];

        for (uint32_t k = 0; k < s->ssa->phi_count[r->order[n]]; k++)
            start_phi(s, (uint32_t)s->ssa->first_phi[r->order[n]] + k);
        for (uint32_t i = b->first; i < b->first + b->count; i++)
            for (int32_t v = s->ssa->first_value[i];
                 v >= 0 && (uint32_t)v < s->ssa->count &&
                 s->ssa->values[v].kind == SSA_DEFINED &&
                 s->ssa->values[v].instruction == i;
                 v++)
                walk_value(s, (uint32_t)v);
    }
    for (uint32_t v = 0; v < s->ssa->count; v++)
        if (s->ssa->values[v].kind == SSA_PHI && r->position[s->ssa->values[v].block] >= 0)
            end_phi(s, v);
}
