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

/* Ranges of one device for `arrays` arrays of tiles, of which the first one may have gaps.
   An interchanged launch has y where the original grid has z. */
static uint64_t ranges(unsigned dimension, uint64_t most, uint32_t arrays, bool has_gaps,
                       bool is_interchanged)
{
    struct write_set_ranges array[] = {{.runs = tiles(has_gaps)}, {.runs = tiles(false)}};
    const struct write_set set = {
        .cta_count = X * Y * Z, .array_count = arrays, .arrays = array};
    const struct launching l = {.grid = {X, Y, Z},
                                .found.set = &set,
                                .interchanged = {1, 2},
                                .original = is_interchanged ? (struct proact_kernel *)&array
                                                            : NULL};
    const uint64_t count = axis_ranges(&l, dimension, most);

    cta_runs_clear(&array[0].runs);
    cta_runs_clear(&array[1].runs);
    return count;
}

static void layers_are_counted(void **state)
{
    (void)state;
    assert_int_equal(ranges(2, 100, 1, false, false), 1);
    assert_int_equal(ranges(1, 100, 1, false, false), Z * TZ);
    assert_int_equal(ranges(0, 100, 1, false, false), Y * TY * Z * TZ);
}

static void gaps_and_arrays_add_ranges(void **state)
{
    (void)state;
    assert_int_equal(ranges(2, 1000, 2, true, false), X * Y * TY * TZ + 1);
}

static void the_count_has_a_limit(void **state)
{
    (void)state;
    assert_int_equal(ranges(0, Y * TY * Z * TZ, 1, false, false), Y * TY * Z * TZ);
    assert_int_equal(ranges(0, 20, 1, false, false), 21);
}

static void dimensions_are_those_of_the_original_grid(void **state)
{
    (void)state;
    assert_int_equal(ranges(1, 100, 1, false, true), 1);
    assert_int_equal(ranges(2, 100, 1, false, true), Z * TZ);
    assert_int_equal(ranges(0, 100, 1, false, true), Y * TY * Z * TZ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_counted),
        cmocka_unit_test(gaps_and_arrays_add_ranges),
        cmocka_unit_test(the_count_has_a_limit),
        cmocka_unit_test(dimensions_are_those_of_the_original_grid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
