/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of functions whose arguments the facts bound: (n - 1 - i) / c after a test of i <
   n. */
#include "access/bounds/bounding.h"

enum { DEPTH_MAX = 6 }; /* nesting of functions and choices */

/* Cached bounds of a symbol, with the nesting depth at which they were found. They serve
   queries at the same or a greater depth. */
struct found {
    struct range range;
    uint8_t depth_limit; /* depth + 1, 0: none */
    bool is_known;
};

struct bounding_page {
    struct found symbol[RANGE_PAGE];
};

static bool bound(struct bounding *b, const struct access_form *form, unsigned depth,
                  struct range *out);

/* Bounds of an argument as the function reads it: the range of the type if it may not
   fit. */
static struct range argument(struct bounding *b, const struct access_symbol *y,
                             const struct access_form *form, unsigned depth)
{
    const struct range all = range_of_type(y->bits, y->is_signed);
    struct range r;

    if (bounding_of(b, form, &r) && r.low >= all.low && r.high <= all.high)
        return r;
    return bound(b, form, depth, &r) && r.low >= all.low && r.high <= all.high ? r : all;
}

static bool bound_choice(struct bounding *b, const struct access_symbol *y, unsigned depth,
                         struct range *out)
{
    struct range all = {INT64_MAX, INT64_MIN}, r;

    for (uint32_t i = 0; i < y->choice_count; i++) {
        if (!bound(b, y->choices[i], depth, &r))
            return false;
        all.low = r.low < all.low ? r.low : all.low;
        all.high = r.high > all.high ? r.high : all.high;
    }
    *out = all;
    return y->choice_count > 0;
}

static bool find_symbol(struct bounding *b, uint32_t symbol, unsigned depth,
                        struct range *out)
{
    struct facts *f = b->facts;
    const struct access_symbol y = f->forms.symbols[symbol];

    if (y.kind == ACCESS_CHOICE)
        return bound_choice(b, &y, depth, out);
    if (y.kind != ACCESS_FUNCTION)
        return range_of(&f->view, form_of(&f->forms, symbol), out);
    const struct range left = argument(b, &y, y.left, depth),
                       right = argument(b, &y, y.right, depth);

    *out = range_of_function(&y, left, right);
    return y.bits < 64 || out->low > INT64_MIN || out->high < INT64_MAX;
}

static struct found *found_of(struct bounding *b, uint32_t symbol)
{
    struct bounding_page **page = &b->deep[symbol / RANGE_PAGE];

    if (!*page)
        *page = arena_alloc(b->facts->forms.arena, sizeof **page);
    return &(*page)->symbol[symbol % RANGE_PAGE];
}

/* Functions are nested, and many facts share them: results are cached. */
static bool bound_symbol(struct bounding *b, uint32_t symbol, unsigned depth,
                         struct range *out)
{
    struct found *d = found_of(b, symbol);

    if (!d->depth_limit || d->depth_limit > depth + 1) {
        d->is_known = find_symbol(b, symbol, depth, &d->range);
        d->depth_limit = (uint8_t)(depth + 1);
    }
    *out = d->range;
    return d->is_known;
}

/* Bounds of a sum of symbols. */
static bool bound(struct bounding *b, const struct access_form *form, unsigned depth,
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
            (t->degree && !bound_symbol(b, t->symbols[0], depth + 1, &r)) ||
            __builtin_mul_overflow(t->factor, t->factor < 0 ? r.high : r.low, &low) ||
            __builtin_mul_overflow(t->factor, t->factor < 0 ? r.low : r.high, &high) ||
            __builtin_add_overflow(sum.low, low, &sum.low) ||
            __builtin_add_overflow(sum.high, high, &sum.high))
            return false;
    }
    *out = sum;
    return true;
}

bool bounding_deep(struct bounding *b, const struct access_form *form, struct range *out)
{
    const struct forms *forms = &b->facts->forms;

    if (!form || !(form_holds(forms, form) & (1U << ACCESS_FUNCTION | 1U << ACCESS_CHOICE)))
        return false;
    if (!b->deep)
        b->deep =
            arena_alloc(forms->arena, (forms->count / RANGE_PAGE + 1u) * sizeof *b->deep);
    return bound(b, form, 0, out);
}
