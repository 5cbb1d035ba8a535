/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Functions of all rows, and the table to find them. */

#include "execute/lanes/lanes_modify.h"

/* Clamped, and 0 for a NaN. The cast is applied only to numbers that fit. */
static inline int32_t clamp_s32(float value)
{
    int fits = value >= -0x1p31f && value < 0x1p31f;
    int32_t saturated = value > 0 ? INT32_MAX : value < 0 ? INT32_MIN : 0;

    return fits ? (int32_t)(fits ? value : 0) : saturated;
}

static inline uint32_t clamp_u32(float value)
{
    int fits = value > -1 && value < 0x1p32f;

    return fits ? (uint32_t)(fits ? value : 0) : value > 0 ? UINT32_MAX : 0;
}

#define CONVERT(to, from, need, name, result, x, expression)                               \
    UNARY(PTX_CVT, to, need, name, result, x, expression)

#include "execute/lanes/lanes_compare.def"
#include "execute/lanes/lanes_convert.def"
#include "execute/lanes/lanes_float.def"
#include "execute/lanes/lanes_integer.def"

#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
#undef SELECT
#undef PREDICATE
#undef COMPARE
#undef TEST
#undef CONVERT

enum { PTX_PART_ALWAYS = PTX_PART_COUNT };

struct lanes_row {
    op_lanes *lanes;
    uint16_t opcode, need;
    uint8_t type, source, sources;
};

#define ROW(code, type, need, name, sources)                                               \
    {name, code, PTX_PART_##need, PTX_PART_##type, PTX_PART_##type, sources},
#define UNARY(code, type, need, name, ...) ROW(code, type, need, name, 1)
#define BINARY(code, type, need, name, ...) ROW(code, type, need, name, 2)
#define TERNARY(code, type, need, name, ...) ROW(code, type, need, name, 3)
#define QUATERNARY(code, type, need, name, ...) ROW(code, type, need, name, 4)
#define SELECT(code, type, need, name, kind) ROW(code, type, need, name, 3)
#define PREDICATE(code, type, need, name, expression) ROW(code, type, need, name, 2)
#define COMPARE(word, type, name, kind, expression)                                        \
    {name, PTX_SETP, PTX_PART_##word, PTX_PART_##type, PTX_PART_##type, 2},
#define TEST(type, name, kind, expression) ROW(PTX_TESTP, type, ALWAYS, name, 1)
#define CONVERT(to, from, need, name, ...)                                                 \
    {name, PTX_CVT, PTX_PART_##need, PTX_PART_##to, PTX_PART_##from, 1},

static const struct lanes_row rows[] = {
#include "execute/lanes/lanes_compare.def"
#include "execute/lanes/lanes_convert.def"
#include "execute/lanes/lanes_float.def"
#include "execute/lanes/lanes_integer.def"
};

static const struct lanes_row *row_of(const struct execute_op *op)
{
    return &rows[op->detail[DETAIL_ROW] << 8 | op->detail[DETAIL_ROW + 1]];
}

static op_lanes *row_lanes(const struct execute_op *op)
{
    return row_of(op)->lanes;
}

static unsigned row_sources(const struct execute_op *op)
{
    return row_of(op)->sources;
}
