/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Helpers for rows of lanes_integer.def that need more than an operator. Every function is
   defined for all inputs, because inactive lanes contain arbitrary values. Names and cases
   follow the PTX ISA, 9.7.1. */

#include <stdint.h>

static inline uint32_t high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t high_s32(int32_t a, int32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)a * b) >> 32);
}

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (uint32_t)middle;

    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static inline uint64_t high_s64(int64_t a, int64_t b)
{
    return high_u64((uint64_t)a, (uint64_t)b) - (a < 0 ? (uint64_t)b : 0) -
           (b < 0 ? (uint64_t)a : 0);
}

static inline int32_t saturate_s32(int64_t value)
{
    int64_t low = value < INT32_MIN ? INT32_MIN : value;

    return (int32_t)(low > INT32_MAX ? INT32_MAX : low);
}

/* Division as on hardware (seen on an H200). Division by zero gives all ones, for the
   remainder too. The one quotient that does not fit wraps. */
static inline uint32_t divide_u32(uint32_t a, uint32_t b)
{
    return b ? a / b : UINT32_MAX;
}

static inline uint32_t remainder_u32(uint32_t a, uint32_t b)
{
    return b ? a % b : UINT32_MAX;
}

static inline uint64_t divide_u64(uint64_t a, uint64_t b)
{
    return b ? a / b : UINT64_MAX;
}

static inline uint64_t remainder_u64(uint64_t a, uint64_t b)
{
    return b ? a % b : UINT64_MAX;
}

static inline int64_t divide_s64(int64_t a, int64_t b)
{
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : b ? a / b : -1;
}

static inline int64_t remainder_s64(int64_t a, int64_t b)
{
    return b == -1 ? 0 : b ? a % b : -1;
}

static inline uint32_t shift_left_32(uint32_t a, uint32_t by)
{
    return by < 32 ? a << (by & 31) : 0;
}

static inline uint64_t shift_left_64(uint64_t a, uint32_t by)
{
    return by < 64 ? a << (by & 63) : 0;
}

static inline uint32_t shift_right_u32(uint32_t a, uint32_t by)
{
    return by < 32 ? a >> (by & 31) : 0;
}

static inline uint64_t shift_right_u64(uint64_t a, uint32_t by)
{
    return by < 64 ? a >> (by & 63) : 0;
}

static inline int32_t shift_right_s32(int32_t a, uint32_t by)
{
    return a >> (by < 31 ? by : 31);
}

static inline int64_t shift_right_s64(int64_t a, uint32_t by)
{
    return a >> (by < 63 ? by : 63);
}

/* shf: a shift of 64 bits, `high` above `low`. The left shift returns the high word, the
   right shift the low word. */
static inline uint32_t funnel_amount(uint32_t by, unsigned wrap)
{
    return wrap ? by & 31 : by < 32 ? by : 32;
}

static inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << by >> 32);
}

static inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> by);
}

