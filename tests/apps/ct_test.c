/* SPDX-License-Identifier: Apache-2.0 */
/* CT on the host: the system matrix, the solvers' goldens, and bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "ct/ct_host.h"
#include "ct/ct_npy.h"
#include "ct/ct_png.h"

static struct ct_scan scan_phantom(enum ct_beam beam, unsigned size, unsigned views,
                                   unsigned channels)
{
    struct ct_geometry g = ct_geometry_make(beam, size, views, channels, 240);
    struct proact_error err = {""};
    struct ct_scan scan;

    g.offset = 0.25;
    if (ct_scan_phantom(&g, 1, 1e5, 1, &scan, &err))
        fail_msg("%s", err.text);
    return scan;
}

/* ---- Goldens of an independent program with coefficients in float32 ---- */

struct golden {
    enum ct_beam beam;
    unsigned size, views, channels, subsets, iterations;
    bool momentum, start_zero;
    double cost, error_hu;
};

static void expect_golden(const struct golden *g)
{
    struct ct_scan scan = scan_phantom(g->beam, g->size, g->views, g->channels);
    const struct ct_options options = {.subsets = g->subsets,
                                       .iterations = g->iterations,
                                       .no_momentum = !g->momentum,
                                       .start_zero = g->start_zero};
    struct ct_result r;

    assert_int_equal(ct_reference(&scan, &options, &r, NULL), PROACT_OK);
    if (fabs(r.state.cost / g->cost - 1) > 1e-6 ||
        fabs(r.state.error_hu - g->error_hu) > 1e-3)
        fail_msg("%u^2, %u subsets, %u iterations: cost %.6f, error %.4f HU", g->size,
                 g->subsets, g->iterations, r.state.cost, r.state.error_hu);
    ct_result_clear(&r);
    ct_scan_clear(&scan);
}

static void reference_gives_the_golden_values(void **state)
{
    (void)state;
    static const struct golden goldens[] = {
        {CT_PARALLEL, 64, 90, 96, 4, 5, true, false, 3.324673, 5.1052},
        {CT_PARALLEL, 64, 90, 96, 4, 1, true, false, 5.029493, 19.7418},
        {CT_FAN_FLAT, 64, 90, 96, 4, 5, true, true, 2.253816, 15.9566},
    };

    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++)
        expect_golden(&goldens[i]);
}

/* A scan without an object has no error; the start of the phantom is far from it. */
static void fan_start_is_close_to_the_phantom(void **state)
{
    (void)state;
    for (unsigned beam = CT_PARALLEL; beam <= CT_FAN_ARC; beam++) {
        struct ct_scan scan = scan_phantom((enum ct_beam)beam, 64, 180, 192);
        const struct ct_options options = {0};
        struct ct_state found = {0};
        struct ct_tables t;

        ct_tables_init(&t, &scan.geometry);
        double *image = ct_start_image(&t, &scan, &options);

        ct_errors(&scan, image, NULL, &found);
        assert_true(found.error_hu < 40);
        free(image);
        ct_tables_clear(&t);
        ct_scan_clear(&scan);
    }
}

static void descent_ends_below_the_subsets(void **state)
{
    (void)state;
    struct ct_scan scan = scan_phantom(CT_PARALLEL, 32, 45, 48);
    const struct ct_options options = {.iterations = 40};
    const struct ct_options subsets = {.subsets = 4, .iterations = 40};
    struct ct_result converged, r;

    assert_int_equal(ct_descent(&scan, &options, &converged, NULL), PROACT_OK);
    assert_int_equal(ct_reference(&scan, &subsets, &r, NULL), PROACT_OK);
    assert_true(converged.state.change_hu < 0.01);
    assert_true(converged.state.cost < r.state.cost);
    assert_true(r.state.cost < 1.01 * converged.state.cost);
    ct_result_clear(&r);
    ct_result_clear(&converged);
    ct_scan_clear(&scan);
}

/* The limit cycle of many subsets, and the relaxation that avoids it. */
static void relaxation_ends_the_limit_cycle(void **state)
{
    (void)state;
    struct ct_scan scan = scan_phantom(CT_PARALLEL, 32, 45, 48);
    struct ct_options options = {.subsets = 15, .iterations = 30};
    struct ct_result cycle, relaxed;

    assert_int_equal(ct_reference(&scan, &options, &cycle, NULL), PROACT_OK);
    options.relax = 0.3;
    assert_int_equal(ct_reference(&scan, &options, &relaxed, NULL), PROACT_OK);
    assert_true(relaxed.state.cost < cycle.state.cost);
    ct_result_clear(&relaxed);
    ct_result_clear(&cycle);
    ct_scan_clear(&scan);
}

