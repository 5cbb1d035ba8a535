/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/capped.h"

/* The only instruction that assigns the value, if it has this opcode and no guard. */
static const struct ptx_instruction *made_by(const struct study *s, int32_t value,
                                             enum ptx_opcode opcode, uint32_t operands,
                                             uint32_t *at)
{
    const struct ssa_value *v = value < 0 ? NULL : &s->ssa->values[value];
    const struct ptx_instruction *i;

    if (!v || v->kind != SSA_DEFINED || v->element)
        return NULL;
    *at = v->instruction;
    i = &s->function->instructions[v->instruction];
    return i->opcode == opcode && i->guard < 0 && i->operand_count == operands ? i : NULL;
}

static int32_t value_of(const struct study *s, uint32_t at, const struct ptx_operand *o)
{
    return o->kind == PTX_REGISTER && !o->negated && !o->is_part
               ? ssa_read(s->ssa, at, o->reg)
               : -1;
}

/* Matches an unsigned 64-bit comparison `first < second`, in either operand order. */
static const struct ptx_instruction *is_less(const struct study *s, int32_t predicate,
                                             uint32_t *at)
{
    const struct ptx_instruction *i = made_by(s, predicate, PTX_SETP, 3, at);

    return i && i->type == PTX_PART_U64 && i->parts[0] == PTX_PART_LT ? i : NULL;
}

/* Whether a - b equals c - d. */
static bool differ_alike(struct study *s, const struct access_form *a,
                         const struct access_form *b, const struct access_form *c,
                         const struct access_form *d)
{
    struct forms *forms = &s->maker.forms;
    const struct access_form *x = form_add(forms, a, b, -1), *y = form_add(forms, c, d, -1);

    return x && y && form_equal(x, y);
}

const struct access_form *capped_form(struct study *s, int32_t value,
                                      const struct access_form **end)
{
    uint32_t at, at_compare;
    const struct ptx_instruction *i = made_by(s, value, PTX_SELP, 4, &at), *by;

    if (!i || ptx_type_bytes(i->type) != 8)
        return NULL;
    by = is_less(s, value_of(s, at, &i->operands[3]), &at_compare);
    if (!by)
        return NULL;
    const struct access_form *next = study_operand(s, at, &i->operands[1]);

    *end = study_operand(s, at, &i->operands[2]);
    return differ_alike(s, next, study_operand(s, at_compare, &by->operands[1]), *end,
                        study_operand(s, at_compare, &by->operands[2]))
               ? next
               : NULL;
}

const struct access_form *capped_back(struct study *s, uint32_t phi, uint32_t k)
{
    const struct ssa_value *v = &s->ssa->values[phi];
    const struct ptx_flow *flow = s->regions->flow;
    const struct ptx_block *from = &flow->blocks[flow->blocks[v->block].predecessors[k]];
    const uint32_t last = from->first + from->count - 1;
    const struct ptx_instruction *jump = &s->function->instructions[last], *less;
    const struct access_form *end, *next = capped_form(s, v->from[k], &end), *than;
    uint32_t at;

    if (!next || jump->opcode != PTX_BRA || jump->guard < 0 || jump->guard_negated ||
        from->successor_count != 2 || from->successors[0] == from->successors[1] ||
        from->successors[0] != v->block)
        return NULL;
    less = is_less(s, ssa_read(s->ssa, last, jump->guard), &at);
    if (!less || value_of(s, at, &less->operands[1]) != v->from[k])
        return NULL;
    than = study_operand(s, at, &less->operands[2]);
    return than && form_equal(than, end) ? next : NULL;
}
