/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* cvt between any two types. The lanes are widened to 64 bits (integers, or doubles, which
   can represent every other type), rounded and clamped, then written as the destination
   type. Common forms have their own rows in lanes_convert.def. */

#include "execute/lanes/lanes_modify.h"

/* detail */
enum { CVT_TO, CVT_FROM, CVT_ROUNDING, CVT_FLAGS, CVT_REGISTERS };
enum {                    /* in addition to FLAG_FTZ, FLAG_SAT and FLAG_RELU */
       CVT_FINITE = 32,   /* .satfinite: the largest number instead of infinity */
       CVT_INTEGRAL = 64, /* rni, rzi, rmi, rpi */
       CVT_PAIR = 128     /* two sources, the first one in the upper half */
};
enum { CVT_TO_WIDE = 1, CVT_FROM_WIDE = 2 }; /* registers of 8 bytes for a smaller type */

/* Integers are read as 64 bits and truncated to the type. */
static int64_t cut(int64_t value, unsigned type)
{
    switch (type) {
    case PTX_PART_U8:
        return (uint8_t)value;
    case PTX_PART_S8:
        return (int8_t)value;
    case PTX_PART_U16:
        return (uint16_t)value;
    case PTX_PART_S16:
        return (int16_t)value;
    case PTX_PART_U32:
        return (uint32_t)value;
    case PTX_PART_S32:
        return (int32_t)value;
    default:
        return value;
    }
}

struct integer_limits {
    bool is_integer, is_signed;
    unsigned bits;
};

static struct integer_limits integer_limits(unsigned type)
{
    static const struct integer_limits limits[PTX_PART_GLOBAL] = {
        [PTX_PART_U8] = {true, false, 8},   [PTX_PART_S8] = {true, true, 8},
        [PTX_PART_U16] = {true, false, 16}, [PTX_PART_S16] = {true, true, 16},
        [PTX_PART_U32] = {true, false, 32}, [PTX_PART_S32] = {true, true, 32},
        [PTX_PART_U64] = {true, false, 64}, [PTX_PART_S64] = {true, true, 64},
    };

    return limits[type];
}

static uint64_t lane_bits(const void *x, unsigned l, bool is_wide)
{
    return is_wide ? ((const lane_u64 *)x)[l] : ((const lane_u32 *)x)[l];
}

static double float_of_bits(uint64_t bits, unsigned type, unsigned flags)
{
    switch (type) {
    case PTX_PART_F16:
        return (double)float_of_f16((uint32_t)bits & 0xffff);
    case PTX_PART_BF16:
        return (double)float_of_bf16((uint32_t)bits & 0xffff);
    case PTX_PART_F32:
        return (double)f32_of_bits(flags & FLAG_FTZ ? flush_bits((uint32_t)bits, OF_F32)
                                                    : (uint32_t)bits);
    default:
        return f64_of_bits(bits);
    }
}

static double integral(double value, enum rounding mode)
{
    switch (mode) {
    case ROUND_ZERO:
        return trunc(value);
    case ROUND_DOWN:
        return floor(value);
    case ROUND_UP:
        return ceil(value);
    default:
        return nearbyint(value);
    }
}

/* Clamps. A NaN becomes 0, or only the top bit if either side has 64 bits. */
static int64_t integer_of_float(double value, unsigned to, unsigned from)
{
    struct integer_limits limits = integer_limits(to);
    double top = ldexp(1, (int)(limits.bits - limits.is_signed));
    bool wide = limits.bits == 64 || from == PTX_PART_F64;
    uint64_t top_bit = UINT64_C(1) << (limits.bits - 1);
    uint64_t most = limits.is_signed ? top_bit - 1 : top_bit * 2 - 1;

    if (value != value)
        return cut((int64_t)(wide ? top_bit : 0), to);
    if (value >= top)
        return (int64_t)most;
    if (value <= (limits.is_signed ? -top : 0))
        return limits.is_signed ? (int64_t)(0 - top_bit) : 0;
    return limits.is_signed ? (int64_t)value : (int64_t)(uint64_t)value;
}

static int64_t clamped(int64_t value, unsigned to, unsigned from)
{
    struct integer_limits limits = integer_limits(to);
    bool negative = integer_limits(from).is_signed && value < 0;
    uint64_t most = UINT64_MAX >> (64 - limits.bits + limits.is_signed);

    if (negative) {
        int64_t least = limits.is_signed ? -(int64_t)most - 1 : 0;

        return value < least ? least : value;
    }
    return (uint64_t)value > most ? (int64_t)most : value;
}

/* The integer rounded to at most `digits` binary digits, exact as a double. */
static double float_of_integer(int64_t value, bool is_signed, unsigned digits,
                               enum rounding mode)
{
    bool negative = is_signed && value < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
    unsigned length = 64 - leading_zeros_64(magnitude);
    unsigned drop = length > digits ? length - digits : 0;
    uint64_t kept = magnitude >> drop, below = magnitude & low_bits(drop);
    uint64_t half = drop ? UINT64_C(1) << (drop - 1) : 0;
    bool away = mode == ROUND_UP ? !negative : mode == ROUND_DOWN && negative;
    bool up = mode == ROUND_NEAREST ? below > half || (below && below == half && kept & 1)
                                    : below && away;
    double result = ldexp((double)(kept + up), (int)drop);

