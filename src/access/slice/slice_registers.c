/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that an instruction defines and uses. If the operand form is unknown, all its
   registers count as both. */
#include "access/slice/slice.h"

enum form { FIRST_DEFINED, NOTHING_DEFINED, ALL_DEFINED };

static enum form form_of(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_ST:
    case PTX_RED:
    case PTX_BRA:
    case PTX_BRX:
    case PTX_RET:
    case PTX_EXIT:
    case PTX_TRAP:
    case PTX_BRKPT:
    case PTX_NANOSLEEP:
    case PTX_FENCE:
    case PTX_MEMBAR:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_STACKRESTORE:
    case PTX_SETMAXNREG:
    case PTX_PMEVENT:
    case PTX_GRIDDEPCONTROL:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
    case PTX_CP:
    case PTX_STMATRIX:
    case PTX_SUST:
    case PTX_SURED:
        return NOTHING_DEFINED;
    case PTX_BAR:
    case PTX_BARRIER:
        return ptx_has(i, PTX_PART_RED) ? FIRST_DEFINED : NOTHING_DEFINED;
    case PTX_CALL:
    case PTX_TCGEN05:
    case PTX_CLUSTERLAUNCHCONTROL:
    case PTX_OPCODE_COUNT:
        return ALL_DEFINED;
    default:
        return FIRST_DEFINED;
    }
}

void slice_visit_operand(const struct ptx_operand *o, slice_visit *visit, void *context)
{
    if ((o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg >= 0)
        visit(context, (uint32_t)o->reg);
    for (uint32_t n = 0; n < o->count; n++)
        slice_visit_operand(&o->list[n], visit, context);
}

bool slice_is_target(const struct ptx_instruction *i, uint32_t operand)
{
    enum form form = form_of(i);

    return form == ALL_DEFINED || (form == FIRST_DEFINED && operand == 0 &&
                                   i->operands[operand].kind != PTX_MEMORY);
}

void slice_visit_definitions(const struct slice *s, const struct ptx_instruction *i,
                             slice_visit *visit, void *context)
{
    for (uint32_t n = 0; n < i->operand_count; n++)
        if (slice_is_target(i, n))
            slice_visit_operand(&i->operands[n], visit, context);
    if (ptx_has(i, PTX_PART_CC))
        visit(context, s->registers - 1);
}

void slice_visit_uses(const struct slice *s, const struct ptx_instruction *i,
                      slice_visit *visit, void *context)
{
    bool all = form_of(i) == ALL_DEFINED;

    for (uint32_t n = 0; n < i->operand_count; n++)
        if (all || !slice_is_target(i, n))
            slice_visit_operand(&i->operands[n], visit, context);
    if (i->guard >= 0)
        visit(context, (uint32_t)i->guard);
    if (i->opcode == PTX_ADDC || i->opcode == PTX_SUBC || i->opcode == PTX_MADC)
        visit(context, s->registers - 1);
}
