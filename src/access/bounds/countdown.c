/* SPDX-License-Identifier: Apache-2.0 */
#include "access/bounds/countdown.h"

bool countdown_split(struct facts *f, const struct access_form *d, uint32_t loop,
                     const struct access_form **start, const struct access_form **step)
{
    const struct access_form *a = form_constant(&f->forms, 0), *b = a;

    for (uint32_t i = 0; i < d->count; i++) {
        struct access_form *one =
            arena_alloc(f->forms.arena, sizeof *one + sizeof d->terms[0]);
        struct access_term *t = &one->terms[0];
        unsigned found = 0;

        one->count = 1;
        *t = d->terms[i];
        t->degree = 0;
        for (uint32_t k = 0; k < d->terms[i].degree; k++) {
            const struct access_symbol *y = &f->forms.symbols[d->terms[i].symbols[k]];

            if (y->kind == ACCESS_ITERATION && y->loop == loop)
                found++;
            else if (y->kind != ACCESS_ITERATION && (y->holds >> ACCESS_ITERATION & 1))
                return false; /* K may occur inside */
            else
                t->symbols[t->degree++] = d->terms[i].symbols[k];
        }
        if (found > 1)
            return false;
        if (found)
            b = form_add(&f->forms, b, one, 1);
        else
            a = form_add(&f->forms, a, one, 1);
    }
    *start = a;
    *step = b;
    return a && b && b->count;
}

/* The form modulo a power of two: x for x & 2^n - 1. */
static const struct access_form *unmasked(struct facts *f, const struct access_form *d,
                                          int64_t unit)
{
    const struct access_form *sum = d;
    int64_t mask;

    for (uint32_t i = 0; sum && i < d->count; i++) {
        const struct access_term *t = &d->terms[i];
        const struct access_symbol *y = t->degree ? &f->forms.symbols[t->symbols[0]] : NULL;

        if (!y || t->degree != 1 || y->kind != ACCESS_FUNCTION ||
            y->function != ACCESS_AND || !form_is_constant(y->right, &mask) ||
            (mask & (unit - 1)) != unit - 1)
            continue;
        sum = form_add(&f->forms, sum, form_of(&f->forms, t->symbols[0]), -t->factor);
        sum = form_add(&f->forms, sum, y->left, t->factor);
    }
    return facts_known(f, sum);
}

static bool is_multiple(struct facts *f, const struct access_form *d, int64_t unit)
{
    bool power = !(unit & (unit - 1));
    int64_t value;

    if (form_is_constant(d, &value))
        return value % unit == 0;
    d = power ? unmasked(f, d, unit) : d;
    for (uint32_t i = 0; d && i < d->count; i++)
        if (d->terms[i].factor % unit)
            return false;
    return d != NULL;
}

/* The loop repeats while d != 0, and d approaches 0 by a constant and reaches it. */
static bool trips_until(struct facts *f, const struct access_form *d, uint32_t loop,
                        struct countdown *out)
{
    const struct access_form *step;
    struct range a;
    int64_t b;

    d = facts_known(f, d);
    if (!d || !countdown_split(f, d, loop, &out->start, &step) ||
        !form_is_constant(step, &b) || !b || b == INT64_MIN ||
        !facts_bound(f, out->start, &a) || a.low == INT64_MIN)
        return false;
    out->left = b > 0 ? form_add(&f->forms, form_constant(&f->forms, 0), d, -1) : d;
    if (b > 0)
        a = (struct range){-a.high, -a.low};
    b = b < 0 ? -b : b;
    if (b > 1 && (a.low != a.high || a.low % b) && !is_multiple(f, out->start, b))
        return false;
    /* d is a multiple of b: the next value below 0 is -b. */
    out->trips = a.high / b + 1;
    return a.low > -b && a.high >= 0;
}

/* Form that the condition states to be nonzero, modulo its bits; NULL for another
   condition. For unsigned numbers, i + 1 >= i states that i + 1 is not 0. */
static const struct access_form *differs(struct facts *f, const struct access_condition *c,
                                         bool negated)
{
    int64_t one;

    if (c->kind != ACCESS_COMPARE)
        return NULL;
    if (c->comparison == (negated ? ACCESS_EQ : ACCESS_NE))
        return form_add(&f->forms, c->left, c->right, -1);
    if (c->comparison == (negated ? ACCESS_LT : ACCESS_GE) && !c->is_signed &&
        form_is_constant(form_add(&f->forms, c->left, c->right, -1), &one) && one == 1)
        return c->left;
    return NULL;
}

bool countdown_is(struct facts *f, const struct access_condition *c, bool negated)
{
    return differs(f, c, negated) != NULL;
}

bool countdown_of(struct facts *f, const struct access_guard *stay, uint32_t loop,
                  struct countdown *out)
{
    const struct access_form *d = differs(f, stay->condition, stay->negated);

    return d && facts_fit(f, stay->ranges, stay->range_count) &&
           trips_until(f, d, loop, out);
}
