/* SPDX-License-Identifier: Apache-2.0 */
#include "access/predicate.h"

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

const struct access_condition *predicate_unless(struct study *s,
                                                const struct access_condition *c)
{
    struct access_condition *opposite;

    if (c->kind == ACCESS_UNLESS || c->kind == ACCESS_UNSURE)
        return c->kind == ACCESS_UNLESS ? c->first : c;
    opposite = condition_new(s, ACCESS_UNLESS);
    opposite->first = c;
    return opposite;
}

static const struct access_condition *pair(struct study *s, enum access_condition_kind kind,
                                           const struct access_condition *a,
                                           const struct access_condition *b)
{
    struct access_condition *c = condition_new(s, kind);

    c->first = a;
    c->second = b;
    return c;
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

/* Of setp's words the comparison: signed unless it is lo, ls, hi, hs or the type says so.
 */
static bool comparison(const struct ptx_instruction *i, enum access_comparison *out,
                       bool *is_signed)
{
    static const struct {
        enum ptx_part part;
        enum access_comparison comparison;
        bool is_unsigned;
    } rows[] = {
        {PTX_PART_EQ, ACCESS_EQ, false}, {PTX_PART_NE, ACCESS_NE, false},
        {PTX_PART_LT, ACCESS_LT, false}, {PTX_PART_LE, ACCESS_LE, false},
        {PTX_PART_GT, ACCESS_GT, false}, {PTX_PART_GE, ACCESS_GE, false},
        {PTX_PART_LO, ACCESS_LT, true},  {PTX_PART_LS, ACCESS_LE, true},
        {PTX_PART_HI, ACCESS_GT, true},  {PTX_PART_HS, ACCESS_GE, true},
    };

    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (i->part_count && i->parts[0] == rows[r].part) {
            *out = rows[r].comparison;
            *is_signed =
                !rows[r].is_unsigned && i->type >= PTX_PART_S8 && i->type <= PTX_PART_S64;
            return i->type <= PTX_PART_B64;
        }
    return false;
}

static const struct access_condition *compare(struct study *s, uint32_t instruction)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    struct access_condition *c = condition_new(s, ACCESS_COMPARE);

    if (i->operand_count < 3 || !comparison(i, &c->comparison, &c->is_signed))
        return unsure(s);
    c->bits = (uint8_t)(8 * ptx_type_bytes(i->type));
    c->left = study_operand(s, instruction, &i->operands[1]);
    c->right = study_operand(s, instruction, &i->operands[2]);
    if (!c->left || !c->right)
        return unsure(s);
    if (i->operand_count > 3) { /* setp.lt.and p, a, b, q */
        const struct access_condition *q = operand(s, instruction, 3);

        if (ptx_has(i, PTX_PART_AND))
            return pair(s, ACCESS_BOTH, c, q);
        return ptx_has(i, PTX_PART_OR) ? pair(s, ACCESS_EITHER, c, q) : unsure(s);
    }
    return c;
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
        /* p|q: with a third predicate, q joins the comparison's opposite with it */
        return i->operand_count > 3 ? unsure(s) : predicate_unless(s, c);
    case PTX_AND:
        return pair(s, ACCESS_BOTH, operand(s, instruction, 1), operand(s, instruction, 2));
    case PTX_OR:
        return pair(s, ACCESS_EITHER, operand(s, instruction, 1),
                    operand(s, instruction, 2));
    case PTX_NOT:
        return predicate_unless(s, operand(s, instruction, 1));
    case PTX_MOV:
        return operand(s, instruction, 1);
    default:
        return unsure(s);
    }
}
