/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pointer_tables/table_look_ups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/kernel.h"
#include "runtime/pointer_tables/table_contents.h"
#include "runtime/provenance/look_up.h"

enum { WORD = 8 };

/* Whether the instruction reads, or may read, a table parameter. */
static bool looks_up(const struct ptx_function *f, const struct ptx_instruction *i)
{
    static const char table[] = "proact_table_";
    const struct ptx_operand *from = i->operand_count == 2 ? &i->operands[1] : NULL;

    if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM || !from)
        return false;
    return from->reg >= 0 ||
           (from->symbol >= 0 && (uint32_t)from->symbol < f->parameter_count &&
            strncmp(f->symbols[from->symbol].name, table, sizeof table - 1) == 0);
}

static const struct table_load *load_at(const struct address_tables *t, uint32_t at,
                                        unsigned *table)
{
    for (unsigned n = 0; n < t->count; n++)
        for (uint32_t k = 0; k < t->of[n].load_count; k++)
            if (t->of[n].load[k].instruction == at) {
                *table = n;
                return &t->of[n].load[k];
            }
    return NULL;
}

static uint32_t next(const struct ptx_function *f, uint32_t at)
{
    while (at < f->instruction_count && !looks_up(f, &f->instructions[at]))
        at++;
    return at;
}

/* Vectors are unknown, since only the first element would be described. */
static struct look_up of_load(const struct table_load *l, uint64_t begin)
{
    return (struct look_up){l->is_known && l->bytes == WORD, begin + l->first, l->step};
}

struct look_up *table_look_ups(const struct proact_kernel *k,
                               const struct address_tables *t,
                               const struct proact_kernel *variant)
{
    const struct ptx_function *f = k->ptx, *g = variant->ptx;
    struct look_up *all = must_calloc(g->instruction_count + 1u, sizeof *all);
    uint32_t to = next(g, 0);
    bool fits = true;

    for (uint32_t n = 0; n < f->instruction_count && fits; n++) {
        unsigned table = 0;
        const struct table_load *l = load_at(t, n, &table);

        if (!l && !looks_up(f, &f->instructions[n]))
            continue;
        fits = to < g->instruction_count &&
               g->instructions[to].line == f->instructions[n].line;
        if (fits && l)
            all[to] = of_load(l, g->symbols[g->parameter_count - t->count + table].offset);
        else if (fits && k->look_ups)
            all[to] = k->look_ups[n];
        to = next(g, to + 1);
    }
    if (fits && to >= g->instruction_count)
        return all;
    free(all);
    return NULL;
}