static inline uint32_t count_ones_64(uint64_t a)
{
    a -= a >> 1 & 0x5555555555555555;
    a = (a & 0x3333333333333333) + (a >> 2 & 0x3333333333333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (uint32_t)(a * 0x0101010101010101 >> 56);
}

static inline uint32_t leading_zeros_64(uint64_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    a |= a >> 16;
    a |= a >> 32;
    return 64 - count_ones_64(a);
}

static inline uint32_t reverse_32(uint32_t a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
    return a >> 16 | a << 16;
}

static inline uint64_t reverse_64(uint64_t a)
{
    return (uint64_t)reverse_32((uint32_t)a) << 32 | reverse_32((uint32_t)(a >> 32));
}

/* bfind of 64 bits: the highest bit that differs from the sign. -1: none. */
static inline uint32_t find_64(uint64_t a, unsigned top, unsigned as_shift)
{
    uint32_t found = 63 - leading_zeros_64(a);

    return as_shift && found != UINT32_MAX ? top - found : found;
}

static inline uint64_t low_bits(uint32_t count)
{
    return count < 64 ? (UINT64_C(1) << (count & 63)) - 1 : UINT64_MAX;
}

/* Position and length of a field. 32-bit operations use the low bytes of the operands,
   64-bit operations all bits (seen on an H200). */
static inline uint64_t extract_u64(uint64_t a, uint32_t at, uint32_t count)
{
    return shift_right_u64(a, at) & low_bits(count);
}

/* The sign is the field's top bit, or the word's if the field extends past it. */
static inline int64_t extract_s64(int64_t a, uint32_t at, uint32_t count)
{
    uint32_t unused = count < 64 ? 64 - count : 0;
    int64_t field = shift_right_s64(a, at);

    return count == 0 ? 0 : (int64_t)((uint64_t)field << (unused & 63)) >> (unused & 63);
}

static inline uint64_t insert_64(uint64_t a, uint64_t b, uint32_t at, uint32_t count)
{
    uint64_t field = shift_left_64(low_bits(count), at);

    return (b & ~field) | (shift_left_64(a, at) & field);
}

static inline uint32_t bit_mask(uint32_t at, uint32_t count, unsigned wrap)
{
    uint32_t from = wrap ? at & 31 : at, bits = wrap ? count & 31 : count;

    return (uint32_t)(from < 32 ? low_bits(bits < 32 ? bits : 32) << (from & 31) : 0);
}

static inline uint32_t extend_from(uint32_t a, uint32_t bits, unsigned wrap,
                                   unsigned is_signed)
{
    uint32_t kept = wrap ? bits & 31 : bits < 32 ? bits : 32;
    uint32_t value = a & (uint32_t)low_bits(kept),
             sign = kept ? 1u << ((kept - 1) & 31) : 0;

    return is_signed && (a & sign) ? value | ~(uint32_t)low_bits(kept) : value;
}

/* fns: the |nth| set bit of `a` starting at bit `base`, upwards or downwards. INT32_MIN,
   which has no magnitude, returns 0 (seen on an H200). */
static inline uint32_t find_nth(uint32_t a, uint32_t base, int32_t nth)
{
    uint32_t left = nth < 0 ? 0 - (uint32_t)nth : (uint32_t)nth;

    if (nth == INT32_MIN)
        return 0;
    if (nth == 0)
        return base < 32 && (a >> base & 1) ? base : UINT32_MAX;
    for (uint32_t at = base; at<32; at = nth> 0 ? at + 1 : at - 1)
        if ((a >> at & 1) && --left == 0)
            return at;
    return UINT32_MAX;
}

/* Byte of a and b that a nibble selects. The nibble's top bit selects the byte's sign
   instead. */
static inline uint32_t choose_byte(uint64_t both, uint32_t nibble)
{
    uint32_t byte = (uint32_t)(both >> (nibble & 7) * 8) & 255;

    return nibble & 8 ? (byte >> 7) * 255 : byte;
}

enum permute {
    PERMUTE,
    PERMUTE_F4E,
    PERMUTE_B4E,
    PERMUTE_RC8,
    PERMUTE_ECL,
    PERMUTE_ECR,
    PERMUTE_RC16
};

/* The nibble of byte `i` in each mode of prmt. */
static inline uint32_t permute_nibble(uint32_t c, uint32_t i, enum permute mode)
{
    uint32_t at = c & 3;

    switch (mode) {
    case PERMUTE_F4E:
        return (at + i) & 7;
    case PERMUTE_B4E:
        return (at - i) & 7;
    case PERMUTE_RC8:
        return at;
    case PERMUTE_ECL:
        return at > i ? at : i;
    case PERMUTE_ECR:
        return at < i ? at : i;
    case PERMUTE_RC16:
        return (at & 1) * 2 + (i & 1);
    default:
        return c >> i * 4 & 15;
    }
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c, enum permute mode)
{
    uint64_t both = (uint64_t)b << 32 | a;

    return choose_byte(both, permute_nibble(c, 0, mode)) |
           choose_byte(both, permute_nibble(c, 1, mode)) << 8 |
           choose_byte(both, permute_nibble(c, 2, mode)) << 16 |
           choose_byte(both, permute_nibble(c, 3, mode)) << 24;
}

static inline uint32_t either(uint32_t choice, uint32_t yes, uint32_t no)
{
    return (choice & yes) | (~choice & no);
}

/* lop3: bit 4a + 2b + c of the table, for each bit of the words. */
static inline uint32_t logic_3(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
#define ENTRY(bit) (0u - (table >> (bit)&1))
    uint32_t none = either(c, ENTRY(1), ENTRY(0)), only_b = either(c, ENTRY(3), ENTRY(2));
    uint32_t only_a = either(c, ENTRY(5), ENTRY(4)), both = either(c, ENTRY(7), ENTRY(6));
#undef ENTRY
    return either(a, either(b, both, only_a), either(b, only_b, none));
}

/* dp4a, dp2a: `detail` gives the signed operands. */
enum { DOT_A_SIGNED = 1, DOT_B_SIGNED = 2, DOT_HIGH = 4 };

static inline uint32_t dot_byte(uint32_t word, unsigned i, unsigned is_signed)
{
    uint32_t byte = word >> i * 8 & 255;

    return is_signed ? (byte ^ 128) - 128 : byte;
}

static inline uint32_t dot_half(uint32_t word, unsigned i, unsigned is_signed)
{
    uint32_t half = word >> i * 16 & 0xffff;

    return is_signed ? (half ^ 0x8000) - 0x8000 : half;
}

static inline uint32_t dot_4(uint32_t a, uint32_t b, uint32_t c, unsigned detail)
{
    unsigned x = detail & DOT_A_SIGNED, y = detail & DOT_B_SIGNED;

    return c + dot_byte(a, 0, x) * dot_byte(b, 0, y) +
           dot_byte(a, 1, x) * dot_byte(b, 1, y) + dot_byte(a, 2, x) * dot_byte(b, 2, y) +
           dot_byte(a, 3, x) * dot_byte(b, 3, y);
}

static inline uint32_t dot_2(uint32_t a, uint32_t b, uint32_t c, unsigned detail)
{
    unsigned x = detail & DOT_A_SIGNED, y = detail & DOT_B_SIGNED;
    unsigned first = detail & DOT_HIGH ? 2 : 0;

    return c + dot_half(a, 0, x) * dot_byte(b, first, y) +
           dot_half(a, 1, x) * dot_byte(b, first + 1, y);
}

/* mul24: the 24 low bits of each operand, sign-extended for signed types. */
static inline int64_t low_24(int32_t a)
{
    return (int32_t)((uint32_t)a << 8) >> 8;
}

enum { SELECT_BY_FLOAT = 1, SELECT_FLUSHED = 2 };

/* slct: c >= 0, as an integer or a float. True for a negative subnormal that is flushed. */
static inline int not_negative(uint32_t c, unsigned detail)
{
    uint32_t magnitude = c & INT32_MAX;
    uint32_t zero = detail & SELECT_FLUSHED ? 0x007fffff : 0;
    int as_float = (c >> 31 ? magnitude <= zero : magnitude <= 0x7f800000);

    return detail & SELECT_BY_FLOAT ? as_float : !(c >> 31);
}
