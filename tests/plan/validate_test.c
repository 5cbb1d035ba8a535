/* SPDX-License-Identifier: Apache-2.0 */
/* Validation on tables: the next window, and the assignment that stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/validate.h"

enum { SINGLE, SPLIT };

/* Two coupled problems: a split gains 50 us for one and loses 10 us for the other. */
struct program {
    struct joint_node nodes[2];
    struct joint_edge edge;
    struct joint_table table;
    struct validation v;
    struct plan_budget budget;
    uint64_t now_ns, launches;
};

static uint64_t clock_of_program(const void *p)
{
    return ((const struct program *)p)->now_ns;
}

static struct program *program(struct program *p)
{
    *p = (struct program){
        .nodes = {{.label = {{100000, 1, 0}, {50000, 4, 0}}, .label_count = 2, .period = 2},
                  {.label = {{20000, 1, 0}, {30000, 4, 0}}, .label_count = 2, .period = 2}},
        .table = {.node_count = 2, .edge_count = 1, .bytes_per_ns = 1}};
    p->edge = (struct joint_edge){.writer = 0, .reader = 1};
    p->table.nodes = p->nodes;
    p->table.edges = &p->edge;
    p->budget = plan_budget_open(clock_of_program, p);
    return p;
}

static unsigned label(const struct program *p, int node)
{
    return validation_label(&p->v, &p->nodes[node], true);
}

static void expect(const struct program *p, unsigned first, unsigned second)
{
    assert_int_equal(label(p, 0), first);
    assert_int_equal(label(p, 1), second);
}

/* Launches of both in turn until `launches`; a pair takes time[first][second] us. Records
   the windows as letters: the two labels of each. */
static void run(struct program *p, const double time[2][2], unsigned launches,
                char *windows)
{
    unsigned count = 0;

    for (unsigned i = 0; i < launches; i++) {
        if (validation_is_due(&p->v, p->launches) &&
            validation_may_advance(&p->v, &p->table, &p->budget)) {
            validation_advance(&p->v, &p->table, p->launches, p->now_ns, &p->budget);
            if (p->v.is_under_way && !p->v.part && !p->v.checks)
                windows[count++] = (char)('a' + 2 * label(p, 0) + label(p, 1));
        }
        p->launches++;
        validation_launched(&p->v, i % 2 ? 20000 : 50000);
        p->now_ns += (uint64_t)(500 * time[label(p, 0)][label(p, 1)]);
    }
    windows[count] = '\0';
}

static const double faster_split[2][2] = {{120, 700}, {700, 80}},
                    similar[2][2] = {{83, 700}, {700, 80}};

/* The settled assignment is measured first, then those that differ from it. The faster one
   stays. Windows are charged. */
static void wrong_assignments_are_corrected(void **state)
{
    struct program p;
    char windows[16];

    (void)state;
    run(program(&p), faster_split, 2000, windows);
    assert_string_equal(windows, "ad");
    expect(&p, SPLIT, SPLIT);
    assert_true(p.budget.spent_ns > 0 && !p.v.is_under_way);
    assert_true(p.v.next > 16 * 400 && p.v.next < 16 * 2000);
}

/* 4 % do not suffice. */
static void a_small_gain_changes_nothing(void **state)
{
    struct program p;
    char windows[16];

    (void)state;
    run(program(&p), similar, 2000, windows);
    assert_string_equal(windows, "ad");
    assert_int_equal(p.v.now, VALIDATION_SETTLED);
    expect(&p, SINGLE, SINGLE);
}

/* A gain below the difference of a window's halves does not suffice either. */
static void a_gain_within_the_spread_changes_nothing(void **state)
{
    struct program p;
    const double work = 4e6;
    double spread = 0;

    (void)state;
    for (int is_noisy = 0; is_noisy < 2; is_noisy++) {
        program(&p)->v.is_under_way = true;
        p.edge.bytes[SPLIT][SINGLE] = 1;
        p.v.part = 1;
        for (int i = 0; p.v.is_under_way && i < 10; i++) {
            const double time = p.v.now == VALIDATION_SETTLED ? 1.0 : 0.8;
            const double noise = is_noisy ? (p.v.part == 2 ? 0.15 : -0.15) : 0;

            p.v.from_ns = p.now_ns;
            p.v.launches = p.v.launches_least;
            p.v.work_ns = (uint64_t)work;
            p.now_ns += (uint64_t)((time + noise) * work);
            validation_advance(&p.v, &p.table, 100, p.now_ns, &p.budget);
            spread = p.v.spread[VALIDATION_SETTLED];
        }
        assert_true(is_noisy ? spread > 0.3 : spread < 0.01);
        assert_int_equal(p.v.now, is_noisy ? VALIDATION_SETTLED : VALIDATION_SPLIT);
    }
}

/* Single-device launches that alone take longer than the window of all split are not
   tried. The second minimum is, if no other window has the same labels. */
static void windows_are_skipped(void **state)
{
    struct program p;
    char windows[16];

    (void)state;
    program(&p);
    p.nodes[0].settled = p.nodes[1].settled = SPLIT;
    p.nodes[0].label[SINGLE].ns = 400000;
    run(&p, faster_split, 2000, windows);
    assert_string_equal(windows, "d");
    program(&p);
    p.nodes[0].settled = p.nodes[1].settled = SPLIT;
    p.nodes[0].second = SPLIT;
    run(&p, faster_split, 4000, windows);
    assert_string_equal(windows, "dac");
    expect(&p, SPLIT, SPLIT);
    run(program(&p), faster_split, 1000, windows);
    assert_string_equal(windows, "ad");
    program(&p)->table.edge_count = 0; /* independent problems need no window */
    run(&p, faster_split, 1000, windows);
    assert_string_equal(windows, "");
}

