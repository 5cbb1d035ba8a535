/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Floating point in integers, as a reference for the operations. A value is a sign, a
   128-bit integer, an exponent and a sticky bit, and is rounded once. */

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 soft_wide;

struct soft_format {
    int mantissa, exponent; /* bits */
};

static const struct soft_format soft_f16 = {10, 5}, soft_bf16 = {7, 8}, soft_f32 = {23, 8},
                                soft_f64 = {52, 11};

enum soft_class { SOFT_ZERO, SOFT_FINITE, SOFT_INFINITE, SOFT_NAN };
struct soft {
    enum soft_class class;
    bool negative, sticky;
    soft_wide integer;
    int exponent; /* value = integer * 2^exponent */
};

static inline int soft_length(soft_wide x)
{
    int length = 0;

    for (; x; x >>= 1)
        length++;
    return length;
}

static inline struct soft soft_read(uint64_t bits, struct soft_format f)
{
    uint64_t mantissa = bits & ((UINT64_C(1) << f.mantissa) - 1);
    int top = (1 << f.exponent) - 1, bias = top / 2,
        exponent = (int)(bits >> f.mantissa) & top;
    struct soft s = {.negative = bits >> (f.mantissa + f.exponent) & 1};

    s.class = exponent == top        ? mantissa ? SOFT_NAN : SOFT_INFINITE
              : exponent || mantissa ? SOFT_FINITE
                                     : SOFT_ZERO;
    s.integer = exponent ? mantissa | UINT64_C(1) << f.mantissa : mantissa;
    s.exponent = (exponent ? exponent : 1) - bias - f.mantissa;
    return s;
}

/* Rounding modes as letters: n nearest even, z, m and p as in PTX, a nearest away from
   zero. */
static inline uint64_t soft_write(struct soft s, struct soft_format f, char mode)
{
    int bias = (1 << (f.exponent - 1)) - 1, low = 1 - bias - f.mantissa, drop;
    uint64_t sign = (uint64_t)s.negative << (f.mantissa + f.exponent);
    uint64_t infinity = ((UINT64_C(1) << f.exponent) - 1) << f.mantissa;
    bool away = mode == 'p' ? !s.negative : mode == 'm' ? s.negative : false;
    soft_wide below, half;

    if (s.class == SOFT_NAN)
        return f.mantissa == 52 ? UINT64_C(0xfff8000000000000)
                                : (UINT64_C(1) << (f.mantissa + f.exponent)) - 1;
    if (s.class == SOFT_INFINITE)
        return sign | infinity;
    if (s.class == SOFT_ZERO)
        return sign;
    drop = soft_length(s.integer) - f.mantissa - 1;
    if (s.exponent + drop < low)
        drop = low - s.exponent;
    if (drop > 127) /* all of it is far below the last bit */
        s.sticky = true, s.integer = 0, drop = 0, s.exponent = low;
    if (drop <= 0) {
        s.integer <<= -drop;
        below = half = 0;
    } else {
        half = (soft_wide)1 << (drop - 1);
        below = s.integer & (half * 2 - 1);
        s.integer >>= drop;
    }
    s.exponent += drop;
    bool more = below || s.sticky;
    bool up = mode == 'n'   ? half && (below > half ||
                                     (below == half && (s.sticky || (s.integer & 1))))
              : mode == 'a' ? half && below >= half
                            : more && away;
    uint64_t kept = (uint64_t)s.integer + up;
    uint64_t bits = ((uint64_t)(s.exponent - low) << f.mantissa) + kept;

    if (bits >= infinity)
        bits = mode == 'n' || mode == 'a' || away ? infinity : infinity - 1;
    return sign | bits;
}

/* The sign of a sum that is exactly zero. */
static inline bool soft_zero_sign(bool a, bool b, char mode)
{
    return a == b ? a : mode == 'm';
}

