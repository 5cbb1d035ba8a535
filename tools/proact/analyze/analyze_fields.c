/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_kernel.h"

#include <stdlib.h>

static bool is_base(const struct access_analysis *a, uint32_t offset)
{
    for (uint32_t i = 0; i < a->record_count; i++)
        if (a->records[i].base == ACCESS_BASE_PARAMETER &&
            a->symbols[a->records[i].base_symbol].offset == offset)
            return true;
    return false;
}

static int by_offset(const void *a, const void *b)
{
    const struct analyze_field *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The parameter that `o` names, or NULL. */
static const struct ptx_symbol *parameter_of(const struct ptx_function *f,
                                             const struct ptx_operand *o)
{
    return o->kind == PTX_MEMORY && o->symbol >= 0 &&
                   (uint32_t)o->symbol < f->parameter_count
               ? &f->symbols[o->symbol]
               : NULL;
}

uint32_t analyze_fields(const struct analyze_kernel *k, const struct ptx_function *f,
                        struct analyze_field fields[ANALYZE_FIELDS_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const struct ptx_symbol *s = in->opcode == PTX_LD && in->operand_count > 1
                                         ? parameter_of(f, &in->operands[1])
                                         : NULL;
        uint32_t bytes = s ? ptx_type_bytes(in->type) : 0;

        for (uint32_t e = 0; s && e < in->vector; e++) {
            uint32_t offset = s->offset + (uint32_t)in->operands[1].integer + e * bytes,
                     n = 0;

            while (n < count && fields[n].offset != offset)
                n++;
            if (n == count && count < ANALYZE_FIELDS_MAX)
                fields[count++] = (struct analyze_field){offset, bytes, in->type,
                                                         is_base(k->analysis, offset)};
        }
    }
    qsort(fields, count, sizeof *fields, by_offset);
    return count;
}