/* A program whose loop has 1024 launches. */
static struct program *long_loop(struct program *p)
{
    program(p);
    p->nodes[0].period = p->nodes[1].period = 1024;
    return p;
}

/* All split takes four times as long as the settled assignment. Its window ends at the
   check after which the budget is used up, 15 ms later at most, and the settled assignment
   stays. */
static void a_window_ends_with_the_budget(void **state)
{
    static const double slow_split[2][2] = {{83, 700}, {700, 332}};
    struct program p;
    char windows[16];

    (void)state;
    run(long_loop(&p), slow_split, 5000, windows);
    assert_string_equal(windows, "ad");
    assert_true(!p.v.is_under_way && p.v.next > 0);
    assert_int_equal(p.v.now, VALIDATION_SETTLED);
    assert_true(p.budget.spent_ns > 50000000);
    assert_true(p.budget.spent_ns < plan_budget_allowed_ns(&p.budget) + 15000000);
}

/* Checks alone do not end a window. */
static void a_window_within_the_budget_is_whole(void **state)
{
    struct program p;
    char windows[16];

    (void)state;
    run(long_loop(&p), faster_split, 8000, windows);
    assert_string_equal(windows, "ad");
    assert_int_equal(p.v.now, VALIDATION_SPLIT);
}

/* All assignments take three times the measured time of the launches: the program would
   have taken it, too. */
static void only_the_difference_is_charged(void **state)
{
    static const double equal[2][2] = {{210, 210}, {210, 210}};
    struct program p;
    char windows[16];

    (void)state;
    run(program(&p), equal, 2000, windows);
    assert_string_equal(windows, "ad");
    assert_true(p.budget.spent_ns < 1000000); /* parts end at different launches */
}

/* A due validation precedes probes of single launches until it has ended, or is of no
   use. */
static void no_window_begins_without_budget(void **state)
{
    struct program p;
    char windows[8];

    (void)state;
    program(&p)->v.launches = 8;
    plan_budget_spend(&p.budget, 60000000);
    assert_true(validation_is_due(&p.v, 8));
    assert_false(validation_may_advance(&p.v, &p.table, &p.budget));
    assert_int_equal(p.v.launches, 0);
    p.now_ns = 1000000000; /* as much again is allowed */
    assert_true(plan_budget_permits(&p.budget));
    assert_false(plan_budget_permits_probe(&p.budget));
    p.nodes[0].settled = p.nodes[1].settled = SPLIT;
    run(&p, faster_split, 1000, windows);
    assert_true(p.v.next > 0);
    assert_true(plan_budget_permits_probe(&p.budget));

    program(&p)->v.launches = 8;
    plan_budget_spend(&p.budget, 60000000);
    assert_false(validation_may_advance(&p.v, &p.table, &p.budget));
    p.table.edge_count = 0;
    p.v.launches = 8;
    assert_false(validation_may_advance(&p.v, &p.table, &p.budget));
    p.now_ns = 1000000000;
    assert_true(plan_budget_permits_probe(&p.budget));
}

/* Before the first validation all problems use the mode with the smaller total time. */
static void problems_start_with_one_mode(void **state)
{
    struct program p;

    (void)state;
    validation_timed(&program(&p)->v, &p.table);
    expect(&p, SPLIT, SPLIT);
    p.nodes[0].settled = p.nodes[1].settled = SPLIT;
    p.nodes[0].period = 16;
    validation_timed(&p.v, &p.table);
    expect(&p, SINGLE, SINGLE);
    assert_int_equal(validation_label(&p.v, &p.nodes[0], false), SPLIT); /* no edges */
}

static void ruinous_splits_are_avoided(void **state)
{
    struct program p;

    (void)state;
    program(&p)->nodes[0].label[SPLIT].ns = 1600000; /* loses 1.5 ms */
    p.nodes[1].label[SPLIT].ns = 1000;
    p.v.now = VALIDATION_SPLIT;
    expect(&p, SINGLE, SPLIT);
}

/* A probe ends the windows. The previous result returns, or the common mode. */
static void a_disturbed_validation_restores_the_mode(void **state)
{
    struct program p;

    (void)state;
    program(&p)->nodes[0].settled = SPLIT;
    p.v.is_under_way = true;
    validation_timed(&p.v, &p.table);
    expect(&p, SPLIT, SINGLE);
    validation_disturb(&p.v, &p.table);
    expect(&p, SPLIT, SPLIT);
    p.v.next = 16000;
    p.v.is_under_way = true;
    validation_disturb(&p.v, &p.table);
    expect(&p, SPLIT, SINGLE);
    validation_disturb(&p.v, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_assignments_are_corrected),
        cmocka_unit_test(a_small_gain_changes_nothing),
        cmocka_unit_test(a_gain_within_the_spread_changes_nothing),
        cmocka_unit_test(windows_are_skipped),
        cmocka_unit_test(a_window_ends_with_the_budget),
        cmocka_unit_test(a_window_within_the_budget_is_whole),
        cmocka_unit_test(only_the_difference_is_charged),
        cmocka_unit_test(no_window_begins_without_budget),
        cmocka_unit_test(problems_start_with_one_mode),
        cmocka_unit_test(ruinous_splits_are_avoided),
        cmocka_unit_test(a_disturbed_validation_restores_the_mode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
