/* SPDX-License-Identifier: Apache-2.0 */
/* Work that the computation of bounds skips without a change of the result: sums that are
   not built, loops that an expression does not use, and cached results of a symbol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/bounds/extent.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

/* Two nested loops, i < n and k < m. The address of the first store does not depend on the
   second loop: out[4 * i], then out[4 * (i + k)]. */
static const char nest[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)"
                           "\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                           "ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;\n"
                           "ld.param.u32 %r0, [n]; ld.param.u32 %r1, [m];\n"
                           "mov.u32 %r2, 0;\nrows:\nsetp.ge.s32 %p0, %r2, %r0;\n"
                           "@%p0 bra done;\nmov.u32 %r3, 0;\n"
                           "more:\nsetp.ge.s32 %p1, %r3, %r1;\n@%p1 bra end;\n"
                           "mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
                           "st.global.u32 [%rd3], %r3;\nadd.s32 %r4, %r2, %r3;\n"
                           "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4;\n"
                           "st.global.u32 [%rd5], %r3;\nadd.s32 %r3, %r3, 1;\n"
                           "bra more;\nend:\nadd.s32 %r2, %r2, 1;\nbra rows;\ndone:\n"
                           "ret;\n}\n";

struct launched {
    struct ptx_module *module;
    struct access_analysis *analysis;
    uint32_t block[4]; /* n is 5, m is 7 */
    struct access_launch launch;
    int64_t trips[4];
    struct arena arena;
};

static void launched_open_text(struct launched *l, const char *text)
{
    struct proact_error err = {""};

    *l = (struct launched){.block = {0, 0, 5, 7}};
    assert_int_equal(ptx_parse("t", text, strlen(text), &l->module, &err), PROACT_OK);
    l->analysis = access_analyze(l->module, &l->module->functions[0]);
    for (int d = 0; d < 3; d++)
        l->launch.ntid[d] = l->launch.nctaid[d] = d ? 1 : 32;
    l->launch.parameters = (const unsigned char *)l->block;
    l->launch.parameter_bytes = sizeof l->block;
    access_trips(l->analysis, &l->launch, l->trips);
}

static void launched_open(struct launched *l)
{
    launched_open_text(l, nest);
    assert_int_equal(l->analysis->loop_count, 2);
}

static void launched_close(struct launched *l)
{
    arena_clear(&l->arena);
    access_destroy(l->analysis);
    ptx_destroy(l->module);
}

static void only_loops_of_the_expression_are_split(void **state)
{
    struct launched l;
    struct extent e;
    struct range r;

    (void)state;
    launched_open(&l);
    assert_int_equal(l.analysis->record_count, 2);
    for (uint32_t n = 0; n < 2; n++) {
        const struct access_record *of = &l.analysis->records[n];
        const int32_t inner = of->loop, outer = l.analysis->loops[inner].parent;

        extent_open(&e, &l.arena, l.analysis, of, &l.launch, l.trips);
        assert_true(facts_concern(&e.facts, of->form, (uint32_t)outer));
        assert_int_equal(facts_concern(&e.facts, of->form, (uint32_t)inner), n);
        e.facts.in_pairs = true; /* of i and of k */
        assert_true(extent_of(&e, of->form, &r));
        assert_int_equal(r.low, 0);
        assert_int_equal(r.high, n ? 4 * (4 + 6) : 4 * 4);
    }
    launched_close(&l);
}

/* Guards of n alone, more than the table of facts holds, then out[4 * i] where i < m. */
static void guards_of_launch_numbers_take_no_fact(void **state)
{
    struct text text = {0};
    struct launched l;
    struct extent e;
    struct range r;

    (void)state;
    text_print(&text, "%.*s", (int)(strstr(nest, "mov.u32 %r2") - nest), nest);
    for (int n = 0; n < 2 * FACTS_MAX; n++)
        text_print(&text, "setp.lt.s32 %%p0, %%r0, %d;\n@%%p0 bra done;\n", n % 5 - n);
    text_print(&text,
               "mov.u32 %%r2, %%tid.x; setp.ge.s32 %%p0, %%r2, %%r1;\n@%%p0 bra done;\n"
               "mul.wide.s32 %%rd2, %%r2, 4; add.s64 %%rd3, %%rd1, %%rd2;\n"
               "st.global.u32 [%%rd3], %%r2;\ndone:\nret;\n}\n");
    launched_open_text(&l, text.data);
    assert_int_equal(l.analysis->record_count, 1);
    extent_open(&e, &l.arena, l.analysis, &l.analysis->records[0], &l.launch, l.trips);
    assert_true(extent_of(&e, l.analysis->records[0].form, &r));
    assert_int_equal(r.low, 0);
    assert_int_equal(r.high, 4 * 6);
    launched_close(&l);
    text_clear(&text);
}

/* A random expression of some of the analysis's symbols. */
static const struct access_form *random_form(struct forms *forms, uint64_t *random)
{
    const struct access_form *f =
        form_constant(forms, (int64_t)random_below(random, 9) - 4);

    for (uint64_t n = random_below(random, 5); n > 0; n--)
        f = form_add(forms, f, form_of(forms, (uint32_t)random_below(random, forms->count)),
                     (int64_t)random_below(random, 5) - 2);
    return f;
}

