/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Arithmetic with the carry flag CC.CF, a predicate at OP_CARRY_PLACE: add, sub and mad
   with .cc, and addc, subc and madc. a - b is a + ~b + 1, as on hardware: after sub.cc the
   flag means that no borrow occurred, also for a following addc. */

#include "execute/lanes/lanes_rows.h"

/* detail[0] */
enum {
    CARRY_IN = 1,
    CARRY_OUT = 2,
    CARRY_SUBTRACTS = 4,
    CARRY_LOW = 8, /* half of a product, to which the third operand is added */
    CARRY_HIGH = 16,
    CARRY_SIGNED = 32,
    CARRY_WIDE = 64 /* 64-bit operands */
};

static uint64_t carry_lane(const void *register_lanes, unsigned l, unsigned detail)
{
    return detail & CARRY_WIDE ? ((const lane_u64 *)register_lanes)[l]
                               : ((const lane_u32 *)register_lanes)[l];
}

static uint64_t carry_product(uint64_t a, uint64_t b, unsigned detail)
{
    if (detail & CARRY_LOW)
        return detail & CARRY_WIDE ? a * b : (uint32_t)(a * b);
    if (detail & CARRY_WIDE)
        return detail & CARRY_SIGNED ? high_s64((int64_t)a, (int64_t)b) : high_u64(a, b);
    return detail & CARRY_SIGNED ? high_s32((int32_t)a, (int32_t)b)
                                 : high_u32((uint32_t)a, (uint32_t)b);
}

static void with_carry(ARGUMENTS)
{
    const unsigned detail = op->detail[0];
    const void *x = op_register(r, op->from[0]), *y = op_register(r, op->from[1]);
    const void *z = detail & (CARRY_LOW | CARRY_HIGH) ? op_register(r, op->from[2]) : NULL;
    lane_u32 *flag = op_register(r, OP_CARRY_PLACE);
    bool subtracts = detail & CARRY_SUBTRACTS;
    uint32_t in = detail & CARRY_IN ? *flag : subtracts ? UINT32_MAX : 0;
    uint32_t carry = 0, narrow_out[LANES];
    uint64_t out[LANES], top = detail & CARRY_WIDE ? UINT64_MAX : UINT32_MAX;

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t a = carry_lane(x, l, detail), b = carry_lane(y, l, detail);

        if (z) {
            a = carry_product(a, b, detail);
            b = carry_lane(z, l, detail);
        }
        if (subtracts)
            b = ~b & top;
        uint64_t sum = (a + b) & top, all = (sum + (in >> l & 1)) & top;

        carry |= (uint32_t)(sum < a || all < sum) << l;
        out[l] = all;
        narrow_out[l] = (uint32_t)all;
    }
    if (detail & CARRY_WIDE)
        blend_8(op_register(r, op->to), out, mask);
    else
        blend_4(op_register(r, op->to), narrow_out, mask);
    if (detail & CARRY_OUT)
        blend_mask(flag, carry, mask);
}
