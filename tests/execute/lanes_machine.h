/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One instruction on one warp, for the tests of the operations on registers. An instruction
   is a line of lanes_cases.def. Values are 32 lanes of 64 bits each; a predicate is 0 or
   1. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "execute/op.h"

struct lanes_case {
    const char *text, *signature;
};

static const struct lanes_case lanes_cases[] = {
#define CASE(text, signature) {text, signature},
#include "lanes_cases.def"
#undef CASE
};
enum { LANES_CASES = sizeof lanes_cases / sizeof *lanes_cases };

static const char *const opcode_words[] = {
#define OPCODE(tag, spelling, effect) spelling,
#include "ptx/opcode.def"
#undef OPCODE
};
static const char *const part_words[] = {
#define PART(tag, spelling) spelling,
#include "ptx/part.def"
#undef PART
};

static inline unsigned word_index(const char *const *words, unsigned count,
                                  const char *word, size_t length)
{
    for (unsigned k = 0; k < count; k++)
        if (strlen(words[k]) == length && !memcmp(words[k], word, length))
            return k;
    fail_msg("no row for %.*s", (int)length, word);
    return 0;
}

struct machine {
    struct ptx_instruction instruction;
    struct ptx_operand operands[6];
    unsigned type, source_type; /* the first and the last */
    unsigned to_count, from_count;
    char to[2], from[5]; /* kinds of the registers, as in the signature */
    uint64_t in[4][LANES], out[2][LANES];
};

/* Reads text and signature; the caller fills `in`. */
static inline void machine_init(struct machine *m, const char *text, const char *signature)
{
    const char *space = strchr(text, ' '), *end = space ? space : text + strlen(text);
    const char *equal = strchr(signature, '=');
    size_t length = strcspn(text, ". ");

    memset(m, 0, sizeof *m);
    m->instruction.opcode =
        word_index(opcode_words, sizeof opcode_words / sizeof *opcode_words, text, length);
    m->type = m->source_type = PTX_PART_COUNT;
    for (const char *word = text + length; word < end; word += length) {
        length = strcspn(++word, ". ");
        unsigned part =
            word_index(part_words, sizeof part_words / sizeof *part_words, word, length);

        m->instruction.parts[m->instruction.part_count++] = (uint16_t)part;
        if (part < PTX_PART_GLOBAL) {
            m->type = m->type == PTX_PART_COUNT ? part : m->type;
            m->source_type = part;
        }
    }
    m->to_count = (unsigned)(equal - signature);
    m->from_count = (unsigned)strlen(equal + 1);
    memcpy(m->to, signature, m->to_count);
    memcpy(m->from, equal + 1, m->from_count);
    m->instruction.operands = m->operands;
    m->instruction.operand_count = 1 + m->from_count + (space != NULL);
    if (m->to_count == 2)
        m->operands[0].kind = PTX_PAIR;
    if (space) {
        m->operands[m->from_count + 1].kind = PTX_INTEGER;
        m->operands[m->from_count + 1].integer = strtol(space + 1, NULL, 0);
    }
}

static inline bool machine_has(const struct machine *m, unsigned part)
{
    for (unsigned k = 0; k < m->instruction.part_count; k++)
        if (m->instruction.parts[k] == part)
            return true;
    return false;
}

static inline uint64_t kind_bits(char kind, uint64_t value)
{
    return kind == 'p'   ? value & 1
           : kind == '2' ? value & 0xffff
           : kind == '4' ? value & UINT32_MAX
                         : value;
}

enum { SLOT = LANES * 8, SLOTS = 8, JUNK = 0x5a };

static inline uint64_t slot_lane(const unsigned char *slot, char kind, unsigned l)
{
    uint64_t wide = 0;

    if (kind == 'p')
        memcpy(&wide, slot, 4), wide = wide >> l & 1;
    else if (kind == '8')
        memcpy(&wide, slot + l * 8, 8);
    else
        memcpy(&wide, slot + l * 4, 4);
    return wide;
}

static inline void slot_fill(unsigned char *slot, char kind, const uint64_t values[LANES])
{
    uint32_t mask = 0;

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t value = kind == '2' ? (values[l] & 0xffff) | 0xbeef0000 : values[l];

        mask |= (uint32_t)(values[l] & 1) << l;
        memcpy(slot + l * (kind == '8' ? 8 : 4), &value, kind == '8' ? 8 : 4);
    }
    if (kind == 'p')
        memcpy(slot, &mask, sizeof mask);
}

/* A 16-bit result fills its lane with the sign of the type. */
static inline uint64_t lane_checked(const struct machine *m, char kind, uint64_t lane)
{
    bool is_signed = m->type == PTX_PART_S8 || m->type == PTX_PART_S16;
    uint64_t high = is_signed && (lane & 0x8000) ? 0xffff0000 : 0;

    if (kind != '2')
        return lane;
    assert_int_equal(lane & 0xffff0000, high);
    return lane & 0xffff;
}

