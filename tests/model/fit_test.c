/* SPDX-License-Identifier: Apache-2.0 */
/* Fit of lines to tables with known lines, breaks, outliers and second modes. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/fit.h"

enum { POINTS = 400, SIZES = 26 };

static double uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static void assert_near(double is, double expected, double relative)
{
    if (!(fabs(is - expected) <= relative * fabs(expected)))
        fail_msg("%g is not within %g %% of %g", is, 100 * relative, expected);
}

/* A table of `repeats` times for 8 B, 16 B, .. 256 MB. */
typedef double truth(double bytes);
static size_t table_make(truth *ns, unsigned repeats, struct fit_point *out)
{
    size_t n = 0;

    for (int k = 0; k < SIZES; k++)
        for (unsigned i = 0; i < repeats; i++, n++)
            out[n] = (struct fit_point){ldexp(8, k), ns(ldexp(8, k)), 0};
    return n;
}

static double one_line(double bytes)
{
    return 3000 + bytes / 400;
}

/* Three protocols: constant, slow per byte, then a jump and fast per byte. */
static double three_lines(double bytes)
{
    if (bytes < 3000)
        return 2000;
    return bytes < 1e6 ? 1500 + bytes / 6 : 90000 + bytes / 150;
}

/* The line of least squares, weighted as the fit. */
static double squares_ns(const struct fit_point *p, size_t count, double bytes)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;

    for (size_t i = 0; i < count; i++) {
        const double weight = 1 / (p[i].ns * p[i].ns);

        w += weight;
        x += weight * p[i].bytes;
        y += weight * p[i].ns;
        xx += weight * p[i].bytes * p[i].bytes;
        xy += weight * p[i].bytes * p[i].ns;
    }
    const double slope = (w * xy - x * y) / (w * xx - x * x);

    return (y - slope * x) / w + slope * bytes;
}

/* A quarter of the times are wrong, most of them ten times too long, some too short. */
static void outliers_do_not_move_the_line(void **state)
{
    struct fit_point p[POINTS];
    struct fit_curve c;
    uint64_t random = 7;
    const size_t count = table_make(one_line, 5, p);
    double worst = 0;

    (void)state;
    for (size_t i = 0; i < count; i++)
        p[i].ns *= i % 4 == 0 ? (i % 3 ? 10 : 0.3) : 1 + 0.004 * (uniform(&random) - 0.5);
    fit_curve_find(p, count, &c);
    assert_int_equal(c.count, 1);
    for (int k = 0; k < SIZES; k++) {
        const double bytes = ldexp(8, k), is = one_line(bytes);

        assert_near(fit_curve_ns(&c, bytes), is, 0.01);
        worst = fmax(worst, fabs(squares_ns(p, count, bytes) / is - 1));
    }
    assert_true(worst > 0.3); /* of least squares on this table */
}

static void breaks_are_found(void **state)
{
    struct fit_point p[POINTS];
    struct fit_curve c;
    uint64_t random = 3;
    const size_t count = table_make(three_lines, 3, p);

    (void)state;
    for (size_t i = 0; i < count; i++)
        p[i].ns *= i % 9 == 0 ? 6 : 1 + 0.01 * (uniform(&random) - 0.5);
    fit_curve_find(p, count, &c);
    assert_int_equal(c.count, 3);
    assert_in_range((uint64_t)c.piece[1].from_bytes, 2048, 4096);
    assert_in_range((uint64_t)c.piece[2].from_bytes, 524288, 1048576);
    assert_near(c.piece[0].base_ns, 2000, 0.01);
    assert_true(c.piece[0].ns_per_byte < 0.05);
    assert_near(c.piece[1].ns_per_byte, 1 / 6., 0.02);
    assert_near(c.piece[2].ns_per_byte, 1 / 150., 0.02);
    for (double bytes = 12; bytes < 3e8; bytes *= 2) /* between the sizes of the table */
        if (fabs(log2(bytes / 3000)) > 1 && fabs(log2(bytes / 1e6)) > 1)
            assert_near(fit_curve_ns(&c, bytes), three_lines(bytes), 0.03);
}

static void noise_makes_few_breaks(void **state)
{
    struct fit_point p[POINTS];
    struct fit_curve c;
    unsigned broken = 0;

    (void)state;
    for (uint64_t random = 1, seed = 1; seed <= 100; random = ++seed) {
        const size_t count = table_make(one_line, 2, p);

        for (size_t i = 0; i < count; i++)
            p[i].ns *= exp(0.1 * (uniform(&random) - 0.5));
        fit_curve_find(p, count, &c);
        broken += c.count > 1;
    }
    assert_in_range(broken, 0, 5); /* of 100 tables */
}

