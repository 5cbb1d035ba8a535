/* SPDX-License-Identifier: Apache-2.0 */
/* CT on emulated devices: forward and back projection are adjoint, the image agrees with
   the host's and is equal bit for bit on any number of devices with every method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/ct_work.h"

static struct proact *open_devices(unsigned devices, const char *method, uint64_t seed)
{
    const struct proact_options options = {.machine = "v100x16",
                                           .device_count = devices,
                                           .seed = seed,
                                           .check = true,
                                           .plan = {.method = method, .chunk_bytes = 4096}};
    struct proact_error err = {""};
    struct proact *p = NULL;

    if (proact_open(&options, &p, &err))
        fail_msg("%s on %u: %s", method, devices, err.text);
    return p;
}

static struct ct_scan make_scan(enum ct_beam beam, unsigned slices, unsigned size,
                                unsigned views, unsigned channels)
{
    struct ct_geometry g = ct_geometry_make(beam, size, views, channels, 240);
    struct ct_scan scan;

    assert_int_equal(ct_scan_phantom(&g, slices, 1e5, 1, &scan, NULL), PROACT_OK);
    return scan;
}

/* ---- Adjoint ---- */

static void fill(double *to, size_t count, uint64_t chance)
{
    for (size_t i = 0; i < count; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        to[i] = (double)(float)((double)(chance >> 11) * 0x1p-53);
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* to = A x */
static void project(struct ct_work *w, const double *x, double *to)
{
    struct ct_shape shape = ct_subset_shape(w, 0, 1);
    size_t rays = (size_t)shape.views * shape.channels;

    assert_int_equal(ct_put_image(w, w->arrays.shown, x, NULL), PROACT_OK);
    assert_int_equal(
        ct_launch_residual(w, w->arrays.shown, w->arrays.all_residual, &shape, NULL),
        PROACT_OK);
    assert_int_equal(ct_get(w, w->arrays.all_residual, to, rays, NULL), PROACT_OK);
}

/* to = A' y */
static void project_back(struct ct_work *w, const double *y, double *to)
{
    struct ct_shape shape = ct_subset_shape(w, 0, 1);
    size_t rays = (size_t)shape.views * shape.channels;

    assert_int_equal(ct_put(w, w->arrays.all_residual, y, rays, NULL), PROACT_OK);
    assert_int_equal(ct_launch_back(w, w->arrays.shown, &shape, NULL), PROACT_OK);
    assert_int_equal(ct_get_image(w, w->arrays.shown, to, NULL), PROACT_OK);
}

/* Measurements 0 and weights 1, so that the residual is A x. */
static void prepare_projection(struct ct_work *w)
{
    const struct ct_geometry *g = &w->scan->geometry;
    size_t rays = (size_t)g->views * g->channels;
    double *values = calloc(rays, sizeof *values);

    assert_int_equal(ct_put_views(w, NULL), PROACT_OK);
    assert_int_equal(ct_put(w, w->arrays.edge, w->tables.edge, g->channels + 1, NULL), 0);
    assert_int_equal(ct_put(w, w->arrays.measured, values, rays, NULL), PROACT_OK);
    for (size_t i = 0; i < rays; i++)
        values[i] = 1;
    assert_int_equal(ct_put(w, w->arrays.weight, values, rays, NULL), PROACT_OK);
    free(values);
}

/* |<A x, y> / <x, A' y> - 1|, and the largest difference of A x from the host. The detector
   is `width` of its default width: a narrow one misses a part of the field. */
static void expect_adjoint(enum ct_beam beam, double width, bool single, double tolerance)
{
    struct ct_geometry g = ct_geometry_make(beam, 33, 45, 50, 240);
    struct ct_scan scan;
    const struct ct_options options = {.single = single};
    struct proact *p = open_devices(2, "inline", 0);
    size_t rays = 45 * 50, pixels = 33 * 33;
    double *x = calloc(pixels, sizeof *x), *y = calloc(rays, sizeof *y);
    double *ax = calloc(rays, sizeof *ax), *host = calloc(rays, sizeof *host);
    double *ay = calloc(pixels, sizeof *ay);
    struct ct_work w;

    g.pitch_mm *= width;
    assert_int_equal(ct_scan_phantom(&g, 1, 1e5, 1, &scan, NULL), PROACT_OK);
    fill(x, pixels, 1);
    fill(y, rays, 2);
    for (unsigned i = 0; i < pixels; i++)
        if (!ct_in_field(33, i / 33, i % 33))
            x[i] = 0;
    assert_int_equal(ct_work_init(&w, p, &scan, &options, NULL), PROACT_OK);
    prepare_projection(&w);
    project(&w, x, ax);
    project_back(&w, y, ay);
    double left = dot(ax, y, rays), right = dot(x, ay, pixels);

    if (!(fabs(left / right - 1) < tolerance))
        fail_msg("beam %d: %.17g and %.17g", (int)beam, left, right);
    ct_forward(&w.tables, x, host, 0, 1);
    for (size_t i = 0; i < rays; i++)
        assert_true(fabs(ax[i] - host[i]) < (single ? 1e-2 : 1e-10));
    ct_work_clear(&w);
    proact_close(p);
    ct_scan_clear(&scan);
    free(x);
    free(y);
    free(ax);
    free(ay);
    free(host);
}

static void projections_are_adjoint(void **state)
{
    (void)state;
    for (unsigned beam = CT_PARALLEL; beam <= CT_FAN_ARC; beam++) {
        expect_adjoint((enum ct_beam)beam, 1, false, 1e-12);
        expect_adjoint((enum ct_beam)beam, 0.3, false, 1e-12);
        expect_adjoint((enum ct_beam)beam, 1, true, 1e-5);
        expect_adjoint((enum ct_beam)beam, 0.3, true, 1e-5);
    }
}

/* ---- Images ---- */

static struct ct_result reconstruct(const struct ct_scan *scan,
                                    const struct ct_options *options, unsigned devices,
                                    const char *method, uint64_t seed)
{
    struct proact *p = open_devices(devices, method, seed);
    struct proact_error err = {""};
    struct ct_result r;

    if (ct_run(p, scan, options, &r, &err))
        fail_msg("%s on %u: %s", method, devices, err.text);
    proact_close(p);
    return r;
}

/* Agreement with the reference: 1e-5 of the cost, and 0.05 HU in float32. */
static void expect_reference(const struct ct_scan *scan, const struct ct_options *options,
                             const struct ct_result *r)
{
    struct ct_result want;
    double limit = (options->single ? 0.05 : 1e-6) * CT_WATER / 1000;

    assert_int_equal(ct_reference(scan, options, &want, NULL), PROACT_OK);
    assert_true(fabs(r->state.cost / want.state.cost - 1) < 1e-5);
    assert_true(fabs(r->state.error_hu - want.state.error_hu) < 0.05);
    assert_true(fabs(r->state.change_hu - want.state.change_hu) < 0.05);
    for (size_t i = 0; i < want.pixels; i++)
        assert_true(fabs(r->image[i] - want.image[i]) < limit);
    ct_result_clear(&want);
}

static void devices_agree_with_the_reference(void **state)
{
    (void)state;
    for (unsigned beam = CT_PARALLEL; beam <= CT_FAN_ARC; beam++)
        for (int single = 0; single <= 1; single++) {
            struct ct_scan scan = make_scan((enum ct_beam)beam, 2, 32, 40, 48);
            const struct ct_options options = {.subsets = 3,
                                               .iterations = 3,
                                               .relax = 0.1,
                                               .single = single,
                                               .monitor = beam == CT_PARALLEL};
            struct ct_result r = reconstruct(&scan, &options, 3, "fused", 0);

            expect_reference(&scan, &options, &r);
            assert_true(r.time_ns > 0 && r.statistics.bytes > 0);
            ct_result_clear(&r);
            ct_scan_clear(&scan);
        }
}

static void images_are_the_same_everywhere(void **state)
{
    (void)state;
    struct ct_scan scan = make_scan(CT_FAN_ARC, 1, 32, 24, 40);
    const struct ct_options options = {.subsets = 2, .iterations = 2, .single = true};
    struct ct_result one = reconstruct(&scan, &options, 1, "bulk", 0);

    for (const char *const *method = proact_method_names(); *method; method++)
        for (unsigned devices = 2; devices <= 16; devices *= devices == 4 ? 4 : 2)
            for (uint64_t seed = 1; seed <= 2; seed++) {
                struct ct_result r = reconstruct(&scan, &options, devices, *method, seed);

                assert_memory_equal(r.image, one.image, one.pixels * sizeof *r.image);
                assert_true(r.state.cost == one.state.cost);
                ct_result_clear(&r);
            }
    ct_result_clear(&one);
    ct_scan_clear(&scan);
}

/* Watching the cost changes neither the image nor what the iterations send. */
static void monitor_changes_nothing(void **state)
{
    (void)state;
    struct ct_scan scan = make_scan(CT_PARALLEL, 1, 32, 24, 40);
    struct ct_options options = {.subsets = 4, .iterations = 4};
    struct ct_result plain = reconstruct(&scan, &options, 4, "fused", 0);

    options.monitor = true;
    struct ct_result watched = reconstruct(&scan, &options, 4, "fused", 0);

    assert_memory_equal(plain.image, watched.image, plain.pixels * sizeof *plain.image);
    assert_true(plain.state.cost == watched.state.cost);
    assert_int_equal(plain.statistics.bytes, watched.statistics.bytes);
    ct_result_clear(&plain);
    ct_result_clear(&watched);
    ct_scan_clear(&scan);
}

/* ---- Checkpoints ---- */

struct saved {
    unsigned iteration;
    size_t count;
    struct app_part part[4];
};

static enum proact_status save_parts(void *context, unsigned iteration,
                                     const struct app_part *parts, size_t count,
                                     struct proact_error *err)
{
    (void)err;
    struct saved *saved = context;

    assert_int_equal(saved->count, 0); /* the last iteration saves nothing */
    saved->iteration = iteration;
    saved->count = count;
    for (size_t i = 0; i < count; i++) {
        saved->part[i] = parts[i];
        saved->part[i].data = malloc(parts[i].bytes);
        memcpy(saved->part[i].data, parts[i].data, parts[i].bytes);
    }
    return PROACT_OK;
}

static enum proact_status load_parts(void *context, unsigned *iteration,
                                     const struct app_part *parts, size_t count,
                                     struct proact_error *err)
{
    (void)err;
    struct saved *saved = context;

    assert_int_equal(saved->count, count);
    *iteration = saved->iteration;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(parts[i].bytes, saved->part[i].bytes);
        memcpy(parts[i].data, saved->part[i].data, parts[i].bytes);
    }
    return PROACT_OK;
}

/* On other devices and by another method, and from an odd number of updates. */
static void resumed_runs_give_the_same_image(void **state)
{
    (void)state;
    struct ct_scan scan = make_scan(CT_FAN_FLAT, 2, 32, 24, 40);
    for (int single = 0; single <= 1; single++) {
        struct ct_options options = {
            .subsets = 1, .iterations = 6, .single = single, .relax = 0.05};
        struct ct_result whole = reconstruct(&scan, &options, 2, "fused", 0), r;
        struct saved saved = {0};

        options.checkpoint =
            (struct app_checkpoint){.every = 3, .save = save_parts, .context = &saved};
        r = reconstruct(&scan, &options, 4, "inline", 1);
        assert_memory_equal(r.image, whole.image, r.pixels * sizeof *r.image);
        ct_result_clear(&r);
        options.checkpoint = (struct app_checkpoint){.load = load_parts, .context = &saved};
        r = reconstruct(&scan, &options, 3, "polling", 2);
        assert_memory_equal(r.image, whole.image, r.pixels * sizeof *r.image);
        assert_true(r.state.cost == whole.state.cost);
        assert_int_equal(r.state.iteration, 6);
        ct_result_clear(&r);
        ct_result_clear(&whole);
        for (size_t i = 0; i < saved.count; i++)
            free(saved.part[i].data);
    }
    ct_scan_clear(&scan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_are_adjoint),
        cmocka_unit_test(devices_agree_with_the_reference),
        cmocka_unit_test(images_are_the_same_everywhere),
        cmocka_unit_test(monitor_changes_nothing),
        cmocka_unit_test(resumed_runs_give_the_same_image),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
