/* SPDX-License-Identifier: Apache-2.0 */
#include "access/call.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_outside(enum ptx_space space)
{
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

/* Reads of a variable of the module by its name are as good as constants. */
static bool reads_variable(const struct ptx_module *m, const struct ptx_function *f,
                           const struct ptx_instruction *i)
{
    for (uint32_t k = 0; i->opcode == PTX_LD && k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_MEMORY && i->operands[k].symbol >= 0)
            return ptx_symbol(m, f, i->operands[k].symbol)->space == PTX_SPACE_GLOBAL;
    return false;
}

static bool is_quiet(const struct ptx_module *m, const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        enum ptx_effect effect = ptx_instruction_effect(i);
        bool touches = effect == PTX_LOADS || effect == PTX_STORES || effect == PTX_ATOMIC;

        if (i->opcode == PTX_OPCODE_COUNT || i->opcode == PTX_WMMA || i->opcode == PTX_CP ||
            i->opcode == PTX_CALL)
            return false;
        if (touches && is_outside(i->space) && !reads_variable(m, f, i))
            return false;
    }
    return f->instruction_count > 0;
}

/* The function that a call names; NULL for one that is not here, or behind a pointer. */
static const struct ptx_function *callee(const struct study *s,
                                         const struct ptx_instruction *call)
{
    for (uint32_t k = 0; k < call->operand_count && k < 2; k++) {
        const struct ptx_operand *o = &call->operands[k];

        if (o->kind != PTX_SYMBOL)
            continue;
        const struct ptx_symbol *y = ptx_symbol(s->module, s->function, o->symbol);

        return y->is_function && y->function >= 0 ? &s->module->functions[y->function]
                                                  : NULL;
    }
    return NULL;
}

bool call_is_quiet(const struct study *s, const struct ptx_instruction *call)
{
    const struct ptx_function *f = callee(s, call);

    return f && is_quiet(s->module, f);
}
