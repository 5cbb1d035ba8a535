/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Macros that define functions from rows. Other macros of the project define rows only.
   Here about 350 functions differ only in name, lane kinds and one expression. The name is
   spelled out in the row, so a search finds it. */

#include "execute/lanes/lanes_float.h"
#include "execute/lanes/lanes_integer.h"
#include "execute/lanes/lanes_shape.h"

#define ARGUMENTS const struct op_registers *r, const struct execute_op *op, uint32_t mask

#define SOURCE(kind, number) ((const lane_##kind *)op_register(r, op->from[number]))

/* `sources` declares pointers to the operands, `operands` the values a, b, ... of lane
   l. */
#define LANEWISE(name, result, sources, operands, expression)                              \
    static void name(ARGUMENTS)                                                            \
    {                                                                                      \
        struct lanes_scratch scratch;                                                      \
        void *to = op_register(r, op->to);                                                 \
        lane_##result *out = lanes_begin(to, &scratch, mask);                              \
        const unsigned detail = op->detail[0];                                             \
        sources;                                                                           \
                                                                                           \
        (void)detail;                                                                      \
        FOR_LANES(l)                                                                       \
        {                                                                                  \
            operands;                                                                      \
            value_##result value = (value_##result)(expression);                           \
            out[l] = write_##result(value);                                                \
        }                                                                                  \
        lanes_end(to, out, sizeof *out, mask);                                             \
    }

#define FROM(kind, letter, number) const lane_##kind *letter##_lanes = SOURCE(kind, number)
#define READ(kind, letter) value_##kind letter = read_##kind(letter##_lanes[l])

#define UNARY(code, type, need, name, result, x, expression)                               \
    LANEWISE(name, result, FROM(x, a, 0), READ(x, a), expression)
#define BINARY(code, type, need, name, result, x, y, expression)                           \
    LANEWISE(name, result, FROM(x, a, 0); FROM(y, b, 1), READ(x, a); READ(y, b), expression)
#define TERNARY(code, type, need, name, result, x, y, z, expression)                       \
    LANEWISE(name, result, FROM(x, a, 0); FROM(y, b, 1); FROM(z, c, 2), READ(x, a);        \
             READ(y, b); READ(z, c), expression)
#define QUATERNARY(code, type, need, name, result, x, y, z, u, expression)                 \
    LANEWISE(name, result, FROM(x, a, 0); FROM(y, b, 1); FROM(z, c, 2);                    \
             FROM(u, d, 3), READ(x, a); READ(y, b); READ(z, c); READ(u, d), expression)

#define SELECT(code, type, need, name, kind)                                               \
    static void name(ARGUMENTS)                                                            \
    {                                                                                      \
        struct lanes_scratch scratch;                                                      \
        void *to = op_register(r, op->to);                                                 \
        lane_##kind *out = lanes_begin(to, &scratch, mask);                                \
        const uint32_t choice = *SOURCE(u32, 2);                                           \
        FROM(kind, a, 0);                                                                  \
        FROM(kind, b, 1);                                                                  \
                                                                                           \
        FOR_LANES(l)                                                                       \
        {                                                                                  \
            READ(kind, a);                                                                 \
            READ(kind, b);                                                                 \
            out[l] = choice >> l & 1 ? a : b;                                              \
        }                                                                                  \
        lanes_end(to, out, sizeof *out, mask);                                             \
    }

/* A predicate is one mask. */
#define PREDICATE(code, type, need, name, expression)                                      \
    static void name(ARGUMENTS)                                                            \
    {                                                                                      \
        uint32_t a = *SOURCE(u32, 0);                                                      \
        uint32_t b = op->from[1] == PLACE_NONE ? 0 : *SOURCE(u32, 1);                      \
                                                                                           \
        (void)b;                                                                           \
        blend_mask(op_register(r, op->to), expression, mask);                              \
    }

#define COMPARE(word, type, name, kind, expression)                                        \
    static void name(ARGUMENTS)                                                            \
    {                                                                                      \
        int32_t truth[LANES];                                                              \
        FROM(kind, a, 0);                                                                  \
        FROM(kind, b, 1);                                                                  \
                                                                                           \
        FOR_LANES(l)                                                                       \
        {                                                                                  \
            READ(kind, a);                                                                 \
            READ(kind, b);                                                                 \
            truth[l] = -(expression);                                                      \
        }                                                                                  \
        blend_mask(op_register(r, op->to), lanes_mask(truth), mask);                       \
    }

#define TEST(type, name, kind, expression)                                                 \
    static void name(ARGUMENTS)                                                            \
    {                                                                                      \
        int32_t truth[LANES];                                                              \
        FROM(kind, a, 0);                                                                  \
        const unsigned detail = op->detail[0];                                             \
                                                                                           \
        FOR_LANES(l)                                                                       \
        {                                                                                  \
            READ(kind, a);                                                                 \
            truth[l] = -(expression);                                                      \
        }                                                                                  \
        blend_mask(op_register(r, op->to), lanes_mask(truth), mask);                       \
    }
