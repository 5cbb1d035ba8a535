/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modifiers of the operations in lanes_float.def: flushing of subnormals, clamping,
   directed rounding, two numbers in one register. The operands are copied into a scratch
   warp, the plain operation runs there, and its result is modified. This is slower than the
   plain operation, but all modifiers are in one place. */

#include <fenv.h>

#include "execute/lanes/lanes_rows.h"

/* op->detail after lanes_choose(): bytes of the row, of this file, and the row's index. */
enum { DETAIL_OWN, DETAIL_FLAGS, DETAIL_ROUNDING, DETAIL_FORMAT, DETAIL_ROW };
enum {
    FLAG_FTZ = 1,
    FLAG_SAT = 2,
    FLAG_RELU = 4,
    FLAG_PAIR = 8,       /* two halves of 16 bits */
    FLAG_WIDE_PAIR = 16, /* two halves of 32 bits */
    FLAG_OOB = 32 /* fma.oob: a factor that marks bytes outside a tensor gives zero */
};
/* The NaN that copies of tensors store for elements out of bounds, without its sign. The
   PTX ISA leaves it open; an H200 compares .f16 and .bf16 with these bits. */
enum { OOB_NAN = 0x7ff7 };

enum format { OF_F32, OF_F16, OF_BF16, OF_OTHER };

static const struct {
    uint32_t sign, smallest, one, infinity, nan;
} formats[] = {
    [OF_F32] = {0x80000000, 0x00800000, 0x3f800000, 0x7f800000, NAN_F32},
    [OF_F16] = {0x8000, 0x0400, 0x3c00, 0x7c00, 0x7fff},
    [OF_BF16] = {0x8000, 0x0080, 0x3f80, 0x7f80, 0x7fff},
    [OF_OTHER] = {0},
};

/* Function of the row. The tables of rows are included later. */
static op_lanes *row_lanes(const struct execute_op *op);
static unsigned row_sources(const struct execute_op *op);

/* Scratch warp for the plain operation: operand k is at k * PITCH, the result follows. */
enum { PITCH = LANES * 8, RESULT = 3 * PITCH };

struct lanes_aside {
    _Alignas(64) unsigned char bytes[4 * PITCH];
    struct op_registers registers;
    struct execute_op op;
};

static inline uint32_t flush_bits(uint32_t bits, enum format f)
{
    uint32_t magnitude = bits & (formats[f].sign - 1);

    return magnitude < formats[f].smallest ? bits & formats[f].sign : bits;
}

static void fetch_aside(struct lanes_aside *aside, const struct op_registers *r,
                        const struct execute_op *op, unsigned half)
{
    unsigned flags = op->detail[DETAIL_FLAGS], count = row_sources(op);
    enum format f = op->detail[DETAIL_FORMAT];

    aside->registers = (struct op_registers){{aside->bytes, 0, 0, 0}};
    aside->op = *op;
    aside->op.to = PLACE(FILE_WARP, RESULT);
    for (unsigned k = 0; k < count && k < 3; k++) {
        const lane_u32 *x = op_register(r, op->from[k]);
        lane_u32 *into = (lane_u32 *)(aside->bytes + k * PITCH);

        aside->op.from[k] = PLACE(FILE_WARP, k * PITCH);
        if (flags & FLAG_WIDE_PAIR)
            for (unsigned l = 0; l < LANES; l++)
                into[l] = x[2 * l + half];
        else
            FOR_LANES(l)
        into[l] = x[l] >> half * 16;
        if (flags & FLAG_FTZ)
            FOR_LANES(l)
        into[l] = flush_bits(into[l], f);
    }
}

/* .ftz of the result; .sat clamps to [0, 1]; .relu turns negative numbers into zero. */
static inline uint32_t changed_bits(uint32_t bits, enum format f, unsigned flags)
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

/* The operation runs through a pointer between two opaque calls. It accesses memory only,
   so the compiler cannot move it across them. */
static void rounded(ARGUMENTS)
{
    set_rounding(op->detail[DETAIL_ROUNDING]);
    row_lanes(op)(r, op, mask);
    set_rounding(ROUND_NEAREST);
}

/* Each modification has its own loop, so that each is vectorized. */
static void change_lanes(lane_u32 *bits, enum format f, unsigned flags)
{
    if (flags & FLAG_FTZ)
        FOR_LANES(l)
    bits[l] = changed_bits(bits[l], f, FLAG_FTZ);
    if (flags & FLAG_SAT)
        FOR_LANES(l)
    bits[l] = changed_bits(bits[l], f, FLAG_SAT);
    if (flags & FLAG_RELU)
        FOR_LANES(l)
    bits[l] = changed_bits(bits[l], f, FLAG_RELU);
}

static void zero_out_of_bounds(struct lanes_aside *aside)
{
    const lane_u32 *x = (lane_u32 *)aside->bytes, *y = (lane_u32 *)(aside->bytes + PITCH);
    lane_u32 *to = (lane_u32 *)(aside->bytes + RESULT);

    for (unsigned l = 0; l < LANES; l++)
        if ((x[l] & 0x7fff) == OOB_NAN || (y[l] & 0x7fff) == OOB_NAN)
            to[l] = 0;
}

static void run_aside(struct lanes_aside *aside, const struct op_registers *r,
                      const struct execute_op *op, unsigned half)
{
    bool nearest = op->detail[DETAIL_ROUNDING] == ROUND_NEAREST;

    fetch_aside(aside, r, op, half);
    (nearest ? row_lanes(op) : rounded)(&aside->registers, &aside->op, UINT32_MAX);
    change_lanes((lane_u32 *)(aside->bytes + RESULT), op->detail[DETAIL_FORMAT],
                 op->detail[DETAIL_FLAGS]);
    if (op->detail[DETAIL_FLAGS] & FLAG_OOB)
        zero_out_of_bounds(aside);
}

static void modified(ARGUMENTS)
{
    struct lanes_aside aside;

    run_aside(&aside, r, op, 0);
    if (mask == UINT32_MAX)
        memcpy(op_register(r, op->to), aside.bytes + RESULT, LANES * 4);
    else
        blend_4(op_register(r, op->to), aside.bytes + RESULT, mask);
}

static void modified_pair(ARGUMENTS)
{
    const bool is_wide = op->detail[DETAIL_FLAGS] & FLAG_WIDE_PAIR;
    struct lanes_aside low, high;
    const lane_u32 *x = (lane_u32 *)(low.bytes + RESULT),
                   *y = (lane_u32 *)(high.bytes + RESULT);
    uint64_t words[LANES];
    uint32_t halves[LANES];

    run_aside(&low, r, op, 0);
    run_aside(&high, r, op, 1);
    if (is_wide) {
        FOR_LANES(l)
        words[l] = (uint64_t)y[l] << 32 | x[l];
        blend_8(op_register(r, op->to), words, mask);
    } else {
        FOR_LANES(l)
        halves[l] = y[l] << 16 | (x[l] & 0xffff);
        blend_4(op_register(r, op->to), halves, mask);
    }
}
