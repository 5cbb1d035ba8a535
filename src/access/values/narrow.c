/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/narrow.h"

struct division {
    int32_t dividend, divisor; /* values */
    bool is_rest;
};

static const struct ptx_instruction *made_by(const struct study *s, int32_t value)
{
    const struct ssa_value *v = value < 0 ? NULL : &s->ssa->values[value];
    const struct ptx_instruction *i =
        v && v->kind == SSA_DEFINED ? &s->function->instructions[v->instruction] : NULL;

    return i && i->guard < 0 && i->operand_count > 1 ? i : NULL;
}

/* Value of an operand of the instruction that defines `value`; -1: none. */
static int32_t reads(const struct study *s, int32_t value, uint32_t operand)
{
    const uint32_t at = s->ssa->values[value].instruction;
    const struct ptx_instruction *i = &s->function->instructions[at];
    const struct ptx_operand *o = &i->operands[operand];

    if (operand >= i->operand_count || o->kind != PTX_REGISTER || o->negated || o->is_part)
        return -1;
    return ssa_read(s->ssa, at, o->reg);
}

static bool has_bytes(const struct ptx_instruction *i, unsigned bytes)
{
    return bytes == 8 ? i->type == PTX_PART_U64 || i->type == PTX_PART_S64
                      : i->type == PTX_PART_U32 || i->type == PTX_PART_S32;
}

/* Whether the value is a quotient: unsigned in 32 bits, of either sign in 64. */
static bool divides(const struct study *s, int32_t value, unsigned bytes,
                    struct division *out)
{
    const struct ptx_instruction *i = made_by(s, value);

    if (!i || (i->opcode != PTX_DIV && i->opcode != PTX_REM) || !has_bytes(i, bytes) ||
        (bytes == 4 && i->type != PTX_PART_U32))
        return false;
    *out = (struct division){reads(s, value, 1), reads(s, value, 2), i->opcode == PTX_REM};
    return out->dividend >= 0 && out->divisor >= 0;
}

/* Whether the value is a remainder, also written a - a / b * b. */
static bool leaves(const struct study *s, int32_t value, unsigned bytes,
                   struct division *out)
{
    const struct ptx_instruction *i = made_by(s, value), *m;
    int32_t product;

    if (divides(s, value, bytes, out))
        return true;
    if (!i || i->opcode != PTX_SUB || !has_bytes(i, bytes) ||
        (product = reads(s, value, 2)) < 0 || !(m = made_by(s, product)) ||
        m->opcode != PTX_MUL || m->parts[0] != PTX_PART_LO || !has_bytes(m, bytes))
        return false;
    for (uint32_t k = 1; k <= 2; k++)
        if (divides(s, reads(s, product, k), bytes, out) && !out->is_rest &&
            out->dividend == reads(s, value, 1) && out->divisor == reads(s, product, 3 - k))
            return out->is_rest = true;
    return false;
}

/* Value from which `value` is widened without sign or truncated; -1: none. */
static int32_t converted(const struct study *s, int32_t value, enum ptx_part to,
                         enum ptx_part from)
{
    const struct ptx_instruction *i = made_by(s, value);

    return i && i->opcode == PTX_CVT && i->part_count == 2 && i->type == to &&
                   i->source_type == from
               ? reads(s, value, 1)
               : -1;
}

static int32_t widened(const struct study *s, int32_t value)
{
    return converted(s, value, PTX_PART_U64, PTX_PART_U32);
}

static bool is_half(const struct study *s, int32_t narrow, int32_t wide)
{
    return converted(s, narrow, PTX_PART_U32, PTX_PART_U64) == wide ||
           widened(s, wide) == narrow;
}

/* Matches a predicate that tests the upper 32 bits of the `or` of some values. Sets the
   values, and the truth value for upper bits that are all 0. */
static bool tests_upper_bits(const struct study *s, int32_t predicate, int32_t of[2],
                             bool *when)
{
    const struct ptx_instruction *i = made_by(s, predicate), *mask;
    const int64_t upper = -((int64_t)1 << 32);
    int32_t value;

    if (!i || i->opcode != PTX_SETP || i->operand_count != 3 || i->part_count != 2 ||
        (i->parts[0] != PTX_PART_EQ && i->parts[0] != PTX_PART_NE) ||
        i->operands[2].kind != PTX_INTEGER || i->operands[2].integer ||
        !(mask = made_by(s, value = reads(s, predicate, 1))) || mask->opcode != PTX_AND ||
        mask->type != PTX_PART_B64 || mask->operand_count != 3 ||
        mask->operands[2].kind != PTX_INTEGER || mask->operands[2].integer != upper)
        return false;
    *when = i->parts[0] == PTX_PART_EQ;
    of[0] = of[1] = reads(s, value, 1);
    i = made_by(s, of[0]);
    if (i && i->opcode == PTX_OR && i->type == PTX_PART_B64) {
        of[1] = reads(s, of[0], 2);
        of[0] = reads(s, of[0], 1);
    }
    return of[0] >= 0 && of[1] >= 0;
}

/* Whether control reaches the block only if both operands fit 32 bits. */
static bool fits_in(const struct study *s, uint32_t block, const struct division *d)
{
    const struct ptx_flow *flow = s->regions->flow;
    const struct ptx_block *from;
    int32_t of[2];
    bool when;

    for (;; block = flow->blocks[block].predecessors[0]) {
        if (flow->blocks[block].predecessor_count != 1)
            return false;
        from = &flow->blocks[flow->blocks[block].predecessors[0]];
        if (from->successor_count > 1)
            break; /* clang inserts a block with only a jump */
    }
    const uint32_t last = from->first + from->count - 1;
    const struct ptx_instruction *i = &s->function->instructions[last];

    if (i->opcode != PTX_BRA || i->guard < 0 || from->successor_count != 2 ||
        from->successors[0] == from->successors[1] ||
        !tests_upper_bits(s, ssa_read(s->ssa, last, i->guard), of, &when) ||
        (from->successors[0] == block) != (when != i->guard_negated))
        return false;
    return (d->dividend == of[0] || d->dividend == of[1] || widened(s, d->dividend) >= 0) &&
           (d->divisor == of[0] || d->divisor == of[1] || widened(s, d->divisor) >= 0);
}

static bool equals(const struct study *s, int32_t narrow, uint32_t origin, int32_t wide)
{
    struct division a, b;

    return leaves(s, widened(s, narrow), 4, &a) && leaves(s, wide, 8, &b) &&
           a.is_rest == b.is_rest && is_half(s, a.dividend, b.dividend) &&
           is_half(s, a.divisor, b.divisor) && fits_in(s, origin, &b);
}

int32_t narrow_is(const struct study *s, uint32_t phi)
{
    const struct ssa_value *v = &s->ssa->values[phi];
    const struct ptx_block *b = &s->regions->flow->blocks[v->block];

    for (int32_t k = 0; b->predecessor_count == 2 && k < 2; k++)
        if (v->from[k] >= 0 && v->from[1 - k] >= 0 &&
            equals(s, v->from[1 - k], b->predecessors[1 - k], v->from[k]))
            return k;
    return -1;
}
