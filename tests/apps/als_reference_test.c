/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix factorisation on the host: golden values, divergence, overfitting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "apps/als_testing.h"

struct golden {
    unsigned sweep;
    double training, validation, objective;
};

/* 1e-9, and half a unit of the last digit of the golden values. */
static void near_golden(double found, double golden, double unit)
{
    if (!(fabs(found - golden) <= 1e-9 * golden + unit))
        fail_msg("%.12g is not %.12g", found, golden);
}

static void check_golden(const struct rating_set *set, const struct als_options *options,
                         const struct golden *golden, size_t count)
{
    struct als_options o = *options;
    struct als_result r;
    struct proact_error err = {""};

    o.tolerance = -1;
    o.sweeps_max = golden[count - 1].sweep;
    if (als_reference(set, &o, &r, &err))
        fail_msg("%s", err.text);
    assert_int_equal(r.error_count, o.sweeps_max);
    for (size_t i = 0; i < count; i++) {
        const struct als_errors *e = &r.errors[golden[i].sweep - 1];

        assert_int_equal(e->sweep, golden[i].sweep);
        near_golden(e->training, golden[i].training, 5e-9);
        near_golden(e->validation, golden[i].validation, 5e-9);
        near_golden(e->objective, golden[i].objective, 5e-7);
    }
    als_clear(&r);
}

#define GOLDEN(set, options, ...)                                                          \
    do {                                                                                   \
        static const struct golden golden[] = {__VA_ARGS__};                               \
        check_golden(set, &(const struct als_options)options, golden,                      \
                     sizeof golden / sizeof *golden);                                      \
    } while (0)
#define OPTIONS(...)                                                                       \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }

static void insteval_has_the_golden_errors(void **state)
{
    (void)state;
    struct rating_set set = als_insteval();

    assert_int_equal(set.training_count, 66058);
    assert_int_equal(set.validation_count, 7363);
    near_golden(set.mean, 3.204744316, 5e-10);
    near_golden(set.validation_deviation, 1.332135, 5e-7);
    GOLDEN(&set, OPTIONS(.update = ALS_SOLVE, .rank = 16, .lambda = 0.3),
           {1, 1.29140809, 1.32430973, 116156.479079},
           {5, 1.10765506, 1.24309474, 107714.346923},
           {20, 1.07752085, 1.23933159, 106928.662004});
    GOLDEN(&set, OPTIONS(.update = ALS_SOLVE, .rank = 32, .lambda = 0.3),
           {5, 1.09190504, 1.24218295, 107477.567207});
    GOLDEN(&set, OPTIONS(.update = ALS_SOLVE, .rank = 64, .lambda = 0.3),
           {5, 1.08130153, 1.24220436, 107376.496738});
    GOLDEN(&set, OPTIONS(.update = ALS_GRADIENT, .rank = 16, .lambda = 0.1, .gamma = 0.005),
           {5, 1.32580051, 1.33166338, 117767.241633},
           {10, 1.31772054, 1.33043706, 116500.369654},
           {50, 0.98477888, 1.24049586, 83166.049036});
    GOLDEN(&set, OPTIONS(.update = ALS_GRADIENT, .rank = 32, .lambda = 0.1, .gamma = 0.005),
           {5, 1.31825044, 1.33263461, 118122.240704},
           {50, 0.87684717, 1.24483612, 76193.593834});
    GOLDEN(&set, OPTIONS(.update = ALS_STRATA, .rank = 16, .lambda = 0.05, .gamma = 0.02),
           {5, 1.26657425, 1.31108843, 108390.163606},
           {10, 1.10526046, 1.25670737, 88135.227879},
           {15, 0.98545513, 1.25051130, 75436.288372});
    rating_set_clear(&set);
}

