/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that each device owns, in order; writes of two devices to one byte; tables of many
   tiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "transfer/table/table_owned.h"
#include "transfer/table/transfer_table.h"

enum { TILES = 8, ROWS = 4, TILE = 16, PITCH = TILES * TILE };

static void add_tiles(struct table_owned *o, uint32_t device, unsigned first, unsigned end)
{
    for (unsigned tile = first; tile < end; tile++) {
        const struct rows all = {(uint64_t)tile * TILE, TILE, PITCH, ROWS};

        owned_add(o, device, &all);
    }
}

static void owned_ranges_come_in_order(void **state)
{
    struct table_owned o = {.count = 0};
    const struct owned *one, *other;

    (void)state;
    add_tiles(&o, 0, 0, 3);
    add_tiles(&o, 1, 3, TILES);
    owned_sort(&o, (uint64_t)ROWS * PITCH);
    assert_int_equal(o.count, TILES * ROWS);
    for (unsigned i = 0; i < TILES * ROWS; i++) {
        assert_int_equal(o.item[i].rows.first, i * TILE);
        assert_int_equal(o.item[i].device, i % TILES >= 3);
    }
    assert_false(owned_conflict(&o, &one, &other));
    owned_clear(&o);
}

/* Planes of rows stay strided. If two strided ranges are interleaved, all rows come in
   order. */
static void separate_rows_stay_strided(void **state)
{
    const struct rows plane = {0, TILE, PITCH, ROWS}, behind = {9000, TILE, PITCH, ROWS},
                      within = {9000 + TILE, TILE, PITCH, ROWS};
    struct table_owned o = {.count = 0};

    (void)state;
    owned_add(&o, 1, &within);
    owned_add(&o, 0, &behind);
    owned_add(&o, 0, &plane);
    owned_sort(&o, 10000);
    assert_int_equal(o.count, 1 + 2 * ROWS);
    assert_int_equal(o.item[0].rows.count, ROWS);
    for (unsigned n = 0; n < 2 * ROWS; n++) {
        assert_int_equal(o.item[1 + n].rows.first, 9000 + n / 2 * PITCH + n % 2 * TILE);
        assert_int_equal(o.item[1 + n].rows.count, 1);
        assert_int_equal(o.item[1 + n].device, n % 2);
    }
    owned_clear(&o);
}

static void adjacent_ranges_are_one(void **state)
{
    const struct rows all = rows_one(0, 2 * PITCH), behind = rows_one(2 * PITCH, TILE);
    struct table_owned o = {.count = 0};

    (void)state;
    owned_add(&o, 0, &all);
    owned_add(&o, 0, &behind);
    owned_sort(&o, (uint64_t)ROWS * PITCH);
    assert_int_equal(o.count, 1);
    assert_int_equal(rows_end(&o.item[0].rows), 2 * PITCH + TILE);
    owned_clear(&o);
}

static void writes_of_two_devices_are_found(void **state)
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
    assert_int_equal(other->rows.first, 3 * TILE);
    owned_clear(&o);
}

/* Partitions that start in the middle of a row of tiles own ragged parts of it. */
static void a_hundred_thousand_ctas_are_quick(void **state)
{
    const uint32_t ctas = 100000, cta_first[] = {0, 25001, 50000, 75000, ctas};
    struct transfer_table t[4];
    struct cta_runs tiles = {0};
    const struct transfer_table_request request = {.array = "tiles",
                                                   .array_bytes = 1563ull * 8 * 65536,
                                                   .chunk_bytes = 65536,
                                                   .device_count = 4,
                                                   .cta_first = cta_first,
                                                   .written = &tiles};
    uint64_t bytes = 0;

    (void)state;
    for (uint32_t cta = 0; cta < ctas; cta += 64) { /* of a matrix with rows of 64 KiB */
        const struct rows tile = {cta / 64 * 8ull * 65536, 1024, 65536, 8};
        const uint32_t count = ctas - cta < 64 ? ctas - cta : 64;

        cta_runs_add(&tiles, (struct cta_run){cta, count, 0, 1, 1024}, &tile, 0);
    }
    assert_int_equal(transfer_table_build(&request, t, NULL), PROACT_OK);
    for (unsigned d = 0; d < 4; d++) {
        bytes += t[d].bytes;
        for (uint32_t n = 0; n < t[d].ctas_count; n++)
            assert_int_equal(t[d].chunk[t[d].ctas[n].list], 8);
        assert_in_range(t[d].ctas_count, 1,
                        t[d].cta_count / 64 + 2); /* equal neighbours are combined */
        assert_true(t[d].send_count <= 17);
        transfer_table_clear(&t[d]);
    }
    assert_int_equal(bytes, 3 * ctas * 8192ull);
    cta_runs_clear(&tiles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owned_ranges_come_in_order),
        cmocka_unit_test(separate_rows_stay_strided),
        cmocka_unit_test(adjacent_ranges_are_one),
        cmocka_unit_test(writes_of_two_devices_are_found),
        cmocka_unit_test(a_hundred_thousand_ctas_are_quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
