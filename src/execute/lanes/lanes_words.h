/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Types and dotted modifiers of an instruction, as the operations use them. */

#include "execute/lanes/lanes_compare.h"
#include "execute/lanes/lanes_convert.h"

/* Modifiers that select a form of one operation, and their value in detail[0]. */
struct word {
    uint16_t opcode, part;
    uint8_t detail;
};

static const struct word words[] = {
    {PTX_SHF, PTX_PART_WRAP, 1},
    {PTX_SHF, PTX_PART_CLAMP, 0},
    {PTX_BMSK, PTX_PART_WRAP, 1},
    {PTX_BMSK, PTX_PART_CLAMP, 0},
    {PTX_SZEXT, PTX_PART_WRAP, 1},
    {PTX_SZEXT, PTX_PART_CLAMP, 0},
    {PTX_BFIND, PTX_PART_SHIFTAMT, 1},
    {PTX_MAD, PTX_PART_SAT, 1},
    {PTX_MAD24, PTX_PART_SAT, 1},
    {PTX_PRMT, PTX_PART_F4E, PERMUTE_F4E},
    {PTX_PRMT, PTX_PART_B4E, PERMUTE_B4E},
    {PTX_PRMT, PTX_PART_RC8, PERMUTE_RC8},
    {PTX_PRMT, PTX_PART_ECL, PERMUTE_ECL},
    {PTX_PRMT, PTX_PART_ECR, PERMUTE_ECR},
    {PTX_PRMT, PTX_PART_RC16, PERMUTE_RC16},
    {PTX_DP2A, PTX_PART_LO, 0},
    {PTX_DP2A, PTX_PART_HI, DOT_HIGH},
    {PTX_FMA, PTX_PART_OOB, 0},
    {PTX_SLCT, PTX_PART_FTZ, SELECT_FLUSHED},
    {PTX_MIN, PTX_PART_NAN_WINS, PICK_NAN},
    {PTX_MIN, PTX_PART_XORSIGN, PICK_XORSIGN},
    {PTX_MIN, PTX_PART_ABS, 0},
    {PTX_MAX, PTX_PART_NAN_WINS, PICK_NAN},
    {PTX_MAX, PTX_PART_XORSIGN, PICK_XORSIGN},
    {PTX_MAX, PTX_PART_ABS, 0},
    {PTX_SETP, PTX_PART_AND, COMBINE_AND},
    {PTX_SETP, PTX_PART_OR, COMBINE_OR},
    {PTX_SETP, PTX_PART_XOR, COMBINE_XOR},
    {PTX_SET, PTX_PART_AND, COMBINE_AND},
    {PTX_SET, PTX_PART_OR, COMBINE_OR},
    {PTX_SET, PTX_PART_XOR, COMBINE_XOR},
    {PTX_TESTP, PTX_PART_FINITE, TEST_FINITE},
    {PTX_TESTP, PTX_PART_INFINITE, TEST_INFINITE},
    {PTX_TESTP, PTX_PART_NUMBER, TEST_NUMBER},
    {PTX_TESTP, PTX_PART_NOTANUMBER, TEST_NAN},
    {PTX_TESTP, PTX_PART_NORMAL, TEST_NORMAL},
    {PTX_TESTP, PTX_PART_SUBNORMAL, TEST_SUBNORMAL},
};

static const struct word *word_find(unsigned opcode, unsigned part)
{
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (words[k].opcode == opcode && words[k].part == part)
            return &words[k];
    return NULL;
}

/* Types are first among the parts. */
static bool is_type(unsigned part)
{
    return part < PTX_PART_GLOBAL;
}

static bool is_float(unsigned type)
{
    return type == PTX_PART_F16 || type == PTX_PART_BF16 || type == PTX_PART_F32 ||
           type == PTX_PART_F64;
}

static bool is_signed(unsigned type)
{
    return type == PTX_PART_S8 || type == PTX_PART_S16 || type == PTX_PART_S32 ||
           type == PTX_PART_S64;
}

static unsigned type_bytes(unsigned type)
{
    static const uint8_t bytes[PTX_PART_GLOBAL] = {
        [PTX_PART_U8] = 1,    [PTX_PART_S8] = 1,    [PTX_PART_B8] = 1,
        [PTX_PART_U16] = 2,   [PTX_PART_S16] = 2,   [PTX_PART_B16] = 2,
        [PTX_PART_F16] = 2,   [PTX_PART_BF16] = 2,  [PTX_PART_U32] = 4,
        [PTX_PART_S32] = 4,   [PTX_PART_B32] = 4,   [PTX_PART_F32] = 4,
        [PTX_PART_TF32] = 4,  [PTX_PART_F16X2] = 4, [PTX_PART_BF16X2] = 4,
        [PTX_PART_U16X2] = 4, [PTX_PART_S16X2] = 4, [PTX_PART_U64] = 8,
        [PTX_PART_S64] = 8,   [PTX_PART_B64] = 8,   [PTX_PART_F64] = 8,
        [PTX_PART_F32X2] = 8, [PTX_PART_B128] = 16,
    };

    return bytes[type];
}