/* ---- System matrix ---- */

/* The sum of a pixel's coefficients over all channels, times the pitch on the detector, is
   the pixel's area for parallel beams. */
static void rows_have_the_area_of_a_pixel(void **state)
{
    (void)state;
    struct ct_geometry g = ct_geometry_make(CT_PARALLEL, 16, 30, 40, 240);
    struct ct_tables t;
    struct ct_row a;

    ct_tables_init(&t, &g);
    for (unsigned v = 0; v < g.views; v++) {
        double sum = 0;

        ct_row_make(&t, v, 7, 5, &a);
        for (unsigned k = 0; k < a.count; k++)
            sum += a.weight[k];
        assert_true(fabs(sum * g.pitch_mm / (g.pixel_mm * g.pixel_mm) - 1) < 1e-12);
    }
    ct_tables_clear(&t);
}

static void subsets_are_a_permutation(void **state)
{
    (void)state;
    static const unsigned eight[] = {0, 4, 2, 6, 1, 5, 3, 7};

    for (unsigned m = 0; m < 8; m++)
        assert_int_equal(ct_subset_at(m, 8), eight[m]);
    for (unsigned subsets = 1; subsets < 40; subsets++) {
        uint64_t noted = 0;

        for (unsigned m = 0; m < subsets; m++)
            noted |= (uint64_t)1 << ct_subset_at(m, subsets);
        assert_true(noted == ((uint64_t)1 << subsets) - 1);
    }
}

/* ---- Input ---- */

static void geometry_needs_half_a_turn_and_the_fan(void **state)
{
    (void)state;
    struct ct_geometry parallel = ct_geometry_make(CT_PARALLEL, 64, 0, 0, 240);
    struct ct_geometry fan = ct_geometry_make(CT_FAN_FLAT, 64, 0, 0, 541);

    assert_true(fabs(ct_geometry_needed_degrees(&parallel) - 180) < 1e-12);
    assert_true(fabs(ct_geometry_needed_degrees(&fan) - 240) < 1e-9); /* 2 asin(1/2) */
    assert_int_equal(fan.views, 984);
    assert_int_equal(fan.channels, 888);
}

