/* SPDX-License-Identifier: Apache-2.0 */
#include "access/trace.h"

#include <stdlib.h>

static void visit(const struct study *s, struct trace *t, int32_t value)
{
    const struct ssa_value *d;

    if (value < 0 || t->seen[value])
        return;
    d = &s->ssa->values[value];
    /* Predicates choose; every choice is in the form already. */
    if (d->reg >= 0 && s->function->registers[d->reg].type == PTX_PART_PRED)
        return;
    t->seen[value] = true;
    t->values[t->count++] = (uint32_t)value;
}

static void visit_operand(const struct study *s, struct trace *t, uint32_t instruction,
                          const struct ptx_operand *o)
{
    if ((o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg >= 0)
        visit(s, t, ssa_read(s->ssa, instruction, o->reg));
    for (uint32_t i = 0; i < o->count; i++)
        if (o->list[i].kind == PTX_REGISTER && o->list[i].reg >= 0)
            visit(s, t, ssa_read(s->ssa, instruction, o->list[i].reg));
}

static bool reads_memory(const struct ptx_instruction *i)
{
    enum ptx_effect effect = ptx_opcode_effect(i->opcode);

    return (effect == PTX_LOADS && i->space != PTX_SPACE_PARAM) || effect == PTX_ATOMIC;
}

static void visit_sources(const struct study *s, struct trace *t, uint32_t value)
{
    const struct ssa_value *d = &s->ssa->values[value];
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];

    if (d->kind == SSA_PHI) {
        const struct ptx_block *b = &s->regions->flow->blocks[d->block];

        for (uint32_t k = 0; k < b->predecessor_count; k++)
            visit(s, t, d->from[k]);
        return;
    }
    if (i->guard >= 0 && s->ssa->single[d->reg] == -2)
        visit(s, t, ssa_read(s->ssa, d->instruction, d->reg));
    if (reads_memory(i)) {
        t->data_line = t->data_line ? t->data_line : i->line;
        return;
    }
    for (uint32_t k = 1; k < i->operand_count; k++)
        visit_operand(s, t, d->instruction, &i->operands[k]);
}

struct trace trace_operand(struct study *s, uint32_t instruction,
                           const struct ptx_operand *o)
{
    struct trace t = {.seen = must_calloc(s->ssa->count, sizeof *t.seen),
                      .values = must_calloc(s->ssa->count, sizeof *t.values)};

    visit_operand(s, &t, instruction, o);
    for (uint32_t i = 0; i < t.count; i++)
        visit_sources(s, &t, t.values[i]);
    return t;
}

void trace_clear(struct trace *t)
{
    free(t->seen), free(t->values);
}
