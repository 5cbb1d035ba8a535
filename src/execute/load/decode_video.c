/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar video instructions: arithmetic on whole registers, halves and bytes. */
#include "execute/load/decode_video.h"

#include <string.h>

/* detail */
enum { VIDEO_OPCODE, VIDEO_A, VIDEO_B, VIDEO_D, VIDEO_SECOND, VIDEO_FLAGS };
/* Selection of a part: its bits, plus its number. A whole register is 0. */
enum {
    SELECT_BYTE = 8,
    SELECT_HALF = 16,
    SELECT_SIZE = SELECT_BYTE | SELECT_HALF,
    SELECT_NUMBER = 3,
    SELECT_SIGNED = 64
};
enum { FLAG_SATURATES = 1, FLAG_WRAPS = 2 };

static unsigned select_bits(unsigned select)
{
    return select & SELECT_SIZE ? select & SELECT_SIZE : 32;
}

static int64_t part_extend(uint32_t value, unsigned select)
{
    unsigned bits = select_bits(select);

    return video_extend(value >> (select & SELECT_NUMBER) * (bits % 32), bits,
                        select & SELECT_SIGNED);
}

static uint32_t video_result(const struct execute_op *op, uint32_t value, uint32_t c)
{
    unsigned select = op->detail[VIDEO_D], bits = select_bits(select);
    unsigned at = (select & SELECT_NUMBER) * (bits % 32);
    uint32_t mask = UINT32_MAX >> (32 - bits) << at;
    bool is_less = select & SELECT_SIGNED ? (int32_t)value < (int32_t)c : value < c;

    switch (op->detail[VIDEO_SECOND]) {
    case VIDEO_ADD:
        return value + c;
    case VIDEO_MIN:
        return is_less ? value : c;
    case VIDEO_MAX:
        return is_less ? c : value;
    default:
        return select & SELECT_SIZE ? (value << at & mask) | (c & ~mask) : value;
    }
}

static void video_lanes(const struct op_registers *r, const struct execute_op *op,
                        uint32_t mask)
{
    const uint32_t *x = op_register(r, op->from[0]), *y = op_register(r, op->from[1]);
    const uint32_t *z = op_register(r, op->from[2]);
    uint32_t *to = op_register(r, op->to);
    unsigned flags = op->detail[VIDEO_FLAGS];

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        int64_t value =
            video_operate(op->detail[VIDEO_OPCODE], part_extend(x[l], op->detail[VIDEO_A]),
                          part_extend(y[l], op->detail[VIDEO_B]), flags & FLAG_WRAPS);

        if (flags & FLAG_SATURATES)
            value = video_saturate(value, select_bits(op->detail[VIDEO_D]),
                                   op->detail[VIDEO_D] & SELECT_SIGNED);
        to[l] = video_result(op, (uint32_t)value, z[l]);
    }
}

/* r.b2, r.h1 or a whole register. */
static bool selection(const struct decoder *d, const struct ptx_operand *o, uint8_t *out)
{
    unsigned digits;
    const char *at = video_selector(d, o, &digits);

    if (o->kind == PTX_REGISTER && d->function->registers[o->reg].bytes != 4)
        return false;
    if (!o->is_part)
        return true;
    if (!at || digits != 1 || (*at != 'b' && *at != 'h'))
        return false;
    unsigned number = (unsigned)(at[1] - '0'), count = *at == 'b' ? 4 : 2;

    *out |= (uint8_t)((count == 4 ? SELECT_BYTE : SELECT_HALF) | number);
    return number < count;
}

bool is_video(enum ptx_opcode opcode)
{
    return opcode == PTX_VADD || opcode == PTX_VSUB || opcode == PTX_VABSDIFF ||
           opcode == PTX_VMIN || opcode == PTX_VMAX || opcode == PTX_VSHL ||
           opcode == PTX_VSHR || opcode == PTX_VSET || opcode == PTX_VMAD ||
           is_video_simd(opcode);
}

/* Types are the first parts: of d, a and b, or of a and b for vset, whose result has no
   sign. The other parts follow. */
static bool parts_read(const struct ptx_instruction *i, struct execute_op *op)
{
    unsigned types = i->opcode == PTX_VSET ? 2 : 3, n = 0;
    const unsigned at[] = {VIDEO_D, VIDEO_A, VIDEO_B};

    for (; n < types && n < i->part_count; n++) {
        if (i->parts[n] != PTX_PART_S32 && i->parts[n] != PTX_PART_U32)
            return false;
        if (i->parts[n] == PTX_PART_S32)
            op->detail[at[n + 3 - types]] |= SELECT_SIGNED;
    }
    for (; n < i->part_count; n++) {
        unsigned part = i->parts[n];
        uint8_t second = part == PTX_PART_ADD   ? VIDEO_ADD
                         : part == PTX_PART_MIN ? VIDEO_MIN
                         : part == PTX_PART_MAX ? VIDEO_MAX
                                                : VIDEO_NONE;

        if (second)
            op->detail[VIDEO_SECOND] = second;
        else if (part == PTX_PART_SAT)
            op->detail[VIDEO_FLAGS] |= FLAG_SATURATES;
        else if (part == PTX_PART_WRAP)
            op->detail[VIDEO_FLAGS] |= FLAG_WRAPS;
        else if (part != PTX_PART_CLAMP && (i->opcode != PTX_VSET || n != 2))
            return false;
    }
    return n >= types;
}

static bool decode_video_scalar(struct decoder *d, const struct ptx_instruction *i)
{
    static const unsigned at[] = {VIDEO_D, VIDEO_A, VIDEO_B};
    struct execute_op wanted = {.detail = {(uint8_t)video_operation(i)}};
    op_place from[3];

    if (i->operand_count < 3 || i->operand_count > 4 || !wanted.detail[VIDEO_OPCODE] ||
        i->operands[0].kind != PTX_REGISTER || !parts_read(i, &wanted))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < i->operand_count; n++) {
        uint8_t whole = 0, *select = n < 3 ? &wanted.detail[at[n]] : &whole;

        if (i->operands[n].negated || !selection(d, &i->operands[n], select) || whole)
            return refuse_instruction(d, i);
        if (n > 0 && !operand_source(d, &i->operands[n], 4, &from[n - 1]))
            return false;
    }
    bool has_third = i->operand_count == 4, is_part = i->operands[0].is_part;

    if (has_third != (is_part || wanted.detail[VIDEO_SECOND]) ||
        (is_part && wanted.detail[VIDEO_SECOND]))
        return refuse_instruction(d, i);
    if (!has_third)
        from[2] = from[0];
    struct execute_op *op =
        emit_lanes(d, video_lanes, operand_target(d, &i->operands[0], 4), from[0]);

    memcpy(op->from, from, sizeof from);
    memcpy(op->detail, wanted.detail, sizeof op->detail);
    return true;
}

bool decode_video(struct decoder *d, const struct ptx_instruction *i)
{
    return i->opcode == PTX_VMAD      ? decode_video_mad(d, i)
           : is_video_simd(i->opcode) ? decode_video_simd(d, i)
                                      : decode_video_scalar(d, i);
}
