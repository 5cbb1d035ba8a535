/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/predicate.h"

#include "access/values/capped.h"

static struct access_condition *condition_new(struct study *s,
                                              enum access_condition_kind kind)
{
    struct access_condition *c = arena_alloc(s->arena, sizeof *c);

    c->kind = kind;
    return c;
}

static const struct access_condition *unsure(struct study *s)
{
    return condition_new(s, ACCESS_UNSURE);
}

static const struct access_condition *operand(struct study *s, uint32_t instruction,
                                              uint32_t number)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const struct access_condition *c = NULL;

    if (number < i->operand_count && i->operands[number].kind == PTX_REGISTER)
        c = study_predicate(s, instruction, i->operands[number].reg);
    if (!c)
        return unsure(s);
    return i->operands[number].negated ? predicate_unless(s, c) : c;
}

/* The preceding instruction of the same block that combines the bits, and thus the signs,
   of two registers; NULL: none. */
static const struct ptx_instruction *joined(const struct study *s, uint32_t instruction,
                                            const struct ptx_operand *o, unsigned bytes,
                                            uint32_t *at)
{
    int32_t v = o->kind == PTX_REGISTER ? ssa_read(s->ssa, instruction, o->reg) : -1;
    const struct ssa_value *d = v >= 0 ? &s->ssa->values[v] : NULL;
    const struct ptx_instruction *i;

    if (!d || d->kind != SSA_DEFINED || d->block != s->regions->flow->block_of[instruction])
        return NULL;
    i = &s->function->instructions[ *at = d->instruction];
    return (i->opcode == PTX_OR || i->opcode == PTX_AND) && i->guard < 0 &&
                   i->operand_count == 3 && ptx_type_bytes(i->type) == bytes &&
                   i->operands[1].kind == PTX_REGISTER &&
                   i->operands[2].kind == PTX_REGISTER
               ? i
               : NULL;
}

/* Depth limit: combined bits may refer to the same values many times. */
enum { JOINED_DEPTH = 6 };

/* Condition that the operand is negative. Compilers test `a < 0 || b < 0` with one
   comparison of (a | b), and `a < 0 && b < 0` with one of (a & b). `depth` counts the
   surrounding combinations. */
static const struct access_condition *negative(struct study *s, uint32_t instruction,
                                               const struct ptx_operand *o, unsigned bytes,
                                               unsigned depth)
{
    uint32_t at;
    const struct ptx_instruction *i =
        depth < JOINED_DEPTH ? joined(s, instruction, o, bytes, &at) : NULL;
    struct access_condition *c;

    if (i)
        return predicate_pair(s, i->opcode == PTX_OR ? ACCESS_EITHER : ACCESS_BOTH,
                              negative(s, at, &i->operands[1], bytes, depth + 1),
                              negative(s, at, &i->operands[2], bytes, depth + 1));
    c = condition_new(s, ACCESS_COMPARE);
    c->comparison = ACCESS_LT;
    c->is_signed = true;
    c->bits = (uint8_t)(8 * bytes);
    c->left = study_operand(s, instruction, o);
    c->right = form_constant(&s->maker.forms, 0);
    return c->left && c->right ? c : unsure(s);
}

/* setp.lt.s32 p, (a | b), 0 and setp.gt.s32 p, (a | b), -1; else NULL. */
static const struct access_condition *compare_signs(struct study *s, uint32_t instruction,
                                                    enum access_comparison how)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const unsigned bytes = ptx_type_bytes(i->type);
    uint32_t at;
    int64_t number;

    if (i->operands[2].kind != PTX_INTEGER || i->operands[2].negated ||
        !joined(s, instruction, &i->operands[1], bytes, &at))
        return NULL;
    number = i->operands[2].integer;
    if ((how == ACCESS_LT && number == 0) || (how == ACCESS_LE && number == -1))
        return negative(s, instruction, &i->operands[1], bytes, 0);
    if ((how == ACCESS_GE && number == 0) || (how == ACCESS_GT && number == -1))
        return predicate_unless(s, negative(s, instruction, &i->operands[1], bytes, 0));
    return NULL;
}

