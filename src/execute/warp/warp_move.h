/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Transfer of an access's values between a warp's registers and memory of this process. */

#include <string.h>

#include "execute/run/run.h"
#include "execute/run/run_atomic.h"
#include "execute/run/run_spread.h"

/* Address pattern. UNIT: contiguous in lane order. HALVES: per half of the warp. All forms
   but ANY imply that all lanes are active, and that `first` and `second` (of lane 16) are
   set. */
enum lie_form { LIE_UNIT, LIE_EQUAL, LIE_UNIT_HALVES, LIE_EQUAL_HALVES, LIE_ANY };
struct lie {
    enum lie_form form;
    uint64_t first, second;
    const uint64_t *address; /* 32 entries, valid in the mask; used for ANY */
};

/* One word per lane for both halves of a warp. */
static inline void load_halves(uint32_t *to, const unsigned char *first,
                               const unsigned char *second, enum spread_words words)
{
    uint32_t a, b;

    if (words == WORDS_UNIT) {
        memcpy(to, first, LANES / 2 * 4);
        memcpy(to + LANES / 2, second, LANES / 2 * 4);
        return;
    }
    memcpy(&a, first, 4);
    memcpy(&b, second, 4);
    for (unsigned l = 0; l < LANES / 2; l++)
        to[l] = a;
    for (unsigned l = LANES / 2; l < LANES; l++)
        to[l] = b;
}

static inline void store_halves(const uint32_t *from, unsigned char *first,
                                unsigned char *second, enum spread_words words)
{
    if (words == WORDS_UNIT) {
        memcpy(first, from, LANES / 2 * 4);
        memcpy(second, from + LANES / 2, LANES / 2 * 4);
    } else { /* the last lane's word remains */
        memcpy(first, from + LANES / 2 - 1, 4);
        memcpy(second, from + LANES - 1, 4);
    }
}

static inline void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static inline uint32_t read_4(uint64_t address)
{
    uint32_t value;

    memcpy(&value, pointer(address), sizeof value);
    return value;
}

static inline uint64_t read_8(uint64_t address)
{
    uint64_t value;

    memcpy(&value, pointer(address), sizeof value);
    return value;
}

static void fill_4(uint32_t *to, uint32_t value, unsigned count)
{
    for (unsigned l = 0; l < count; l++)
        to[l] = value;
}

static void fill_8(uint64_t *to, uint64_t value, unsigned count)
{
    for (unsigned l = 0; l < count; l++)
        to[l] = value;
}

/* One 4-byte element per lane, with 4-byte registers. */
static void load_4(uint32_t *to, const struct lie *lie, uint32_t mask)
{
    switch (lie->form) {
    case LIE_UNIT:
        memcpy(to, pointer(lie->first), LANES * 4);
        return;
    case LIE_EQUAL:
        fill_4(to, read_4(lie->first), LANES);
        return;
    case LIE_UNIT_HALVES:
        memcpy(to, pointer(lie->first), LANES * 2);
        memcpy(to + LANES / 2, pointer(lie->second), LANES * 2);
        return;
    case LIE_EQUAL_HALVES:
        fill_4(to, read_4(lie->first), LANES / 2);
        fill_4(to + LANES / 2, read_4(lie->second), LANES / 2);
        return;
    default:
        if (mask == ~0u)
            for (unsigned l = 0; l < LANES; l++)
                to[l] = read_4(lie->address[l]);
        else
            for (; mask; mask &= mask - 1) {
                unsigned l = (unsigned)__builtin_ctz(mask);

                to[l] = read_4(lie->address[l]);
            }
    }
}

