/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What may stand around an operation of lanes_float.def: flushing of subnormals, clamping,
   directed rounding, two numbers in one register. The operands are fetched into a scratch
   warp, the plain operation runs there, and its result is changed. Slower than the plain
   operation, and one place for all of them. */

#include <fenv.h>

#include "execute/lanes/lanes_rows.h"

/* op->detail after lanes_choose(): the row's own, ours, and the row. */
enum { DETAIL_OWN, DETAIL_FLAGS, DETAIL_ROUNDING, DETAIL_FORMAT, DETAIL_ROW };
enum {
    FLAG_FTZ = 1,
    FLAG_SAT = 2,
    FLAG_RELU = 4,
    FLAG_PAIR = 8,      /* two halves of 16 bits */
    FLAG_WIDE_PAIR = 16 /* two halves of 32 bits */
};

enum format { OF_F32, OF_F16, OF_BF16, OF_OTHER };

static const struct {
    uint32_t sign, smallest, one, infinity, nan;
} formats[] = {
    [OF_F32] = {0x80000000, 0x00800000, 0x3f800000, 0x7f800000, NAN_F32},
    [OF_F16] = {0x8000, 0x0400, 0x3c00, 0x7c00, 0x7fff},
    [OF_BF16] = {0x8000, 0x0080, 0x3f80, 0x7f80, 0x7fff},
    [OF_OTHER] = {0},
};

/* The row's function; the tables of rows come later. */
static op_lanes *row_lanes(const struct execute_op *op);
static unsigned row_sources(const struct execute_op *op);

/* Another warp for the plain operation: operand k at k * PITCH, the result behind them. */
enum { PITCH = LANES * 8, RESULT = 3 * PITCH };

struct lanes_aside {
    _Alignas(64) unsigned char bytes[4 * PITCH];
    struct op_registers registers;
    struct execute_op op;
};

static uint32_t flush_bits(uint32_t bits, enum format f)
{
    uint32_t magnitude = bits & (formats[f].sign - 1);

    return magnitude < formats[f].smallest ? bits & formats[f].sign : bits;
}

static void fetch_aside(struct lanes_aside *aside, const struct op_registers *r,
                        const struct execute_op *op, unsigned half)
{
    unsigned flags = op->detail[DETAIL_FLAGS], count = row_sources(op);

    aside->registers = (struct op_registers){{aside->bytes, 0, 0, 0}};
    aside->op = *op;
    aside->op.to = PLACE(FILE_WARP, RESULT);
    for (unsigned k = 0; k < count && k < 3; k++) {
        const lane_u32 *x = op_register(r, op->from[k]);
        lane_u32 *into = (lane_u32 *)(aside->bytes + k * PITCH);

        aside->op.from[k] = PLACE(FILE_WARP, k * PITCH);
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t bits = flags & FLAG_WIDE_PAIR ? x[2 * l + half] : x[l] >> half * 16;

            into[l] = flags & FLAG_FTZ ? flush_bits(bits, op->detail[DETAIL_FORMAT]) : bits;
        }
    }
}

/* .ftz of the result, .sat to [0, 1], .relu: negative numbers become zero. */
static uint32_t changed_bits(uint32_t bits, enum format f, unsigned flags)
{
    uint32_t magnitude = bits & (formats[f].sign - 1), negative = bits & formats[f].sign;

    if (flags & FLAG_FTZ && magnitude < formats[f].smallest)
        bits = negative;
    if (flags & FLAG_SAT)
        return magnitude > formats[f].infinity || negative ? 0
               : bits > formats[f].one                     ? formats[f].one
                                                           : bits;
    if (flags & FLAG_RELU)
        return magnitude > formats[f].infinity ? formats[f].nan : negative ? 0 : bits;
    return bits;
}

static void set_rounding(enum rounding mode)
{
    static const int modes[] = {
        [ROUND_NEAREST] = FE_TONEAREST,
        [ROUND_ZERO] = FE_TOWARDZERO,
        [ROUND_DOWN] = FE_DOWNWARD,
        [ROUND_UP] = FE_UPWARD,
    };

    fesetround(modes[mode]);
}

/* The operation runs through a pointer and between two calls that the compiler cannot see
   into; it reads and writes memory only, so none of it can be moved out or computed before.
 */
static void rounded(ARGUMENTS)
{
    set_rounding(op->detail[DETAIL_ROUNDING]);
    row_lanes(op)(r, op, mask);
    set_rounding(ROUND_NEAREST);
}

static void modified(ARGUMENTS)
{
    unsigned flags = op->detail[DETAIL_FLAGS],
             halves = flags & (FLAG_PAIR | FLAG_WIDE_PAIR);
    enum format f = op->detail[DETAIL_FORMAT];
    struct lanes_aside aside;
    uint64_t merged[LANES] = {0};
    uint32_t low[LANES];

    for (unsigned half = 0; half < (halves ? 2 : 1); half++) {
        const lane_u32 *result = (lane_u32 *)(aside.bytes + RESULT);

        fetch_aside(&aside, r, op, half);
        rounded(&aside.registers, &aside.op, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t bits = changed_bits(result[l], f, flags);

            if (flags & FLAG_PAIR)
                bits &= 0xffff;
            merged[l] |= bits << half * (flags & FLAG_WIDE_PAIR ? 32 : 16);
        }
    }
    for (unsigned l = 0; l < LANES; l++)
        low[l] = (uint32_t)merged[l];
    if (flags & FLAG_WIDE_PAIR)
        blend_8(op_register(r, op->to), merged, mask);
    else
        blend_4(op_register(r, op->to), low, mask);
}