static const struct access_condition *compare_values(struct study *s, uint32_t instruction)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    struct access_condition *c = condition_new(s, ACCESS_COMPARE);
    const struct access_condition *signs, *capped;

    if (i->operand_count < 3 || !predicate_comparison(i, &c->comparison, &c->is_signed))
        return unsure(s);
    if (c->is_signed && (signs = compare_signs(s, instruction, c->comparison)))
        return signs;
    c->bits = (uint8_t)(8 * ptx_type_bytes(i->type));
    c->left = study_operand(s, instruction, &i->operands[1]);
    c->right = study_operand(s, instruction, &i->operands[2]);
    if (!c->left || !c->right)
        return unsure(s);
    capped = capped_condition(s, instruction);
    return capped ? capped : c;
}

static const struct access_condition *compare(struct study *s, uint32_t instruction)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const struct access_condition *c = compare_values(s, instruction);

    if (c->kind == ACCESS_UNSURE)
        return c;
    if (i->operand_count > 3) { /* setp.lt.and p, a, b, q */
        const struct access_condition *q = operand(s, instruction, 3);

        if (ptx_has(i, PTX_PART_AND))
            return predicate_pair(s, ACCESS_BOTH, c, q);
        return ptx_has(i, PTX_PART_OR) ? predicate_pair(s, ACCESS_EITHER, c, q) : unsure(s);
    }
    return c;
}

bool predicate_constant(const struct study *s, int32_t value, bool *out)
{
    while (value >= 0 && s->ssa->values[value].kind == SSA_DEFINED) {
        const uint32_t at = s->ssa->values[value].instruction;
        const struct ptx_instruction *i = &s->function->instructions[at];
        const struct ptx_operand *o = &i->operands[1];

        if (i->opcode != PTX_MOV || i->guard >= 0 || o->negated)
            return false;
        if (o->kind == PTX_INTEGER) {
            *out = o->integer != 0;
            return true;
        }
        value = o->kind == PTX_REGISTER && !o->is_part ? ssa_read(s->ssa, at, o->reg) : -1;
    }
    return false;
}

/* Exclusive or of two predicates. Compilers use it with false to copy a predicate. */
static const struct access_condition *differ(struct study *s, uint32_t instruction)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    bool is_set;

    for (uint32_t n = 1; n < 3; n++) {
        const struct ptx_operand *o = &i->operands[n];
        const struct access_condition *other = operand(s, instruction, 3 - n);

        if (o->kind == PTX_REGISTER && !o->negated &&
            predicate_constant(s, ssa_read(s->ssa, instruction, o->reg), &is_set))
            return is_set ? predicate_unless(s, other) : other;
    }
    return unsure(s);
}

const struct access_condition *predicate_condition(struct study *s, uint32_t instruction,
                                                   uint32_t element)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const struct access_condition *c;

    if (i->guard >= 0)
        return unsure(s);
    switch (i->opcode) {
    case PTX_SETP:
        c = compare(s, instruction);
        if (!element)
            return c;
        /* p|q: with a third predicate, q is the combination of that predicate with the
           negated comparison */
        return i->operand_count > 3 ? unsure(s) : predicate_unless(s, c);
    case PTX_AND:
        return predicate_pair(s, ACCESS_BOTH, operand(s, instruction, 1),
                              operand(s, instruction, 2));
    case PTX_OR:
        return predicate_pair(s, ACCESS_EITHER, operand(s, instruction, 1),
                              operand(s, instruction, 2));
    case PTX_XOR:
        return differ(s, instruction);
    case PTX_NOT:
        return predicate_unless(s, operand(s, instruction, 1));
    case PTX_MOV:
        return operand(s, instruction, 1);
    default:
        return unsure(s);
    }
}