/* The type whose row also serves this type, because the sign does not matter. */
static unsigned unsigned_kin(unsigned type)
{
    switch (type) {
    case PTX_PART_S16:
    case PTX_PART_B16:
        return PTX_PART_U16;
    case PTX_PART_S32:
    case PTX_PART_B32:
        return PTX_PART_U32;
    case PTX_PART_S64:
    case PTX_PART_B64:
        return PTX_PART_U64;
    default:
        return PTX_PART_COUNT;
    }
}

/* For moves: the bit type of a type's size. */
static unsigned bits_alone(unsigned type)
{
    if (type == PTX_PART_PRED || type == PTX_PART_S16)
        return type;
    switch (type_bytes(type)) {
    case 2:
        return PTX_PART_U16;
    case 4:
        return PTX_PART_U32;
    default:
        return PTX_PART_U64;
    }
}

static unsigned half_type(unsigned type, unsigned *flags)
{
    static const struct {
        uint8_t pair, half, flag;
    } pairs[] = {
        {PTX_PART_F16X2, PTX_PART_F16, FLAG_PAIR},
        {PTX_PART_BF16X2, PTX_PART_BF16, FLAG_PAIR},
        {PTX_PART_U16X2, PTX_PART_U16, FLAG_PAIR},
        {PTX_PART_S16X2, PTX_PART_S16, FLAG_PAIR},
        {PTX_PART_F32X2, PTX_PART_F32, FLAG_WIDE_PAIR},
    };

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (pairs[k].pair == type) {
            *flags |= pairs[k].flag;
            return pairs[k].half;
        }
    return type;
}

static enum format format_of(unsigned type)
{
    return type == PTX_PART_F32    ? OF_F32
           : type == PTX_PART_F16  ? OF_F16
           : type == PTX_PART_BF16 ? OF_BF16
                                   : OF_OTHER;
}

/* Reads a floating-point modifier that the type may have. For f64, .ftz of an approximate
   operation only affects bits that the operation does not read. */
static bool modifier_read(unsigned part, unsigned type, unsigned *flags,
                          enum rounding *mode)
{
    switch (part) {
    case PTX_PART_RN:
    case PTX_PART_APPROX:
    case PTX_PART_FULL:
        return true;
    case PTX_PART_RZ:
    case PTX_PART_RM:
    case PTX_PART_RP:
        *mode = part == PTX_PART_RZ   ? ROUND_ZERO
                : part == PTX_PART_RM ? ROUND_DOWN
                                      : ROUND_UP;
        return type == PTX_PART_F32 || type == PTX_PART_F64;
    case PTX_PART_FTZ:
        *flags |= type == PTX_PART_F64 ? 0 : FLAG_FTZ;
        return true;
    case PTX_PART_SAT:
        *flags |= FLAG_SAT;
        return type != PTX_PART_F64;
    case PTX_PART_RELU:
        *flags |= FLAG_RELU;
        return type != PTX_PART_F64;
    default:
        return false;
    }
}

/* True for a type of a single number that arithmetic supports. */
static bool is_number(unsigned type)
{
    return is_float(type) || integer_limits(type).is_integer;
}

static bool convert_word_read(unsigned part, unsigned *flags, enum rounding *mode,
                              unsigned *integral)
{
    static const struct {
        uint16_t part;
        uint8_t flag, rounding, integral;
    } known[] = {
        {PTX_PART_RN, 0, ROUND_NEAREST, 0},
        {PTX_PART_RZ, 0, ROUND_ZERO, 0},
        {PTX_PART_RM, 0, ROUND_DOWN, 0},
        {PTX_PART_RP, 0, ROUND_UP, 0},
        {PTX_PART_RNA, 0, ROUND_AWAY, 0},
        {PTX_PART_RNI, 0, ROUND_NEAREST, CVT_INTEGRAL},
        {PTX_PART_RZI, 0, ROUND_ZERO, CVT_INTEGRAL},
        {PTX_PART_RMI, 0, ROUND_DOWN, CVT_INTEGRAL},
        {PTX_PART_RPI, 0, ROUND_UP, CVT_INTEGRAL},
        {PTX_PART_FTZ, FLAG_FTZ, 0, 0},
        {PTX_PART_SAT, FLAG_SAT, 0, 0},
        {PTX_PART_RELU, FLAG_RELU, 0, 0},
        {PTX_PART_SATFINITE, CVT_FINITE, 0, 0},
    };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].part == part) {
            *flags |= known[k].flag;
            *integral |= known[k].integral;
            if (!known[k].flag)
                *mode = known[k].rounding;
            return true;
        }
    return false;
}