    return negative ? -result : result;
}

static unsigned float_digits(unsigned type)
{
    return type == PTX_PART_F16    ? 11
           : type == PTX_PART_BF16 ? 8
           : type == PTX_PART_F32  ? 24
           : type == PTX_PART_TF32 ? 11
                                   : 53;
}

static uint64_t bits_of_float(double value, unsigned to, enum rounding mode, unsigned flags)
{
    static const struct float_format tf32 = {10, -136, 127, 0x7f800000 >> 13,
                                             NAN_F32 >> 13};
    enum format f = to == PTX_PART_F16 ? OF_F16 : to == PTX_PART_BF16 ? OF_BF16 : OF_F32;
    uint32_t sign = value == value ? (uint32_t)(bits_f64(value) >> 63) << 31 : 0, bits;

    switch (to) {
    case PTX_PART_F16:
        bits = narrow_16(value, FORMAT_F16, mode);
        break;
    case PTX_PART_BF16:
        bits = narrow_16(value, FORMAT_BF16, mode);
        break;
    case PTX_PART_TF32:
        bits = sign | narrow(value, tf32, mode) << 13;
        break;
    case PTX_PART_F32:
        bits = bits_f32(f32_rounded(value, mode));
        break;
    default:
        if (flags & FLAG_SAT)
            value = value > 0 ? value < 1 ? value : 1 : 0;
        return bits_f64(value);
    }
    if (flags & CVT_FINITE && (bits & (formats[f].sign - 1)) == formats[f].infinity)
        bits -= to == PTX_PART_TF32 ? 1 << 13 : 1;
    /* .ftz applies to f32 only */
    return changed_bits(bits, f, f == OF_F32 ? flags : flags & ~(unsigned)FLAG_FTZ);
}

/* Conversion of a NaN as on hardware (seen on an H200). If one side is f64, sign and the
   upper payload remain. .rna.tf32 only drops bits. bf16 becomes the upper half of an f32.
   All other conversions produce the canonical NaN of the type. */
static uint64_t converted_nan(uint64_t bits, unsigned to, unsigned from, enum rounding mode)
{
    unsigned from_digits = float_digits(from) - 1, to_digits = float_digits(to) - 1;
    unsigned from_top = from == PTX_PART_F64 ? 63 : from == PTX_PART_F32 ? 31 : 15;
    unsigned to_top = to == PTX_PART_F64 ? 63 : to == PTX_PART_F32 ? 31 : 15;
    uint64_t payload = bits << (64 - from_digits) >> (64 - to_digits);
    uint64_t all = (UINT64_C(1) << to_top) - 1;
    uint64_t exponent =
        all & ~((UINT64_C(1) << (to_digits - 1)) - 1); /* with the quiet-NaN bit */

    if (to == PTX_PART_TF32)
        return mode == ROUND_AWAY ? bits & UINT32_C(0xffffe000) : UINT32_C(0x7fffe000);
    if (from == PTX_PART_BF16 && to == PTX_PART_F32)
        return (bits & 0xffff) << 16;
    if (to != PTX_PART_F64 && from != PTX_PART_F64)
        return all;
    return (bits >> from_top & 1) << to_top | exponent | payload;
}

static uint64_t converted(uint64_t bits, const struct execute_op *op)
{
    unsigned to = op->detail[CVT_TO], from = op->detail[CVT_FROM];
    unsigned flags = op->detail[CVT_FLAGS];
    enum rounding mode = op->detail[CVT_ROUNDING];

    if (integer_limits(from).is_integer) {
        int64_t value = cut((int64_t)bits, from);

        if (integer_limits(to).is_integer)
            return (uint64_t)cut(flags & FLAG_SAT ? clamped(value, to, from) : value, to);
        double number =
            float_of_integer(value, integer_limits(from).is_signed, float_digits(to), mode);

        return bits_of_float(number, to, mode, flags);
    }
    double value = float_of_bits(bits, from, flags);

    if (flags & CVT_INTEGRAL)
        value = integral(value, mode);
    if (integer_limits(to).is_integer)
        return (uint64_t)integer_of_float(value, to, from);
    if (value != value && !(flags & FLAG_SAT))
        return converted_nan(from == PTX_PART_F32 && flags & FLAG_FTZ ? NAN_F32 : bits, to,
                             from, mode);
    return bits_of_float(value, to, flags & CVT_INTEGRAL ? ROUND_NEAREST : mode, flags);
}

static void convert(ARGUMENTS)
{
    const void *x = op_register(r, op->from[0]), *y = NULL;
    unsigned registers = op->detail[CVT_REGISTERS];
    uint64_t out[LANES];
    uint32_t low[LANES];

    if (op->detail[CVT_FLAGS] & CVT_PAIR)
        y = op_register(r, op->from[1]);
    for (unsigned l = 0; l < LANES; l++) {
        out[l] = converted(lane_bits(x, l, registers & CVT_FROM_WIDE), op);
        if (y)
            out[l] = out[l] << 16 | converted(lane_bits(y, l, false), op);
        low[l] = (uint32_t)out[l];
    }
    if (registers & CVT_TO_WIDE)
        blend_8(op_register(r, op->to), out, mask);
    else
        blend_4(op_register(r, op->to), low, mask);
}
