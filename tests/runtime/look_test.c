/* SPDX-License-Identifier: Apache-2.0 */
/* Budget of probes: they use a bounded part of a program's run time. */
#include "runtime/objects/session.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>

/* On the four K40, the small work is faster on one device and the large work on all. */
static const uint32_t small = 1, large = 400;

static unsigned split_of(struct bench *b, struct proact_kernel *k, unsigned launches,
                         uint32_t ctas, uint32_t rounds)
{
    const struct {
        uint64_t out;
        uint32_t n, rounds;
    } block = {1, N, rounds};
    const struct proact_relocation relocation = {0, b->out, 0};
    unsigned split = 0;

    while (launches--) {
        if (proact_launch_buffer(
                k, &(struct proact_grid){.ctas = {ctas}, .threads = {32}},
                &(struct proact_parameter_buffer){&block, sizeof block, &relocation, 1},
                &b->err))
            fail_msg("%s", b->err.text);
        split += !proact_kernel_refusal(k);
    }
    return split;
}

static struct bench open_k40(void)
{
    return testing_open(&(struct proact_options){
        .machine = PROACT_SOURCE "/tests/runtime/bus.json", .plan = {.method = "inline"}});
}

/* A new shape runs like the other kernels until the budget allows a probe. */
static void a_new_shape_waits_for_the_budget(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    assert_in_range(split_of(&b, k, 40, 100, small), 1, 10);
    b.p->budget.spent_ns = UINT64_MAX / 2;
    assert_int_equal(split_of(&b, k, 20, 1000, large), 0);
    assert_string_equal(proact_kernel_refusal(k),
                        "kernel 'works': not timed: the measurement budget is used up; "
                        "it runs like the other kernels");
    b.p->budget.spent_ns = 0;
    assert_in_range(split_of(&b, k, 20, 1000, large), 10, 20);
    proact_close(b.p);
}

/* A kernel whose work grew is probed again only within the budget. */
static void grown_work_waits_for_the_budget(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    split_of(&b, k, 20, 1000, 50);
    b.p->budget.spent_ns = UINT64_MAX / 2;
    assert_int_equal(split_of(&b, k, 20, 1000, 201), 0);
    b.p->budget.spent_ns = 0;
    assert_int_equal(split_of(&b, k, 20, 1000, 201), 18);
    proact_close(b.p);
}

static void probes_are_charged(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    split_of(&b, k, 40, 100, small);
    assert_true(b.p->budget.spent_ns > 0);
    const uint64_t spent = b.p->budget.spent_ns;

    split_of(&b, k, 40, 100, small);
    assert_true(b.p->budget.spent_ns == spent);
    proact_close(b.p);
}

/* The virtual time advances between launches, also without waits. */
static void time_passes_without_waits(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    split_of(&b, k, 40, 100, small);
    b.p->budget.spent_ns = 50000400 + b.p->now_ns / 20; /* 8 us short of the budget */
    assert_int_equal(split_of(&b, k, 8, 1000, large), 0);
    assert_in_range(split_of(&b, k, 92, 1000, large), 20, 80);
    proact_close(b.p);
}

/* A program with many kernels runs on one device until the budget suffices for the analysis
   of all of them. */
static void the_budget_pays_for_all_kernels(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    b.p->preparations.done = 2;
    b.p->preparations.ns = 2000000000;
    assert_int_equal(split_of(&b, k, 20, 1000, large), 0);
    assert_int_equal(b.p->preparations.waiting, 1);
    assert_string_equal(proact_kernel_refusal(k),
                        "kernel 'works': not analyzed: 1 kernels would take the host "
                        "1000 ms, more than the measurement budget");
    b.p->preparations.ns = 2000000;
    assert_in_range(split_of(&b, k, 20, 1000, large), 10, 20);
    assert_int_equal(b.p->preparations.waiting, 0);
    assert_int_equal(b.p->preparations.done, 3);
    proact_close(b.p);
}

/* A kernel that is never split needs no preparation. */
static void cooperative_kernels_are_not_prepared(void **state)
{
    const struct {
        uint64_t out;
        uint32_t n, rounds;
    } block = {1, N, small};
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");
    const struct proact_relocation relocation = {0, b.out, 0};

    (void)state;
    if (proact_launch_buffer(
            k, &(struct proact_grid){.ctas = {1}, .threads = {32}, .is_cooperative = true},
            &(struct proact_parameter_buffer){&block, sizeof block, &relocation, 1},
            &b.err))
        fail_msg("%s", b.err.text);
    assert_int_equal(b.p->preparations.waiting, 0);
    proact_close(b.p);
}

/* Time passes for the preparation, too, also without waits. */
static void preparations_wait_for_the_clock(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    b.p->preparations.done = 1;
    b.p->preparations.ns = 50000400; /* 8 us short of the budget */
    assert_int_equal(split_of(&b, k, 8, 1000, large), 0);
    assert_in_range(split_of(&b, k, 92, 1000, large), 20, 80);
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_shape_waits_for_the_budget),
        cmocka_unit_test(grown_work_waits_for_the_budget),
        cmocka_unit_test(probes_are_charged),
        cmocka_unit_test(time_passes_without_waits),
        cmocka_unit_test(the_budget_pays_for_all_kernels),
        cmocka_unit_test(preparations_wait_for_the_clock),
        cmocka_unit_test(cooperative_kernels_are_not_prepared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
