/* SPDX-License-Identifier: Apache-2.0 */
/* Call graph and recursion. */
#include "execute/load/decode_recursion.h"

#include <string.h>

static void mark_callees(const struct decoder *d, const struct ptx_function *f,
                         const struct ptx_instruction *i, bool *called)
{
    const struct indirect_call c = indirect_call_find(d->module, f, i);

    for (uint32_t k = 0; c.target && k < d->module->function_count; k++)
        called[k] |= indirect_call_fits(d->module, f, &c, &d->module->functions[k]);
    for (uint32_t k = 0; i->opcode == PTX_CALL && k < i->operand_count; k++) {
        const struct ptx_operand *o = &i->operands[k];
        const struct ptx_symbol *s =
            o->kind == PTX_SYMBOL ? ptx_symbol(d->module, f, o->symbol) : NULL;

        if (s && s->is_function && s->function >= 0)
            called[s->function] = true;
    }
}

/* Adds a function and its callees to the graph. Each has a row with its callees. */
static void number(struct decoder *d, uint32_t index)
{
    const struct ptx_function *f = &d->module->functions[index];
    struct frame *frame = &d->frames[index];

    if (frame->calls)
        return;
    frame->calls = arena_alloc(&d->arena, d->module->function_count);
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (f->instructions[n].opcode == PTX_CALL)
            mark_callees(d, f, &f->instructions[n], frame->calls);
    for (uint32_t k = 0; k < d->module->function_count; k++)
        if (frame->calls[k])
            number(d, k);
}

static void add_row(bool *to, const bool *from, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        to[k] |= from[k];
}

bool calls_find(struct decoder *d, uint32_t kernel)
{
    const uint32_t count = d->module->function_count;
    bool any = false;

    number(d, kernel);
    for (uint32_t by = 0; by < count; by++)
        for (uint32_t f = 0; d->frames[by].calls && f < count; f++)
            if (d->frames[f].calls && d->frames[f].calls[by])
                add_row(d->frames[f].calls, d->frames[by].calls, count);
    for (uint32_t f = 0; f < count; f++)
        any |= calls_itself(d, f);
    return any;
}

bool calls_itself(const struct decoder *d, uint32_t function)
{
    const struct frame *frame = &d->frames[function];

    return frame->calls && frame->calls[function];
}

bool calls_back(const struct decoder *d, uint32_t function)
{
    const struct frame *callee = &d->frames[function];

    return callee->calls && callee->calls[d->function - d->module->functions];
}
