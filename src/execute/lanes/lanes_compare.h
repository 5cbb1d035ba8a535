/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All forms of setp and set: a second destination, a third operand, flushed operands, and
   pairs. A setp without these runs only its row of lanes_compare.def. */

#include "execute/lanes/lanes_modify.h"

/* detail[DETAIL_OWN]. A negated third operand, !c, is inverted before. */
enum {
    COMBINE_AND = 1,
    COMBINE_OR = 2,
    COMBINE_XOR = 3,
    COMBINE = 3,
    SET_SHIFT = 2 /* index in set_values */
};

static const struct {
    enum ptx_part type;
    uint32_t yes;
} set_values[] = {
    {PTX_PART_U32, UINT32_MAX}, {PTX_PART_S32, UINT32_MAX}, {PTX_PART_U16, 0xffff},
    {PTX_PART_S16, UINT32_MAX}, {PTX_PART_F32, 0x3f800000}, {PTX_PART_F16, 0x3c00},
    {PTX_PART_BF16, 0x3f80},    {PTX_PART_F16X2, 0x3c00},   {PTX_PART_BF16X2, 0x3f80},
};

/* Comparison of all lanes. A comparison without modifiers runs in place: it overwrites one
   mask of a destination, whose old value is then restored. */
static uint32_t compare_all(const struct op_registers *r, const struct execute_op *op,
                            unsigned half)
{
    if (op->detail[DETAIL_FLAGS]) {
        struct lanes_aside aside;

        fetch_aside(&aside, r, op, half);
        row_lanes(op)(&aside.registers, &aside.op, UINT32_MAX);
        return *(const lane_u32 *)(aside.bytes + RESULT);
    }
    struct execute_op plain = *op;

    plain.to = op->to == PLACE_NONE ? op->to2 : op->to;
    lane_u32 *word = op_register(r, plain.to);
    uint32_t old = *word;

    row_lanes(op)(r, &plain, UINT32_MAX);
    uint32_t truth = *word;

    *word = old;
    return truth;
}

static uint32_t combined(const struct execute_op *op, uint32_t truth, uint32_t c)
{
    switch (op->detail[DETAIL_OWN] & COMBINE) {
    case COMBINE_AND:
        return truth & c;
    case COMBINE_OR:
        return truth | c;
    case COMBINE_XOR:
        return truth ^ c;
    default:
        return truth;
    }
}

static uint32_t third_predicate(const struct op_registers *r, const struct execute_op *op)
{
    return op->detail[DETAIL_OWN] & COMBINE ? *SOURCE(u32, 2) : 0;
}

/* The second destination receives the opposite comparison, or that of the upper halves. */
static void setp_combined(ARGUMENTS)
{
    uint32_t c = third_predicate(r, op), truth = compare_all(r, op, 0);
    uint32_t other = op->detail[DETAIL_FLAGS] & FLAG_PAIR ? compare_all(r, op, 1) : ~truth;

    if (op->to != PLACE_NONE)
        blend_mask(op_register(r, op->to), combined(op, truth, c), mask);
    if (op->to2 != PLACE_NONE)
        blend_mask(op_register(r, op->to2), combined(op, other, c), mask);
}

/* Each half of a pair receives the value of its own comparison. */
static void set_number(ARGUMENTS)
{
    uint32_t c = third_predicate(r, op), low = combined(op, compare_all(r, op, 0), c);
    uint32_t high = 0, yes = set_values[op->detail[DETAIL_OWN] >> SET_SHIFT].yes;
    uint32_t out[LANES];

    if (op->detail[DETAIL_FLAGS] & FLAG_PAIR) {
        high = combined(op, compare_all(r, op, 1), c);
        yes &= 0xffff;
    }
    for (unsigned l = 0; l < LANES; l++)
        out[l] = (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0);
    blend_4(op_register(r, op->to), out, mask);
}
