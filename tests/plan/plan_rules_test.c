/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the planner on tables of features. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
    struct plan_axes a = {.present = 1,
                          .axis = {{true, 490, 0}, {true, 1000, 100}, {false, 0, 0}}};
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

static void few_missing_bytes_need_no_evaluation(void **state)
{
    struct plan_axes a = {.axis = {{true, 1999, 0}}, .bytes_per_ns = 1};

    (void)state;
    assert_false(plan_axes_matter(&a));
    a.axis[0].missing_bytes = 2000;
    assert_true(plan_axes_matter(&a));
    a.launch_ns = 32001;
    assert_false(plan_axes_matter(&a));
    a.launch_ns = 32000;
    assert_true(plan_axes_matter(&a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_with_far_fewer_missing_bytes_is_selected),
        cmocka_unit_test(few_missing_bytes_need_no_evaluation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
