/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of tiles are joined to the rows that they make, and to nobody else's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "transfer/table_owned.h"

enum { TILES = 8, ROWS = 4, TILE = 16, PITCH = TILES * TILE };

/* A row of tiles, from `first` to before `end`, of a device. */
static void add_tiles(struct table_owned *o, uint32_t device, unsigned first, unsigned end)
{
    for (unsigned tile = first; tile < end; tile++) {
        owned_begin_cta(o);
        for (unsigned row = 0; row < ROWS; row++) {
            uint64_t at = (uint64_t)row * PITCH + (uint64_t)tile * TILE;

            owned_add(o, device, at, at + TILE);
        }
    }
}

static void tiles_become_rows(void **state)
{
    struct table_owned o = {.count = 0};
    const struct owned *one, *other;

    (void)state;
    add_tiles(&o, 0, 0, TILES);
    assert_int_equal(o.count, ROWS);
    assert_false(o.is_unsorted);
    for (unsigned row = 0; row < ROWS; row++) {
        assert_int_equal(o.item[row].first, row * PITCH);
        assert_int_equal(o.item[row].end, (row + 1) * PITCH);
    }
    assert_false(owned_conflict(&o, &one, &other));
    free(o.item);
}

static void another_device_goes_on_in_its_own(void **state)
{
    struct table_owned o = {.count = 0};
    const struct owned *one, *other;

    (void)state;
    add_tiles(&o, 0, 0, 3);
    add_tiles(&o, 1, 3, TILES);
    assert_int_equal(o.count, 2 * ROWS);
    owned_sort(&o, (uint64_t)ROWS * PITCH);
    for (unsigned i = 0; i < 2 * ROWS; i++) {
        assert_int_equal(o.item[i].device, i % 2);
        assert_int_equal(o.item[i].first, i / 2 * PITCH + i % 2 * 3 * TILE);
    }
    assert_false(owned_conflict(&o, &one, &other));
    free(o.item);
}

/* A tile with rows of its own between those of a row of tiles, and one with fewer. */
static void an_odd_one_breaks_nothing(void **state)
{
    struct table_owned o = {.count = 0};
    uint64_t bytes = 0;

    (void)state;
    add_tiles(&o, 0, 0, 2);
    owned_begin_cta(&o);
    owned_add(&o, 0, 2 * TILE, 3 * TILE);
    owned_add(&o, 0, PITCH + 3 * TILE, PITCH + 4 * TILE); /* not where the row goes on */
    owned_add(&o, 0, 2 * PITCH + 2 * TILE, 2 * PITCH + 3 * TILE);
    owned_begin_cta(&o);
    add_tiles(&o, 0, 4, TILES);
    owned_sort(&o, (uint64_t)ROWS * PITCH);
    for (size_t i = 0; i < o.count; i++) {
        bytes += o.item[i].end - o.item[i].first;
        assert_true(i == 0 || o.item[i - 1].end <= o.item[i].first);
    }
    assert_int_equal(bytes, (2 * ROWS + 3 + (TILES - 4) * ROWS) * TILE);
    free(o.item);
}

static void what_two_write_is_found(void **state)
{
    struct table_owned o = {.count = 0};
    const struct owned *one, *other;

    (void)state;
    add_tiles(&o, 0, 0, 4);
    add_tiles(&o, 1, 3, TILES);
    owned_sort(&o, (uint64_t)ROWS * PITCH);
    assert_true(owned_conflict(&o, &one, &other));
    assert_int_equal(one->device, 0);
    assert_int_equal(other->device, 1);
    assert_int_equal(other->first, 3 * TILE);
    free(o.item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_become_rows),
        cmocka_unit_test(another_device_goes_on_in_its_own),
        cmocka_unit_test(an_odd_one_breaks_nothing),
        cmocka_unit_test(what_two_write_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
