/* SPDX-License-Identifier: Apache-2.0 */
/* What single launches told is held against the program as it runs; until it can be,
   kernels that are coupled go one way. */
#include "runtime/coupled_testing.h"

#include "runtime/autotune/trial.h"

/* Of two kernels that each had better be split, which were settled whole for all that: what
   they take as they run tells. */
static void what_was_settled_wrong_is_found_out(void **state)
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

/* Whole they take longer by themselves than split as they run: that needs no trial. */
static void what_is_slower_whole_is_not_tried(void **state)
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
    assert_true(b.p->trial.next > 0); /* there was one */
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

/* By what all of them take, however each was settled. */
static void all_go_one_way_before_the_first(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    assert_true(trial_splits_new(&t->p)); /* as they begin */
    time_both(t);
    assert_true(t->one.splits && t->other.splits && trial_splits_new(&t->p));
    t->one.settled = t->other.settled = true;
    t->one.apart = 16;
    time_both(t);
    assert_true(!t->one.splits && !t->other.splits && !trial_splits_new(&t->p));
    t->one.apart = 2;
    t->p.chosen += 8; /* none came for long: nothing is known */
    time_both(t);
    assert_false(trial_splits_new(&t->p));
    close_two(t);
}

static void what_is_ruinous_split_never_is(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    t->one.split_ns = 1600000; /* 1.5 ms lost, and the other would lose 10 us */
    t->other.split_ns = 10000;
    time_both(t);
    assert_true(!t->one.splits && t->other.splits);
    close_two(t);
}

static void one_by_itself_goes_as_it_was_settled(void **state)
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

/* A trial that is disturbed leaves them as the last one found, or as before the first. */
static void after_a_trial_it_is_as_settled(void **state)
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
        cmocka_unit_test(all_go_one_way_before_the_first),
        cmocka_unit_test(what_is_ruinous_split_never_is),
        cmocka_unit_test(one_by_itself_goes_as_it_was_settled),
        cmocka_unit_test(after_a_trial_it_is_as_settled),
        cmocka_unit_test(what_was_settled_wrong_is_found_out),
        cmocka_unit_test(what_is_slower_whole_is_not_tried),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
