/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* mov between a register and the elements of a vector, and mov of 128 bits. */

#include "execute/lanes/lanes_rows.h"

/* detail: number of elements, bytes of an element */
enum { MOVE_COUNT, MOVE_BYTES };

static size_t move_pitch(unsigned bytes)
{
    return bytes < 4 ? 4 : bytes;
}

static op_place move_element(const struct execute_op *op, unsigned i)
{
    return i == 0 ? op->to : i == 1 ? op->to2 : op->more[i - 2];
}

static void move_pack(ARGUMENTS)
{
    unsigned count = op->detail[MOVE_COUNT], bytes = op->detail[MOVE_BYTES];
    size_t pitch = move_pitch(bytes), whole = move_pitch(count * bytes);
    unsigned char *to = op_register(r, op->to), out[LANES * 16] = {0};

    for (unsigned i = 0; i < count; i++) {
        const unsigned char *x = op_register(r, op->from[i]);

        for (unsigned l = 0; l < LANES; l++)
            memcpy(out + l * whole + i * bytes, x + l * pitch, bytes);
    }
    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            memcpy(to + l * whole, out + l * whole, whole);
}

static void move_unpack(ARGUMENTS)
{
    unsigned count = op->detail[MOVE_COUNT], bytes = op->detail[MOVE_BYTES];
    size_t pitch = move_pitch(bytes), whole = move_pitch(count * bytes);
    unsigned char x[LANES * 16];

    memcpy(x, op_register(r, op->from[0]), LANES * whole); /* a destination may be the
                                                              source */
    for (unsigned i = 0; i < count; i++) {
        if (move_element(op, i) == PLACE_NONE)
            continue;
        unsigned char *to = op_register(r, move_element(op, i));

        for (unsigned l = 0; l < LANES; l++)
            if (mask >> l & 1) {
                memset(to + l * pitch, 0, pitch);
                memcpy(to + l * pitch, x + l * whole + i * bytes, bytes);
            }
    }
}

/* The common case of two 32-bit elements, vectorized. */
static void move_pack_2x32(ARGUMENTS)
{
    struct lanes_scratch scratch;
    void *to = op_register(r, op->to);
    lane_u64 *out = lanes_begin(to, &scratch, mask);
    FROM(u32, a, 0);
    FROM(u32, b, 1);

    FOR_LANES(l)
    out[l] = (uint64_t)b_lanes[l] << 32 | a_lanes[l];
    lanes_end(to, out, sizeof *out, mask);
}

static void move_unpack_2x32(ARGUMENTS)
{
    FROM(u64, a, 0);

    for (unsigned i = 0; i < 2; i++) {
        struct lanes_scratch scratch;
        op_place place = i ? op->to2 : op->to;

        if (place == PLACE_NONE)
            continue;
        void *to = op_register(r, place);
        lane_u32 *out = lanes_begin(to, &scratch, mask);

        FOR_LANES(l)
        out[l] = (uint32_t)(a_lanes[l] >> (i ? 32 : 0));
        lanes_end(to, out, sizeof *out, mask);
    }
}

static void move_128(ARGUMENTS)
{
    unsigned char *to = op_register(r, op->to);
    const unsigned char *x = op_register(r, op->from[0]);

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            memmove(to + l * 16, x + l * 16, 16);
}
