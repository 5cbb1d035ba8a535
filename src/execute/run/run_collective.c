/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_collective.h"

#include <string.h>

enum { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };

static void set_mask(const struct op_registers *r, op_place place, uint32_t value,
                     uint32_t mask)
{
    uint32_t *to;

    if (place == PLACE_NONE)
        return;
    to = op_register(r, place);
    blend_mask(to, value, mask);
}

static void set_lanes(const struct op_registers *r, op_place place, const uint32_t *value,
                      uint32_t mask)
{
    uint32_t *to = op_register(r, place);

    for (unsigned l = 0; l < LANES; l++)
        to[l] = mask >> l & 1 ? value[l] : to[l];
}

static void set_all(const struct op_registers *r, op_place place, uint32_t value,
                    uint32_t mask)
{
    uint32_t all[LANES];

    for (unsigned l = 0; l < LANES; l++)
        all[l] = value;
    set_lanes(r, place, all, mask);
}

/* PTX ISA 9.7.9.6: operand c contains the segment mask and the clamp. */
static void shuffle(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    const uint32_t *a = op_register(r, op->from[0]), *b = op_register(r, op->from[1]);
    const uint32_t *c = op_register(r, op->from[2]);
    uint32_t out[LANES], inside = 0;

    for (unsigned l = 0; l < LANES; l++) {
        uint32_t segment = c[l] >> 8 & 31, clamp = c[l] & 31, by = b[l] & 31;
        int low = (int)(l & segment), high = (int)((l & segment) | (clamp & ~segment));
        int from;
        bool is_inside;

        switch (op->detail[0]) {
        case SHUFFLE_UP:
            from = (int)l - (int)by;
            is_inside = from >= high;
            break;
        case SHUFFLE_DOWN:
            from = (int)l + (int)by;
            is_inside = from <= high;
            break;
        case SHUFFLE_BUTTERFLY:
            from = (int)(l ^ by);
            is_inside = from <= high;
            break;
        default:
            from = low | (int)(by & ~segment);
            is_inside = from <= high;
        }
        out[l] = a[is_inside ? (unsigned)from & 31 : l];
        inside |= (uint32_t)is_inside << l;
    }
    set_lanes(r, op->to, out, mask);
    set_mask(r, op->to2, inside, mask);
}

/* Operation of the lanes with one member mask: `group` receives the result, computed from
   the lanes `in`, which the mask names. */
typedef void group_work(const struct op_registers *r, const struct execute_op *op,
                        uint32_t group, uint32_t in);

/* Lanes that execute the instruction together may name different members, for example each
   half of a warp its own. */
static void by_members(const struct op_registers *r, const struct execute_op *op,
                       op_place place, uint32_t mask, group_work *work)
{
    const uint32_t *member = place == PLACE_NONE ? NULL : op_register(r, place);

    if (!member)
        work(r, op, mask, mask);
    for (uint32_t left = mask, group; member && left; left &= ~group) {
        uint32_t named = member[__builtin_ctz(left)];

        group = 0;
        for (unsigned l = 0; l < LANES; l++)
            group |= (uint32_t)(member[l] == named) << l;
        group &= left;
        work(r, op, group, group & named);
    }
}

static void vote_group(const struct op_registers *r, const struct execute_op *op,
                       uint32_t group, uint32_t in)
{
    uint32_t yes = *(const uint32_t *)op_register(r, op->from[0]) & in, answer = 0;

    switch (op->detail[0]) {
    case VOTE_BALLOT:
        set_all(r, op->to, yes, group);
        return;
    case VOTE_ALL:
        answer = yes == in;
        break;
    case VOTE_ANY:
        answer = yes != 0;
        break;
    default:
        answer = yes == in || yes == 0;
    }
    set_mask(r, op->to, answer ? ~0u : 0, group);
}

static void vote(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    by_members(r, op, op->from[1], mask, vote_group);
}

static uint64_t lane_value(const void *from, unsigned bytes, unsigned lane)
{
    return bytes == 8 ? ((const uint64_t *)from)[lane] : ((const uint32_t *)from)[lane];
}

