/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Helpers for rows of lanes_float.def that need more than an operator. Functions of one
   double serve the smaller types too: the caller rounds again, to far fewer bits. */

#include <math.h>
#include <stdint.h>

#include "execute/lanes/lanes_round.h"

/* The minimum of two zeros is the negative one. The minimum of a number and a NaN is the
   number. */
static inline float least_f32(float a, float b)
{
    float equal = f32_of_bits(bits_f32(a) | bits_f32(b));
    float least = a < b ? a : b < a ? b : equal;

    return a != a ? b : b != b ? a : least;
}

static inline float greatest_f32(float a, float b)
{
    float equal = f32_of_bits(bits_f32(a) & bits_f32(b));
    float greatest = a > b ? a : b > a ? b : equal;

    return a != a ? b : b != b ? a : greatest;
}

static inline double least_f64(double a, double b)
{
    double equal = f64_of_bits(bits_f64(a) | bits_f64(b));
    double least = a < b ? a : b < a ? b : equal;

    return a != a ? b : b != b ? a : least;
}

static inline double greatest_f64(double a, double b)
{
    double equal = f64_of_bits(bits_f64(a) & bits_f64(b));
    double greatest = a > b ? a : b > a ? b : equal;

    return a != a ? b : b != b ? a : greatest;
}

/* .NaN: a NaN operand gives a NaN. .xorsign.abs: compares magnitudes and multiplies
   signs. */
enum { PICK_NAN = 1, PICK_XORSIGN = 2 };

static inline double signs_multiplied(double value, double a, double b)
{
    uint64_t sign = (bits_f64(a) ^ bits_f64(b)) & ~(uint64_t)INT64_MAX;

    return f64_of_bits((bits_f64(value) & INT64_MAX) | sign);
}

static inline double pick_least(double a, double b, unsigned detail)
{
    double x = detail & PICK_XORSIGN ? fabs(a) : a, y = detail & PICK_XORSIGN ? fabs(b) : b;
    double value = (detail & PICK_NAN) && (a != a || b != b) ? a + b : least_f64(x, y);

    return detail & PICK_XORSIGN ? signs_multiplied(value, a, b) : value;
}

static inline double pick_greatest(double a, double b, unsigned detail)
{
    double x = detail & PICK_XORSIGN ? fabs(a) : a, y = detail & PICK_XORSIGN ? fabs(b) : b;
    double value = (detail & PICK_NAN) && (a != a || b != b) ? a + b : greatest_f64(x, y);

    return detail & PICK_XORSIGN ? signs_multiplied(value, a, b) : value;
}

/* div.approx multiplies by a reciprocal, which is flushed to zero if it would be
   subnormal. */
static inline float divide_approximately(float a, float b)
{
    return fabsf(b) > 0x1p126f ? a * copysignf(0, b) : a / b;
}

/* rcp and rsqrt .approx.ftz.f64 read only the upper word and return only the upper word. */
static inline double upper_word(double value)
{
    uint64_t bits = bits_f64(value) & UINT64_C(0xffffffff00000000);
    uint64_t sign = bits & ~(uint64_t)INT64_MAX;

    return f64_of_bits((bits & INT64_MAX) >> 52 ? bits : sign);
}

static inline double upper_result(double value)
{
    return value == value ? upper_word(value) : f64_of_bits(UINT64_C(0x7fffffff) << 32);
}

static inline double reciprocal_upper(double value)
{
    return upper_result(1.0 / upper_word(value));
}

static inline double root_reciprocal_upper(double value)
{
    return upper_result(1.0 / sqrt(upper_word(value)));
}

enum test {
    TEST_FINITE,
    TEST_INFINITE,
    TEST_NUMBER,
    TEST_NAN,
    TEST_NORMAL,
    TEST_SUBNORMAL
};

/* testp. `smallest` and `infinity` are the bits of magnitudes. Zero counts as normal. */
static inline int float_is(uint64_t magnitude, uint64_t smallest, uint64_t infinity,
                           enum test test)
{
    switch (test) {
    case TEST_FINITE:
        return magnitude < infinity;
    case TEST_INFINITE:
        return magnitude == infinity;
    case TEST_NUMBER:
        return magnitude <= infinity;
    case TEST_NAN:
        return magnitude > infinity;
    case TEST_NORMAL:
        return (magnitude == 0 || magnitude >= smallest) && magnitude < infinity;
    default:
        return magnitude > 0 && magnitude < smallest;
    }
}