static void load_8(uint64_t *to, const struct lie *lie, uint32_t mask)
{
    switch (lie->form) {
    case LIE_UNIT:
        memcpy(to, pointer(lie->first), LANES * 8);
        return;
    case LIE_EQUAL:
        fill_8(to, read_8(lie->first), LANES);
        return;
    case LIE_UNIT_HALVES:
        memcpy(to, pointer(lie->first), LANES * 4);
        memcpy(to + LANES / 2, pointer(lie->second), LANES * 4);
        return;
    case LIE_EQUAL_HALVES:
        fill_8(to, read_8(lie->first), LANES / 2);
        fill_8(to + LANES / 2, read_8(lie->second), LANES / 2);
        return;
    default:
        for (; mask; mask &= mask - 1) {
            unsigned l = (unsigned)__builtin_ctz(mask);

            to[l] = read_8(lie->address[l]);
        }
    }
}

/* Equal addresses: the last lane's value remains, as if the lanes had stored in order. */
static void store_4(const uint32_t *from, const struct lie *lie, uint32_t mask)
{
    switch (lie->form) {
    case LIE_UNIT:
        memcpy(pointer(lie->first), from, LANES * 4);
        return;
    case LIE_UNIT_HALVES:
        memcpy(pointer(lie->first), from, LANES * 2);
        memcpy(pointer(lie->second), from + LANES / 2, LANES * 2);
        return;
    case LIE_EQUAL:
    case LIE_EQUAL_HALVES:
        memcpy(pointer(lie->first), &from[LANES / 2 - 1], 4);
        memcpy(pointer(lie->second), &from[LANES - 1], 4);
        return;
    default:
        for (; mask; mask &= mask - 1) {
            unsigned l = (unsigned)__builtin_ctz(mask);

            memcpy(pointer(lie->address[l]), &from[l], 4);
        }
    }
}

static void store_8(const uint64_t *from, const struct lie *lie, uint32_t mask)
{
    switch (lie->form) {
    case LIE_UNIT:
        memcpy(pointer(lie->first), from, LANES * 8);
        return;
    case LIE_UNIT_HALVES:
        memcpy(pointer(lie->first), from, LANES * 4);
        memcpy(pointer(lie->second), from + LANES / 2, LANES * 4);
        return;
    case LIE_EQUAL:
    case LIE_EQUAL_HALVES:
        memcpy(pointer(lie->first), &from[LANES / 2 - 1], 8);
        memcpy(pointer(lie->second), &from[LANES - 1], 8);
        return;
    default:
        for (; mask; mask &= mask - 1) {
            unsigned l = (unsigned)__builtin_ctz(mask);

            memcpy(pointer(lie->address[l]), &from[l], 8);
        }
    }
}

/* Address of a lane in any form. */
static inline uint64_t lane_address(const struct lie *lie, const struct site *s, unsigned l)
{
    unsigned half = l % (LANES / 2);

    switch (lie->form) {
    case LIE_UNIT:
        return lie->first + l * s->access.bytes;
    case LIE_EQUAL:
        return lie->first;
    case LIE_UNIT_HALVES:
        return (l < LANES / 2 ? lie->first : lie->second) + half * s->access.bytes;
    case LIE_EQUAL_HALVES:
        return l < LANES / 2 ? lie->first : lie->second;
    default:
        return lie->address[l];
    }
}

static void load_any(struct execute_warp *w, const struct site *s, const struct lie *lie,
                     uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        const unsigned char *from = pointer(lane_address(lie, s, l));

        for (unsigned n = 0; n < s->count; n++) {
            unsigned char *to = op_register(&w->registers, s->value[n]);

            site_extend(s, to + l * s->width, from + n * s->element);
        }
    }
}

/* Vectors of words: the frequent case of load_any(). */
static void load_words(struct execute_warp *w, const struct site *s, const struct lie *lie,
                       uint32_t mask)
{
    uint32_t *to[VALUES_MAX];

    for (unsigned n = 0; n < s->count; n++)
        to[n] = op_register(&w->registers, s->value[n]);
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint64_t from = lane_address(lie, s, l);

        for (unsigned n = 0; n < s->count; n++)
            to[n][l] = read_4(from + n * 4);
    }
}

