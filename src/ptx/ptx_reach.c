/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx.h"

static void reach(const struct ptx_module *m, const struct ptx_function *f, bool reached[]);

static void reach_function(const struct ptx_module *m, uint32_t function, bool reached[])
{
    if (reached[function])
        return;
    reached[function] = true;
    reach(m, &m->functions[function], reached);
}

/* A function named outside of a call counts as called, because its address is taken. */
static bool names_function(const struct ptx_module *m, const struct ptx_function *f,
                           const struct ptx_instruction *i, bool reached[])
{
    bool any = false;

    for (uint32_t o = 0; o < i->operand_count; o++) {
        const struct ptx_symbol *s = i->operands[o].kind == PTX_SYMBOL
                                         ? ptx_symbol(m, f, i->operands[o].symbol)
                                         : NULL;

        if (!s || !s->is_function)
            continue;
        any = true;
        if (s->function >= 0)
            reach_function(m, (uint32_t)s->function, reached);
    }
    return any;
}

static void reach(const struct ptx_module *m, const struct ptx_function *f, bool reached[])
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (names_function(m, f, i, reached) || i->opcode != PTX_CALL)
            continue;
        for (uint32_t k = 0; k < m->function_count; k++) /* indirect call: any function */
            if (!m->functions[k].is_entry)
                reach_function(m, k, reached);
    }
}

void ptx_reach_named(const struct ptx_module *m, const struct ptx_function *f,
                     bool reached[])
{
    reach(m, f, reached);
}

void ptx_reach(const struct ptx_module *m, const struct ptx_function *f, bool reached[])
{
    reached[f - m->functions] = true;
    reach(m, f, reached);
}
