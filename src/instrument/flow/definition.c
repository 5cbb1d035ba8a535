/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/definition.h"

static void visit_operand(const struct ptx_operand *o, definition_visit *visit,
                          void *context)
{
    if (o->reg >= 0 && (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY))
        visit(context, o->reg);
    for (uint32_t k = 0; k < o->count; k++)
        visit_operand(&o->list[k], visit, context);
}

/* True if the instruction defines its first operand. An unknown instruction is assumed
   to. */
static bool sets_first(const struct ptx_instruction *i)
{
    if (!i->operand_count || i->operands[0].kind == PTX_MEMORY)
        return false;
    switch (i->opcode) {
    case PTX_ST:
    case PTX_RED:
    case PTX_BRA:
    case PTX_BRX:
    case PTX_NANOSLEEP:
        return false;
    case PTX_BAR:
    case PTX_BARRIER:
        return ptx_has(i, PTX_PART_RED);
    case PTX_CALL:
        return i->operands[0].kind == PTX_LIST && i->operand_count > 1;
    default:
        return true;
    }
}

void definition_each(const struct ptx_instruction *i, definition_visit *visit,
                     void *context)
{
    if (sets_first(i))
        visit_operand(&i->operands[0], visit, context);
}

void definition_each_use(const struct ptx_instruction *i, definition_visit *visit,
                         void *context)
{
    if (i->guard >= 0)
        visit(context, i->guard);
    for (uint32_t k = sets_first(i) ? 1 : 0; k < i->operand_count; k++)
        visit_operand(&i->operands[k], visit, context);
}

struct use {
    int32_t reg;
    bool is_used;
};

static void compare(void *context, int32_t reg)
{
    struct use *u = context;

    u->is_used |= reg == u->reg;
}

bool definition_is_read(const struct ptx_function *f, const struct ptx_operand *result)
{
    struct use u = {result->reg, false};

    for (uint32_t n = 0; result->kind == PTX_REGISTER && n < f->instruction_count; n++)
        definition_each_use(&f->instructions[n], compare, &u);
    return u.is_used || (result->kind != PTX_REGISTER && result->kind != PTX_SINK);
}
