/* SPDX-License-Identifier: Apache-2.0 */
#include "access/form/apply.h"

uint64_t apply_cut(uint64_t value, unsigned bits, bool is_signed)
{
    unsigned unused = 64 - bits;

    if (bits >= 64)
        return value;
    value <<= unused;
    return is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

/* Upper half of a 64-bit product, from four 32-bit products. */
static uint64_t high_half(uint64_t a, uint64_t b, bool is_signed)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t left = (a >> 32) * (b & UINT32_MAX), right = (a & UINT32_MAX) * (b >> 32);
    uint64_t middle = (low >> 32) + (left & UINT32_MAX) + (right & UINT32_MAX);
    uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);

    if (is_signed && (int64_t)a < 0)
        high -= b;
    if (is_signed && (int64_t)b < 0)
        high -= a;
    return high;
}

static uint64_t divide(enum access_function f, bool is_signed, uint64_t a, uint64_t b)
{
    if (!b)
        return f == ACCESS_DIV ? UINT64_MAX : a;
    if (is_signed && (int64_t)b == -1)
        return f == ACCESS_DIV ? 0 - a : 0;
    if (is_signed)
        return f == ACCESS_DIV ? (uint64_t)((int64_t)a / (int64_t)b)
                               : (uint64_t)((int64_t)a % (int64_t)b);
    return f == ACCESS_DIV ? a / b : a % b;
}

static uint64_t shift_right(bool is_signed, unsigned bits, uint64_t a, uint64_t by)
{
    if (by >= bits)
        return is_signed && (int64_t)a < 0 ? UINT64_MAX : 0;
    return is_signed ? (uint64_t)((int64_t)a >> by) : a >> by;
}

static uint64_t apply_whole(enum access_function f, bool is_signed, unsigned bits,
                            uint64_t a, uint64_t b)
{
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

    switch (f) {
    case ACCESS_MIN:
        return less ? a : b;
    case ACCESS_MAX:
        return less ? b : a;
    case ACCESS_DIV:
    case ACCESS_REM:
        return divide(f, is_signed, a, b);
    case ACCESS_AND:
        return a & b;
    case ACCESS_OR:
        return a | b;
    case ACCESS_XOR:
        return a ^ b;
    case ACCESS_SHL:
        return b >= bits ? 0 : a << b;
    case ACCESS_SHR:
        return shift_right(is_signed, bits, a, b);
    case ACCESS_MULHI:
        return bits == 64 ? high_half(a, b, is_signed) : (a * b) >> bits;
    }
    return 0;
}

uint64_t apply_function(enum access_function f, bool is_signed, unsigned bits, uint64_t a,
                        uint64_t b)
{
    /* The shift count is an unsigned 32-bit number. */
    bool shifts = f == ACCESS_SHL || f == ACCESS_SHR;

    a = apply_cut(a, bits, is_signed);
    b = shifts ? apply_cut(b, 32, false) : apply_cut(b, bits, is_signed);
    return apply_cut(apply_whole(f, is_signed, bits, a, b), bits, is_signed);
}
