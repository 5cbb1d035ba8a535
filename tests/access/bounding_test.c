/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of expressions by facts. They are as tight as subtracting each pair of facts in
   turn, hold for every value that the facts allow, and are computed once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/bounds/bounding.h"
#include "base/memory.h"
#include "base/random.h"

enum { SYMBOLS = 6 };

/* Indices of CTAs and threads in a launch where each index has a few values. */
struct world {
    struct arena arena;
    struct access_symbol symbols[SYMBOLS];
    struct access_analysis analysis;
    struct access_launch launch;
    struct facts facts;
};

static void world_open(struct world *w)
{
    static const enum ptx_special each[SYMBOLS] = {PTX_TID_X,   PTX_TID_Y,   PTX_TID_Z,
                                                   PTX_CTAID_X, PTX_CTAID_Y, PTX_CTAID_Z};

    *w = (struct world){.launch = {.ntid = {4, 5, 3}, .nctaid = {6, 3, 7}}};
    for (int n = 0; n < SYMBOLS; n++)
        w->symbols[n] =
            (struct access_symbol){.kind = ACCESS_SPECIAL, .special = each[n], .bits = 32};
    w->analysis.symbols = w->symbols;
    w->analysis.symbol_count = SYMBOLS;
    facts_open(&w->facts, &w->arena, &w->analysis, &w->launch, NULL);
}

static const struct access_form *random_form(struct forms *forms, uint64_t *random)
{
    const struct access_form *f =
        form_constant(forms, (int64_t)random_below(random, 21) - 10);

    for (uint64_t n = random_below(random, 5); n > 0; n--) {
        const struct access_form *x =
            form_of(forms, (uint32_t)random_below(random, SYMBOLS));

        if (random_below(random, 4) == 0)
            x = form_multiply(forms, x,
                              form_of(forms, (uint32_t)random_below(random, SYMBOLS)));
        f = form_add(forms, f, x, (int64_t)random_below(random, 9) - 4);
    }
    return f;
}

static int64_t value(const struct access_form *f, const int64_t at[SYMBOLS])
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        int64_t product = f->terms[i].factor;

        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            product *= at[f->terms[i].symbols[k]];
        sum += product;
    }
    return sum;
}

static bool are_true(const struct facts *f, const int64_t at[SYMBOLS])
{
    for (uint32_t i = 0; i < f->count; i++)
        if (value(f->facts[i].form, at) > f->facts[i].most)
            return false;
    return true;
}

/* Number of times that the fact is subtracted: the quotient of the two factors, or 1 or -1
   if it is not an integer. */
static int64_t ratio(const struct access_form *form, const struct access_term *of)
{
    for (uint32_t i = 0; i < form->count; i++) {
        const struct access_term *t = &form->terms[i];

        if (!t->degree || form_term_order(t, of))
            continue;
        return t->factor % of->factor == 0           ? t->factor / of->factor
               : (t->factor < 0) == (of->factor < 0) ? 1
                                                     : -1;
    }
    return 0;
}

/* Reference bound: subtracts each fact in turn, and then up to `facts` - 1 others. */
static void bound_plainly(struct facts *f, const struct access_form *form, unsigned facts,
                          struct range *out)
{
    assert_true(range_of(&f->view, form, out));
    for (uint32_t i = 0; facts && i < f->count; i++)
        for (uint32_t k = 0; k < f->facts[i].form->count; k++) {
            const struct fact *by = &f->facts[i];
            const int64_t n = ratio(form, &by->form->terms[k]);
            struct range rest;

            if (!n)
                continue;
            bound_plainly(f, form_add(&f->forms, form, by->form, -n), facts - 1, &rest);
            if (n > 0 && n * by->most + rest.high < out->high)
                out->high = n * by->most + rest.high;
            if (n < 0 && n * by->most + rest.low > out->low)
                out->low = n * by->most + rest.low;
        }
}

static void random_facts(struct facts *f, uint64_t *random)
{
    int64_t at[SYMBOLS];

    for (int n = 0; n < SYMBOLS; n++)
        at[n] = (int64_t)random_below(random, 3);
    f->count = (uint32_t)random_below(random, 7);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_form *form = random_form(&f->forms, random);

        f->facts[i] = (struct fact){
            .form = form, .most = value(form, at) + (int64_t)random_below(random, 3)};
    }
}