/* Destinations are in this warp's register file, sources in this one and two others. */
static inline void machine_run(struct machine *m, const struct op_table *table,
                               uint32_t mask)
{
    _Alignas(8) unsigned char slots[SLOTS][SLOT];
    struct op_registers r = {{slots[0], slots[3], slots[4], slots[5]}};
    struct execute_op op = {.to = PLACE(FILE_WARP, SLOT),
                            .to2 = PLACE_NONE,
                            .from = {PLACE_NONE, PLACE_NONE, PLACE_NONE, PLACE_NONE},
                            .source = &m->instruction};

    memset(slots, JUNK, sizeof slots);
    for (unsigned k = 0; k < m->from_count; k++) {
        op.from[k] = k == 3 ? PLACE(FILE_WARP, 6 * SLOT) : PLACE(FILE_SLOT + k, 0);
        slot_fill(op_register(&r, op.from[k]), m->from[k], m->in[k]);
    }
    if (m->to_count == 2)
        op.to2 = PLACE(FILE_WARP, 2 * SLOT);
    op.detail[0] = m->to[0] == '8' ? 8 : 4;
    op.detail[1] = m->from[0] == '8' ? 8 : 4;
    assert_true(table->choose(&m->instruction, &op));
    op.lanes(&r, &op, mask);
    for (unsigned d = 0; d < m->to_count; d++)
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t lane = slot_lane(slots[1 + d], m->to[d], l),
                     old = UINT64_C(0x5a5a5a5a5a5a5a5a);

            if (!(mask >> l & 1))
                assert_int_equal(lane, m->to[d] == 'p'   ? old >> l & 1
                                       : m->to[d] == '8' ? old
                                                         : old & UINT32_MAX);
            else
                m->out[d][l] = lane_checked(m, m->to[d], lane);
        }
}

/* Random numbers that are the same in every run. */
static inline uint64_t chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline uint64_t edge_32(uint64_t pick)
{
    static const uint32_t edges[] = {
        0,          1,          2,          3,          4,          7,          8,
        15,         16,         23,         31,         32,         33,         63,
        64,         65,         127,        128,        255,        256,        0x7fff,
        0x8000,     0xffff,     0x10000,    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
        0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000,
        0x40200000, 0xc0200000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
        0x00800000, 0x80800000, 0x007fffff, 0x807fffff, 0x00000001, 0x7f7fffff, 0xff7fffff,
        0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x477fe000, 0x477ff000,
        0x33000000, 0x33800000, 0x38800000, 0x387fe000, 0x3f7fffff, 0x3f800001, 0x7f7f8000,
        0x7e967699, 0x3effffff, 0x4b000001, 0x437f8000, 0x42ff0000,
    };

    return edges[pick % (sizeof edges / sizeof *edges)];
}

static inline uint64_t edge_16(uint64_t pick)
{
    static const uint16_t edges[] = {
        0,      1,      2,      0x7fff, 0x8000, 0x8001, 0xffff, 0x3c00, 0xbc00,
        0x3800, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x0400, 0x03ff, 0x83ff,
        0x7bff, 0xfbff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x0080, 0x007f, 0x7f7f,
        0x3bff, 0x3c01, 0x4248, 31,     255,    0x00ff,
    };

    return edges[pick % (sizeof edges / sizeof *edges)];
}

static inline uint64_t edge_64(uint64_t pick)
{
    static const uint64_t edges[] = {
        0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
        0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x0010000000000000,
        0x000fffffffffffff, 0x8000000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
        0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x0000000080000000,
        0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x41e0000000000000,
        0x41dfffffffe00000, 0xc1e0000000200000, 0x3fe0000000000000, 0x4004000000000000,
        0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000,
        0x40effe0000000000, 0x3e60000000000000, 0x0020000000000001, 0x3ff0000000000001,
        0x0000000100000000, 0x7fffffff00000000, 0x4330000000000001, 0x3fefffffffffffff,
    };

    return edges[pick % (sizeof edges / sizeof *edges)];
}

/* Half of the numbers are special values; the others are close enough that sums matter. */
static inline uint64_t some_value(char kind, uint64_t *state)
{
    uint64_t pick = chance(state), bits = chance(state), sign = bits >> 63;

    switch (pick >> 60 & (kind == 'p' ? 0 : 7)) {
    case 0:
        return bits >> 17;
    case 1:
        return kind == '8'
                   ? sign << 63 | (bits & 0x800fffffffffffff) | (1019 + (pick & 7)) << 52
               : kind == '4' ? (bits & 0x807fffff) | (124 + (pick & 7)) << 23
                             : (bits & 0x83ff) | (12 + (pick & 7)) << 10;
    case 2:
        return kind == '8' ? bits & 0x1f : bits & 0x3f;
    case 3:
        return kind == '8'   ? bits
               : kind == '2' ? bits >> 13
                             : edge_16(pick) << 16 | edge_16(bits);
    case 4:
        return kind == '8' ? (uint64_t)(int64_t)(int32_t)edge_32(pick) : bits >> 5;
    default:
        return kind == '8' ? edge_64(pick) : kind == '4' ? edge_32(pick) : edge_16(pick);
    }
}

static inline void machine_fill(struct machine *m, uint64_t *state)
{
    for (unsigned k = 0; k < m->from_count; k++)
        for (unsigned l = 0; l < LANES; l++)
            m->in[k][l] = kind_bits(m->from[k], some_value(m->from[k], state));
}

/* The tables that this processor supports, then NULL. */
static inline const struct op_table *machine_table(unsigned i)
{
    const struct op_table *best = op_table_best();
#if defined __x86_64__
    const struct op_table *all[] = {&op_table_v1, &op_table_v3, &op_table_v4};

    for (unsigned k = 0; k <= i && k < 3; k++)
        if (all[k] == best)
            return k == i ? best : NULL;
    return i < 3 ? all[i] : NULL;
#else
    return i == 0 ? best : NULL;
#endif
}
