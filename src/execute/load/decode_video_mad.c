/* SPDX-License-Identifier: Apache-2.0 */
/* vmad: a * b + c of parts of registers, with an exact intermediate result. */
#include "execute/load/decode_video.h"

#include <string.h>

/* detail */
enum { MAD_A, MAD_B, MAD_FLAGS, MAD_SHIFT };
/* Selection of a source: its first bit, its width, its sign. */
enum { MAD_AT = 31, MAD_BYTE = 32, MAD_HALF = 64, MAD_SIGNED = 128 };
enum {
    MAD_SATURATES = 1,
    MAD_PLUS_ONE = 2,
    MAD_MINUS_PRODUCT = 4,
    MAD_MINUS_C = 8,
    MAD_FINAL_SIGNED = 16
};

static int64_t factor(uint32_t value, unsigned select)
{
    unsigned bits = select & MAD_BYTE ? 8 : select & MAD_HALF ? 16 : 32;

    return video_extend(value >> (select & MAD_AT), bits, select & MAD_SIGNED);
}

/* The exact sum as sign, high and low word: its magnitude needs more than 64 bits. */
struct wide_sum {
    int64_t high; /* in units of 2^32 */
    uint32_t low;
};

static struct wide_sum sum_wide(uint64_t product, bool is_negative, int64_t rest)
{
    int64_t high = (int64_t)(product >> 32), low = (int64_t)(product & UINT32_MAX);

    if (is_negative) {
        high = -high;
        low = -low;
    }
    low += rest;
    return (struct wide_sum){high + (low >> 32), (uint32_t)low};
}

static uint32_t mad_result(const struct execute_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned flags = op->detail[MAD_FLAGS], shift = op->detail[MAD_SHIFT];
    bool is_signed = flags & MAD_FINAL_SIGNED;
    int64_t x = factor(a, op->detail[MAD_A]), y = factor(b, op->detail[MAD_B]);
    uint64_t product = (uint64_t)(x < 0 ? -x : x) * (uint64_t)(y < 0 ? -y : y);
    bool is_negative = (x < 0) != (y < 0);
    int64_t rest = is_signed ? (int64_t)(int32_t)c : (int64_t)c;

    if (flags & MAD_MINUS_PRODUCT)
        is_negative = !is_negative;
    if (flags & MAD_MINUS_C) /* the complement is extended, as 9.7.19 states */
        rest = (int64_t)(int32_t)~c + 1;
    if (flags & MAD_PLUS_ONE)
        rest++;
    struct wide_sum s = sum_wide(product, is_negative, rest);
    uint32_t value = s.low;

    if (shift) {
        value = (uint32_t)((uint64_t)s.high << (32 - shift)) | s.low >> shift;
        s.high >>= shift;
    }
    if (!(flags & MAD_SATURATES))
        return value;
    if (!is_signed)
        return s.high ? UINT32_MAX : value;
    if (s.high < 0)
        return s.high == -1 && value >> 31 ? value : (uint32_t)INT32_MIN;
    return s.high || value >> 31 ? INT32_MAX : value;
}

static void mad_lanes(const struct op_registers *r, const struct execute_op *op,
                      uint32_t mask)
{
    const uint32_t *x = op_register(r, op->from[0]), *y = op_register(r, op->from[1]);
    const uint32_t *z = op_register(r, op->from[2]);
    uint32_t *to = op_register(r, op->to);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        to[l] = mad_result(op, x[l], y[l], z[l]);
    }
}

static bool factor_read(const struct decoder *d, const struct ptx_operand *o, uint8_t *out)
{
    unsigned digits;
    const char *at = video_selector(d, o, &digits);

    if (!o->is_part)
        return true;
    if (!at || digits != 1 || (*at != 'b' && *at != 'h'))
        return false;
    unsigned number = (unsigned)(at[1] - '0'), bits = *at == 'b' ? 8 : 16;

    *out |= (uint8_t)((bits == 8 ? MAD_BYTE : MAD_HALF) | (number * bits & MAD_AT));
    return number < 32 / bits;
}

/* Types of d, a and b, then the other modifiers. The type of d has no effect. */
static bool mad_words_read(const struct ptx_instruction *i, struct execute_op *op)
{
    for (unsigned n = 0; n < 3; n++)
        if (n >= i->part_count ||
            (i->parts[n] != PTX_PART_S32 && i->parts[n] != PTX_PART_U32))
            return false;
    op->detail[MAD_A] = i->parts[1] == PTX_PART_S32 ? MAD_SIGNED : 0;
    op->detail[MAD_B] = i->parts[2] == PTX_PART_S32 ? MAD_SIGNED : 0;
    for (unsigned n = 3; n < i->part_count; n++)
        switch (i->parts[n]) {
        case PTX_PART_SAT:
            op->detail[MAD_FLAGS] |= MAD_SATURATES;
            break;
        case PTX_PART_PO:
            op->detail[MAD_FLAGS] |= MAD_PLUS_ONE;
            break;
        case PTX_PART_SHR7:
        case PTX_PART_SHR15:
            op->detail[MAD_SHIFT] = i->parts[n] == PTX_PART_SHR7 ? 7 : 15;
            break;
        default:
            return false;
        }
    return true;
}

/* Either the product or c may be negated, and neither with .po. */
static bool signs_read(const struct ptx_operand *o, struct execute_op *op)
{
    uint8_t *flags = &op->detail[MAD_FLAGS];

    if (o[1].negated != o[2].negated)
        *flags |= MAD_MINUS_PRODUCT;
    if (o[3].negated)
        *flags |= MAD_MINUS_C;
    if ((*flags & (MAD_MINUS_PRODUCT | MAD_MINUS_C)) || op->detail[MAD_A] & MAD_SIGNED ||
        op->detail[MAD_B] & MAD_SIGNED)
        *flags |= MAD_FINAL_SIGNED;
    return !o[0].negated && !((o[1].negated || o[2].negated) && o[3].negated) &&
           !((o[1].negated || o[2].negated || o[3].negated) && *flags & MAD_PLUS_ONE);
}

bool decode_video_mad(struct decoder *d, const struct ptx_instruction *i)
{
    struct execute_op wanted = {0};
    const struct ptx_operand *o = i->operands;
    op_place from[3];

    if (i->operand_count != 4 || o[0].kind != PTX_REGISTER || o[0].is_part ||
        o[3].is_part || d->function->registers[o[0].reg].bytes != 4 ||
        !mad_words_read(i, &wanted) || !signs_read(o, &wanted) ||
        !factor_read(d, &o[1], &wanted.detail[MAD_A]) ||
        !factor_read(d, &o[2], &wanted.detail[MAD_B]))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < 3; n++)
        if (!video_source(d, &o[n + 1], &from[n]))
            return refuse_instruction(d, i);
    struct execute_op *op = emit_lanes(d, mad_lanes, operand_target(d, &o[0], 4), from[0]);

    memcpy(op->from, from, sizeof from);
    memcpy(op->detail, wanted.detail, sizeof op->detail);
    return true;
}
