/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* cvt of two 8-bit floats, e4m3 or e5m2: from two f32 or one f16x2, and to f16x2. */

#include "execute/lanes/lanes_convert.h"
#include "execute/lanes/lanes_matrix.h"

/* detail */
enum { EIGHT_KIND, EIGHT_OTHER, EIGHT_RELU }; /* the 8-bit type, the other type, .relu */

/* Values out of range become the largest finite value. e4m3 has no infinity, and its last
   code is NaN. */
static uint32_t eight_of(double value, enum matrix_kind kind, bool relu)
{
    static const struct float_format e4m3 = {3, -9, 8, 0x7f, 0x7f},
                                     e5m2 = {2, -16, 15, 0x7c, 0x7f};
    const uint32_t most = kind == MATRIX_E5M2 ? 0x7b : 0x7e;

    if (value != value)
        return 0x7f;
    uint32_t bits = narrow(value, kind == MATRIX_E5M2 ? e5m2 : e4m3, ROUND_NEAREST);
    bool negative = bits_f64(value) >> 63;

    bits = bits < most ? bits : most;
    return negative ? relu ? 0 : bits | 0x80 : bits;
}

/* The first source becomes the upper number. */
static void to_eight(ARGUMENTS)
{
    const lane_u32 *x = op_register(r, op->from[0]), *y = x;
    const enum matrix_kind kind = op->detail[EIGHT_KIND];
    bool is_pair = op->detail[EIGHT_OTHER] == PTX_PART_F16X2;
    uint32_t out[LANES];

    if (!is_pair)
        y = op_register(r, op->from[1]);
    for (unsigned l = 0; l < LANES; l++) {
        float high = is_pair ? float_of_f16(x[l] >> 16) : f32_of_bits(x[l]);
        float low = is_pair ? float_of_f16(x[l] & 0xffff) : f32_of_bits(y[l]);

        out[l] = eight_of((double)high, kind, op->detail[EIGHT_RELU]) << 8 |
                 eight_of((double)low, kind, op->detail[EIGHT_RELU]);
    }
    blend_4(op_register(r, op->to), out, mask);
}

/* f16 represents all of these numbers exactly. */
static uint32_t half_of_8(uint32_t bits, enum matrix_kind kind, bool relu)
{
    float value = float_of_8(bits, kind);

    return value <= 0 && relu ? 0 : narrow_16((double)value, FORMAT_F16, ROUND_NEAREST);
}

static void of_eight(ARGUMENTS)
{
    const lane_u32 *x = op_register(r, op->from[0]);
    const enum matrix_kind kind = op->detail[EIGHT_KIND];
    uint32_t out[LANES];

    for (unsigned l = 0; l < LANES; l++)
        out[l] = half_of_8(x[l] >> 8 & 0xff, kind, op->detail[EIGHT_RELU]) << 16 |
                 half_of_8(x[l] & 0xff, kind, op->detail[EIGHT_RELU]);
    blend_4(op_register(r, op->to), out, mask);
}
