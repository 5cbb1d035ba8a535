/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar video instructions but vmad: 32-bit arithmetic on whole registers, halves and
   bytes. The names of the steps follow the PTX ISA, 9.7.19. */
#include "execute/load/decoder.h"

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
enum video_opcode {
    VIDEO_NONE,
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_EQ,
    VIDEO_NE,
    VIDEO_LT,
    VIDEO_LE,
    VIDEO_GT,
    VIDEO_GE
};

static unsigned select_bits(unsigned select)
{
    return select & SELECT_SIZE ? select & SELECT_SIZE : 32;
}

static int64_t part_extend(uint32_t value, unsigned select)
{
    unsigned bits = select_bits(select);
    uint32_t part = value >> (select & SELECT_NUMBER) * (bits % 32) << (32 - bits);

    return select & SELECT_SIGNED ? (int64_t)((int32_t)part >> (32 - bits))
                                  : (int64_t)(part >> (32 - bits));
}

static int64_t operate(enum video_opcode opcode, int64_t a, int64_t b, bool wraps)
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
    case VIDEO_SHL:
        return a * (INT64_C(1) << shift);
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

static int64_t saturate(int64_t value, unsigned select)
{
    unsigned bits = select_bits(select);
    int64_t most = (INT64_C(1) << (bits - (select & SELECT_SIGNED ? 1 : 0))) - 1;
    int64_t least = select & SELECT_SIGNED ? -most - 1 : 0;

    return value < least ? least : value > most ? most : value;
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
            operate(op->detail[VIDEO_OPCODE], part_extend(x[l], op->detail[VIDEO_A]),
                    part_extend(y[l], op->detail[VIDEO_B]), flags & FLAG_WRAPS);

        if (flags & FLAG_SATURATES)
            value = saturate(value, op->detail[VIDEO_D]);
        to[l] = video_result(op, (uint32_t)value, z[l]);
    }
}

/* r.b2, r.h1 or a whole register. */
static bool selection(const struct decoder *d, const struct ptx_operand *o, uint8_t *out)
{
    const char *end = d->module->text + o->span.offset + o->span.bytes;
    unsigned number = (unsigned)(end[-1] - '0'), count = end[-2] == 'b' ? 4 : 2;

    if (o->kind == PTX_REGISTER && d->function->registers[o->reg].bytes != 4)
        return false;
    if (!o->is_part)
        return true;
    *out |= (uint8_t)((count == 4 ? SELECT_BYTE : SELECT_HALF) | number);
    return (end[-2] == 'b' || end[-2] == 'h') && end[-3] == '.' && number < count;
}

static enum video_opcode video_operation(const struct ptx_instruction *i)
{
    static const struct {
        uint16_t opcode, part;
        uint8_t is;
    } rows[] = {
        {PTX_VADD, PTX_PART_COUNT, VIDEO_ADD},
        {PTX_VSUB, PTX_PART_COUNT, VIDEO_SUB},
        {PTX_VABSDIFF, PTX_PART_COUNT, VIDEO_ABSDIFF},
        {PTX_VMIN, PTX_PART_COUNT, VIDEO_MIN},
        {PTX_VMAX, PTX_PART_COUNT, VIDEO_MAX},
        {PTX_VSHL, PTX_PART_COUNT, VIDEO_SHL},
        {PTX_VSHR, PTX_PART_COUNT, VIDEO_SHR},
        {PTX_VSET, PTX_PART_EQ, VIDEO_EQ},
        {PTX_VSET, PTX_PART_NE, VIDEO_NE},
        {PTX_VSET, PTX_PART_LT, VIDEO_LT},
        {PTX_VSET, PTX_PART_LE, VIDEO_LE},
        {PTX_VSET, PTX_PART_GT, VIDEO_GT},
        {PTX_VSET, PTX_PART_GE, VIDEO_GE},
    };

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        if (rows[n].opcode == i->opcode &&
            (rows[n].part == PTX_PART_COUNT || ptx_has(i, rows[n].part)))
            return rows[n].is;
    return VIDEO_NONE;
}

bool is_video(enum ptx_opcode opcode)
{
    return opcode == PTX_VADD || opcode == PTX_VSUB || opcode == PTX_VABSDIFF ||
           opcode == PTX_VMIN || opcode == PTX_VMAX || opcode == PTX_VSHL ||
           opcode == PTX_VSHR || opcode == PTX_VSET;
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

bool decode_video(struct decoder *d, const struct ptx_instruction *i)
{
    static const unsigned at[] = {VIDEO_D, VIDEO_A, VIDEO_B};
    struct execute_op wanted = {.detail = {(uint8_t)video_operation(i)}};
    op_place from[3];

    if (i->operand_count < 3 || i->operand_count > 4 || !wanted.detail[VIDEO_OPCODE] ||
        i->operands[0].kind != PTX_REGISTER || !parts_read(i, &wanted))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < i->operand_count; n++) {
        uint8_t whole = 0, *select = n < 3 ? &wanted.detail[at[n]] : &whole;

        if (!selection(d, &i->operands[n], select) || whole)
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
