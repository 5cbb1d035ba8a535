/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the planner on tables of features. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/rules/partition_boundaries.h"
#include "plan/rules/rules.h"

static unsigned axis_of(const struct plan_axes *a)
{
    const struct plan_problem p = {.axes = a};
    struct plan plan = {0};

    assert_int_equal(plan_rule_axis.expand(&p, &plan, &plan, 1), 1);
    return plan.axis;
}

/* A legal axis with less than half of the missing bytes is selected, after a change with
   less than a quarter, unless its readers miss more than it saves. */
static void an_axis_with_far_fewer_missing_bytes_is_selected(void **state)
{
    struct plan_axes a = {
        .present = 1,
        .axis = {{.is_legal = true, .missing_bytes = 490},
                 {.is_legal = true, .missing_bytes = 1000, .sent_bytes = 100},
                 {.is_legal = false}},
        .bytes_per_ns = 1};
    const struct plan_problem fixed = {.axes = NULL};
    struct plan plan = {0};

    (void)state;
    assert_int_equal(axis_of(&a), 1);
    a.axis[0].missing_bytes = 500;
    assert_int_equal(axis_of(&a), 2);
    a.axis[0].missing_bytes = 260;
    a.changes = 1;
    assert_int_equal(axis_of(&a), 2);
    a.axis[0].missing_bytes = 200;
    assert_int_equal(axis_of(&a), 1);
    a.axis[0].sent_bytes = 1000; /* 100 now, 800 spared, and an eighth of that */
    assert_int_equal(axis_of(&a), 1);
    a.axis[0].sent_bytes = 1001;
    assert_int_equal(axis_of(&a), 2);
    a.axis[2].is_legal = true;
    assert_int_equal(axis_of(&a), 3);
    assert_int_equal(plan_rule_axis.expand(&fixed, &plan, &plan, 1), 0);
}

/* The start of a copy takes 10 ns. An axis along which the same bytes are many copies is
   slower, and one with few copies may miss more bytes. */
static void an_axis_with_fewer_copies_is_selected(void **state)
{
    struct plan_axes a = {
        .present = 1,
        .axis = {{.is_legal = true, .missing_bytes = 400, .missing_copies = 10},
                 {.is_legal = true, .missing_bytes = 1000, .missing_copies = 1}},
        .bytes_per_ns = 1,
        .copy_ns = 10};

    (void)state;
    assert_int_equal(axis_of(&a), 1); /* 500 and 1010 ns */
    a.axis[0].missing_copies = 11;
    assert_int_equal(axis_of(&a), 2);
    a.axis[0] =
        (struct plan_axis){.is_legal = true, .missing_bytes = 1100, .missing_copies = 1};
    a.axis[1].missing_copies = 200;
    assert_int_equal(axis_of(&a), 1);
}

static void few_missing_bytes_need_no_evaluation(void **state)
{
    struct plan_axes a = {.axis = {{.is_legal = true, .missing_bytes = 1999}},
                          .bytes_per_ns = 1};

    (void)state;
    assert_false(plan_axes_matter(&a));
    a.axis[0].missing_bytes = 2000;
    assert_true(plan_axes_matter(&a));
    a.launch_ns = 32001;
    assert_false(plan_axes_matter(&a));
    a.launch_ns = 32000;
    assert_true(plan_axes_matter(&a));
}

static void expect_ways(const struct plan_written *w, const struct plan_boundaries *around,
                        enum plan_partition first, enum plan_partition second)
{
    const struct plan_boundaries three = {0, 1000, 1000, 8, 3}, *const all[] = {&three,
                                                                                around};
    const struct plan_boundaries_view v = plan_boundaries_view(w, all, around ? 2 : 1);
    enum plan_partition ways[PLAN_PARTITIONS];
    const unsigned count = plan_boundaries_expand(w, &v, ways);

    assert_ptr_equal(v.around, around);
    assert_in_range(count, 1, 3);
    assert_int_equal(ways[0], first);
    assert_int_equal(ways[count > 1], second);
    assert_int_equal(ways[count - 1], PLAN_PARTITION_EQUAL);
}

/* The first launch of a range sets boundaries, others follow. Boundaries change for a
   repeated launch with twice the step. A part of the range has boundaries of its own only
   where it cannot follow. */
static void ranges_share_their_boundaries(void **state)
{
    struct plan_boundaries around = {0, 1000, 1000, 8, 4};
    struct plan_written w = {0, 1000, 1000, 8, false, 4};

    (void)state;
    expect_ways(&w, NULL, PLAN_PARTITION_SETS, PLAN_PARTITION_EQUAL);
    expect_ways(&w, &around, PLAN_PARTITION_FOLLOWS, PLAN_PARTITION_EQUAL);
    w.step = 16;
    expect_ways(&w, &around, PLAN_PARTITION_FOLLOWS, PLAN_PARTITION_EQUAL);
    w.has_repeated = true;
    expect_ways(&w, &around, PLAN_PARTITION_CHANGES, PLAN_PARTITION_EQUAL);
    w.step = 15;
    expect_ways(&w, &around, PLAN_PARTITION_FOLLOWS, PLAN_PARTITION_EQUAL);
    w.first = 600;
    expect_ways(&w, &around, PLAN_PARTITION_FOLLOWS, PLAN_PARTITION_SETS);
    w.step = 0;
    expect_ways(&w, &around, PLAN_PARTITION_FOLLOWS, PLAN_PARTITION_EQUAL);
    around.bytes = 1033; /* the sizes differ by more than 1/32 */
    w.step = 8;
    expect_ways(&w, NULL, PLAN_PARTITION_SETS, PLAN_PARTITION_EQUAL);
}

