/* SPDX-License-Identifier: Apache-2.0 */
/* Extent of the bytes that a CTA writes, and its part of the extent of a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/spans/cta_runs.h"
#include "runtime/access_sets/written_extent.h"

enum { CTAS = 8, DEVICES = 2 };
static const uint32_t cta_first[DEVICES + 1] = {0, CTAS / 2, CTAS};

/* The extent of CTAs with these ranges, each `step` bytes after the previous CTA's. */
static struct plan_extent extent_of(struct rows rows, uint64_t step)
{
    struct cta_runs runs = {0};

    assert_true(cta_runs_add(&runs, (struct cta_run){0, CTAS, 0, 1, step}, &rows, 0));
    const struct plan_extent e = written_extent(&runs, cta_first, DEVICES);

    cta_runs_clear(&runs);
    return e;
}

static void check_extent(struct plan_extent e, uint64_t bytes, double ranges, double share)
{
    assert_int_equal(e.bytes, bytes);
    assert_true(e.ranges > ranges - 0.001 && e.ranges < ranges + 0.001);
    assert_true(e.share > share - 0.001 && e.share < share + 0.001);
}

/* Consecutive ranges, ascending or descending: a quarter of the bytes of a device. */
static void consecutive_ranges_have_their_own_extent(void **state)
{
    (void)state;
    check_extent(extent_of(rows_one(0, 100), 100), 100, 1, 0.25);
    check_extent(extent_of(rows_one(700, 100), (uint64_t)-100), 100, 1, 0.25);
}

/* Each CTA writes every eighth word of the array. */
static void interleaved_ranges_have_the_extent_of_all(void **state)
{
    const struct plan_extent e = extent_of((struct rows){0, 4, 32, 1000}, 4);

    (void)state;
    check_extent(e, 999 * 32 + 4, 1000, (999 * 32 + 4.0) / (999 * 32 + 16));
}

/* CTAs with a column each: those of a device are one strided copy. In turns of 8 words and
   with a gap of as many, the columns of all CTAs join. */
static void adjacent_ranges_are_one_copy(void **state)
{
    struct cta_runs runs = {0};
    const struct rows rows = {0, 4, 64, 1000};

    (void)state;
    assert_true(cta_runs_add(&runs, (struct cta_run){0, CTAS, 0, 1, 4}, &rows, 0));
    assert_int_equal(written_copies(&runs, 0, CTAS), 1);
    assert_int_equal(written_copies(&runs, 0, 1), 1);
    cta_runs_clear(&runs);
    assert_true(cta_runs_add(&runs, (struct cta_run){0, 1, 0, 1, 0}, &rows, 0));
    assert_true(cta_runs_add(&runs, (struct cta_run){1, 1, 0, 1, 0}, &rows, 1 << 20));
    assert_int_equal(written_copies(&runs, 0, 2), 2);
    cta_runs_clear(&runs);
}

static void no_range_has_no_extent(void **state)
{
    const struct cta_runs none = {0};

    (void)state;
    check_extent(written_extent(&none, cta_first, DEVICES), 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consecutive_ranges_have_their_own_extent),
        cmocka_unit_test(interleaved_ranges_have_the_extent_of_all),
        cmocka_unit_test(adjacent_ranges_are_one_copy),
        cmocka_unit_test(no_range_has_no_extent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
