/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of docs/measuring.md, from given times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "terms.h"

static void near(double is, double want)
{
    if (!(fabs(is - want) < 1e-12))
        fail_msg("%g, not %g", is, want);
}

/* Short kernels: the copies are nearly all of bulk, and nearly all of the rest are
   launches, which the ideal must include. Without E(bulk) it would be 37. */
static void the_ideal_includes_launches(void **state)
{
    const struct terms_base b = {
        .one = 370, .bulk = 400, .uncopied = 10, .skipped = 200, .spread = 5};

    (void)state;
    near(terms_ideal_ns(&b), 200);
    near(terms_ideal(&b), 1.85);
}

static void the_ideal_includes_kernels(void **state)
{
    const struct terms_base b = {.one = 300, .bulk = 200, .uncopied = 160, .skipped = 150};

    (void)state;
    near(terms_ideal(&b), 300 / 160.0);
}

static void terms_follow_the_definitions(void **state)
{
    const struct terms_base b = {
        .one = 400, .bulk = 300, .uncopied = 180, .skipped = 200, .spread = 5};
    const struct terms bulk = terms_of(&b, 300, 200), other = terms_of(&b, 250, 220);

    (void)state;
    near(bulk.captured, terms_ideal_ns(&b) / 300);
    near(bulk.overhead, 0);
    near(bulk.hidden, 0);
    near(other.speedup, 1.6);
    near(other.captured, other.speedup / terms_ideal(&b));
    near(other.overhead, 0.1);
    near(other.hidden, 0.7); /* 30 of 100 remain */
}

/* A denominator within the spread would give any number. */
static void unknown_terms_are_undefined(void **state)
{
    const struct terms_base b = {
        .one = 400, .bulk = 204, .uncopied = 180, .skipped = 200, .spread = 5};

    (void)state;
    assert_true(isnan(terms_of(&b, 250, 220).hidden));
    near(terms_of(&b, 250, 220).overhead, 0.1);
    assert_true(isnan(terms_of(&b, 250, 0).overhead) && isnan(terms_of(&b, 250, 0).hidden));
    near(terms_of(&b, 250, 0).captured, 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ideal_includes_launches),
        cmocka_unit_test(the_ideal_includes_kernels),
        cmocka_unit_test(terms_follow_the_definitions),
        cmocka_unit_test(unknown_terms_are_undefined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
