/* SPDX-License-Identifier: Apache-2.0 */
/* SIMD video instructions: two halves or four bytes of a register at once. Each element of
   a source is selected among those of a and b. */
#include "execute/load/decode_video.h"

#include <string.h>

/* detail: the operation, flags, and two bytes for each of the selections of a and b. A
   selection has a digit of 4 bits for each element. The mask of results is in `extra`. */
enum { SIMD_OPCODE, SIMD_FLAGS, SIMD_A, SIMD_B = SIMD_A + 2 };
enum {
    SIMD_BYTES = 1,
    SIMD_SATURATES = 2,
    SIMD_ACCUMULATES = 4,
    SIMD_D_SIGNED = 8,
    SIMD_A_SIGNED = 16,
    SIMD_B_SIGNED = 32
};

static unsigned digit_of(const struct execute_op *op, unsigned at, unsigned element)
{
    return op->detail[at + element / 2] >> element % 2 * 4 & 15;
}

static uint32_t simd_result(const struct execute_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned flags = op->detail[SIMD_FLAGS], bits = flags & SIMD_BYTES ? 8 : 16;
    uint32_t sum = c, merged = c;
    uint64_t both = (uint64_t)b << 32 | a;

    for (unsigned n = 0; n < 32 / bits; n++) {
        int64_t x = video_extend((uint32_t)(both >> digit_of(op, SIMD_A, n) * bits), bits,
                                 flags & SIMD_A_SIGNED);
        int64_t y = video_extend((uint32_t)(both >> digit_of(op, SIMD_B, n) * bits), bits,
                                 flags & SIMD_B_SIGNED);
        int64_t value = video_operate(op->detail[SIMD_OPCODE], x, y, false);
        uint32_t mask = UINT32_MAX >> (32 - bits) << n * bits;

        if (!(op->extra >> n & 1))
            continue;
        if (flags & SIMD_SATURATES)
            value = video_saturate(value, bits, flags & SIMD_D_SIGNED);
        sum += (uint32_t)value;
        merged = (merged & ~mask) | ((uint32_t)value << n * bits & mask);
    }
    return flags & SIMD_ACCUMULATES ? sum : merged;
}

static void simd_lanes(const struct op_registers *r, const struct execute_op *op,
                       uint32_t mask)
{
    const uint32_t *x = op_register(r, op->from[0]), *y = op_register(r, op->from[1]);
    const uint32_t *z = op_register(r, op->from[2]);
    uint32_t *to = op_register(r, op->to);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        to[l] = simd_result(op, x[l], y[l], z[l]);
    }
}

static unsigned elements_of(enum ptx_opcode opcode)
{
    switch (opcode) {
    case PTX_VADD2:
    case PTX_VSUB2:
    case PTX_VAVRG2:
    case PTX_VABSDIFF2:
    case PTX_VMIN2:
    case PTX_VMAX2:
    case PTX_VSET2:
        return 2;
    case PTX_VADD4:
    case PTX_VSUB4:
    case PTX_VAVRG4:
    case PTX_VABSDIFF4:
    case PTX_VMIN4:
    case PTX_VMAX4:
    case PTX_VSET4:
        return 4;
    default:
        return 0;
    }
}

bool is_video_simd(enum ptx_opcode opcode)
{
    return elements_of(opcode) > 0;
}

/* Digits of `r.h32` or `r.b7654`, the last one first. The default counts from `first`. */
static bool digits_read(const struct decoder *d, const struct ptx_operand *o,
                        unsigned count, unsigned first, uint8_t out[2])
{
    unsigned digits;
    const char *at = video_selector(d, o, &digits);

    if (o->is_part && (!at || *at != (count == 2 ? 'h' : 'b') || digits != count))
        return false;
    for (unsigned n = 0; n < count; n++) {
        unsigned digit = o->is_part ? (unsigned)(at[count - n] - '0') : first + n;

        if (digit >= 2 * count)
            return false;
        out[n / 2] |= (uint8_t)(digit << n % 2 * 4);
    }
    return true;
}

/* `d.h1` or `d.b20`: the elements that are written, in falling order. */
static bool mask_read(const struct decoder *d, const struct ptx_operand *o, unsigned count,
                      uint32_t *out)
{
    unsigned digits, before = count;
    const char *at = video_selector(d, o, &digits);

    *out = (1u << count) - 1;
    if (!o->is_part)
        return true;
    if (!at || *at != (count == 2 ? 'h' : 'b') || digits > count)
        return false;
    *out = 0;
    for (unsigned n = 0; n < digits; n++) {
        unsigned digit = (unsigned)(at[1 + n] - '0');

        if (digit >= before)
            return false;
        *out |= 1u << digit;
        before = digit;
    }
    return true;
}

static bool is_comparison(enum ptx_opcode opcode)
{
    return opcode == PTX_VSET2 || opcode == PTX_VSET4;
}

/* Types of d, a and b, or of a and b for vset2 and vset4, then the other modifiers. */
static bool flags_read(const struct ptx_instruction *i, uint8_t *out)
{
    static const uint8_t signs[] = {SIMD_D_SIGNED, SIMD_A_SIGNED, SIMD_B_SIGNED};
    bool compares = is_comparison(i->opcode);
    unsigned n = 0, types = compares ? 2 : 3;

    *out = elements_of(i->opcode) == 4 ? SIMD_BYTES : 0;
    for (; n < types && n < i->part_count; n++) {
        if (i->parts[n] != PTX_PART_S32 && i->parts[n] != PTX_PART_U32)
            return false;
        if (i->parts[n] == PTX_PART_S32)
            *out |= signs[n + 3 - types];
    }
    if (n < types)
        return false;
    for (n += compares; n < i->part_count; n++)
        if (i->parts[n] == PTX_PART_ADD)
            *out |= SIMD_ACCUMULATES;
        else if (i->parts[n] == PTX_PART_SAT && !compares)
            *out |= SIMD_SATURATES;
        else
            return false;
    return !(*out & SIMD_SATURATES) || !(*out & SIMD_ACCUMULATES);
}

bool decode_video_simd(struct decoder *d, const struct ptx_instruction *i)
{
    struct execute_op wanted = {.detail = {(uint8_t)video_operation(i)}};
    unsigned count = elements_of(i->opcode);
    const struct ptx_operand *o = i->operands;
    op_place from[3];

    if (i->operand_count != 4 || !wanted.detail[SIMD_OPCODE] || o[0].kind != PTX_REGISTER ||
        d->function->registers[o[0].reg].bytes != 4 || o[3].is_part ||
        !flags_read(i, &wanted.detail[SIMD_FLAGS]) ||
        !mask_read(d, &o[0], count, &wanted.extra) ||
        !digits_read(d, &o[1], count, 0, &wanted.detail[SIMD_A]) ||
        !digits_read(d, &o[2], count, count, &wanted.detail[SIMD_B]))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < 3; n++)
        if (o[n + 1].negated || !video_source(d, &o[n + 1], &from[n]))
            return refuse_instruction(d, i);
    struct execute_op *op = emit_lanes(d, simd_lanes, operand_target(d, &o[0], 4), from[0]);

    memcpy(op->from, from, sizeof from);
    memcpy(op->detail, wanted.detail, sizeof op->detail);
    op->extra = wanted.extra;
    return true;
}
