/* SPDX-License-Identifier: Apache-2.0 */
/* Possible targets of an indirect call: all functions with a matching signature. */
#include "execute/load/decoder.h"

struct indirect_call indirect_call_find(const struct ptx_module *m,
                                        const struct ptx_function *f,
                                        const struct ptx_instruction *i)
{
    static const struct ptx_operand nothing = {.kind = PTX_LIST};
    struct indirect_call c = {NULL, &nothing, &nothing};

    for (uint32_t n = 0; i->opcode == PTX_CALL && n < i->operand_count; n++) {
        const struct ptx_operand *o = &i->operands[n];

        if (o->kind == PTX_SYMBOL && ptx_symbol(m, f, o->symbol)->is_function)
            return (struct indirect_call){NULL, &nothing, &nothing};
        if (o->kind == PTX_REGISTER)
            c.target = o;
        else if (o->kind == PTX_LIST && c.target)
            c.arguments = o;
        else if (o->kind == PTX_LIST)
            c.results = o;
    }
    return c;
}

static bool list_fits(const struct ptx_module *m, const struct ptx_function *f,
                      const struct ptx_operand *list, const struct ptx_symbol *wanted,
                      uint32_t count)
{
    for (uint32_t n = 0; n < list->count && n < count; n++)
        if (list->list[n].kind != PTX_SYMBOL ||
            ptx_symbol(m, f, list->list[n].symbol)->bytes != wanted[n].bytes)
            return false;
    return list->count == count;
}

bool indirect_call_fits(const struct ptx_module *m, const struct ptx_function *f,
                        const struct indirect_call *c, const struct ptx_function *callee)
{
    return !callee->is_entry &&
           list_fits(m, f, c->arguments, callee->symbols, callee->parameter_count) &&
           list_fits(m, f, c->results, callee->symbols + callee->parameter_count,
                     callee->return_count);
}
