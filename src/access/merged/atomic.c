/* SPDX-License-Identifier: Apache-2.0 */
#include "access/merged/atomic.h"

const struct ptx_operand *atomic_place(const struct ptx_instruction *i)
{
    const uint32_t at = i->opcode == PTX_ATOM, values = ptx_has(i, PTX_PART_CAS) ? 2 : 1;

    return i->operand_count == at + 1 + values && i->operands[at].kind == PTX_MEMORY
               ? &i->operands[at]
               : NULL;
}

/* Among a CTA's threads alone (.cta) it would be no atomic between CTAs. */
bool atomic_is_word(enum ptx_part part)
{
    return part == PTX_PART_RELAXED || part == PTX_PART_GPU || part == PTX_PART_SYS;
}

bool atomic_is_number(enum ptx_part type)
{
    return type == PTX_PART_B32 || type == PTX_PART_B64 || type == PTX_PART_U32 ||
           type == PTX_PART_U64 || type == PTX_PART_S32 || type == PTX_PART_S64;
}

static uint32_t times_named(const struct ptx_operand *o, int32_t reg)
{
    uint32_t times = (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg == reg;

    for (uint32_t n = 0; n < o->count; n++)
        times += times_named(&o->list[n], reg);
    return times;
}

bool atomic_has_no_result(const struct ptx_function *f, const struct ptx_instruction *i)
{
    const struct ptx_operand *result = &i->operands[0];
    uint32_t times = 0;

    if (i->opcode != PTX_ATOM || result->kind == PTX_SINK)
        return true;
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        times += f->instructions[n].guard == result->reg;
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++)
            times += times_named(&f->instructions[n].operands[k], result->reg);
    }
    return result->kind == PTX_REGISTER && times == 1;
}
