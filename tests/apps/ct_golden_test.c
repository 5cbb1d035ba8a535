/* SPDX-License-Identifier: Apache-2.0 */
/* CT at the sizes of the goldens, which an independent program computed with coefficients
   in float32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "ct/ct.h"

enum solver { ON_DEVICES, ON_HOST, DESCENT };

struct golden {
    enum solver solver;
    enum ct_beam beam;
    unsigned size, views, channels, subsets, iterations;
    bool single, momentum;
    double cost, error_hu;
};

static void on_devices(const struct ct_scan *scan, const struct ct_options *options,
                       struct ct_result *r)
{
    const struct proact_options how = {.machine = "v100x4", .plan = {.method = "inline"}};
    struct proact_error err = {""};
    struct proact *p;

    if (proact_open(&how, &p, &err) || ct_run(p, scan, options, r, &err))
        fail_msg("%s", err.text);
    proact_close(p);
}

static void solve_golden(const struct golden *g)
{
    struct ct_geometry geometry =
        ct_geometry_make(g->beam, g->size, g->views, g->channels, 240);
    const struct ct_options options = {.subsets = g->subsets,
                                       .iterations = g->iterations,
                                       .single = g->single,
                                       .no_momentum = !g->momentum,
                                       .start_zero = g->beam != CT_PARALLEL};
    struct ct_scan scan;
    struct ct_result r = {0};

    geometry.offset = 0.25;
    assert_int_equal(ct_scan_phantom(&geometry, 1, 1e5, 1, &scan, NULL), PROACT_OK);
    if (g->solver == ON_DEVICES)
        on_devices(&scan, &options, &r);
    else if (g->solver == ON_HOST)
        assert_int_equal(ct_reference(&scan, &options, &r, NULL), PROACT_OK);
    else
        assert_int_equal(ct_descent(&scan, &options, &r, NULL), PROACT_OK);
    if (fabs(r.state.cost / g->cost - 1) > 1e-5 ||
        fabs(r.state.error_hu - g->error_hu) > (g->single ? 0.05 : 0.001))
        fail_msg("%u^2, %u subsets, %u iterations: cost %.9f, error %.4f HU", g->size,
                 g->subsets, g->iterations, r.state.cost, r.state.error_hu);
    ct_result_clear(&r);
    ct_scan_clear(&scan);
}

static void golden_values_are_met(void **state)
{
    (void)state;
    static const struct golden goldens[] = {
        {ON_HOST, CT_PARALLEL, 128, 180, 192, 1, 20, false, true, 5.739851, 3.7466},
        {ON_HOST, CT_PARALLEL, 128, 180, 192, 1, 20, false, false, 6.670175, 14.1179},
        {ON_DEVICES, CT_PARALLEL, 128, 180, 192, 4, 20, false, true, 5.443681, 3.4132},
        {ON_DEVICES, CT_PARALLEL, 128, 180, 192, 16, 20, false, true, 5.477665, 4.3147},
        {ON_DEVICES, CT_PARALLEL, 128, 180, 192, 4, 5, true, true, 5.740675, 3.7510},
        {ON_HOST, CT_PARALLEL, 256, 360, 384, 8, 10, false, true, 10.198755, 2.7682},
        {DESCENT, CT_PARALLEL, 128, 180, 192, 1, 30, false, true, 5.440696141, 3.3722},
        {DESCENT, CT_FAN_FLAT, 256, 492, 444, 1, 5, false, true, 37.298268704, 215.3897},
    };

    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++)
        solve_golden(&goldens[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_values_are_met)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
