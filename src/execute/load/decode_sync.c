/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization of lanes: barriers, fences, exchanges within a warp. */
#include "execute/load/decoder.h"

#include <string.h>

#include "execute/run/run_collective.h"

void stretch_ends(struct decoder *d)
{
    d->epoch++;
    d->spread_used = 0;
}

static bool decode_barrier(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;
    uint32_t left = i->operand_count;
    enum barrier_kind kind = BARRIER_SYNC;
    op_place from[3] = {PLACE_NONE, PLACE_NONE, PLACE_NONE}, to = PLACE_NONE;

    if (ptx_has(i, PTX_PART_WARP)) {
        if (left < 1 || !operand_source(d, &o[0], 4, &from[0]))
            return refuse_instruction(d, i);
        emit(d, CODE_CONVERGE)->from[0] = from[0];
        stretch_ends(d);
        return true;
    }
    if (ptx_has(i, PTX_PART_ARRIVE))
        kind = BARRIER_ARRIVE;
    else if (ptx_has(i, PTX_PART_RED))
        kind = ptx_has(i, PTX_PART_POPC)  ? BARRIER_POPC
               : ptx_has(i, PTX_PART_AND) ? BARRIER_AND
                                          : BARRIER_OR;
    if (kind >= BARRIER_POPC) {
        if (left < 3 || !operand_source(d, &o[left - 1], 0, &from[2]))
            return refuse_instruction(d, i);
        to = operand_target(d, o, kind == BARRIER_POPC ? 4 : 0);
        o++;
        left -= 2;
    }
    if (left < 1 || left > 2 || !operand_source(d, &o[0], 4, &from[0]) ||
        (left == 2 && !operand_source(d, &o[1], 4, &from[1])))
        return refuse_instruction(d, i);
    struct execute_op *op = emit(d, CODE_BARRIER);

    memcpy(op->from, from, sizeof from);
    op->to = to;
    op->detail[0] = (uint8_t)kind;
    stretch_ends(d);
    return true;
}

static bool decode_fence(struct decoder *d, const struct ptx_instruction *i)
{
    enum execute_order order = EXECUTE_ACQ_REL;
    enum execute_scope scope = EXECUTE_GPU;

    if (ptx_has(i, PTX_PART_PROXY)) {
        /* Global memory has one proxy here: all threads observe a completed bulk store. */
        if (ptx_has(i, PTX_PART_ASYNC) && !ptx_has(i, PTX_PART_GLOBAL))
            emit(d, CODE_PROXY);
        return true;
    }
    if (i->opcode == PTX_MEMBAR || ptx_has(i, PTX_PART_SC))
        order = EXECUTE_SC;
    else if (ptx_has(i, PTX_PART_ACQUIRE))
        order = EXECUTE_ACQUIRE;
    else if (ptx_has(i, PTX_PART_RELEASE))
        order = EXECUTE_RELEASE;
    if (ptx_has(i, PTX_PART_CTA))
        scope = EXECUTE_CTA;
    else if (ptx_has(i, PTX_PART_SYS))
        scope = EXECUTE_SYS;
    struct execute_op *op = emit(d, CODE_FENCE);

    op->detail[0] = (uint8_t)order;
    op->detail[1] = (uint8_t)scope;
    return true;
}

bool decode_sync(struct decoder *d, const struct ptx_instruction *i)
{
    op_place ns;

    if (i->opcode == PTX_BAR || i->opcode == PTX_BARRIER)
        return decode_barrier(d, i);
    if (i->opcode != PTX_NANOSLEEP)
        return decode_fence(d, i);
    if (i->operand_count < 1 || !operand_source(d, &i->operands[0], 4, &ns))
        return refuse_instruction(d, i);
    emit(d, CODE_SLEEP)->from[0] = ns;
    return true;
}

/* Emits the wait for the participating lanes. */
static bool converge(struct decoder *d, const struct ptx_operand *member)
{
    op_place mask;

    if (!operand_source(d, member, 4, &mask))
        return false;
    emit(d, CODE_CONVERGE)->from[0] = mask;
    stretch_ends(d);
    return true;
}

void converge_all(struct decoder *d)
{
    emit(d, CODE_CONVERGE)->from[0] = constant_place(d, ~0u, 4);
    stretch_ends(d);
}

bool decode_collective(struct decoder *d, const struct ptx_instruction *i)
{
    struct execute_op wanted = {.to = PLACE_NONE, .to2 = PLACE_NONE};
    const struct ptx_operand *to = &i->operands[0];
    uint32_t last = i->operand_count - 1;
    bool is_sync = ptx_has(i, PTX_PART_SYNC) || i->opcode == PTX_ELECT;

    if (!collective_choose(i, &wanted) || i->operand_count < 1 || last > 4u + is_sync)
        return refuse_instruction(d, i);
    for (uint32_t n = 1; n <= last && n <= 4; n++) {
        const struct ptx_operand *o = &i->operands[n];
        unsigned bytes = i->opcode == PTX_VOTE && n == 1 ? 0 : 4;

        if (o->kind == PTX_REGISTER)
            bytes = lane_bytes(d->function->registers[o->reg].bytes);
        else if (i->opcode == PTX_MATCH && n == 1)
            bytes = lane_bytes(ptx_type_bytes(i->type));
        if (!operand_source(d, o, bytes, &wanted.from[n - 1]))
            return false;
    }
    if (is_sync && !converge(d, &i->operands[last]))
        return false;
    unsigned result = i->opcode == PTX_VOTE && !ptx_has(i, PTX_PART_BALLOT) ? 0 : 4;

    if (to->kind == PTX_PAIR) {
        wanted.to = operand_target(d, &to->list[0], result);
        wanted.to2 = operand_target(d, &to->list[1], 0);
    } else {
        wanted.to = operand_target(d, to, result);
    }
    struct execute_op *op = emit(d, CODE_LANES);

    wanted.line = op->line;
    wanted.source = i;
    *op = wanted;
    return true;
}
