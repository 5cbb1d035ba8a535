/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx.h"

static uint32_t times_named(const struct ptx_operand *o, int32_t reg)
{
    uint32_t times = (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg == reg;

    for (uint32_t n = 0; n < o->count; n++)
        times += times_named(&o->list[n], reg);
    return times;
}

bool ptx_atomic_has_no_result(const struct ptx_function *f, const struct ptx_instruction *i)
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
