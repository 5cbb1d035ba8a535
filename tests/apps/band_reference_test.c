/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's method on systems of 100,000 rows against residuals and iterations that another
   program computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "band/band.h"

enum { ROWS = 100000 };

struct golden {
    uint32_t half_width;
    double dominance, tolerance, after_10, after_50, norm, error;
    unsigned iterations;
};

static const struct golden goldens[] = {
    {1, 1.1, 1e-10, 2.295425981018e-01, 4.465885149564e-03, 2.640513615e+02, 1.788e-10,
     235},
    {13, 1.1, 1e-10, 4.583784459777e-03, 5.457050549848e-05, 2.676858902e+03, 1.848e-09,
     185},
    {13, 1.02, 1e-6, 4.553938412374e-03, 6.315983364199e-04, 2.490385745e+03, 8.839e-05,
     341},
    {64, 1.1, 1e-6, 2.041278873812e-03, 2.421035177988e-05, 1.289195288e+04, 1.995e-05, 82},
};

struct residuals {
    double after[51];
};

static void note_residual(void *context, unsigned iteration, double residual)
{
    struct residuals *residuals = context;

    if (iteration <= 50)
        residuals->after[iteration] = residual;
}

static bool is_near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

static void agree_with_golden(const struct band_system *s, const struct golden *golden,
                              const struct band_result *r)
{
    assert_true(r->converged && r->residual < golden->tolerance);
    assert_int_equal(r->iterations, golden->iterations);
    assert_true(is_near(s->right_norm, golden->norm, 1e-9));
    if (r->type == BAND_F64)
        assert_true(is_near(band_error(s, r), golden->error, 1e-3));
}

static struct band_system generate_golden(const struct golden *golden)
{
    const struct band_shape shape = {ROWS, golden->half_width, golden->dominance};
    struct band_system s;

    assert_int_equal(band_generate(&shape, &s, NULL), PROACT_OK);
    return s;
}

static void reference_gives_the_golden_residuals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const struct golden *golden = &goldens[i];
        struct band_system s = generate_golden(golden);
        struct residuals residuals = {{0}};
        struct band_options options = {.tolerance = golden->tolerance,
                                       .progress = note_residual,
                                       .context = &residuals};
        struct band_result r;

        assert_int_equal(band_reference(&s, &options, &r, NULL), PROACT_OK);
        agree_with_golden(&s, golden, &r);
        assert_true(is_near(residuals.after[0], 1, 1e-12));
        assert_true(is_near(residuals.after[10], golden->after_10, 1e-9));
        assert_true(is_near(residuals.after[50], golden->after_50, 1e-9));
        band_clear(&r);
        options = (struct band_options){.type = BAND_F32, .tolerance = 1e-6};
        if (golden->tolerance >= 1e-6) { /* f32 takes as many iterations */
            assert_int_equal(band_reference(&s, &options, &r, NULL), PROACT_OK);
            agree_with_golden(&s, golden, &r);
            band_clear(&r);
        }
        band_system_clear(&s);
    }
}

static void reference_diverges(void **state)
{
    const struct golden golden = {.half_width = 13, .dominance = 0.9};
    struct band_system s = generate_golden(&golden);
    struct residuals residuals = {{0}};
    const struct band_options options = {.progress = note_residual, .context = &residuals};
    struct band_result r;
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(band_reference(&s, &options, &r, &err), PROACT_EINVAL);
    assert_memory_equal(err.text, "diverges: the residual grew in 10 iterations in a row",
                        strlen("diverges: the residual grew in 10 iterations in a row"));
    assert_true(is_near(residuals.after[10], 2.619880882430e-02, 1e-9));
    band_system_clear(&s);
}

static void devices_give_the_golden_iterations(void **state)
{
    const struct golden *golden = &goldens[0];
    struct band_system s = generate_golden(golden);
    const struct band_options options = {.tolerance = golden->tolerance};
    const struct proact_options how = {.machine = "v100x4", .plan = {.method = "polling"}};
    struct band_result r;
    struct proact *p;

    (void)state;
    assert_int_equal(proact_open(&how, &p, NULL), PROACT_OK);
    assert_int_equal(band_run(p, &s, &options, &r, NULL), PROACT_OK);
    agree_with_golden(&s, golden, &r);
    proact_close(p);
    band_clear(&r);
    band_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_gives_the_golden_residuals),
        cmocka_unit_test(reference_diverges),
        cmocka_unit_test(devices_give_the_golden_iterations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
