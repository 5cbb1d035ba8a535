/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/memory.h"

static void note_named(const struct ptx_function *f, bool *named)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++) {
            const struct ptx_operand *o = &f->instructions[n].operands[k];

            if ((o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) &&
                o->symbol >= PTX_SYMBOL_MODULE)
                named[o->symbol - PTX_SYMBOL_MODULE] = true;
        }
}

static void note_written(const struct ptx_module *m, const struct ptx_function *f,
                         bool *written)
{
    struct access_analysis *a = access_analyze(m, f);

    for (uint32_t n = 0; n < a->record_count; n++) {
        uint32_t count;
        const struct access_record *each = access_either(&a->records[n], &count);

        for (uint32_t k = 0; k < count && each[k].kind != ACCESS_READ; k++)
            if (each[k].base == ACCESS_BASE_VARIABLE)
                written[a->symbols[each[k].base_symbol].variable - PTX_SYMBOL_MODULE] =
                    true;
    }
    access_destroy(a);
}

static bool any_of(const bool *these, const bool *those, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (these[i] && those[i])
            return true;
    return false;
}

/* Kernels that do not name any of the variables are skipped. */
bool *access_variables_written(const struct ptx_module *m, const bool *among)
{
    bool *named = must_calloc(m->symbol_count + 1u, sizeof *named),
         *written = must_calloc(m->symbol_count + 1u, sizeof *written);

    for (uint32_t n = 0; n < m->function_count; n++) {
        memset(named, 0, m->symbol_count * sizeof *named);
        note_named(&m->functions[n], named);
        if (m->functions[n].is_entry && any_of(among, named, m->symbol_count))
            note_written(m, &m->functions[n], written);
    }
    for (uint32_t i = 0; i < m->symbol_count; i++)
        written[i] &= among[i];
    free(named);
    return written;
}
