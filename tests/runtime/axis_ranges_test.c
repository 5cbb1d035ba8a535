/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that a device writes along an axis, for tiles of an array of 16 x 12 x 6 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "access/write_set.h"
#include "runtime/program/axis_ranges.h"
#include "runtime/request/launching.h"

enum {
    X = 4,
    Y = 3,
    Z = 2,
    TX = 4,
    TY = 4,
    TZ = 3,
    PITCH = X * TX,
    PLANE = PITCH * Y * TY
};

/* CTA (x, y, z) of a grid writes a tile of TX x TY x TZ bytes, one range for each plane. */
static struct cta_runs tiles(bool has_gaps)
{
    struct cta_runs runs = {0};

    for (uint32_t cta = 0; cta < X * Y * Z; cta++) {
        const uint32_t x = cta % X, y = cta / X % Y, z = cta / X / Y;
        struct rows rows[TZ];

        for (uint32_t p = 0; p < TZ; p++)
            rows[p] = (struct rows){.first = (z * TZ + p) * PLANE + y * TY * PITCH + x * TX,
                                    .bytes = has_gaps ? TX - 1 : TX,
                                    .pitch = PITCH,
                                    .count = TY};
        assert_true(cta_runs_add(
            &runs, (struct cta_run){.cta = cta, .count = 1, .rows = TZ}, rows, 0));
    }
    return runs;
}

static void layers_are_counted(void **state)
{
    struct write_set_ranges array = {.runs = tiles(false)};
    const struct write_set set = {
        .cta_count = X * Y * Z, .array_count = 1, .arrays = &array};
    const struct launching l = {.grid = {X, Y, Z}, .found.set = &set};

    (void)state;
    assert_int_equal(axis_ranges(&l, 2, 100), 1);
    assert_int_equal(axis_ranges(&l, 1, 100), Z * TZ);
    assert_int_equal(axis_ranges(&l, 0, 100), Y * TY * Z * TZ);
    cta_runs_clear(&array.runs);
}

/* Ranges between gaps, and two arrays. */
static void all_ranges_count(void **state)
{
    struct write_set_ranges arrays[] = {{.runs = tiles(true)}, {.runs = tiles(false)}};
    const struct write_set set = {
        .cta_count = X * Y * Z, .array_count = 2, .arrays = arrays};
    const struct launching l = {.grid = {X, Y, Z}, .found.set = &set};

    (void)state;
    assert_int_equal(axis_ranges(&l, 2, 1000), X * Y * TY * TZ + 1);
    cta_runs_clear(&arrays[0].runs);
    cta_runs_clear(&arrays[1].runs);
}

static void the_count_has_a_limit(void **state)
{
    struct write_set_ranges array = {.runs = tiles(false)};
    const struct write_set set = {
        .cta_count = X * Y * Z, .array_count = 1, .arrays = &array};
    const struct launching l = {.grid = {X, Y, Z}, .found.set = &set};

    (void)state;
    assert_int_equal(axis_ranges(&l, 0, Y * TY * Z * TZ), Y * TY * Z * TZ);
    assert_int_equal(axis_ranges(&l, 0, 20), 21);
    cta_runs_clear(&array.runs);
}

/* The grid of an interchanged launch has y where the original one has z: the dimension is
   one of the original grid. */
static void interchanged_grids_are_the_original_ones(void **state)
{
    struct write_set_ranges array = {.runs = tiles(false)};
    const struct write_set set = {
        .cta_count = X * Y * Z, .array_count = 1, .arrays = &array};
    const struct launching l = {.grid = {X, Y, Z},
                                .found.set = &set,
                                .interchanged = {1, 2},
                                .original = (struct proact_kernel *)&array};

    (void)state;
    assert_int_equal(axis_ranges(&l, 1, 100), 1);
    assert_int_equal(axis_ranges(&l, 2, 100), Z * TZ);
    assert_int_equal(axis_ranges(&l, 0, 100), Y * TY * Z * TZ);
    cta_runs_clear(&array.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_counted),
        cmocka_unit_test(all_ranges_count),
        cmocka_unit_test(the_count_has_a_limit),
        cmocka_unit_test(interchanged_grids_are_the_original_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