static void store_any(struct execute_warp *w, const struct site *s, const struct lie *lie,
                      uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        unsigned char *to = pointer(lane_address(lie, s, l));

        for (unsigned n = 0; n < s->count; n++) {
            const unsigned char *from = op_register(&w->registers, s->value[n]);

            memcpy(to + n * s->element, from + l * s->width, s->element);
        }
    }
}

static void update_alone_128(const struct execute_op *op, void *memory, const void *operand,
                             const void *second, void *old)
{
    atomic_quad before, a, b = 0, after;

    memcpy(&before, memory, sizeof before);
    memcpy(&a, operand, sizeof a);
    if (second)
        memcpy(&b, second, sizeof b);
    after = atomic_apply_128(op, before, a, b);
    memcpy(memory, &after, sizeof after);
    memcpy(old, &before, sizeof before);
}

/* Only one thread runs a CTA, so no atomic is needed. */
static void update_alone(const struct execute_op *op, void *memory, const void *operand,
                         const void *second, void *old)
{
    uint64_t before = 0, a = 0, b = 0, after;

    if (op->detail[2] == sizeof(atomic_quad)) {
        update_alone_128(op, memory, operand, second, old);
        return;
    }
    memcpy(&before, memory, op->detail[2]);
    memcpy(&a, operand, op->detail[2]);
    if (second)
        memcpy(&b, second, op->detail[2]);
    after = atomic_apply(op, before, a, b);
    memcpy(memory, &after, op->detail[2]);
    memcpy(old, &before, op->detail[2]);
}

static void update_lanes(struct execute_warp *w, const struct execute_op *op,
                         const struct site *s, const struct lie *lie, uint32_t mask,
                         bool is_global)
{
    const unsigned char *operand = op_register(&w->registers, s->operand);
    const unsigned char *second =
        s->second == PLACE_NONE ? NULL : op_register(&w->registers, s->second);
    unsigned char *result =
        s->value[0] == PLACE_NONE ? NULL : op_register(&w->registers, s->value[0]);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        const unsigned char *b = second ? second + l * s->width : NULL;
        unsigned char old[16] = {0};

        if (is_global)
            execute_atomic(op, pointer(lane_address(lie, s, l)), operand + l * s->width, b,
                           old);
        else
            update_alone(op, pointer(lane_address(lie, s, l)), operand + l * s->width, b,
                         old);
        if (result)
            memcpy(result + l * s->width, old, s->width);
    }
}

/* One word for each of 32 lanes, contiguous. */
static inline void move_line(struct execute_warp *w, const struct site *s, uint64_t address)
{
    void *value = op_register(&w->registers, s->value[0]);

    if (s->access.kind == EXECUTE_LOAD)
        memcpy(value, pointer(address), LANES * 4);
    else
        memcpy(pointer(address), value, LANES * 4);
}

/* Loads, stores or, lane by lane, atomics. `is_global`: uses atomics of the processor. */
static void move_values(struct execute_warp *w, const struct execute_op *op,
                        const struct site *s, const struct lie *lie, uint32_t mask,
                        bool is_global)
{
    bool is_one = s->count == 1 && s->element == s->width;
    void *value;

    if (s->access.kind >= EXECUTE_ATOMIC) {
        update_lanes(w, op, s, lie, mask, is_global);
        return;
    }
    value = op_register(&w->registers, s->value[0]);
    if (s->access.kind == EXECUTE_LOAD) {
        if (is_one && s->width == 4)
            load_4(value, lie, mask);
        else if (is_one && s->width == 8)
            load_8(value, lie, mask);
        else if (s->element == 4 && s->width == 4)
            load_words(w, s, lie, mask);
        else
            load_any(w, s, lie, mask);
    } else {
        if (is_one && s->width == 4)
            store_4(value, lie, mask);
        else if (is_one && s->width == 8)
            store_8(value, lie, mask);
        else
            store_any(w, s, lie, mask);
    }
}
