/* SPDX-License-Identifier: Apache-2.0 */
/* Between which values functions lie of what the facts bound: (n - 1 - i) / c where i < n
   was asked before. */
#include "access/facts.h"

enum { DEPTH_MAX = 6 }; /* of functions and choices in each other */

static bool bound(struct facts *f, const struct access_form *form, unsigned depth,
                  struct range *out);

/* As the function reads it: of what may not fit, any value of the type. */
static struct range argument(struct facts *f, const struct access_symbol *y,
                             const struct access_form *form, unsigned depth)
{
    const struct range all = range_of_type(y->bits, y->is_signed);
    struct range r;

    if (facts_bound(f, form, &r) && r.low >= all.low && r.high <= all.high)
        return r;
    return bound(f, form, depth, &r) && r.low >= all.low && r.high <= all.high ? r : all;
}

static bool bound_choice(struct facts *f, const struct access_symbol *y, unsigned depth,
                         struct range *out)
{
    struct range all = {INT64_MAX, INT64_MIN}, r;

    for (uint32_t i = 0; i < y->choice_count; i++) {
        if (!bound(f, y->choices[i], depth, &r))
            return false;
        all.low = r.low < all.low ? r.low : all.low;
        all.high = r.high > all.high ? r.high : all.high;
    }
    *out = all;
    return y->choice_count > 0;
}

static bool bound_symbol(struct facts *f, uint32_t symbol, unsigned depth,
                         struct range *out)
{
    const struct access_symbol y = f->forms.symbols[symbol];

    if (y.kind == ACCESS_CHOICE)
        return bound_choice(f, &y, depth, out);
    if (y.kind != ACCESS_FUNCTION)
        return range_of(&f->view, form_of(&f->forms, symbol), out);
    const struct range left = argument(f, &y, y.left, depth),
                       right = argument(f, &y, y.right, depth);

    *out = range_of_function(&y, left, right);
    return y.bits < 64 || out->low > INT64_MIN || out->high < INT64_MAX;
}

/* Of a sum of symbols. */
static bool bound(struct facts *f, const struct access_form *form, unsigned depth,
                  struct range *out)
{
    struct range sum = {0, 0};

    if (!form || depth == DEPTH_MAX)
        return false;
    for (uint32_t i = 0; i < form->count; i++) {
        const struct access_term *t = &form->terms[i];
        struct range r = {1, 1};
        int64_t low, high;

        if (t->degree > 1 ||
            (t->degree && !bound_symbol(f, t->symbols[0], depth + 1, &r)) ||
            __builtin_mul_overflow(t->factor, t->factor < 0 ? r.high : r.low, &low) ||
            __builtin_mul_overflow(t->factor, t->factor < 0 ? r.low : r.high, &high) ||
            __builtin_add_overflow(sum.low, low, &sum.low) ||
            __builtin_add_overflow(sum.high, high, &sum.high))
            return false;
    }
    *out = sum;
    return true;
}

bool facts_bound_deep(struct facts *f, const struct access_form *form, struct range *out)
{
    const uint32_t holds = form ? form_holds(&f->forms, form) : 0;

    return holds & (1U << ACCESS_FUNCTION | 1U << ACCESS_CHOICE) && bound(f, form, 0, out);
}
