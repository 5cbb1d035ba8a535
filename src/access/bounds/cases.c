/* SPDX-License-Identifier: Apache-2.0 */
#include "access/bounds/cases.h"

#include "access/bounds/sign_mask.h"
#include "access/bounds/steps.h"
#include "access/loops/ended_loop.h"

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

static struct one_case case_between(struct forms *forms, const struct access_form *of,
                                    int64_t low, int64_t high)
{
    struct one_case o = {.fact_count = 2};

    o.facts[0] = (struct fact){.form = of, .most = high};
    o.facts[1] = (struct fact){.form = form_add(forms, form_constant(forms, 0), of, -1),
                               .most = -low};
    return o;
}

/* What is divided by, 0 for nothing; x & 2^n - 1 is x % 2^n. */
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

/* A remainder is what is divided less a multiple, of which there can be few. Of a mask,
   that is so below 0, too. */
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

/* Of a quotient there can be few, too. */
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
        c->each[c->count] = case_between(forms, s.base, at, end - 1);
        c->each[c->count].is = form_constant(forms, steps_value(&s, at));
        if (!c->each[c->count++].facts[1].form)
            return false;
    }
    return true;
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

/* What the compiler left over from unrolling starts where that loop ended: behind all of
   its iterations, if all threads have as many, or it was passed by. */
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

bool cases_find(struct extent *e, const struct access_form *f, struct cases *c)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol y = e->facts.forms.symbols[f->terms[i].symbols[k]];

            c->symbol = f->terms[i].symbols[k];
            if (y.kind == ACCESS_CHOICE ? choose(&y, c)
                : y.kind == ACCESS_FUNCTION
                    ? divide(e, &y, c) || climb(e, &y, c) || by_sign(e, &y, c)
                    : y.kind == ACCESS_TRIPS && end(e, &y, c))
                return true;
        }
    return false;
}
