/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments: decisions from single launches are compared with the run time of the
   program. Until the first experiment, kernels with a joint cost use one mode. */
#include "runtime/coupled_testing.h"

#include "runtime/autotune/trial.h"

/* Two kernels are faster split but were decided as single-device launches. The experiment
   corrects the decision. */
static void wrong_decisions_are_corrected(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k[2] = {testing_kernel(&b, "steps"), testing_kernel(&b, "steps")};
    struct proact_array *a[3];
    unsigned split = 0;

    (void)state;
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 400; n++) {
        for (int i = 0; i < 2; i++)
            split += pass(&b, k[i], a + i, SWEPT / 256, 100) && n >= 380;
        if (n == 10)
            for (struct choice *c = b.p->choices; c; c = c->next_of_all)
                c->split_ns = 8 * c->whole_ns;
    }
    assert_int_equal(split, 40);
    proact_close(b.p);
}

/* Their single-device time alone exceeds the split time of the running program, so no
   experiment is needed. */
static void slower_single_device_modes_are_not_tried(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k[2] = {testing_kernel(&b, "steps"), testing_kernel(&b, "steps")};
    struct proact_array *a[3];
    unsigned whole = 0;

    (void)state;
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 80; n++)
        for (int i = 0; i < 2; i++)
            whole += !pass(&b, k[i], a + i, SWEPT / 256, 2000) && n >= 20;
    assert_int_equal(whole, 0);
    assert_true(b.p->trial.next > 0); /* an experiment took place */
    proact_close(b.p);
}

static void choose_both(struct two *t)
{
    trial_choose(&t->one);
    trial_choose(&t->other);
}

static void time_both(struct two *t)
{
    trial_timed(&t->p);
    choose_both(t);
}

/* Before the first experiment all kernels use the mode with the smaller total cost. */
static void kernels_start_with_one_mode(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    assert_true(trial_splits_new(&t->p)); /* the initial mode */
    time_both(t);
    assert_true(t->one.splits && t->other.splits && trial_splits_new(&t->p));
    t->one.settled = t->other.settled = true;
    t->one.apart = 16;
    time_both(t);
    assert_true(!t->one.splits && !t->other.splits && !trial_splits_new(&t->p));
    t->one.apart = 2;
    t->p.chosen += 8; /* absent for long: no cost is known */
    time_both(t);
    assert_false(trial_splits_new(&t->p));
    close_two(t);
}

static void ruinous_splits_are_avoided(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    t->one.split_ns = 1600000; /* loses 1.5 ms, while the other kernel would lose 10 us */
    t->other.split_ns = 10000;
    time_both(t);
    assert_true(!t->one.splits && t->other.splits);
    close_two(t);
}

static void independent_kernels_keep_their_decision(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    coupling_drop(&t->one);
    coupling_drop(&t->other);
    t->other.settled = true;
    time_both(t);
    assert_true(!t->one.splits && t->other.splits && trial_splits_new(&t->p));
    close_two(t);
}

/* A disturbed experiment restores the previous result, or the initial mode before the first
   experiment. */
static void a_disturbed_experiment_restores_the_mode(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    t->p.trial.is_under_way = true;
    t->one.settled = true;
    time_both(t);
    assert_true(t->one.splits && !t->other.splits);
    trial_disturb(&t->p);
    choose_both(t);
    assert_true(t->one.splits && t->other.splits);
    t->p.trial.next = 16000;
    t->p.trial.is_under_way = true;
    trial_disturb(&t->p);
    choose_both(t);
    assert_true(t->one.splits && !t->other.splits && trial_splits_new(&t->p));
    t->p.look.goes_whole = true;
    assert_false(trial_splits_new(&t->p));
    close_two(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_start_with_one_mode),
        cmocka_unit_test(ruinous_splits_are_avoided),
        cmocka_unit_test(independent_kernels_keep_their_decision),
        cmocka_unit_test(a_disturbed_experiment_restores_the_mode),
        cmocka_unit_test(wrong_decisions_are_corrected),
        cmocka_unit_test(slower_single_device_modes_are_not_tried),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
