/* SPDX-License-Identifier: Apache-2.0 */
#include "access/ranges/cases.h"

#include "access/loops/ended_loop.h"
#include "access/ranges/sign_mask.h"
#include "access/ranges/steps.h"

static bool choose(const struct access_symbol *y, struct cases *c)
{
    if (y->choice_count > CASES_MAX)
        return false;
    c->count = y->choice_count;
    for (uint32_t i = 0; i < y->choice_count; i++)
        c->each[i] = (struct one_case){
            .is = y->choices[i], .way = y->ways ? y->ways[i] : (struct access_way){0}};
    return true;
}

/* Adds low <= form <= high; false if that cannot be expressed. */
static bool is_between(struct forms *forms, const struct access_form *of, int64_t low,
                       int64_t high, struct one_case *o)
{
    o->facts[o->fact_count++] = (struct fact){.form = of, .most = high};
    o->facts[o->fact_count] = (struct fact){
        .form = form_add(forms, form_constant(forms, 0), of, -1), .most = -low};
    return of && o->facts[o->fact_count++].form;
}

static struct one_case case_between(struct forms *forms, const struct access_form *of,
                                    int64_t low, int64_t high)
{
    struct one_case o = {.fact_count = 0};

    (void)is_between(forms, of, low, high, &o);
    return o;
}

/* The divisor, 0: none; x & 2^n - 1 is x % 2^n. */
static int64_t divisor_of(const struct extent *e, const struct access_symbol *y)
{
    struct range r;

    if (!extent_of(e, y->right, &r) || r.low != r.high || r.low <= 0)
        return 0;
    if (y->function == ACCESS_REM)
        return r.low;
    if (y->function != ACCESS_AND || r.low == INT64_MAX)
        return 0;
    return r.low & (r.low + 1) ? 0 : r.low + 1;
}

static int64_t floor_divide(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

/* A remainder is the dividend less one of a few multiples. For a mask this also holds below
   0. */
static bool divide(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    struct forms *forms = &e->facts.forms;
    int64_t by = divisor_of(e, y), most = (int64_t)1 << (y->bits < 62 ? y->bits - 1 : 61);
    const struct access_form *left = facts_known(&e->facts, y->left);
    struct range r;

    if (!by || !left || !extent_of(e, left, &r) || r.high >= most ||
        r.low < (y->function == ACCESS_AND ? -most : 0))
        return false;
    const int64_t first = floor_divide(r.low, by), last = floor_divide(r.high, by);

    if (last - first >= CASES_MAX)
        return false;
    c->count = 0;
    for (int64_t q = first; q <= last; q++) {
        struct one_case *o = &c->each[c->count++];

        *o = case_between(forms, left, q * by, q * by + by - 1);
        o->is = form_add(forms, left, form_constant(forms, q * by), -1);
        if (!o->is || !o->facts[1].form)
            return false;
    }
    return true;
}

/* Interval of the base on which the quotient is constant. */
static bool add_step(struct forms *forms, const struct steps *s, int64_t low, int64_t high,
                     struct cases *c)
{
    struct one_case *o = &c->each[c->count++];

    *o = (struct one_case){.is = form_constant(forms, steps_value(s, low))};
    return is_between(forms, s->base, low, high, o);
}

/* A quotient with few values. */
static bool climb(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    struct forms *forms = &e->facts.forms;
    struct steps s;

    if (!steps_open(&s, e, y))
        return false;
    c->count = 0;
    for (int64_t at = s.range.low, end; at <= s.range.high; at = end) {
        if (c->count == CASES_MAX)
            return false;
        end = steps_next(&s, at);
        if (!add_step(forms, &s, at, end - 1, c))
            return false;
    }
    return true;
}

/* A quotient that counts rows: the first and the last row may be partial, those between are
   complete. */
static bool part_edges(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    struct forms *forms = &e->facts.forms;
    struct steps s;

    if (y->kind != ACCESS_FUNCTION || y->function == ACCESS_AND || !steps_open(&s, e, y) ||
        steps_value(&s, s.range.low) == steps_value(&s, s.range.high))
        return false;
    const bool starts = steps_starts(&s), ends = steps_ends(&s);
    const int64_t first = starts ? s.range.low : steps_next(&s, s.range.low),
                  end = ends ? s.range.high + 1 : steps_begin(&s, s.range.high);
    bool known = !starts || !ends;

    c->count = 0;
    if (!starts)
        known &= add_step(forms, &s, s.range.low, first - 1, c);
    if (!ends)
        known &= add_step(forms, &s, end, s.range.high, c);
    if (first < end) {
        const struct access_form *is = form_of(forms, c->symbol);
        struct one_case *o = &c->each[c->count++];

        *o = (struct one_case){.is = is};
        known &= is_between(forms, s.base, first, end - 1, o) &&
                 is_between(forms, is, steps_value(&s, first), steps_value(&s, end - 1), o);
    }
    return known;
}

static bool by_sign(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    struct forms *forms = &e->facts.forms;
    struct sign_mask m;

    if (!sign_mask_open(&m, e, y))
        return false;
    c->count = 2;
    c->each[0] = case_between(forms, m.of, m.range.low, -1);
    c->each[1] = case_between(forms, m.of, 0, m.range.high);
    c->each[0].is = m.is;
    c->each[1].is = form_constant(forms, 0);
    return c->each[0].facts[1].form && c->each[1].facts[1].form;
}

/* The remainder loop of an unrolled loop starts where that loop ended: after all its
   iterations, if all threads execute the same number, or at the start if it was skipped. */
static bool end(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    int64_t trips;
    bool may_pass;

    if (!ended_loop_trips(e, y->loop, &trips, &may_pass))
        return false;
    c->count = may_pass ? 2 : 1;
    c->each[0] = (struct one_case){.is = form_constant(&e->facts.forms, trips)};
    c->each[1] = (struct one_case){.is = form_constant(&e->facts.forms, 0)};
    return true;
}

static bool find_case(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    switch (y->kind) {
    case ACCESS_CHOICE:
        return choose(y, c);
    case ACCESS_FUNCTION:
        return divide(e, y, c) || climb(e, y, c) || by_sign(e, y, c);
    case ACCESS_TRIPS:
        return end(e, y, c);
    default:
        return false;
    }
}

typedef bool finding(struct extent *e, const struct access_symbol *y, struct cases *c);

static bool find_first(struct extent *e, const struct access_form *f, finding *find,
                       struct cases *c)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol y = e->facts.forms.symbols[f->terms[i].symbols[k]];

            c->symbol = f->terms[i].symbols[k];
            if (find(e, &y, c))
                return true;
        }
    return false;
}

bool cases_find(struct extent *e, const struct access_form *f, struct cases *c)
{
    return find_first(e, f, find_case, c);
}

bool cases_of_edges(struct extent *e, const struct access_form *f, struct cases *c)
{
    return find_first(e, f, part_edges, c);
}