/* A mechanism with two speeds: a third of the runs takes five times as long. */
static void the_more_frequent_mode_is_fitted(void **state)
{
    struct fit_point p[POINTS];
    struct fit_curve c;
    uint64_t random = 5;
    const size_t count = table_make(one_line, 9, p);

    (void)state;
    for (size_t i = 0; i < count; i++)
        p[i].ns *= (i % 3 ? 1 : 5) * (1 + 0.02 * (uniform(&random) - 0.5));
    fit_curve_find(p, count, &c);
    assert_int_equal(c.count, 1);
    assert_near(c.piece[0].base_ns, 3000, 0.02);
    assert_near(1 / c.piece[0].ns_per_byte, 400, 0.02);
    assert_near(c.far_share, 1 / 3., 0.05);
    assert_near(c.far_factor, 5, 0.03);
}

static double cost_of(const struct fit_point *p, size_t count, double base, double slope)
{
    double cost = 0;

    for (size_t i = 0; i < count; i++)
        cost += fabs(p[i].ns - base - slope * p[i].bytes) / p[i].ns;
    return cost / (double)count;
}

/* Few sizes allow one piece only, and the best line goes through two of the points. */
static void no_other_line_is_better(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 500; seed++) {
        uint64_t random = seed;
        const size_t count = 3 + random_next(&random) % 3;
        struct fit_point p[5];
        struct fit_curve c;

        for (size_t i = 0; i < count; i++)
            p[i] = (struct fit_point){8 << i, 50 + floor(100 * uniform(&random)), 0};
        fit_curve_find(p, count, &c);
        assert_int_equal(c.count, 1);
        assert_near(cost_of(p, count, c.piece[0].base_ns, c.piece[0].ns_per_byte), c.error,
                    1e-9);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j <= i; j++) {
                const double slope =
                    i == j ? 0 : (p[i].ns - p[j].ns) / (p[i].bytes - p[j].bytes);

                if (slope >= 0)
                    assert_true(cost_of(p, count, p[i].ns - slope * p[i].bytes, slope) >=
                                c.error - 1e-9);
            }
    }
}

static void little_data_is_fitted_too(void **state)
{
    const struct fit_point same[] = {{64, 5, 0}, {64, 9, 0}, {64, 7, 0}};
    const struct fit_point falling[] = {{8, 9, 0}, {16, 8, 0}, {32, 7, 0}, {64, 6, 0}};
    const struct fit_point wrong[] = {
        {8, NAN, 0}, {-8, 1, 0}, {16, 0, 0}, {INFINITY, 2, 0}, {32, 6, 0}};
    struct fit_curve c;

    (void)state;
    fit_curve_find(NULL, 0, &c);
    assert_int_equal(c.count, 0);
    fit_curve_find(same, 3, &c);
    assert_near(fit_curve_ns(&c, 64), 7, 0);
    fit_curve_find(falling, 4, &c); /* more bytes never take less time */
    assert_int_equal(c.count, 1);
    assert_true(c.piece[0].ns_per_byte == 0);
    assert_in_range((uint64_t)c.piece[0].base_ns, 7, 8);
    fit_curve_find(wrong, 5, &c);
    assert_near(fit_curve_ns(&c, 1000), 6, 0);
}

/* Differences of two times may be zero or less: their scale is that of the times. */
static void scales_bound_small_times(void **state)
{
    struct fit_point p[POINTS];
    struct fit_curve c;
    uint64_t random = 11;

    (void)state;
    for (int k = 0; k < SIZES; k++)
        p[k] = (struct fit_point){ldexp(8, k),
                                  ldexp(8, k) / 300 + 8 * (uniform(&random) - 0.5),
                                  1000 + ldexp(8, k) / 300};
    fit_curve_find(p, SIZES, &c);
    assert_int_equal(c.count, 1);
    assert_near(1 / c.piece[0].ns_per_byte, 300, 0.01);
    assert_true(fabs(c.piece[0].base_ns) < 5);
}

static void errors_are_listed_by_decade(void **state)
{
    struct fit_point p[40];
    double predicted[40];
    struct fit_errors e;

    (void)state;
    for (int i = 0; i < 40; i++) {
        p[i] = (struct fit_point){i < 20 ? 50 : 2000, 100, 0};
        predicted[i] = 100 + (i % 20) * (i % 2 ? 1 : -1);
    }
    fit_errors_find(p, predicted, 40, &e);
    assert_int_equal(e.all.count, 40);
    assert_near(e.all.median, 0.09, 1e-9);
    assert_near(e.all.p95, 0.18, 1e-9);
    assert_int_equal(e.decade[1].count, 20);
    assert_int_equal(e.decade[2].count, 0);
    assert_near(e.decade[3].p95, 0.18, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outliers_do_not_move_the_line),
        cmocka_unit_test(breaks_are_found),
        cmocka_unit_test(noise_makes_few_breaks),
        cmocka_unit_test(the_more_frequent_mode_is_fitted),
        cmocka_unit_test(no_other_line_is_better),
        cmocka_unit_test(little_data_is_fitted_too),
        cmocka_unit_test(scales_bound_small_times),
        cmocka_unit_test(errors_are_listed_by_decade),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