static void refused_geometries_are_named(void **state)
{
    (void)state;
    struct ct_geometry g = ct_geometry_make(CT_FAN_FLAT, 64, 10, 10, 800);
    struct proact_error err = {""};
    struct ct_scan scan;

    assert_int_equal(ct_scan_phantom(&g, 1, 1e5, 1, &scan, &err), PROACT_EINVAL);
    assert_string_equal(err.text,
                        "ct: an image of 800 mm reaches the source, 541 mm from the axis");
    g = ct_geometry_make(CT_PARALLEL, 64, 10, 10, 240);
    assert_int_equal(ct_scan_phantom(&g, 1, 0, 1, &scan, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "ct: 0 counts a ray are not from 1 to 1e12");
    g.channels = 0;
    assert_int_equal(ct_scan_phantom(&g, 1, 1e5, 1, &scan, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "ct: 0 channels are not from 1 to 65536");
}

/* Products that 32 bits do not hold, before anything is allocated. */
static void too_many_rays_are_refused(void **state)
{
    (void)state;
    struct ct_geometry g = ct_geometry_make(CT_PARALLEL, 64, 65536, 65536, 240);
    struct proact_error err = {""};
    struct ct_scan scan;

    assert_int_equal(ct_scan_phantom(&g, 1, 1e5, 1, &scan, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "ct: 65536 views of 65536 channels are 4294967296 rays, "
                                  "the limit is 2147483648");
    g = ct_geometry_make(CT_PARALLEL, 64, 32768, 4096, 240);
    assert_int_equal(ct_scan_phantom(&g, 4096, 1e5, 1, &scan, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "ct: 4096 slices of 134217728 rays and 4096 pixels are "
                                  "17179869184 CTAs, the limit is 2147483647");
}

static void too_many_subsets_are_refused(void **state)
{
    (void)state;
    struct ct_scan scan = scan_phantom(CT_PARALLEL, 8, 6, 12);
    const struct ct_options options = {.subsets = 7};
    struct proact_error err = {""};
    struct ct_result r;

    assert_int_equal(ct_reference(&scan, &options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "ct: 7 subsets exceed the 6 views");
    ct_scan_clear(&scan);
}

/* With 20 photons a ray some counts are 0. They become 1, and the scan has their number. */
static void counts_of_zero_become_one(void **state)
{
    (void)state;
    struct ct_geometry g = ct_geometry_make(CT_PARALLEL, 32, 20, 48, 240);
    struct ct_scan scan;
    size_t ones = 0;

    assert_int_equal(ct_scan_phantom(&g, 1, 20, 1, &scan, NULL), PROACT_OK);
    for (size_t i = 0; i < 20 * 48; i++) {
        assert_true(isfinite(scan.measured[i]) && scan.weight[i] >= 0.05);
        ones += scan.weight[i] == 0.05;
    }
    assert_in_range(scan.count_zero, 1, ones);
    ct_scan_clear(&scan);
}

static char *path_in_folder(const char *name)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");

    snprintf(path, sizeof path, "%s/proact-ct-%ld-%s", folder ? folder : "/tmp",
             (long)getpid(), name);
    return path;
}

static void write_npy(const char *path, const struct ct_npy *npy)
{
    size_t bytes;
    unsigned char *content = ct_npy_format(npy, &bytes);
    FILE *file = fopen(path, "wb");

    assert_int_equal(bytes % 64, npy->shape[0] * npy->shape[1] * npy->shape[2] * 4 % 64);
    assert_int_equal(fwrite(content, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    free(content);
}

static void sinograms_are_read_and_checked(void **state)
{
    (void)state;
    double values[3 * 2 * 4];
    struct ct_npy npy = {3, {3, 2, 4}, values}, again;
    struct ct_geometry g = ct_geometry_make(CT_PARALLEL, 8, 3, 4, 240);
    char *path = path_in_folder("sinogram.npy"), text[512];
    struct ct_object object = {2, 9, 240, (float[2 * 81]){0}};
    struct proact_error err = {""};
    struct ct_scan scan;

    for (int i = 0; i < 24; i++)
        values[i] = 0.25 * i;
    write_npy(path, &npy);
    assert_int_equal(ct_npy_read(path, &again, NULL), PROACT_OK);
    assert_memory_equal(again.value, values, sizeof values);
    ct_npy_clear(&again);
    assert_int_equal(ct_scan_read(path, &g, NULL, &scan, NULL), PROACT_OK);
    assert_int_equal(scan.slices, 2);
    assert_true(scan.measured[4] == 2 && scan.measured[12] == 1); /* [0][1], [1][0] */
    assert_true(scan.weight[1] == exp(-0.25));
    ct_scan_clear(&scan);
    assert_int_equal(ct_scan_read(path, &g, &object, &scan, &err), PROACT_EINVAL);
    snprintf(text, sizeof text,
             "the image of the shape (2, 9, 9) does not fit the sinogram %s of 3 views, 2 "
             "slices and 4 channels, which needs the shape (2, 8, 8)",
             path);
    assert_string_equal(err.text, text);
    g.views = 5;
    assert_int_equal(ct_scan_read(path, &g, NULL, &scan, &err), PROACT_EINVAL);
    snprintf(text, sizeof text,
             "%s: 3 views of 4 channels do not fit the geometry's 5 views of 4 channels",
             path);
    assert_string_equal(err.text, text);
    unlink(path);
}

static void images_have_finite_values(void **state)
{
    (void)state;
    double values[2 * 3 * 3] = {0};
    struct ct_npy npy = {3, {2, 3, 3}, values};
    char *path = path_in_folder("image.npy"), text[512];
    struct ct_object object;
    struct proact_error err = {""};

    write_npy(path, &npy);
    assert_int_equal(ct_object_read(path, 0, &object, &err), PROACT_OK);
    assert_int_equal(object.slices, 2);
    ct_object_clear(&object);
    values[9 + 5] = NAN;
    write_npy(path, &npy);
    assert_int_equal(ct_object_read(path, 0, &object, &err), PROACT_EINVAL);
    snprintf(text, sizeof text, "%s: the value of slice 1, row 1, column 2 is nan HU",
             path);
    assert_string_equal(err.text, text);
    unlink(path);
}

/* Slice k of the volume has the value 10 k - 300. */
static void expect_slices(const char *path, unsigned slices, unsigned first)
{
    struct ct_object object;
    struct proact_error err = {""};

    if (ct_object_read(path, slices, &object, &err))
        fail_msg("%s", err.text);
    assert_int_equal(object.slices, slices);
    assert_int_equal(object.side, 256);
    assert_true(fabs(object.field_mm - 256 * 0.957) < 1e-9);
    for (unsigned i = 0; i < slices; i++)
        assert_true(object.hu[i * 65536 + 12345] == (float)(10 * (int)(first + i) - 300));
    ct_object_clear(&object);
}

static void volumes_are_read_from_slice_60_on(void **state)
{
    (void)state;
    enum { SLICES = 63, PIXELS = 256 * 256 };
    char *path = path_in_folder("volume.raw");
    FILE *file = fopen(path, "wb");
    struct proact_error err = {""};
    struct ct_object object;

    for (int slice = 0; slice < SLICES; slice++)
        for (int i = 0; i < PIXELS; i++) {
            fputc((10 * slice - 300) & 255, file);
            fputc((10 * slice - 300) >> 8 & 255, file);
        }
    assert_int_equal(fclose(file), 0);
    expect_slices(path, 1, 60);
    expect_slices(path, 3, 60);
    expect_slices(path, 5, 58); /* the last ones */
    assert_int_equal(ct_object_read(path, 64, &object, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "8257536 bytes are not 64 or more slices"));
    unlink(path);
}

static void damaged_npy_files_are_refused(void **state)
{
    (void)state;
    static const char huge[] = "{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (4294967296, 4294967296, 4294967296), }";
    static const char *const heads[] = {
        "{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 1), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
        huge,
    };
    char *path = path_in_folder("damaged.npy");

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        FILE *file = fopen(path, "wb");
        struct proact_error err = {""};
        struct ct_npy npy;

        fwrite("\x93NUMPY\x01", 1, 8, file);
        fputc((int)strlen(heads[i]), file);
        fputc(0, file);
        fprintf(file, "%s12345678", heads[i]);
        fclose(file);
        assert_int_equal(ct_npy_read(path, &npy, &err), PROACT_EINVAL);
        assert_true(strncmp(err.text, path, strlen(path)) == 0);
    }
    unlink(path);
}

static uint32_t word_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Three slices of 2 x 2 pixels in a grid of 2 x 2 slices. */
static void png_has_the_pixels_of_the_window(void **state)
{
    (void)state;
    static const float hu[12] = {-100, 0, 50, 100, 200, 0, 0, 0, 100, 0, 0, 0};
    static const unsigned char rows[4][5] = {
        {0, 0, 0, 255, 0}, {0, 128, 255, 0, 0}, {0, 255, 0, 0, 0}, {0, 0, 0, 0, 0}};
    const struct ct_window window = {0, 100};
    unsigned char found[20];
    uLongf found_bytes = sizeof found;
    size_t bytes;
    unsigned char *png = ct_png_format(hu, 3, 2, &window, &bytes);

    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(word_at(png + 16), 4);
    assert_int_equal(word_at(png + 20), 4);
    assert_int_equal(word_at(png + 29), crc32(0, png + 12, 17));
    assert_memory_equal(png + 37, "IDAT", 4);
    assert_int_equal(uncompress(found, &found_bytes, png + 41, word_at(png + 33)), Z_OK);
    assert_int_equal(found_bytes, sizeof rows);
    assert_memory_equal(found, rows, sizeof rows);
    assert_memory_equal(png + bytes - 8, "IEND\xae\x42\x60\x82", 8);
    free(png);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_gives_the_golden_values),
        cmocka_unit_test(fan_start_is_close_to_the_phantom),
        cmocka_unit_test(descent_ends_below_the_subsets),
        cmocka_unit_test(relaxation_ends_the_limit_cycle),
        cmocka_unit_test(rows_have_the_area_of_a_pixel),
        cmocka_unit_test(subsets_are_a_permutation),
        cmocka_unit_test(geometry_needs_half_a_turn_and_the_fan),
        cmocka_unit_test(refused_geometries_are_named),
        cmocka_unit_test(too_many_rays_are_refused),
        cmocka_unit_test(too_many_subsets_are_refused),
        cmocka_unit_test(counts_of_zero_become_one),
        cmocka_unit_test(sinograms_are_read_and_checked),
        cmocka_unit_test(volumes_are_read_from_slice_60_on),
        cmocka_unit_test(images_have_finite_values),
        cmocka_unit_test(damaged_npy_files_are_refused),
        cmocka_unit_test(png_has_the_pixels_of_the_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
