/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Arithmetic of video instructions: of whole registers, halves and bytes as 64-bit values.
   The names of the steps follow the PTX ISA, 9.7.19. */

#include <stdint.h>

#include "execute/load/decoder.h"

enum video_opcode {
    VIDEO_NONE,
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_AVERAGE,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_EQ,
    VIDEO_NE,
    VIDEO_LT,
    VIDEO_LE,
    VIDEO_GT,
    VIDEO_GE
};

/* The low `bits` bits of the value, as a signed or unsigned number. */
static inline int64_t video_extend(uint32_t value, unsigned bits, bool is_signed)
{
    uint32_t part = value << (32 - bits);

    return is_signed ? (int64_t)((int32_t)part >> (32 - bits))
                     : (int64_t)(part >> (32 - bits));
}

static inline int64_t video_operate(enum video_opcode opcode, int64_t a, int64_t b,
                                    bool wraps)
{
    int64_t shift = wraps ? b & 31 : b < 0 || b > 32 ? 32 : b;

    switch (opcode) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    case VIDEO_AVERAGE: /* rounds half of the sum away from zero */
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SHL: /* 32 bits further only the sign is left to saturate */
        return (shift < 32 ? a : (a > 0) - (a < 0)) * (INT64_C(1) << shift);
    case VIDEO_SHR:
        return a >> shift;
    case VIDEO_EQ:
        return a == b;
    case VIDEO_NE:
        return a != b;
    case VIDEO_LT:
        return a < b;
    case VIDEO_LE:
        return a <= b;
    case VIDEO_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static inline int64_t video_saturate(int64_t value, unsigned bits, bool is_signed)
{
    int64_t most = (INT64_C(1) << (bits - is_signed)) - 1;
    int64_t least = is_signed ? -most - 1 : 0;

    return value < least ? least : value > most ? most : value;
}

/* Operation of an opcode, by its comparison for vset. VIDEO_NONE: another opcode. */
enum video_opcode video_operation(const struct ptx_instruction *i);
/* The suffix of an operand, without the dot: "b3210" of `%r1.b3210`, and its digits. NULL:
   the operand is no part of a register. */
const char *video_selector(const struct decoder *d, const struct ptx_operand *o,
                           unsigned *digits);
/* Place of a source of 32 bits. Returns false if the operand is no such value. */
bool video_source(struct decoder *d, const struct ptx_operand *o, op_place *out);

bool is_video_simd(enum ptx_opcode opcode);
bool decode_video_simd(struct decoder *d, const struct ptx_instruction *i);
bool decode_video_mad(struct decoder *d, const struct ptx_instruction *i);
