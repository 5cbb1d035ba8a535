/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_convert.h"

#include <assert.h>
#include <string.h>

#include "execute/run/run_spread.h"

static void move_lanes(unsigned char *to, const unsigned char *from, unsigned bytes,
                       uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        memcpy(to + l * bytes, from + l * bytes, bytes);
    }
}

static void move_predicate(const struct op_registers *r, const struct execute_op *op,
                           uint32_t mask)
{
    uint32_t *to = op_register(r, op->to),
             from = *(const uint32_t *)op_register(r, op->from[0]);

    blend_mask(to, from, mask);
}

static void move_4(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    unsigned char *to = op_register(r, op->to);
    const unsigned char *from = op_register(r, op->from[0]);

    if (mask == ~0u)
        memmove(to, from, LANES * 4);
    else
        move_lanes(to, from, 4, mask);
}

static void move_8(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    unsigned char *to = op_register(r, op->to);
    const unsigned char *from = op_register(r, op->from[0]);

    if (mask == ~0u)
        memmove(to, from, LANES * 8);
    else
        move_lanes(to, from, 8, mask);
}

static void move_16(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    move_lanes(op_register(r, op->to), op_register(r, op->from[0]), 16, mask);
}

op_lanes *convert_move(unsigned bytes)
{
    return bytes == 0   ? move_predicate
           : bytes == 4 ? move_4
           : bytes == 8 ? move_8
                        : move_16;
}

static void widen(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    uint64_t *to = op_register(r, op->to);
    const uint32_t *from = op_register(r, op->from[0]);

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            to[l] = from[l];
}

static void narrow(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    uint32_t *to = op_register(r, op->to);
    const uint64_t *from = op_register(r, op->from[0]);

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            to[l] = (uint32_t)from[l];
}

op_lanes *convert_resize(unsigned from_bytes, unsigned to_bytes)
{
    return from_bytes == to_bytes ? convert_move(to_bytes) : to_bytes == 8 ? widen : narrow;
}

void convert_add(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    uint64_t *to = op_register(r, op->to);
    const uint64_t *a = op_register(r, op->from[0]), *b = op_register(r, op->from[1]);

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            to[l] = a[l] + b[l];
}

void convert_stack_address(const struct op_registers *r, const struct execute_op *op,
                           uint32_t mask)
{
    const uint32_t *base = op_register(r, op->from[0]);
    unsigned char *to = op_register(r, op->to);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint64_t address = (uint64_t)base[l] + op->extra;

        memcpy(to + l * op->detail[0], &address, op->detail[0]);
    }
}

void convert_not_predicate(const struct op_registers *r, const struct execute_op *op,
                           uint32_t mask)
{
    uint32_t *to = op_register(r, op->to),
             from = *(const uint32_t *)op_register(r, op->from[0]);

    blend_mask(to, ~from, mask);
}

/* Rank in an offset of shared memory. */
static uint32_t rank_in(uint64_t offset, uint32_t own)
{
    uint32_t above = (uint32_t)(offset >> CLUSTER_SHIFT);

    return above ? above - 1 : own;
}

void convert_is_space(const struct op_registers *r, const struct execute_op *op,
                      uint32_t mask)
{
    uint32_t *to = op_register(r, op->to), is = 0;
    const uint64_t *address = op_register(r, op->from[0]);
    const uint32_t *own = op_register(r, op->from[1]);

    for (unsigned l = 0; l < LANES; l++) {
        enum ptx_space space = PTX_SPACE_GLOBAL;
        uint64_t offset = address[l] - EXECUTE_SHARED_WINDOW;

        if (address[l] >= EXECUTE_SHARED_WINDOW && address[l] < EXECUTE_LOCAL_WINDOW)
            space = op->detail[1] || rank_in(offset, *own) == *own ? PTX_SPACE_SHARED
                                                                   : PTX_SPACE_GENERIC;
        else if (address[l] >= EXECUTE_LOCAL_WINDOW && address[l] < EXECUTE_WINDOWS_END)
            space = PTX_SPACE_LOCAL;
        is |= (uint32_t)(space == op->detail[0]) << l;
    }
    blend_mask(to, is, mask);
}

/* Address of lane l without the window. */
static uint64_t shared_offset(const struct op_registers *r, const struct execute_op *op,
                              unsigned l)
{
    const void *from = op_register(r, op->from[0]);
    uint64_t address =
        op->detail[0] == 8 ? ((const uint64_t *)from)[l] : ((const uint32_t *)from)[l];

    return op->detail[1] ? address - EXECUTE_SHARED_WINDOW : address;
}

void convert_map(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    const uint32_t *rank = op_register(r, op->from[1]);
    void *to = op_register(r, op->to);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint64_t above = rank[l] < CLUSTER_RANK_MOST ? rank[l] + 1 : CLUSTER_RANK_MOST + 1;
        uint64_t offset = shared_offset(r, op, l) & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
        uint64_t address =
            offset + (above << CLUSTER_SHIFT) + (op->detail[1] ? EXECUTE_SHARED_WINDOW : 0);

        if (op->detail[0] == 8)
            ((uint64_t *)to)[l] = address;
        else
            ((uint32_t *)to)[l] = (uint32_t)address;
    }
}

void convert_rank(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    const uint32_t *own = op_register(r, op->from[1]);
    uint32_t *to = op_register(r, op->to);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        to[l] = rank_in(shared_offset(r, op, l), *own);
    }
}

void convert_parameter(const struct op_registers *r, const struct execute_op *op,
                       uint32_t mask)
{
    const unsigned char *from = op_register(r, op->from[0]);
    unsigned char *to = op_register(r, op->to), lane[16] = {0};
    unsigned bytes = op->detail[0], width = op->detail[2];

    memcpy(lane, from, bytes);
    if (op->detail[1] && bytes < width && lane[bytes - 1] >> 7)
        memset(lane + bytes, 0xff, width - bytes);
    for (; mask; mask &= mask - 1)
        memcpy(to + (unsigned)__builtin_ctz(mask) * width, lane, width);
}

void convert_spread(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    (void)mask;
    spread_find(op_register(r, op->to), op_register(r, op->from[0]), op->detail[0]);
}
