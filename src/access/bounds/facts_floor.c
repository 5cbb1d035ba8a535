/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients x / c and x >> n, and x - (x & 2^n - 1), the last multiple of 2^n that does not
   exceed x. */
#include "access/bounds/facts.h"

static bool is_small(int64_t value)
{
    return value > -((int64_t)1 << 31) && value < (int64_t)1 << 31;
}

/* The divisor; 0: no division. */
static int64_t unit_of(const struct access_symbol *y, int64_t right)
{
    if (y->function == ACCESS_DIV)
        return right > 0 && is_small(right) ? right : 0;
    return y->function == ACCESS_SHR && right >= 0 && right < 31 ? (int64_t)1 << right : 0;
}

bool facts_never_change(const struct facts *f, const struct access_form *form)
{
    return !(form_holds(&f->forms, form) &
             ~(1U << ACCESS_SPECIAL | 1U << ACCESS_PARAMETER | 1U << ACCESS_CONSTANT |
               1U << ACCESS_FUNCTION));
}

static bool is_natural(const struct range *r)
{
    return r->low >= 0 && r->high < (int64_t)1 << 31;
}

bool facts_natural(struct facts *f, const struct access_form *form)
{
    struct range r;

    if (range_of(&f->view, form, &r) && is_natural(&r))
        return true;
    return facts_never_change(f, form) &&
           ((facts_bound(f, form, &r) && is_natural(&r)) ||
            (facts_bound_deep(f, form, &r) && is_natural(&r)));
}

/* Whether the dividend, as it is read, equals its form and is at least 0: for every thread,
   or for threads that pass the guards (`i < n` before `(n - 1 - i) / c`). */
static bool is_read_whole(struct facts *f, const struct access_symbol *y)
{
    const int64_t most =
        y->bits < 64 ? ((int64_t)1 << (y->bits - y->is_signed)) - 1 : INT64_MAX;
    struct range x;

    if ((range_of(&f->view, y->left, &x) && x.low >= 0 && x.high <= most) ||
        (facts_bound(f, y->left, &x) && x.low >= 0 && x.high <= most))
        return true;
    return y->bits >= 32 && facts_natural(f, y->left);
}

bool facts_floored(struct facts *f, const struct fact *of, uint32_t term, struct fact *out)
{
    const struct access_term *t = &of->form->terms[term];
    const struct access_symbol y = f->forms.symbols[t->symbols[0]];
    const struct access_form *scaled;
    struct range right;
    int64_t unit;

    if (t->degree != 1 || y.kind != ACCESS_FUNCTION || !is_small(of->most) ||
        !range_of(&f->view, y.right, &right) || right.low != right.high ||
        !(unit = unit_of(&y, right.low)) || !is_read_whole(f, &y))
        return false;
    for (uint32_t i = 0; i < of->form->count; i++)
        if (!is_small(of->form->terms[i].factor))
            return false;
    scaled = form_add(&f->forms, form_constant(&f->forms, 0), of->form, unit);
    scaled =
        form_add(&f->forms, scaled, form_of(&f->forms, t->symbols[0]), -t->factor * unit);
    scaled = form_add(&f->forms, scaled, y.left, t->factor);
    *out = (struct fact){.form = facts_known(f, scaled),
                         .most =
                             of->most * unit + (t->factor > 0 ? t->factor * (unit - 1) : 0),
                         .from = of->from};
    return out->form != NULL;
}

const struct access_form *facts_multiple(struct facts *f, const struct access_form *form,
                                         int64_t *unit)
{
    for (uint32_t i = 0; form && i < form->count; i++) {
        const struct access_term *t = &form->terms[i];
        const struct access_symbol *y = t->degree ? &f->forms.symbols[t->symbols[0]] : NULL;
        const struct access_form *of, *rest;

        if (!y || t->degree != 1 || t->factor != -1 || y->kind != ACCESS_FUNCTION ||
            y->function != ACCESS_AND || !form_is_constant(y->right, unit) || *unit <= 0 ||
            *unit & (*unit + 1) || *unit == INT64_MAX)
            continue;
        ++*unit;
        of = form_add(&f->forms, form, form_of(&f->forms, t->symbols[0]), 1);
        rest = form_add(&f->forms, of, y->left, -1);
        for (uint32_t k = 0; rest && k < rest->count; k++)
            if (rest->terms[k].factor % *unit)
                rest = NULL;
        if (rest)
            return of;
    }
    return NULL;
}