/* detail[0]: all instead of any; detail[1]: bytes. */
static void match_group(const struct op_registers *r, const struct execute_op *op,
                        uint32_t group, uint32_t in)
{
    const void *from = op_register(r, op->from[0]);
    uint32_t out[LANES] = {0};
    bool is_same = true;

    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; (in >> l & 1) && k < LANES; k++)
            if ((in >> k & 1) &&
                lane_value(from, op->detail[1], l) == lane_value(from, op->detail[1], k))
                out[l] |= 1u << k;
    if (!op->detail[0]) {
        set_lanes(r, op->to, out, group);
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        is_same &= !(in >> l & 1) || out[l] == in;
    set_all(r, op->to, is_same ? in : 0, group);
    set_mask(r, op->to2, is_same ? ~0u : 0, group);
}

static void match(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    by_members(r, op, op->from[1], mask, match_group);
}

static uint32_t redux_step(const struct execute_op *op, uint32_t a, uint32_t b)
{
    bool is_less = op->detail[1] ? (int32_t)a < (int32_t)b : a < b;

    switch (op->detail[0]) {
    case REDUX_ADD:
        return a + b;
    case REDUX_MIN:
        return is_less ? a : b;
    case REDUX_MAX:
        return is_less ? b : a;
    case REDUX_AND:
        return a & b;
    case REDUX_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void redux_group(const struct op_registers *r, const struct execute_op *op,
                        uint32_t group, uint32_t in)
{
    const uint32_t *from = op_register(r, op->from[0]);
    uint32_t sum;

    if (!in)
        return;
    sum = from[__builtin_ctz(in)];
    for (uint32_t left = in & (in - 1); left; left &= left - 1)
        sum = redux_step(op, sum, from[__builtin_ctz(left)]);
    set_all(r, op->to, sum, group);
}

static void redux(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    by_members(r, op, op->from[1], mask, redux_group);
}

/* The lowest lane is the leader. */
static void elect_group(const struct op_registers *r, const struct execute_op *op,
                        uint32_t group, uint32_t in)
{
    uint32_t leader = in ? (uint32_t)__builtin_ctz(in) : 0;

    set_all(r, op->to, leader, group);
    set_mask(r, op->to2, 1u << leader, group);
}

static void elect(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    by_members(r, op, op->from[0], mask, elect_group);
}

static void active(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    set_all(r, op->to, mask, mask);
}

static bool pick(const struct ptx_instruction *i, const enum ptx_part *parts,
                 unsigned count, uint8_t *detail)
{
    for (unsigned n = 0; n < count; n++)
        if (ptx_has(i, parts[n])) {
            *detail = (uint8_t)n;
            return true;
        }
    return false;
}

bool collective_choose(const struct ptx_instruction *i, struct execute_op *op)
{
    static const enum ptx_part shuffles[] = {PTX_PART_UP, PTX_PART_DOWN, PTX_PART_BFLY,
                                             PTX_PART_IDX};
    static const enum ptx_part votes[] = {PTX_PART_ALL, PTX_PART_ANY, PTX_PART_UNI,
                                          PTX_PART_BALLOT};
    static const enum ptx_part reductions[] = {PTX_PART_ADD, PTX_PART_MIN, PTX_PART_MAX,
                                               PTX_PART_AND, PTX_PART_OR,  PTX_PART_XOR};

    for (int n = 0; n < 4; n++)
        op->from[n] = PLACE_NONE;
    switch (i->opcode) {
    case PTX_SHFL:
        op->lanes = shuffle;
        return pick(i, shuffles, 4, &op->detail[0]);
    case PTX_VOTE:
        op->lanes = vote;
        return pick(i, votes, 4, &op->detail[0]);
    case PTX_MATCH:
        op->lanes = match;
        op->detail[0] = ptx_has(i, PTX_PART_ALL);
        op->detail[1] = (uint8_t)ptx_type_bytes(i->type);
        return true;
    case PTX_REDUX:
        op->lanes = redux;
        op->detail[1] = i->type == PTX_PART_S32;
        return i->type != PTX_PART_F32 && pick(i, reductions, 6, &op->detail[0]);
    case PTX_ELECT:
        op->lanes = elect;
        return true;
    default:
        op->lanes = active;
        return i->opcode == PTX_ACTIVEMASK;
    }
}
