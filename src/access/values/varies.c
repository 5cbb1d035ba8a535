/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/varies.h"

static bool symbol_varies(const struct study *s, const struct access_symbol *y,
                          const struct region_loop *l)
{
    switch (y->kind) {
    case ACCESS_ITERATION:
    case ACCESS_TRIPS:
        return l->contains[s->regions->loops[y->loop].header];
    case ACCESS_PHI:
        return l->contains[s->ssa->values[y->variable].block];
    case ACCESS_LOADED:
    case ACCESS_OPAQUE:
        return l->contains[s->regions->flow->block_of[y->variable]];
    case ACCESS_FUNCTION:
        return varies_in_loop(s, y->left, l) || varies_in_loop(s, y->right, l);
    case ACCESS_MEMBER:
    case ACCESS_ELEMENT:
        return varies_in_loop(s, y->left, l);
    case ACCESS_CHOICE:
        return true;
    default:
        return false;
    }
}

bool varies_in_loop(const struct study *s, const struct access_form *f,
                    const struct region_loop *l)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            if (symbol_varies(s, &s->maker.forms.symbols[f->terms[i].symbols[k]], l))
                return true;
    return false;
}
