/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx.h"

static void note(const struct ptx_operand *o, uint32_t at, uint32_t *count, uint32_t *last)
{
    if (o->kind == PTX_REGISTER) {
        count[o->reg]++;
        last[o->reg] = at;
    }
    for (uint32_t n = 0; n < o->count && o->kind != PTX_MEMORY; n++)
        note(&o->list[n], at, count, last);
}

void ptx_definitions_count(const struct ptx_function *f, uint32_t *count, uint32_t *last)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (f->instructions[n].operand_count)
            note(&f->instructions[n].operands[0], n, count, last);
}
