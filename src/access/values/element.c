/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/element.h"

/* The only table address among the terms of the position; -1: none. */
static int64_t table_of(const struct forms *f, const struct access_form *place)
{
    const uint32_t tables = 1U << ACCESS_BLOCK | 1U << ACCESS_VARIABLE;
    int64_t table = -1;

    for (uint32_t i = 0; i < place->count; i++) {
        const struct access_term *t = &place->terms[i];

        for (uint32_t k = 0; k < t->degree; k++)
            if (f->symbols[t->symbols[k]].holds & tables) {
                if (table >= 0 || t->degree != 1 || t->factor != 1)
                    return -1;
                table = (int64_t)t->symbols[k];
            }
    }
    return table >= 0 && !f->symbols[table].left ? table : -1;
}

const struct access_form *element_form(struct study *s, struct access_symbol y)
{
    struct forms *f = &s->maker.forms;
    const enum ptx_space space = s->function->instructions[y.variable].space;
    const int64_t table = y.left ? table_of(f, y.left) : -1;

    if (table < 0)
        return y.left && form_holds(f, y.left) >> ACCESS_PHI & 1 ? form_make(f, &y) : NULL;
    const struct access_symbol *of = &f->symbols[table];
    const struct ptx_symbol *p = ptx_symbol(s->module, s->function, of->variable);

    if (p->space != space || p->is_extern || p->is_function)
        return NULL;
    y.left = form_add(f, y.left, form_of(f, (uint32_t)table), -1);
    y.bytes = ptx_symbol_bytes(p);
    y.offset = space == PTX_SPACE_CONST ? 0 : p->offset;
    y.variable = space == PTX_SPACE_CONST ? of->variable : 0;
    y.reason = space == PTX_SPACE_CONST ? "is selected from constant memory by an index"
                                        : "is selected from the parameters by an index";
    return y.left ? form_make(f, &y) : NULL;
}
