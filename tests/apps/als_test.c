/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix factorisation on emulated devices agrees with the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "apps/als_testing.h"

#define SINGLE_TOLERANCE 2e-4 /* of an RMSE */

static const struct als_place four = {.machine = "v100x4", .method = "fused", .devices = 4};

static void near(double found, double want, double tolerance)
{
    if (!(fabs(found - want) <= tolerance))
        fail_msg("%.12g is not %.12g", found, want);
}

/* Errors of all sweeps: relative in float64, absolute in float32. */
static void agrees(const struct rating_set *set, const struct als_options *options,
                   const struct als_place *place)
{
    struct als_result r = als_run_on(place, set, options), want;
    bool single = options->is_single;

    assert_int_equal(als_reference(set, options, &want, NULL), PROACT_OK);
    assert_int_equal(r.error_count, want.error_count);
    assert_int_equal(r.sweeps, want.sweeps);
    assert_int_equal(r.element_bytes, single ? 4 : 8);
    for (unsigned i = 0; i < r.error_count; i++) {
        const struct als_errors *e = &r.errors[i], *w = &want.errors[i];

        assert_int_equal(e->sweep, w->sweep);
        near(e->training, w->training, single ? SINGLE_TOLERANCE : 1e-9 * w->training);
        near(e->validation, w->validation,
             single ? SINGLE_TOLERANCE : 1e-9 * w->validation);
        near(e->objective, w->objective, (single ? 1e-3 : 1e-9) * w->objective);
    }
    const double *users = want.users;

    for (size_t i = 0; i < (size_t)r.user_count * r.rank; i++)
        near(single ? (double)((float *)r.users)[i] : ((double *)r.users)[i], users[i],
             single ? 2e-2 : 1e-8);
    assert_true(r.is_split && r.time_ns > 0);
    als_clear(&r);
    als_clear(&want);
}

static void insteval_agrees(void **state)
{
    (void)state;
    static const struct als_options cases[] = {
        {.update = ALS_SOLVE, .rank = 16, .lambda = 0.3},
        {.update = ALS_SOLVE, .rank = 32, .lambda = 0.3, .is_single = true},
        {.update = ALS_GRADIENT, .rank = 16, .lambda = 0.1, .gamma = 0.005},
        {.update = ALS_GRADIENT, .rank = 32, .lambda = 0.1, .is_single = true},
        {.update = ALS_GRADIENT, .rank = 16, .lambda = 0.1, .is_paper_kernel = true},
        {.update = ALS_STRATA, .rank = 16, .lambda = 0.05, .gamma = 0.02},
        {.update = ALS_STRATA, .rank = 64, .lambda = 0.05, .is_single = true},
    };
    struct rating_set set = als_insteval();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct als_options options = cases[i];

        options.sweeps_max = 5;
        options.tolerance = -1;
        options.report_sweeps = 2;
        agrees(&set, &options, &four);
    }
    rating_set_clear(&set);
}

/* Kernels for 16, 32, 64 and 256 factors, also with fewer. */
static void all_ranks_agree(void **state)
{
    (void)state;
    static const unsigned ranks[] = {1, 16, 20, 64, 70};
    struct rating_set set = als_planted(60, 30, 600);

    for (unsigned update = ALS_SOLVE; update <= ALS_STRATA; update++)
        for (unsigned kind = 0; kind < 3; kind++)
            for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
                const struct als_options options = {
                    .update = update,
                    .rank = ranks[i],
                    .gamma = 0.01,
                    .sweeps_max = 2,
                    .tolerance = -1,
                    .is_single = kind == 1,
                    .is_paper_kernel = kind == 2,
                };

                if (kind < 2 || update == ALS_GRADIENT)
                    agrees(&set, &options, &four);
            }
    rating_set_clear(&set);
}

/* Each of 5000 users rates item 0, whose ratings are then divided over CTAs, and one of two
   others. */
static void hubs_agree(void **state)
{
    (void)state;
    enum { USERS = 5000 };
    struct rating *entry = calloc(2 * USERS, sizeof *entry);
    struct ratings ratings = {
        .user_count = USERS, .item_count = 3, .count = 2 * USERS, .entry = entry};
    struct rating_set set;

    for (uint32_t u = 0; u < USERS; u++) {
        entry[2 * u] = (struct rating){u, 0, 1 + u % 5};
        entry[2 * u + 1] = (struct rating){u, 1 + u % 2, 1 + u % 3};
    }
    assert_int_equal(rating_set_create("hubs", &ratings, &set, NULL), PROACT_OK);
    assert_true(rating_rows_degree(&set.by_item, 0) > 4096);
    for (unsigned kind = 0; kind < 3; kind++) {
        const struct als_options options = {
            .update = kind ? ALS_GRADIENT : ALS_SOLVE,
            .rank = kind ? 20 : 5,
            .gamma = 1e-4,
            .sweeps_max = 2,
            .tolerance = -1,
            .is_paper_kernel = kind == 2,
        };

        agrees(&set, &options, &four);
    }
    rating_set_clear(&set);
    ratings_clear(&ratings);
}

static void devices_refuse_a_large_gamma(void **state)
{
    (void)state;
    const struct als_options options = {
        .update = ALS_GRADIENT, .rank = 4, .gamma = 5, .sweeps_max = 9};
    const struct proact_options how = {.machine = "v100x4", .device_count = 2};
    struct rating_set set = als_planted(60, 30, 600);
    struct als_result r;
    struct proact_error err = {""}, want = {""};
    struct proact *p;

    assert_int_equal(proact_open(&how, &p, NULL), PROACT_OK);
    assert_int_equal(als_run(p, &set, &options, &r, &err), PROACT_EINVAL);
    proact_close(p);
    assert_int_equal(als_reference(&set, &options, &r, &want), PROACT_EINVAL);
    assert_string_equal(err.text, want.text);
    rating_set_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insteval_agrees),
        cmocka_unit_test(all_ranks_agree),
        cmocka_unit_test(hubs_agree),
        cmocka_unit_test(devices_refuse_a_large_gamma),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
