/* SPDX-License-Identifier: Apache-2.0 */
/* Joint step on tables: labels with times, edges with bytes, links of one byte per
   nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/joint.h"

enum { SINGLE, SPLIT };

struct two {
    struct joint_node nodes[2];
    struct joint_edge edges[2];
    struct joint_table table;
};

static struct joint_node node(double split_ns, double single_ns, double period)
{
    return (struct joint_node){
        .label = {{single_ns, 1, 0}, {split_ns, 4, 0}}, .label_count = 2, .period = period};
}

/* A split gains 50 us for the first problem and loses 10 us for the second. Each reads the
   other's output; with different labels, each pays 500 us. */
static struct two *two(struct two *t, double first_period, double second_period)
{
    *t = (struct two){
        .nodes = {node(50000, 100000, first_period), node(30000, 20000, second_period)},
        .edges = {{1, 0, {{0}}}, {0, 1, {{0}}}},
        .table = {.node_count = 2, .edge_count = 2, .bytes_per_ns = 1, .start_ns = 10000}};
    for (int i = 0; i < 2; i++)
        t->edges[i].bytes[SINGLE][SPLIT] = t->edges[i].bytes[SPLIT][SINGLE] = 490000;
    t->table.nodes = t->nodes;
    t->table.edges = t->edges;
    return t;
}

static void expect(struct two *t, unsigned first, unsigned second)
{
    joint_settle(&t->table);
    assert_int_equal(t->nodes[0].settled, first);
    assert_int_equal(t->nodes[1].settled, second);
}

/* The same label for both, and the other minimum as the second. */
static void problems_are_settled_together(void **state)
{
    struct two t;

    (void)state;
    expect(two(&t, 2, 2), SPLIT, SPLIT);
    assert_int_equal(t.nodes[0].second, SINGLE);
    assert_int_equal(t.nodes[1].second, SINGLE);
    t.nodes[0].settled = t.nodes[1].settled = SINGLE;
    assert_true(joint_total_ns(&t.table) > 59999 && joint_total_ns(&t.table) < 60001);
    expect(two(&t, 16, 2), SINGLE, SINGLE); /* rare problems count less */
    assert_int_equal(t.nodes[0].second, SPLIT);
    two(&t, 2, 2)->table.edge_count = 0;
    expect(&t, SPLIT, SINGLE);
}

/* A problem without a split label keeps its neighbours on one device. */
static void a_problem_may_have_one_label(void **state)
{
    struct two t;

    (void)state;
    two(&t, 2, 2)->nodes[1].label_count = 1;
    t.nodes[1].label[SINGLE].ns = 0;
    expect(&t, SINGLE, SINGLE);
}

/* Of three labels the search may take any. The third is a split along another axis, under
   which nothing of the other problem's output is missing. */
static void three_labels_compete(void **state)
{
    struct two t;

    (void)state;
    two(&t, 2, 2)->nodes[0].label_count = 3;
    t.nodes[0].label[2] = (struct joint_label){60000, 4, 0};
    t.edges[1].bytes[2][SINGLE] = 490000;
    t.edges[0].bytes[SINGLE][2] = 490000;
    t.edges[1].bytes[SPLIT][SPLIT] = t.edges[0].bytes[SPLIT][SPLIT] = 490000;
    expect(&t, 2, SPLIT);
    assert_int_equal(joint_label_of(&t.nodes[0], true), SPLIT); /* the fastest split one */
}

static double edge_ns(const struct two *t, unsigned writer_label, unsigned reader_label)
{
    return joint_edge_ns(&t->table, &t->edges[0], writer_label, reader_label);
}

static void about(double is, double expected)
{
    assert_true(is > expected - 1 && is < expected + 1);
}

/* A fetch costs its start even for one byte. Only the part of a split launch after its
   first wave hides a transfer to device 0. */
static void transfers_have_a_start_and_may_be_hidden(void **state)
{
    struct two t;

    (void)state;
    two(&t, 2, 2)->edges[0].bytes[SINGLE][SPLIT] = 1;
    about(edge_ns(&t, SINGLE, SPLIT), 10001);
    about(edge_ns(&t, SPLIT, SPLIT), 0);
    about(edge_ns(&t, SPLIT, SINGLE), 500000);
    t.nodes[1].label[SPLIT].sending_ns = 400000;
    about(edge_ns(&t, SPLIT, SINGLE), 100000);
    t.nodes[1].label[SPLIT].sending_ns = 600000;
    about(edge_ns(&t, SPLIT, SINGLE), 0);
}

/* The push to a reader on device 0 is no cost of the split launch itself, except for what
   it hides. An implausible result is bounded by a quarter. */
static void a_push_to_device_0_is_excluded(void **state)
{
    struct two t;

    (void)state;
    two(&t, 2, 2);
    about(joint_unsent_ns(&t.table, 66000, 0, 0), 66000);
    about(joint_unsent_ns(&t.table, 66000, 20000, 0), 36000);
    about(joint_unsent_ns(&t.table, 66000, 20000, 25000), 61000);
    about(joint_unsent_ns(&t.table, 66000, 20000, 33000), 66000);
    about(joint_unsent_ns(&t.table, 66000, 200000, 0), 16500);
}

/* Output that is written once and read ten times is fetched once. */
static void a_fetch_counts_once(void **state)
{
    struct two t;

    (void)state;
    two(&t, 1, 10)->nodes[1].settled = SINGLE;
    t.nodes[0].label[SINGLE].ns = 50000 + 99000; /* 50 us each way */
    assert_int_equal(joint_best(&t.table), SINGLE);
    t.nodes[0].label[SINGLE].ns = 50000 + 101000;
    assert_int_equal(joint_best(&t.table), SPLIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_settled_together),
        cmocka_unit_test(a_problem_may_have_one_label),
        cmocka_unit_test(three_labels_compete),
        cmocka_unit_test(transfers_have_a_start_and_may_be_hidden),
        cmocka_unit_test(a_push_to_device_0_is_excluded),
        cmocka_unit_test(a_fetch_counts_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
