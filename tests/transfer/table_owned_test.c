/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles are joined to the rows that they make, and to nobody else's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "transfer/table_owned.h"

enum { TILES = 8, ROWS = 4, TILE = 16, PITCH = TILES * TILE };

static void add_row(struct table_owned *o, uint32_t device, uint64_t first)
{
    const struct rows one = rows_one(first, TILE);

    owned_add(o, device, &one);
}

/* A row of tiles, from `first` to before `end`, of a device: each at once, or its rows one
   by one. */
static void add_tiles(struct table_owned *o, uint32_t device, unsigned first, unsigned end,
                      bool at_once)
{
    for (unsigned tile = first; tile < end; tile++) {
        const struct rows all = {(uint64_t)tile * TILE, TILE, PITCH, ROWS};

        owned_begin_cta(o);
        for (unsigned row = 0; row < ROWS && !at_once; row++)
            add_row(o, device, all.first + (uint64_t)row * PITCH);
        if (at_once)
            owned_add(o, device, &all);
    }
}

static void tiles_become_rows(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        struct table_owned o = {.count = 0};

        add_tiles(&o, 0, 0, TILES - 1, at_once);
        assert_int_equal(o.tile_count, at_once ? 1 : ROWS);
        owned_sort(&o, (uint64_t)ROWS * PITCH);
        assert_int_equal(o.count, ROWS);
        assert_false(o.is_unsorted);
        for (unsigned row = 0; row < ROWS; row++) {
            assert_int_equal(o.item[row].first, row * PITCH);
            assert_int_equal(o.item[row].end, (row + 1) * PITCH - TILE);
        }
        owned_clear(&o);
    }
}

static void all_tiles_of_a_row_are_one(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        struct table_owned o = {.count = 0};

        add_tiles(&o, 0, 0, TILES, at_once);
        owned_sort(&o, (uint64_t)ROWS * PITCH);
        assert_int_equal(o.count, 1);
        assert_int_equal(o.item[0].end, ROWS * PITCH);
        owned_clear(&o);
    }
}

static void another_device_goes_on_in_its_own(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        struct table_owned o = {.count = 0};
        const struct owned *one, *other;

        add_tiles(&o, 0, 0, 3, at_once);
        add_tiles(&o, 1, 3, TILES, at_once);
        owned_sort(&o, (uint64_t)ROWS * PITCH);
        assert_int_equal(o.count, 2 * ROWS);
        for (unsigned i = 0; i < 2 * ROWS; i++) {
            assert_int_equal(o.item[i].device, i % 2);
            assert_int_equal(o.item[i].first, i / 2 * PITCH + i % 2 * 3 * TILE);
        }
        assert_false(owned_conflict(&o, &one, &other));
        owned_clear(&o);
    }
}

/* A tile with rows of its own between those of a row of tiles, one with fewer, and one that
   reaches into its own next row. */
static void an_odd_one_breaks_nothing(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        const struct rows wide = {4 * TILE, PITCH - 3 * TILE, PITCH, ROWS - 1};
        struct table_owned o = {.count = 0};
        uint64_t bytes = 0, end = 0;

        add_tiles(&o, 0, 0, 2, at_once);
        owned_begin_cta(&o);
        add_row(&o, 0, 2 * TILE);
        add_row(&o, 0, PITCH + 3 * TILE); /* not where the row goes on */
        add_row(&o, 0, 2 * PITCH + 2 * TILE);
        owned_begin_cta(&o);
        owned_begin_cta(&o);
        owned_add(&o, 0, &wide);
        owned_sort(&o, (uint64_t)ROWS * PITCH);
        for (size_t i = 0; i < o.count; i++) { /* each byte once */
            end = end > o.item[i].first ? end : o.item[i].first;
            bytes += o.item[i].end > end ? o.item[i].end - end : 0;
            end = end > o.item[i].end ? end : o.item[i].end;
        }
        assert_int_equal(bytes, (2 * ROWS + 3) * TILE + (ROWS - 1) * (PITCH - 4 * TILE));
        owned_clear(&o);
    }
}

static void what_two_write_is_found(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        struct table_owned o = {.count = 0};
        const struct owned *one, *other;

        add_tiles(&o, 0, 0, 4, at_once);
        add_tiles(&o, 1, 3, TILES, at_once);
        owned_sort(&o, (uint64_t)ROWS * PITCH);
        assert_true(owned_conflict(&o, &one, &other));
        assert_int_equal(one->device, 0);
        assert_int_equal(other->device, 1);
        assert_int_equal(other->first, 3 * TILE);
        owned_clear(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_become_rows),
        cmocka_unit_test(all_tiles_of_a_row_are_one),
        cmocka_unit_test(another_device_goes_on_in_its_own),
        cmocka_unit_test(an_odd_one_breaks_nothing),
        cmocka_unit_test(what_two_write_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
