/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bits of floating-point numbers, and rounding to fewer bits. No branch depends on a value,
   so that loops over lanes are vectorized. */

#include <stdint.h>
#include <string.h>

enum rounding {
    ROUND_NEAREST, /* ties to even */
    ROUND_ZERO,
    ROUND_DOWN,
    ROUND_UP,
    ROUND_AWAY /* nearest, ties away from zero */
};

static inline uint32_t bits_f32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t bits_f64(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double f64_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

#define NAN_F32 UINT32_C(0x7fffffff)
#define NAN_F64 UINT64_C(0xfff8000000000000)

static inline float one_nan_f32(float value)
{
    return value == value ? value : f32_of_bits(NAN_F32);
}

/* f64 preserves sign and payload of a NaN: of the first NaN operand in the hardware's order
   (seen on an H200), made quiet. If no operand is a NaN, the operation was invalid. */
static inline double quiet_f64(double nan)
{
    return f64_of_bits(bits_f64(nan) | UINT64_C(1) << 51);
}

static inline double keep_nan(double result, double first, double second, double third)
{
    double nan = first != first     ? quiet_f64(first)
                 : second != second ? quiet_f64(second)
                 : third != third   ? quiet_f64(third)
                                    : f64_of_bits(NAN_F64);

    return result == result ? result : nan;
}

/* A subnormal f16 is first a subnormal f32; scaling makes it normal. */
static inline float float_of_f16(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, magnitude = (half & 0x7fff) << 13;
    uint32_t scaled = bits_f32(f32_of_bits(magnitude) * 0x1p112f);

    return f32_of_bits(sign |
                       ((half & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000 : scaled));
}

static inline float float_of_bf16(uint32_t half)
{
    return f32_of_bits(half << 16);
}

/* A float format: mantissa bits without the leading one, exponent of the last bit of
   subnormals, largest exponent. The sign bit is above the exponent bits. */
struct float_format {
    int digits, low, high;
    uint32_t infinity, nan;
};

#define FORMAT_F16 ((struct float_format){10, -24, 15, 0x7c00, 0x7fff})
#define FORMAT_BF16 ((struct float_format){7, -133, 127, 0x7f80, 0x7fff})
#define FORMAT_F32 ((struct float_format){23, -149, 127, 0x7f800000, NAN_F32})

/* Bits of the rounded magnitude. The number is scaled so that its last retained bit is 1,
   and the fraction decides the rounding. A carry out of the mantissa increments the
   exponent. */
static inline uint32_t narrow(double value, struct float_format f, enum rounding mode)
{
    uint64_t bits = bits_f64(value), magnitude = bits & INT64_MAX;
    int negative = (int)(bits >> 63), exponent = (int)(magnitude >> 52) - 1023;
    int last = exponent - f.digits > f.low ? exponent - f.digits : f.low;
    int finite = exponent <= f.high;
    uint64_t scale = (uint64_t)(1023 - (finite ? last : 0)) << 52;
    double scaled = f64_of_bits(finite ? magnitude : 0) * f64_of_bits(scale);
    int32_t kept = (int32_t)scaled;
    double below = scaled - (double)kept;
    int away = mode == ROUND_UP ? !negative : mode == ROUND_DOWN ? negative : 0;
    int up_tie = mode == ROUND_AWAY ? 1 : kept & 1;
    int nearest = mode == ROUND_NEAREST || mode == ROUND_AWAY;
    int up = nearest ? (below > 0.5) | ((below == 0.5) & up_tie) : (below > 0.0) & away;
    uint32_t rounded = ((uint32_t)(last - f.low) << f.digits) + (uint32_t)(kept + up);
    uint32_t huge = f.infinity - (uint32_t) !(nearest | away);
    uint32_t infinite = magnitude > UINT64_C(0x7ff) << 52 ? f.nan : f.infinity;

    return finite ? rounded : exponent < 1024 ? huge : infinite;
}

static inline uint32_t narrow_16(double value, struct float_format f, enum rounding mode)
{
    uint32_t sign = value == value ? (uint32_t)(bits_f64(value) >> 63) << 15 : 0;

    return sign | narrow(value, f, mode);
}

/* From f32 in 32-bit integers: adding half of the last retained bit carries as required.
   For subnormal results, adding 0.5 aligns the last bit with that of a subnormal f16. */
static inline uint32_t f16_nearest(float value)
{
    uint32_t bits = bits_f32(value), magnitude = bits & INT32_MAX;
    uint32_t kept = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t tiny = bits_f32(f32_of_bits(magnitude) + 0.5f) - 0x3f000000;
    uint32_t finite = magnitude < 0x38800000   ? tiny
                      : magnitude < 0x477ff000 ? kept
                                               : 0x7c00;

    return magnitude > 0x7f800000 ? 0x7fff : (bits >> 16 & 0x8000) | finite;
}

static inline uint32_t bf16_nearest(float value)
{
    uint32_t bits = bits_f32(value);

    return value == value ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fff;
}

/* A NaN converted between f64 and f32 keeps its sign and the payload bits that fit. */
static inline uint32_t f32_bits_of_f64(double value)
{
    uint64_t bits = bits_f64(value);
    uint32_t sign = (uint32_t)(bits >> 32) & 0x80000000;
    uint32_t nan = sign | 0x7fc00000 | ((uint32_t)(bits >> 29) & 0x003fffff);

    return value == value ? bits_f32((float)value) : nan;
}

static inline uint64_t f64_bits_of_f32(float value)
{
    uint64_t bits = bits_f32(value);
    uint64_t nan =
        (bits & 0x80000000) << 32 | UINT64_C(0x7ff8) << 48 | (bits & 0x003fffff) << 29;

    return value == value ? bits_f64((double)value) : nan;
}

static inline float f32_rounded(double value, enum rounding mode)
{
    uint32_t sign = value == value ? (uint32_t)(bits_f64(value) >> 63) << 31 : 0;

    return f32_of_bits(sign | narrow(value, FORMAT_F32, mode));
}

/* a * b + c of 16-bit floats, before a second rounding. The product is exact. An inexact
   sum gets an odd last bit, so that no artificial tie occurs. */
static inline double fma_odd(double a, double b, double c)
{
    double product = a * b, sum = product + c;
    double back = sum - product;
    double error = (product - (sum - back)) + (c - back);
    uint64_t bits = bits_f64(sum), step = (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    int inexact = error != 0 && error == error && !(bits & 1);

    return f64_of_bits(inexact ? bits + step : bits);
}