static inline struct soft soft_add(struct soft a, struct soft b, char mode)
{
    struct soft big = a, small = b;
    int shift;

    if (a.class == SOFT_NAN || b.class == SOFT_NAN ||
        (a.class == SOFT_INFINITE && b.class == SOFT_INFINITE && a.negative != b.negative))
        return (struct soft){.class = SOFT_NAN};
    if (a.class == SOFT_INFINITE || b.class == SOFT_INFINITE)
        return a.class == SOFT_INFINITE ? a : b;
    if (a.class == SOFT_ZERO && b.class == SOFT_ZERO) {
        a.negative = soft_zero_sign(a.negative, b.negative, mode);
        return a;
    }
    if (a.class == SOFT_ZERO || b.class == SOFT_ZERO)
        return a.class == SOFT_ZERO ? b : a;
    if (soft_length(b.integer) + b.exponent > soft_length(a.integer) + a.exponent)
        big = b, small = a;
    shift = 125 - soft_length(big.integer);
    big.integer <<= shift;
    big.exponent -= shift;
    shift = small.exponent - big.exponent;
    if (shift >= 0)
        small.integer <<= shift;
    else if (shift < -127)
        small.sticky = true, small.integer = 0;
    else {
        small.sticky = (small.integer >> -shift) << -shift != small.integer;
        small.integer >>= -shift;
    }
    if (big.negative == small.negative)
        big.integer += small.integer;
    else if (small.integer > big.integer) {
        big.integer = small.integer - big.integer;
        big.negative = small.negative;
    } else
        big.integer -= small.integer + small.sticky;
    big.sticky = small.sticky;
    if (big.integer == 0 && !big.sticky) {
        big.class = SOFT_ZERO;
        big.negative = mode == 'm';
    }
    return big;
}

static inline struct soft soft_multiply(struct soft a, struct soft b)
{
    struct soft p = {.negative = a.negative != b.negative,
                     .integer = a.integer * b.integer,
                     .exponent = a.exponent + b.exponent,
                     .class = a.class > b.class ? a.class : b.class};

    if (p.class == SOFT_INFINITE && (a.class == SOFT_ZERO || b.class == SOFT_ZERO))
        p.class = SOFT_NAN;
    if (p.class == SOFT_FINITE && (a.class == SOFT_ZERO || b.class == SOFT_ZERO))
        p.class = SOFT_ZERO;
    return p;
}

static inline struct soft soft_divide(struct soft a, struct soft b)
{
    struct soft q = {.negative = a.negative != b.negative, .class = SOFT_FINITE};
    int shift = 64 - soft_length(b.integer);

    if (a.class == SOFT_NAN || b.class == SOFT_NAN ||
        (a.class == b.class && a.class != SOFT_FINITE))
        q.class = SOFT_NAN;
    else if (a.class == SOFT_INFINITE || b.class == SOFT_ZERO)
        q.class = SOFT_INFINITE;
    else if (a.class == SOFT_ZERO || b.class == SOFT_INFINITE)
        q.class = SOFT_ZERO;
    if (q.class != SOFT_FINITE)
        return q;
    b.integer <<= shift;
    b.exponent -= shift;
    shift = 128 - soft_length(a.integer);
    a.integer <<= shift;
    a.exponent -= shift;
    q.integer = a.integer / b.integer;
    q.sticky = a.integer % b.integer != 0;
    q.exponent = a.exponent - b.exponent;
    return q;
}

static inline struct soft soft_root(struct soft a)
{
    struct soft root = a;
    int shift = 126 - soft_length(a.integer);

    if (a.class == SOFT_ZERO || a.class == SOFT_NAN)
        return a;
    if (a.negative)
        root.class = SOFT_NAN;
    if (root.class != SOFT_FINITE)
        return root;
    shift -= (a.exponent - shift) & 1;
    a.integer <<= shift;
    root.exponent = (a.exponent - shift) / 2;
    root.integer = 0;
    for (soft_wide bit = (soft_wide)1 << 63; bit; bit >>= 1)
        if ((root.integer | bit) * (root.integer | bit) <= a.integer)
            root.integer |= bit;
    root.sticky = root.integer * root.integer != a.integer;
    return root;
}

/* The nearest integer in the rounding mode, as a number. */
static inline struct soft soft_integral(struct soft s, char mode)
{
    bool away = mode == 'p' ? !s.negative : mode == 'm' ? s.negative : false;
    soft_wide half, below;

    if (s.class != SOFT_FINITE || s.exponent >= 0)
        return s;
    if (s.exponent < -126)
        s.exponent = -126, s.integer = 1; /* a tiny number: less than a half */
    half = (soft_wide)1 << (-s.exponent - 1);
    below = s.integer & (half * 2 - 1);
    s.integer >>= -s.exponent;
    s.exponent = 0;
    if (mode == 'n' ? below > half || (below == half && s.integer & 1) : below && away)
        s.integer++;
    if (s.integer == 0)
        s.class = SOFT_ZERO;
    return s;
}

static inline struct soft soft_of_integer(uint64_t bits, bool is_signed)
{
    bool negative = is_signed && bits >> 63;

    return (struct soft){.class = bits ? SOFT_FINITE : SOFT_ZERO,
                         .negative = negative,
                         .integer = negative ? 0 - bits : bits};
}
