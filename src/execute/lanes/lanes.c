/* SPDX-License-Identifier: Apache-2.0 */

/* Register operations, and their selection for an instruction. This file is compiled once
   per processor, each time to one table: LANES_TABLE is its name, LANES_PROCESSOR its
   description. Everything else is static, so that the three builds do not conflict. The
   headers of this folder are parts of this unit. */

#include "execute/lanes/lanes_carry.h"
#include "execute/lanes/lanes_compare.h"
#include "execute/lanes/lanes_convert.h"
#include "execute/lanes/lanes_eight.h"
#include "execute/lanes/lanes_matrix.h"
#include "execute/lanes/lanes_move.h"
#include "execute/lanes/lanes_pack.h"
#include "execute/lanes/lanes_table.h"
#include "execute/lanes/lanes_words.h"

/* Modifiers of the instruction. */
struct wanted {
    const struct ptx_instruction *i;
    unsigned types[2]; /* the first and the last type of the instruction */
    unsigned type;     /* type of the row: one half of a pair */
    unsigned flags, own;
    enum rounding rounding;
    bool has_rounding;
};

static bool has(const struct ptx_instruction *i, unsigned part)
{
    for (unsigned k = 0; k < i->part_count; k++)
        if (i->parts[k] == part)
            return true;
    return false;
}

static const struct lanes_row *row_find(const struct wanted *w, unsigned opcode)
{
    for (unsigned type = w->type; type != PTX_PART_ALWAYS; type = unsigned_kin(type))
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (rows[k].opcode == opcode && rows[k].type == type &&
                (rows[k].need == PTX_PART_ALWAYS || has(w->i, rows[k].need)))
                return &rows[k];
    return NULL;
}

/* Every modifier must be known; otherwise the instruction is refused. */
static bool words_read(struct wanted *w, unsigned need)
{
    for (unsigned k = 0; k < w->i->part_count; k++) {
        unsigned part = w->i->parts[k];
        const struct word *word = word_find(w->i->opcode, part);

        if (is_type(part))
            continue;
        if (is_float(w->type) && modifier_read(part, w->type, &w->flags, &w->rounding))
            continue;
        if (word)
            w->own |= word->detail;
        else if (part != need || part == PTX_PART_COUNT) /* of no known spelling */
            return false;
    }
    return true;
}

static bool row_taken(const struct wanted *w, const struct lanes_row *row,
                      struct execute_op *op)
{
    size_t index = (size_t)(row - rows);

    memset(op->detail, 0, sizeof op->detail);
    op->detail[DETAIL_OWN] = (uint8_t)w->own;
    op->detail[DETAIL_FLAGS] = (uint8_t)w->flags;
    op->detail[DETAIL_ROUNDING] = (uint8_t)w->rounding;
    op->detail[DETAIL_FORMAT] = (uint8_t)format_of(w->type);
    op->detail[DETAIL_ROW] = (uint8_t)(index >> 8);
    op->detail[DETAIL_ROW + 1] = (uint8_t)index;
    op->lanes = w->flags & (FLAG_PAIR | FLAG_WIDE_PAIR) ? modified_pair
                : w->flags                              ? modified
                : w->rounding != ROUND_NEAREST          ? rounded
                                                        : row->lanes;
    return true;
}

/* Operands and modifiers that the table of modifiers cannot express. */
static bool oddities_read(struct wanted *w)
{
    switch (w->i->opcode) {
    case PTX_LOP3:
        if (w->i->operand_count != 5)
            return false;
        w->own = (unsigned)w->i->operands[4].integer & 255;
        return true;
    case PTX_DP4A:
    case PTX_DP2A:
        w->own |= (is_signed(w->types[0]) ? DOT_A_SIGNED : 0) |
                  (is_signed(w->types[1]) ? DOT_B_SIGNED : 0);
        return true;
    case PTX_FMA:
        w->flags |= has(w->i, PTX_PART_OOB) ? FLAG_OOB : 0;
        return !(w->flags & FLAG_OOB) ||
               (!(w->flags & FLAG_FTZ) &&
                (w->type == PTX_PART_F16 || w->type == PTX_PART_BF16));
    case PTX_SLCT:
        w->own |= w->types[1] == PTX_PART_F32 ? SELECT_BY_FLOAT : 0;
        return true;
    default:
        return true;
    }
}

