/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* cvt.pack: two integers are clamped and become the low bits of a register; the bits of a
   third operand follow above them. */

#include "execute/lanes/lanes_rows.h"

/* detail */
enum { PACK_BITS, PACK_SIGNED, PACK_ADDS };

static uint32_t packed_number(int32_t value, unsigned bits, bool is_signed)
{
    int32_t most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    int32_t number = value < least ? least : value > most ? most : value;

    return (uint32_t)number & ((1u << bits) - 1);
}

/* The first source becomes the upper number. */
static void pack_clamped(ARGUMENTS)
{
    const lane_s32 *x = SOURCE(s32, 0), *y = SOURCE(s32, 1);
    const unsigned bits = op->detail[PACK_BITS], is_signed = op->detail[PACK_SIGNED];
    const lane_u32 *above = op->detail[PACK_ADDS] ? SOURCE(u32, 2) : NULL;
    uint32_t out[LANES];

    for (unsigned l = 0; l < LANES; l++) {
        out[l] = packed_number(x[l], bits, is_signed) << bits |
                 packed_number(y[l], bits, is_signed);
        if (above)
            out[l] |= above[l] << 2 * bits;
    }
    blend_4(op_register(r, op->to), out, mask);
}
