/* SPDX-License-Identifier: Apache-2.0 */
/* Budget of the planner, on a clock of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/budget.h"

static uint64_t clock_of_test(const void *now_ns)
{
    return *(const uint64_t *)now_ns;
}

static void the_budget_grows_with_run_time(void **state)
{
    uint64_t now_ns = 60000000;
    struct plan_budget b = plan_budget_open(clock_of_test, &now_ns);

    (void)state;
    assert_true(plan_budget_permits(&b));
    /* 49 ms of a budget of 50 ms and a twentieth of 60 ms. */
    plan_budget_charge(&b, 10000000, 1000000);
    assert_true(plan_budget_permits(&b));
    plan_budget_charge(&b, 58000000, 1000000);
    assert_true(plan_budget_permits(&b));
    plan_budget_charge(&b, 54000000, 1000000); /* 55 ms */
    assert_false(plan_budget_permits(&b));
    now_ns = 99999999;
    assert_false(plan_budget_permits(&b));
    now_ns = 100000000;
    assert_true(plan_budget_permits(&b));
    assert_int_equal(plan_budget_allowed_ns(&b), 55000000);
}

/* Modelled work above the measured time is not negative. */
static void work_is_never_repaid(void **state)
{
    uint64_t now_ns = 1000;
    struct plan_budget b = plan_budget_open(clock_of_test, &now_ns);

    (void)state;
    plan_budget_charge(&b, 0, 2000);
    assert_int_equal(b.spent_ns, 0);
}

/* A charge that is taken back leaves room for others. */
static void host_time_is_charged_and_repaid(void **state)
{
    uint64_t now_ns = 0;
    struct plan_budget b = plan_budget_open(clock_of_test, &now_ns);

    (void)state;
    plan_budget_spend(&b, 50000001);
    assert_false(plan_budget_permits(&b));
    plan_budget_repay(&b, 1);
    assert_true(plan_budget_permits(&b));
    plan_budget_repay(&b, UINT64_MAX);
    assert_int_equal(b.spent_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_grows_with_run_time),
        cmocka_unit_test(work_is_never_repaid),
        cmocka_unit_test(host_time_is_charged_and_repaid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