/* Forms with more types or operands than the row are other operations: sums of mixed types,
   minima of three numbers. */
static bool row_fits(const struct wanted *w, const struct lanes_row *row)
{
    unsigned opcode = w->i->opcode, types = 0;
    bool has_two = opcode == PTX_SLCT || opcode == PTX_DP4A || opcode == PTX_DP2A;

    for (unsigned k = 0; k < w->i->part_count; k++)
        types += is_type(w->i->parts[k]);
    return types <= (has_two ? 2 : 1) &&
           w->i->operand_count <= row->sources + (opcode == PTX_LOP3 ? 2u : 1u);
}

static bool choose_row(struct wanted *w, struct execute_op *op)
{
    unsigned opcode = w->i->opcode;

    if (opcode == PTX_MOV || opcode == PTX_SELP || opcode == PTX_SLCT)
        w->type = bits_alone(w->types[0]);
    else if (opcode == PTX_DP4A || opcode == PTX_DP2A)
        w->type = PTX_PART_U32;
    const struct lanes_row *row = row_find(w, opcode);

    if (!row || !row_fits(w, row) || !words_read(w, row->need) || !oddities_read(w))
        return false;
    return row_taken(w, row, op);
}

/* A comparison of pairs returns a pair of its own type, or halves of a 32-bit integer. */
static bool set_types_agree(const struct wanted *w)
{
    unsigned pairs = 0, to = w->types[0];

    half_type(to, &pairs);
    return w->flags & FLAG_PAIR
               ? to == w->types[1] || to == PTX_PART_U32 || to == PTX_PART_S32
               : pairs == 0;
}

/* set compares values of its second type and returns its first type. */
static bool choose_compare(struct wanted *w, struct execute_op *op)
{
    bool is_set = w->i->opcode == PTX_SET;
    unsigned values = sizeof set_values / sizeof *set_values, value = 0;

    w->type = half_type(w->types[is_set], &w->flags);
    const struct lanes_row *row = row_find(w, PTX_SETP);

    if (!row || (is_set && !set_types_agree(w)) || !words_read(w, row->need))
        return false;
    while (is_set && value < values && set_values[value].type != w->types[0])
        value++;
    if (value == values || w->flags & ~(unsigned)(FLAG_FTZ | FLAG_PAIR) ||
        w->rounding != ROUND_NEAREST)
        return false;
    if (is_set)
        w->own |= value << SET_SHIFT;
    row_taken(w, row, op);
    if (is_set)
        op->lanes = set_number;
    else if (w->own || w->flags || op->to2 != PLACE_NONE || op->to == PLACE_NONE)
        op->lanes = setp_combined;
    return true;
}

static bool choose_carry(const struct wanted *w, struct execute_op *op)
{
    enum ptx_opcode opcode = w->i->opcode;
    bool subtracts = opcode == PTX_SUB || opcode == PTX_SUBC;
    bool multiplies = opcode == PTX_MAD || opcode == PTX_MADC;
    bool carries_in = opcode == PTX_ADDC || opcode == PTX_SUBC || opcode == PTX_MADC;
    unsigned bytes = type_bytes(w->type),
             product = has(w->i, PTX_PART_HI) ? CARRY_HIGH : CARRY_LOW;

    for (unsigned k = 0; k < w->i->part_count; k++)
        if (!is_type(w->i->parts[k]) && w->i->parts[k] != PTX_PART_CC &&
            !(multiplies &&
              (w->i->parts[k] == PTX_PART_LO || w->i->parts[k] == PTX_PART_HI)))
            return false;
    if (is_float(w->type) || bytes < 4)
        return false;
    memset(op->detail, 0, sizeof op->detail);
    op->detail[0] =
        (uint8_t)((carries_in ? CARRY_IN : 0) | (subtracts ? CARRY_SUBTRACTS : 0) |
                  (has(w->i, PTX_PART_CC) ? CARRY_OUT : 0) | (multiplies ? product : 0) |
                  (is_signed(w->type) ? CARRY_SIGNED : 0) | (bytes == 8 ? CARRY_WIDE : 0));
    op->lanes = with_carry;
    return true;
}

