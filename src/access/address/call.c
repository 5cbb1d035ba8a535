/* SPDX-License-Identifier: Apache-2.0 */
#include "access/address/call.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_outside(enum ptx_space space)
{
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

/* Registers of a function that may hold a foreign address: loaded or received 8-byte values
   and values computed from them. Narrower values are numbers. */
struct addresses {
    const struct ptx_function *function;
    bool *may; /* by register */
    bool changed;
};

static bool reads_any(const struct addresses *a, const struct ptx_operand *o)
{
    bool found =
        (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg >= 0 && a->may[o->reg];

    for (uint32_t k = 0; k < o->count; k++)
        found |= reads_any(a, &o->list[k]);
    return found;
}

static void mark(struct addresses *a, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER && o->reg >= 0 && !a->may[o->reg] &&
        a->function->registers[o->reg].bytes >= 8)
        a->may[o->reg] = a->changed = true;
    for (uint32_t k = 0; k < o->count; k++)
        mark(a, &o->list[k]);
}

static void mark_all(struct addresses *a)
{
    a->changed = false;
    for (uint32_t n = 0; n < a->function->instruction_count; n++) {
        const struct ptx_instruction *i = &a->function->instructions[n];
        bool from = ptx_instruction_effect(i) == PTX_LOADS;

        for (uint32_t k = 1; k < i->operand_count; k++)
            from |= reads_any(a, &i->operands[k]);
        if (from && i->operand_count)
            mark(a, &i->operands[0]);
    }
}

/* Loads of the module's variables count as constants. */
static bool instruction_is_quiet(const struct addresses *a, const struct ptx_instruction *i)
{
    enum ptx_effect effect = ptx_instruction_effect(i);
    bool touches = effect == PTX_LOADS || effect == PTX_STORES || effect == PTX_ATOMIC;

    if (i->opcode == PTX_OPCODE_COUNT || i->opcode == PTX_WMMA || i->opcode == PTX_CP ||
        i->opcode == PTX_CALL)
        return false;
    if (!touches || !is_outside(i->space))
        return true;
    return i->opcode == PTX_LD && i->operand_count > 1 && !reads_any(a, &i->operands[1]);
}

static bool is_quiet(const struct ptx_function *f)
{
    struct addresses a = {.function = f,
                          .may = must_calloc(f->register_count + 1u, sizeof(bool))};
    bool quiet = f->instruction_count > 0;

    do
        mark_all(&a);
    while (a.changed);
    for (uint32_t n = 0; n < f->instruction_count && quiet; n++)
        quiet = instruction_is_quiet(&a, &f->instructions[n]);
    free(a.may);
    return quiet;
}

/* Function that a call names; NULL for an external function or an indirect call. */
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

    return f && is_quiet(f);
}