static void bounds_are_true_and_no_looser_than_plain_ones(void **state)
{
    static const int64_t ends[SYMBOLS] = {4, 5, 3, 6, 3, 7};
    uint64_t random = 3;
    struct world w;
    unsigned tighter = 0, several = 0, satisfied = 0;

    (void)state;
    world_open(&w);
    for (int n = 0; n < 3000; n++) {
        const struct arena_mark mark = arena_mark(&w.arena);
        struct range plain, all, r;

        random_facts(&w.facts, &random);
        w.facts.in_pairs = n % 2;
        w.facts.in_turn = n % 4 > 1;
        *w.facts.tried = 0;
        const struct access_form *form = random_form(&w.facts.forms, &random);

        bound_plainly(&w.facts, form, w.facts.in_pairs ? 2 : 1, &plain);
        assert_true(range_of(&w.facts.view, form, &all));
        assert_true(facts_bound(&w.facts, form, &r));
        assert_true(r.low >= plain.low && r.high <= plain.high);
        tighter += r.low > all.low || r.high < all.high;
        several += w.facts.in_turn && (r.low > plain.low || r.high < plain.high);
        for (int k = 0; k < 50; k++) {
            int64_t at[SYMBOLS];

            for (int s = 0; s < SYMBOLS; s++)
                at[s] = (int64_t)random_below(&random, (uint64_t)ends[s]);
            if (!are_true(&w.facts, at))
                continue;
            assert_true(value(form, at) >= r.low && value(form, at) <= r.high);
            satisfied++;
        }
        arena_rewind(&w.arena, mark);
    }
    assert_true(tighter > 300 && several > 5 && satisfied > 5000);
    arena_clear(&w.arena);
}

/* Three indices of at least 1 each. */
static void facts_in_turn_give_the_sum_of_their_bounds(void **state)
{
    struct world w;
    struct range r;

    (void)state;
    world_open(&w);
    struct forms *forms = &w.facts.forms;
    const struct access_form *sum = form_constant(forms, 0);

    for (uint32_t n = 0; n < 3; n++) {
        const struct access_form *index = form_of(forms, n);

        sum = form_add(forms, sum, index, n + 1);
        w.facts.facts[w.facts.count++] =
            (struct fact){.form = form_add(forms, form_constant(forms, 1), index, -1)};
    }
    assert_true(facts_bound(&w.facts, sum, &r));
    assert_int_equal(r.low, 3); /* by the most effective fact */
    w.facts.in_turn = true;
    assert_true(facts_bound(&w.facts, sum, &r));
    assert_int_equal(r.low, 1 + 2 + 3);
    arena_clear(&w.arena);
}

/* A chain of symbols, each the minimum of two expressions of the symbol before. An argument
   may be below the range that the function accepts, so the analysis also bounds the
   argument. */
static void symbols_of_many_facts_are_bounded_once(void **state)
{
    enum { DEEP = 5, FACTS = 40 };
    struct access_symbol symbols[SYMBOLS + DEEP];
    struct world w;

    (void)state;
    world_open(&w);
    struct forms *forms = &w.facts.forms;

    memcpy(symbols, w.symbols, sizeof w.symbols);
    w.facts.view.symbols = forms->symbols = symbols;
    forms->count = SYMBOLS + DEEP;
    for (uint32_t n = SYMBOLS; n < SYMBOLS + DEEP; n++) {
        const struct access_form *before = form_of(forms, n - 1);

        symbols[n] = (struct access_symbol){
            .kind = ACCESS_FUNCTION,
            .holds = 1U << ACCESS_FUNCTION,
            .function = ACCESS_MIN,
            .bits = 32,
            .left = form_add(forms, before, form_constant(forms, 1), -1),
            .right = form_add(forms, before, form_constant(forms, 2), -1)};
    }
    for (uint32_t i = 0; i < FACTS; i++)
        w.facts.facts[w.facts.count++] =
            (struct fact){.form = form_add(forms, form_of(forms, SYMBOLS - 1),
                                           form_of(forms, SYMBOLS + DEEP - 1), i + 1),
                          .most = 3};
    assert_false(facts_contradict(&w.facts));
    /* Two arguments, each from above and from below. */
    assert_in_range(*w.facts.tried, 1, 4 * FACTS);
    arena_clear(&w.arena);
}

/* 1 <= min(a, b) + min(c, d) implies 1 <= a + c and the three other combinations, each
   recorded once. */
static void implied_facts_are_kept_once(void **state)
{
    struct access_symbol symbols[SYMBOLS + 2];
    struct world w;

    (void)state;
    world_open(&w);
    struct forms *forms = &w.facts.forms;

    memcpy(symbols, w.symbols, sizeof w.symbols);
    w.facts.view.symbols = forms->symbols = symbols;
    forms->count = SYMBOLS + 2;
    for (uint32_t n = 0; n < 2; n++)
        symbols[SYMBOLS + n] = (struct access_symbol){.kind = ACCESS_FUNCTION,
                                                      .function = ACCESS_MIN,
                                                      .bits = 32,
                                                      .left = form_of(forms, 2 * n),
                                                      .right = form_of(forms, 2 * n + 1)};
    facts_add_positive(
        &w.facts, form_add(forms, form_of(forms, SYMBOLS), form_of(forms, SYMBOLS + 1), 1),
        NULL);
    assert_int_equal(w.facts.count, 3 * 3);
    arena_clear(&w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implied_facts_are_kept_once),
        cmocka_unit_test(bounds_are_true_and_no_looser_than_plain_ones),
        cmocka_unit_test(facts_in_turn_give_the_sum_of_their_bounds),
        cmocka_unit_test(symbols_of_many_facts_are_bounded_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
