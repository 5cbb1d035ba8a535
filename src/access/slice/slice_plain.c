/* SPDX-License-Identifier: Apache-2.0 */
#include "access/slice/slice.h"

bool slice_is_plain(const struct ptx_instruction *i)
{
    if (i->guard >= 0 || !i->operand_count || i->operands[0].kind != PTX_REGISTER ||
        ptx_has(i, PTX_PART_CC))
        return false;
    switch (i->opcode) {
    case PTX_LD:
        return i->space == PTX_SPACE_PARAM;
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MAD:
    case PTX_SHL:
    case PTX_SHR:
    case PTX_AND:
    case PTX_OR:
    case PTX_CVT:
    case PTX_CVTA:
    case PTX_MOV:
        return true;
    default:
        return false;
    }
}

bool slice_are_spelled_alike(const struct ptx_instruction *a,
                             const struct ptx_instruction *b)
{
    bool same = a->opcode == b->opcode && a->part_count == b->part_count &&
                a->space == b->space && a->type == b->type &&
                a->source_type == b->source_type && a->vector == b->vector &&
                a->operand_count == b->operand_count;

    for (uint32_t n = 0; same && n < a->part_count; n++)
        same = a->parts[n] == b->parts[n];
    return same;
}