static void planted_ratings_have_the_golden_errors(void **state)
{
    (void)state;
    struct rating_set set = als_planted(20000, 5000, 1000000);

    assert_int_equal(set.training_count, 895203);
    near_golden(set.validation_deviation, 1.119146, 5e-7);
    GOLDEN(&set, OPTIONS(.update = ALS_SOLVE, .rank = 16, .lambda = 0.05),
           {1, 0.91620144, 1.18005486, 896465.449842},
           {5, 0.43753444, 0.65055668, 413724.231519});
    rating_set_clear(&set);
}

/* The sweep, both errors and a remedy. */
static void a_large_gamma_is_refused(void **state)
{
    (void)state;
    struct als_options options = {.update = ALS_GRADIENT,
                                  .rank = 16,
                                  .lambda = 0.1,
                                  .gamma = 0.02,
                                  .sweeps_max = 20,
                                  .tolerance = -1,
                                  .report_sweeps = 5};
    struct rating_set set = als_insteval();
    struct als_result r;
    struct proact_error err = {""};

    assert_int_equal(als_reference(&set, &options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "gamma 0.02 is too large: the error grew from 1.094 to "
                                  "2674 in sweep 15; try 0.01");
    options.report_sweeps = 20;
    assert_int_equal(als_reference(&set, &options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "gamma 0.02 is too large: the error grew from 1.333 to "
                                  "infinity in sweep 20; try 0.01");
    rating_set_clear(&set);
}

/* lambda 0.05 overfits: the validation error is lowest after the first sweep. */
static void overfitting_is_recorded(void **state)
{
    (void)state;
    const struct als_options options = {
        .update = ALS_SOLVE, .rank = 16, .lambda = 0.05, .sweeps_max = 10, .tolerance = -1};
    struct rating_set set = als_insteval();
    struct als_result r;

    assert_int_equal(als_reference(&set, &options, &r, NULL), PROACT_OK);
    assert_int_equal(r.best.sweep, 1);
    near_golden(r.last.validation, 1.48630581, 5e-9);
    als_clear(&r);
    rating_set_clear(&set);
}

/* A property of alternating least squares. */
static void the_objective_never_rises(void **state)
{
    (void)state;
    static const struct als_options cases[] = {
        {.rank = 3, .lambda = 1e-3},
        {.rank = 16, .lambda = 0.05},
        {.rank = 40, .lambda = 2},
    };
    struct rating_set set = als_planted(300, 100, 5000);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct als_options options = cases[i];
        struct als_result r;

        options.sweeps_max = 30;
        options.tolerance = -1;
        assert_int_equal(als_reference(&set, &options, &r, NULL), PROACT_OK);
        assert_int_equal(r.error_count, 30);
        for (unsigned k = 1; k < r.error_count; k++)
            assert_true(r.errors[k].objective <= r.errors[k - 1].objective * (1 + 1e-12));
        als_clear(&r);
    }
    rating_set_clear(&set);
}

static void the_tolerance_stops(void **state)
{
    (void)state;
    struct als_options options = {
        .rank = 8, .lambda = 0.1, .sweeps_max = 500, .tolerance = 1e-3};
    struct rating_set set = als_planted(300, 100, 5000);
    struct als_result r;

    assert_int_equal(als_reference(&set, &options, &r, NULL), PROACT_OK);
    assert_true(r.converged);
    assert_in_range(r.sweeps, 3, 100);
    assert_int_equal(r.error_count, r.sweeps);
    const struct als_errors *last = &r.errors[r.error_count - 1];

    assert_true(last[-1].objective - last->objective < 1e-3 * last[-1].objective);
    assert_true(last[-2].objective - last[-1].objective >= 1e-3 * last[-2].objective);
    als_clear(&r);
    rating_set_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insteval_has_the_golden_errors),
        cmocka_unit_test(planted_ratings_have_the_golden_errors),
        cmocka_unit_test(a_large_gamma_is_refused),
        cmocka_unit_test(overfitting_is_recorded),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(the_tolerance_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
