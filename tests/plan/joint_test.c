/* SPDX-License-Identifier: Apache-2.0 */
/* Joint step on tables: labels with times, edges with bytes, links of one byte per
   nanosecond. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
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

/* Random problems: one device, split, and split by another method or along another axis.
   Labels of one partition need no fetch from each other. */
enum { PROBLEMS = 6, EDGES = 12, ROUNDS = 2000 };

struct many {
    struct joint_node nodes[PROBLEMS];
    struct joint_edge edges[EDGES];
    struct joint_table table;
    unsigned partition[PROBLEMS][JOINT_LABELS];
};

static uint32_t drawn(uint64_t *r, uint32_t below)
{
    return (uint32_t)random_below(r, below);
}

static void many_draw(struct many *t, uint64_t *r)
{
    *t = (struct many){.table = {.node_count = 2 + drawn(r, PROBLEMS - 1),
                                 .edge_count = 1 + drawn(r, EDGES),
                                 .bytes_per_ns = 1,
                                 .start_ns = 10000}};
    t->table.nodes = t->nodes;
    t->table.edges = t->edges;
    for (unsigned n = 0; n < t->table.node_count; n++) {
        t->nodes[n].label_count = 1 + drawn(r, JOINT_LABELS);
        t->nodes[n].period = 1 + drawn(r, 20);
        for (unsigned i = 0; i < JOINT_LABELS; i++) {
            const double ns = 10000 + drawn(r, 90000);

            t->partition[n][i] = i < 2 ? i : 1 + drawn(r, 2);
            t->nodes[n].label[i] =
                (struct joint_label){ns, i ? 4 : 1, i ? ns * drawn(r, 4) / 4 : 0};
        }
    }
    for (unsigned e = 0; e < t->table.edge_count; e++) {
        struct joint_edge *edge = &t->edges[e];

        edge->writer = drawn(r, t->table.node_count);
        edge->reader =
            (edge->writer + 1 + drawn(r, t->table.node_count - 1)) % t->table.node_count;
        for (unsigned w = 0; w < JOINT_LABELS; w++)
            for (unsigned d = 0; d < JOINT_LABELS; d++)
                if (t->partition[edge->writer][w] != t->partition[edge->reader][d])
                    edge->bytes[w][d] = drawn(r, 100000);
    }
}

/* Least total of all assignments. */
static double many_least(struct many *t)
{
    double least = INFINITY;
    bool ended = false;

    for (unsigned n = 0; n < t->table.node_count; n++)
        t->nodes[n].settled = 0;
    while (!ended) {
        unsigned n = 0;

        least = fmin(least, joint_total_ns(&t->table));
        while (n < t->table.node_count && ++t->nodes[n].settled == t->nodes[n].label_count)
            t->nodes[n++].settled = 0;
        ended = n == t->table.node_count;
    }
    return least;
}

/* No change of one label decreases the total. */
static void check_minimum(struct many *t)
{
    const double total = joint_total_ns(&t->table);

    for (unsigned n = 0; n < t->table.node_count; n++) {
        const unsigned settled = t->nodes[n].settled;

        for (unsigned i = 0; i < t->nodes[n].label_count; i++) {
            t->nodes[n].settled = i;
            assert_true(joint_total_ns(&t->table) >= total * (1 - 1e-9));
        }
        t->nodes[n].settled = settled;
    }
}

/* The search ends in a local minimum, which is that of all assignments in nearly all
   tables. */
static void the_minimum_is_that_of_all_assignments(void **state)
{
    uint64_t r = 1;
    unsigned equal = 0;
    struct many t;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        many_draw(&t, &r);
        const double least = many_least(&t);

        joint_settle(&t.table);
        const double got = joint_total_ns(&t.table);

        assert_true(got >= least * (1 - 1e-9));
        equal += got <= least * (1 + 1e-9);
        check_minimum(&t);
    }
    assert_in_range(equal, 98 * ROUNDS / 100, ROUNDS);
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
        cmocka_unit_test(the_minimum_is_that_of_all_assignments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
