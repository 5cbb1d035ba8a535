/* SPDX-License-Identifier: Apache-2.0 */
#include "access/facts.h"

/* Factors that are larger are left alone: sums of the others do not wrap. */
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

/* By how much of the fact a term of the form goes away, or gets smaller: 0 for none. */
static int64_t ratio(const struct access_form *form, const struct access_term *of)
{
    for (uint32_t i = 0; i < form->count; i++) {
        const struct access_term *t = &form->terms[i];
        bool same = t->degree == of->degree && t->degree && is_small(t->factor) &&
                    is_small(of->factor);

        for (uint32_t k = 0; same && k < t->degree; k++)
            same = t->symbols[k] == of->symbols[k];
        if (same && t->factor % of->factor == 0)
            return t->factor / of->factor;
        if (same)
            return (t->factor < 0) == (of->factor < 0) ? 1 : -1;
    }
    return 0;
}

static bool fits(const struct access_form *form, int64_t times)
{
    int64_t product;

    for (uint32_t i = 0; i < form->count; i++)
        if (__builtin_mul_overflow(form->terms[i].factor, times, &product) ||
            !is_small(product))
            return false;
    return true;
}

/* Bits of a form's terms but the constant: forms that have a term in common have a bit in
   common. */
static uint64_t terms_of(const struct access_form *form)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < form->count; i++) {
        const struct access_term *t = &form->terms[i];
        uint32_t hash = t->degree;

        for (uint32_t k = 0; k < t->degree; k++)
            hash = (hash ^ t->symbols[k]) * 0x9e3779b1u;
        bits |= t->degree ? UINT64_C(1) << (hash >> 26) : 0;
    }
    return bits;
}

struct limits {
    struct range at;
    bool has_low, has_high;
};

/* For one access of one device, some 10 ms. Of the test kernels some would try 0.2 million
   times, to no use; with many facts of many terms it would be thousands of millions. What
   is read is then told less exactly. */
enum { TRIES_MAX = 1 << 15 };

/* What is bounded by: all facts, and of each the bits of its terms. */
struct bounding {
    struct facts *facts;
    uint64_t terms[FACTS_MAX];
};

static bool bound(const struct bounding *g, const struct access_form *form, unsigned facts,
                  struct range *out);

/* Of what is left of a form when n times the fact is taken away, by `facts` more. */
static bool bound_rest(const struct bounding *g, const struct access_form *form,
                       const struct fact *by, int64_t n, unsigned facts, struct range *out)
{
    struct forms *forms = &g->facts->forms;

    if (!facts)
        return range_of_sum(&g->facts->view, form, by->form, -n, out);
    const struct arena_mark mark = arena_mark(forms->arena);
    const struct access_form *rest = form_add(forms, form, by->form, -n);
    const bool known = rest && bound(g, rest, facts, out);

    arena_rewind(forms->arena, mark);
    return known;
}

/* d <= most makes any form at most (form - n d) + n most, and for negative n at least.
   `facts`: how many may be used one on top of the other. */
static void limit(const struct bounding *g, const struct access_form *form,
                  const struct fact *by, int64_t n, unsigned facts, struct limits *out)
{
    struct range r;
    int64_t b;

    ++*g->facts->tried;
    if (!n || !fits(by->form, n) || __builtin_mul_overflow(by->most, n, &b) ||
        !bound_rest(g, form, by, n, facts - 1, &r) ||
        __builtin_add_overflow(b, n > 0 ? r.high : r.low, &b))
        return;
    if (n > 0 && (!out->has_high || b < out->at.high)) {
        out->at.high = b;
        out->has_high = true;
    }
    if (n < 0 && (!out->has_low || b > out->at.low)) {
        out->at.low = b;
        out->has_low = true;
    }
}

/* Of a form with what is known in it. */
static bool bound(const struct bounding *g, const struct access_form *form, unsigned facts,
                  struct range *out)
{
    struct limits l = {{0, 0}, false, false};
    const uint64_t terms = terms_of(form);

    l.has_low = l.has_high = range_of(&g->facts->view, form, &l.at);
    for (uint32_t i = 0; facts && i < g->facts->count; i++) {
        const struct fact *by = &g->facts->facts[i];
        int64_t last = 0;

        for (uint32_t k = 0; g->terms[i] & terms && k < by->form->count; k++) {
            int64_t n = ratio(form, &by->form->terms[k]);

            if (n != last)
                limit(g, form, by, n, facts, &l);
            last = n;
        }
    }
    *out = l.at;
    return l.has_low && l.has_high;
}

bool facts_bound(struct facts *f, const struct access_form *form, struct range *out)
{
    struct bounding g;

    form = facts_known(f, form);
    if (!form)
        return false;
    g.facts = f;
    for (uint32_t i = 0; i < f->count; i++)
        g.terms[i] = terms_of(f->facts[i].form);
    return bound(&g, form, f->in_pairs && *f->tried < TRIES_MAX ? 2 : 1, out);
}

static bool has_count(const struct facts *f, const struct access_form *form, uint32_t loop)
{
    for (uint32_t i = 0; i < form->count; i++)
        for (uint32_t k = 0; k < form->terms[i].degree; k++) {
            const struct access_symbol *y = &f->forms.symbols[form->terms[i].symbols[k]];

            if (y->kind == ACCESS_ITERATION && y->loop == loop)
                return true;
        }
    return false;
}

bool facts_concern(const struct facts *f, const struct access_form *form, uint32_t loop)
{
    uint64_t terms[FACTS_MAX], reached = terms_of(form), before;

    if (has_count(f, form, loop))
        return true;
    for (uint32_t i = 0; i < f->count; i++)
        terms[i] = terms_of(f->facts[i].form);
    do {
        before = reached;
        for (uint32_t i = 0; i < f->count; i++)
            reached |= terms[i] & reached ? terms[i] : 0;
    } while (reached != before);
    for (uint32_t i = 0; i < f->count; i++)
        if (terms[i] & reached && has_count(f, f->facts[i].form, loop))
            return true;
    return false;
}
