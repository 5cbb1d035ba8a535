/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ptx/ptx.h"

const struct ptx_symbol *ptx_symbol(const struct ptx_module *m,
                                    const struct ptx_function *f, int32_t symbol)
{
    return symbol < PTX_SYMBOL_MODULE ? &f->symbols[symbol]
                                      : &m->symbols[symbol - PTX_SYMBOL_MODULE];
}

const struct ptx_function *ptx_function_find(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->function_count; i++)
        if (!strcmp(m->functions[i].name, name))
            return &m->functions[i];
    return NULL;
}

bool ptx_has(const struct ptx_instruction *i, enum ptx_part part)
{
    for (uint8_t k = 0; k < i->part_count; k++)
        if (i->parts[k] == part)
            return true;
    return false;
}

bool ptx_part_is_order(enum ptx_part part)
{
    return part == PTX_PART_ACQUIRE || part == PTX_PART_RELEASE || part == PTX_PART_ACQ_REL;
}

bool ptx_is_ordered(const struct ptx_instruction *i)
{
    for (uint8_t k = 0; k < i->part_count; k++)
        if (ptx_part_is_order(i->parts[k]))
            return true;
    return false;
}