static bool choose_vector_move(const struct wanted *w, struct execute_op *op)
{
    const struct ptx_operand *to = &w->i->operands[0], *from = &w->i->operands[1];
    bool packs = from->kind == PTX_VECTOR;
    unsigned count = packs ? from->count : to->kind == PTX_VECTOR ? to->count : 1;
    unsigned bytes = type_bytes(w->types[0]);

    if ((count != 1 && count != 2 && count != 4) || bytes < count ||
        (packs && to->kind == PTX_VECTOR))
        return false;
    op->detail[MOVE_COUNT] = (uint8_t)count;
    op->detail[MOVE_BYTES] = (uint8_t)(bytes / count);
    if (count == 1)
        op->lanes = move_128;
    else if (count == 2 && bytes == 8)
        op->lanes = packs ? move_pack_2x32 : move_unpack_2x32;
    else
        op->lanes = packs ? move_pack : move_unpack;
    return w->i->part_count == 1;
}

/* Row of a conversion with registers as wide as the types and no modifier unknown to the
   row. */
static bool choose_convert_row(struct wanted *w, struct execute_op *op)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct lanes_row *row = &rows[k];
        unsigned others = w->i->part_count - 2u - (row->need != PTX_PART_ALWAYS);

        if (row->opcode == PTX_CVT && row->type == w->types[0] &&
            row->source == w->types[1] && others == 0 &&
            (row->need == PTX_PART_ALWAYS || has(w->i, row->need))) {
            op->lanes = row->lanes;
            return true;
        }
    }
    return false;
}

static bool is_eight(unsigned type)
{
    return type == PTX_PART_E4M3X2 || type == PTX_PART_E5M2X2;
}

/* .satfinite is required for a conversion to 8 bits and invalid for one from 8 bits. */
static bool choose_eight(const struct wanted *w, struct execute_op *op)
{
    bool is_to = is_eight(w->types[0]), relu = has(w->i, PTX_PART_RELU);
    unsigned eight = w->types[!is_to], other = w->types[is_to];

    if (is_eight(other) || !(other == PTX_PART_F16X2 || (is_to && other == PTX_PART_F32)) ||
        !has(w->i, PTX_PART_RN) || has(w->i, PTX_PART_SATFINITE) != is_to ||
        w->i->part_count != 3u + relu + is_to)
        return false;
    memset(op->detail, 0, sizeof op->detail);
    op->detail[EIGHT_KIND] = eight == PTX_PART_E5M2X2 ? MATRIX_E5M2 : MATRIX_E4M3;
    op->detail[EIGHT_OTHER] = (uint8_t)other;
    op->detail[EIGHT_RELU] = relu;
    op->lanes = is_to ? to_eight : of_eight;
    return true;
}

/* cvt.pack.sat.{u16, s16}.s32, and cvt.pack.sat.{u8, s8, u4, s4, u2, s2}.s32.b32 with a
   third source. */
static bool choose_pack(const struct wanted *w, struct execute_op *op)
{
    static const struct {
        uint16_t part;
        uint8_t bits, is_signed;
    } kinds[] = {
        {PTX_PART_U16, 16, 0}, {PTX_PART_S16, 16, 1}, {PTX_PART_U8, 8, 0},
        {PTX_PART_S8, 8, 1},   {PTX_PART_U4, 4, 0},   {PTX_PART_S4, 4, 1},
        {PTX_PART_U2, 2, 0},   {PTX_PART_S2, 2, 1},
    };
    const uint16_t *parts = w->i->parts;
    unsigned k = 0;

    if (w->i->part_count < 4 || parts[0] != PTX_PART_PACK || parts[1] != PTX_PART_SAT ||
        parts[3] != PTX_PART_S32)
        return false;
    while (k < sizeof kinds / sizeof *kinds && kinds[k].part != parts[2])
        k++;
    if (k == sizeof kinds / sizeof *kinds)
        return false;
    bool adds = kinds[k].bits < 16;

    if (w->i->part_count != 4u + adds || w->i->operand_count != 3u + adds ||
        (adds && parts[4] != PTX_PART_B32))
        return false;
    memset(op->detail, 0, sizeof op->detail);
    op->detail[PACK_BITS] = kinds[k].bits;
    op->detail[PACK_SIGNED] = kinds[k].is_signed;
    op->detail[PACK_ADDS] = adds;
    op->lanes = pack_clamped;
    return true;
}