/* Of two ranges that enclose the written one, the shorter counts. */
static void the_shortest_range_counts(void **state)
{
    const struct plan_boundaries all = {0, 1000, 1000, 8, 4},
                                 half = {0, 500, 1000, 8, 4}, *const both[] = {&all, &half};
    struct plan_written w = {0, 400, 1000, 8, false, 4};

    (void)state;
    assert_ptr_equal(plan_boundaries_view(&w, both, 2).around, &half);
    w.end = 520;
    assert_ptr_equal(plan_boundaries_view(&w, both, 2).around, &all);
}

static bool has_interior(unsigned sms, uint64_t ctas, uint64_t inside, bool is_serial)
{
    const struct topology t = {.device = {.sm_count = sms, .threads_per_sm = 2048}};
    const struct plan_interior i = {ctas, inside, is_serial};
    const struct plan_problem p = {
        .topology = &t, .device_count = 4, .cta_threads = 256, .interior = &i};
    struct plan plan = {0};

    assert_int_equal(plan_rule_interior.expand(&p, &plan, &plan, 1), 1);
    return plan.interior;
}

/* 16 waves of 80 CTAs; 64 waves where boundaries are serial; and twice the
   boundary. */
static void a_long_interior_is_a_kernel_of_its_own(void **state)
{
    (void)state;
    assert_true(has_interior(10, 1920, 1280, false));
    assert_false(has_interior(10, 1919, 1279, false));
    assert_false(has_interior(10, 1921, 1280, false));
    assert_false(has_interior(10, 5200, 5119, true));
    assert_true(has_interior(10, 5200, 5120, true));
}

static bool is_staged(const struct topology *t, uint64_t ctas, uint64_t bytes,
                      unsigned store_bytes)
{
    const struct plan_staging staging = {bytes, store_bytes, 4};
    const struct plan_problem p = {.topology = t,
                                   .device_count = 4,
                                   .ctas_most = ctas,
                                   .cta_threads = 256,
                                   .staging = &staging};
    struct plan plan = {0};

    assert_int_equal(plan_rule_staging.expand(&p, &plan, &plan, 1), 1);
    return plan.staging;
}

/* A bulk store begins later than single stores, which repeat themselves for each peer and
   fill packets in part. It pays for more bytes, and for shorter stores. */
static void stores_are_staged_where_the_model_is_faster(void **state)
{
    struct topology t;

    (void)state;
    assert_int_equal(topology_load("h200x4", &t, NULL), 0);
    assert_false(is_staged(&t, 1, 64, 32));
    assert_true(is_staged(&t, 1, 64 << 10, 32));
    assert_true(is_staged(&t, 64, 384, 4));
    t.fabric.egress_gbps = 0; /* unknown links */
    assert_false(is_staged(&t, 64, 511, 4));
    assert_true(is_staged(&t, 64, 512, 4));
}

static bool counts_too_often(const struct topology *t, struct plan_counting counting,
                             struct plan_extent extent)
{
    const struct plan_method fused = {"fused", MODEL_SEND_FUSED, true, false, false, false};
    struct plan_array a = {.bytes = 4 << 20,
                           .range_bytes = (4 << 20) / counting.ctas,
                           .run_bytes = 256,
                           .copies = 1,
                           .chunk_share = 1,
                           .extent = extent};
    const struct plan_problem p = {.topology = t,
                                   .device_count = 2,
                                   .ctas = counting.ctas,
                                   .ctas_most = counting.ctas / 2,
                                   .cta_threads = 64,
                                   .arrays = &a,
                                   .array_count = 1,
                                   .methods = &fused,
                                   .method_count = 1,
                                   .counting = &counting};

    a.sent[0][1] = a.sent[1][0] = a.bytes / 2;
    return plan_counts_too_often(
        &p, &(struct plan){.method = "fused", .chunk_first = 64 << 10});
}

/* CTAs that write across the array complete its chunks together, at their end, and the last
   one sends alone. Without rates of the links, more than 32 chunks per CTA are too many,
   and more than 8 if the CTAs are fewer than the chunks. */
static void interleaved_writers_do_not_count(void **state)
{
    struct topology v100, unknown = {.device = {.sm_count = 80}};
    const struct plan_extent all = {4 << 20, 256, 1}, own = {64 << 10, 1, 1.0 / 32};

    (void)state;
    assert_int_equal(topology_load("v100x4", &v100, NULL), 0);
    assert_true(counts_too_often(&v100, (struct plan_counting){64, 64, 64 * 64}, all));
    assert_false(counts_too_often(&v100, (struct plan_counting){64, 64, 64}, own));
    assert_false(counts_too_often(&unknown, (struct plan_counting){64, 64, 32 * 64}, all));
    assert_true(
        counts_too_often(&unknown, (struct plan_counting){64, 64, 32 * 64 + 1}, all));
    assert_false(counts_too_often(&unknown, (struct plan_counting){64, 65, 8 * 64}, all));
    assert_true(
        counts_too_often(&unknown, (struct plan_counting){64, 65, 8 * 64 + 1}, all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_with_far_fewer_missing_bytes_is_selected),
        cmocka_unit_test(an_axis_with_fewer_copies_is_selected),
        cmocka_unit_test(few_missing_bytes_need_no_evaluation),
        cmocka_unit_test(ranges_share_their_boundaries),
        cmocka_unit_test(the_shortest_range_counts),
        cmocka_unit_test(a_long_interior_is_a_kernel_of_its_own),
        cmocka_unit_test(stores_are_staged_where_the_model_is_faster),
        cmocka_unit_test(interleaved_writers_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