static void a_range_of_a_sum_equals_that_of_the_built_sum(void **state)
{
    uint64_t random = 7;
    struct launched l;
    unsigned known = 0;

    (void)state;
    launched_open(&l);
    struct forms forms = {.arena = &l.arena,
                          .symbols = l.analysis->symbols,
                          .count = l.analysis->symbol_count};
    const struct range_view view = {
        .symbols = l.analysis->symbols, .launch = &l.launch, .trips = l.trips};
    struct range_view keeps = view;

    range_keep(&keeps, forms.count, &l.arena);

    for (int n = 0; n < 3000; n++) {
        const struct access_form *a = random_form(&forms, &random),
                                 *b = random_form(&forms, &random);
        const int64_t by = (int64_t)random_below(&random, 7) - 3;
        struct range made = {0, 0}, sum = {0, 0};
        const bool is = range_of(&view, form_add(&forms, a, b, by), &made);

        assert_int_equal(range_of_sum(&view, a, b, by, &sum), is);
        assert_true(!is || (made.low == sum.low && made.high == sum.high));
        assert_int_equal(range_of_sum(&keeps, a, b, by, &sum), is);
        assert_true(!is || (made.low == sum.low && made.high == sum.high));
        known += is;
    }
    assert_true(known > 300);
    launched_close(&l);
}

/* A chain of symbols, each made of the one before twice. Without a cache the work is
   exponential. */
static void the_range_of_a_symbol_is_cached(void **state)
{
    enum { DEEP = 80 };
    struct arena arena = {0};
    struct access_symbol symbols[DEEP] = {
        {.kind = ACCESS_SPECIAL, .special = PTX_TID_X, .bits = 32}};
    struct forms forms = {.arena = &arena, .symbols = symbols, .count = DEEP};
    struct range_view view = {.symbols = symbols};
    struct range r;

    (void)state;
    for (uint32_t n = 1; n < DEEP; n++)
        symbols[n] = (struct access_symbol){.kind = ACCESS_FUNCTION,
                                            .function = n % 2 ? ACCESS_MAX : ACCESS_MIN,
                                            .bits = 32,
                                            .left = form_of(&forms, n - 1),
                                            .right = form_of(&forms, n - 1)};
    const struct access_form *deep = form_of(&forms, DEEP - 1);
    const struct arena_mark mark = arena_mark(&arena);

    range_keep(&view, DEEP, &arena);
    for (unsigned round = 0; round < 2; round++) {
        assert_true(range_of(&view, deep, &r));
        assert_int_equal(r.low, 0);
        assert_int_equal(r.high, 1023);
        arena_rewind(&arena, mark); /* memory taken back by others is not part of the
                                       cache */
        memset(arena_alloc(&arena, 9000), 255, 9000);
    }
    arena_clear(&arena);
}

/* Facts of many terms each, whose pairs bound an expression. After enough attempts only
   single facts are tried. */
static void attempts_with_pairs_of_facts_are_limited(void **state)
{
    struct launched l;
    struct facts f;
    struct range r;
    uint32_t before, tries[2];

    (void)state;
    launched_open(&l);
    facts_open(&f, &l.arena, l.analysis, NULL, NULL);
    f.in_pairs = true;
    for (uint32_t n = 0; n < FACTS_MAX; n++) {
        const struct access_form *sum = form_constant(&f.forms, 0);

        for (uint32_t k = 0; k < l.analysis->symbol_count; k++)
            sum = form_add(&f.forms, sum, form_of(&f.forms, k), (n * 7 + k * 3) % 5 + 1);
        f.facts[f.count++] = (struct fact){.form = sum, .most = 1000 + n};
    }
    for (int n = 0; n < 2; n++) {
        before = *f.tried;
        (void)facts_bound(&f, f.facts[0].form, &r);
        tries[n] = *f.tried - before;
    }
    while (*f.tried < 1 << 20 && tries[1] > tries[0] / 10) {
        before = *f.tried;
        (void)facts_bound(&f, f.facts[0].form, &r);
        tries[1] = *f.tried - before;
    }
    assert_true(tries[0] > 1000);
    assert_true(tries[1] <= tries[0] / 10);
    launched_close(&l);
}

/* for (i = 0; i < n; i++) out[i] = 0; out[n] = 0. The branch that ends the loop bounds the
   iteration for the first store and the trip count for the second. */
static void guards_are_cached_by_block(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
                               ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                               "ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;\n"
                               "ld.param.u32 %r0, [n]; mov.u32 %r2, 0;\n"
                               "more:\nsetp.ge.s32 %p0, %r2, %r0;\n@%p0 bra done;\n"
                               "mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
                               "st.global.u32 [%rd3], %r0;\nst.global.u32 [%rd3+4], %r0;\n"
                               "add.s32 %r2, %r2, 1;\nbra more;\n"
                               "done:\nst.global.u32 [%rd1], %r0;\nret;\n}\n";
    static const uint32_t noted[] = {ACCESS_ITERATION, ACCESS_ITERATION, ACCESS_TRIPS};
    struct proact_error err = {""};
    struct ptx_module *m;

    (void)state;
    assert_int_equal(ptx_parse("guards", text, sizeof text - 1, &m, &err), PROACT_OK);
    struct access_analysis *a = access_analyze(m, &m->functions[0]);
    const struct forms forms = {.symbols = a->symbols, .count = a->symbol_count};

    assert_int_equal(a->record_count, 3);
    for (uint32_t n = 0; n < 3; n++) {
        assert_int_equal(a->records[n].guard_count, 1);
        const struct access_guard *g = &a->records[n].guards[0];

        assert_int_equal(g->negated, n < 2);
        assert_true(form_holds(&forms, g->condition->left) >> noted[n] & 1);
    }
    assert_ptr_equal(a->records[0].guards[0].condition, a->records[1].guards[0].condition);
    access_destroy(a);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_loops_of_the_expression_are_split),
        cmocka_unit_test(guards_of_launch_numbers_take_no_fact),
        cmocka_unit_test(a_range_of_a_sum_equals_that_of_the_built_sum),
        cmocka_unit_test(the_range_of_a_symbol_is_cached),
        cmocka_unit_test(attempts_with_pairs_of_facts_are_limited),
        cmocka_unit_test(guards_are_cached_by_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