/* Types to which .satfinite converts an f32, besides those of eight bits. */
static bool has_finite_form(unsigned to)
{
    return to == PTX_PART_F16 || to == PTX_PART_F16X2 || to == PTX_PART_BF16 ||
           to == PTX_PART_BF16X2 || to == PTX_PART_TF32;
}

static bool choose_convert(struct wanted *w, struct execute_op *op)
{
    unsigned to_bytes = op->detail[0], from_bytes = op->detail[1], integral = 0;
    unsigned to = w->types[0], from = w->types[1];
    bool pair = to == PTX_PART_F16X2 || to == PTX_PART_BF16X2;
    bool to_wide = type_bytes(to) == 8 || to_bytes == 8;
    bool from_wide = type_bytes(from) == 8 || from_bytes == 8;
    bool as_types =
        to_wide == (type_bytes(to) == 8) && from_wide == (type_bytes(from) == 8);

    if (!(pair || to == PTX_PART_TF32 || is_number(to)) || !is_number(from) ||
        (pair && (from != PTX_PART_F32 || to_wide)) ||
        (to == PTX_PART_TF32 && from != PTX_PART_F32))
        return false;
    for (unsigned k = 0; k < w->i->part_count; k++)
        if (!is_type(w->i->parts[k]) &&
            !convert_word_read(w->i->parts[k], &w->flags, &w->rounding, &integral))
            return false;
    if (w->flags & CVT_FINITE && !(from == PTX_PART_F32 && has_finite_form(to)))
        return false;
    memset(op->detail, 0, sizeof op->detail);
    if (as_types && choose_convert_row(w, op))
        return true;
    op->detail[CVT_TO] = (uint8_t)half_type(to, &integral);
    op->detail[CVT_FROM] = (uint8_t)from;
    op->detail[CVT_ROUNDING] = (uint8_t)w->rounding;
    op->detail[CVT_FLAGS] =
        (uint8_t)(w->flags | (integral & CVT_INTEGRAL) | (pair ? CVT_PAIR : 0));
    op->detail[CVT_REGISTERS] =
        (uint8_t)((to_wide ? CVT_TO_WIDE : 0) | (from_wide ? CVT_FROM_WIDE : 0));
    op->lanes = convert;
    return true;
}

static bool choose(const struct ptx_instruction *i, struct execute_op *op)
{
    struct wanted w = {.i = i, .types = {PTX_PART_ALWAYS, PTX_PART_ALWAYS}};

    for (unsigned k = 0; k < i->part_count; k++)
        if (is_type(i->parts[k])) {
            w.types[0] = w.types[0] == PTX_PART_ALWAYS ? i->parts[k] : w.types[0];
            w.types[1] = i->parts[k];
        }
    if (w.types[0] == PTX_PART_ALWAYS)
        return false;
    w.type = half_type(w.types[0], &w.flags);
    switch (i->opcode) {
    case PTX_CVT:
        if (has(i, PTX_PART_PACK))
            return choose_pack(&w, op);
        return is_eight(w.types[0]) || is_eight(w.types[1]) ? choose_eight(&w, op)
                                                            : choose_convert(&w, op);
    case PTX_SETP:
    case PTX_SET:
        w.flags = 0;
        return choose_compare(&w, op);
    case PTX_MOV:
    case PTX_SELP:
    case PTX_SLCT:
        w.flags = 0;
        if (i->opcode == PTX_MOV &&
            (i->operands[0].kind == PTX_VECTOR || i->operands[1].kind == PTX_VECTOR ||
             w.types[0] == PTX_PART_B128))
            return choose_vector_move(&w, op);
        return choose_row(&w, op);
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_MADC:
        return choose_carry(&w, op);
    default:
        return has(i, PTX_PART_CC) ? choose_carry(&w, op) : choose_row(&w, op);
    }
}

const struct op_table LANES_TABLE = {LANES_PROCESSOR, choose, multiply};
