/* SPDX-License-Identifier: Apache-2.0 */
/* Forms with the constants of a launch inserted. */
#include "access/bounds/facts.h"

/* Larger factors are ignored, so that sums of the others do not overflow. */
static bool is_small(int64_t factor)
{
    return factor > -((int64_t)1 << 54) && factor < (int64_t)1 << 54;
}

static bool known_value(const struct facts *f, uint32_t symbol, int64_t *out)
{
    const struct access_symbol *y = &f->forms.symbols[symbol];
    const struct access_launch *l = f->view.launch;

    if (!l)
        return false;
    if (range_is_given(y))
        return range_given(l, y, out);
    if (y->kind == ACCESS_FUNCTION) /* (n - 1 - i) / stride in neighbouring threads */
        return range_number(&f->view, symbol, out);
    if (y->kind != ACCESS_SPECIAL)
        return false;
    if (y->special >= PTX_NTID_X && y->special <= PTX_NTID_Z)
        *out = l->ntid[y->special - PTX_NTID_X];
    else if (y->special >= PTX_NCTAID_X && y->special <= PTX_NCTAID_Z)
        *out = l->nctaid[y->special - PTX_NCTAID_X];
    else
        return false;
    return true;
}

static const struct access_form *known_term(struct facts *f, const struct access_term *t)
{
    struct access_form *one = arena_alloc(f->forms.arena, sizeof *one + sizeof *t);
    struct access_term *left = &one->terms[0];
    int64_t value;

    one->count = 1;
    *left = (struct access_term){.factor = t->factor};
    for (uint32_t k = 0; k < t->degree; k++)
        if (!known_value(f, t->symbols[k], &value))
            left->symbols[left->degree++] = t->symbols[k];
        else if (__builtin_mul_overflow(left->factor, value, &left->factor) ||
                 !is_small(left->factor)) {
            *left = *t;
            break;
        }
    one->count = left->factor != 0;
    return one;
}

const struct access_form *facts_known(struct facts *f, const struct access_form *form)
{
    const struct access_form *sum = form ? form_constant(&f->forms, 0) : NULL;

    for (uint32_t i = 0; sum && i < form->count; i++)
        sum = form_add(&f->forms, sum, known_term(f, &form->terms[i]), 1);
    return sum;
}
