/* SPDX-License-Identifier: Apache-2.0 */
/* Cluster instructions: addresses, ranks and the barrier. */
#include "execute/load/decoder.h"
#include "execute/run/run_convert.h"

static op_place own_rank(void)
{
    op_place place = PLACE_NONE;
    unsigned bytes;

    special_find(PTX_CLUSTER_CTARANK, &place, &bytes);
    return place;
}

/* An operation on a shared-memory address, operand 1. */
static struct execute_op *emit_shared(struct decoder *d, const struct ptx_instruction *i,
                                      op_lanes *lanes, unsigned result_bytes)
{
    unsigned bytes = lane_bytes(ptx_type_bytes(i->type));
    op_place from;

    if ((bytes != 4 && bytes != 8) || i->operand_count < 2 ||
        !operand_source(d, &i->operands[1], bytes, &from)) {
        refuse_instruction(d, i);
        return NULL;
    }
    op_place to = operand_target(d, &i->operands[0], result_bytes ? result_bytes : bytes);
    struct execute_op *op = emit_lanes(d, lanes, to, from);

    op->detail[0] = (uint8_t)bytes;
    op->detail[1] = i->space != PTX_SPACE_SHARED; /* a generic address */
    return op;
}

bool decode_map(struct decoder *d, const struct ptx_instruction *i)
{
    op_place rank;

    if (i->operand_count != 3 || !operand_source(d, &i->operands[2], 4, &rank))
        return refuse_instruction(d, i);
    struct execute_op *op = emit_shared(d, i, convert_map, 0);

    if (!op)
        return false;
    op->from[1] = rank;
    d->kernel->maps = true;
    return true;
}

bool decode_rank(struct decoder *d, const struct ptx_instruction *i)
{
    struct execute_op *op = emit_shared(d, i, convert_rank, 4);

    if (op)
        op->from[1] = own_rank();
    return op != NULL;
}

bool decode_is_space(struct decoder *d, const struct ptx_instruction *i)
{
    op_place from;

    if (!operand_source(d, &i->operands[1], 8, &from))
        return false;
    struct execute_op *op =
        emit_lanes(d, convert_is_space, operand_target(d, &i->operands[0], 0), from);

    op->from[1] = own_rank();
    op->detail[0] = (uint8_t)i->space;
    op->detail[1] = ptx_has(i, PTX_PART_SHARED_CLUSTER);
    return true;
}

/* All orders are treated as acquire and release: a waiting thread observes everything
   before. */
bool decode_cluster_barrier(struct decoder *d, const struct ptx_instruction *i)
{
    bool waits = ptx_has(i, PTX_PART_WAIT);

    if (i->operand_count || waits == ptx_has(i, PTX_PART_ARRIVE))
        return refuse_instruction(d, i);
    emit(d, waits ? CODE_CLUSTER_WAIT : CODE_CLUSTER_ARRIVE);
    stretch_ends(d);
    return true;
}
