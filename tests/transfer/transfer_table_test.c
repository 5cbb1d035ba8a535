/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that say who writes what: counted by hand on small maps, and once large. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "transfer/transfer_table.h"

enum { CHUNK = 4096 };

/* CTA i: `runs` runs of `run` bytes, `stride` apart, from i * step on; none if i is
 * `empty`. */
struct runs {
    uint64_t step, run, runs, stride;
    uint32_t empty;
};

static void emit_runs(void *context, uint32_t cta, transfer_emit *emit, void *sink)
{
    const struct runs *r = context;

    for (uint64_t j = 0; j < r->runs && cta != r->empty; j++)
        emit(sink, cta * r->step + j * r->stride, r->run);
}

static enum proact_status build(struct runs *runs, uint64_t bytes, unsigned devices,
                                const uint32_t *first, struct transfer_table *t,
                                struct proact_error *err)
{
    struct transfer_table_request request = {.array = "grid",
                                             .array_bytes = bytes,
                                             .chunk_bytes = CHUNK,
                                             .device_count = devices,
                                             .cta_first = first,
                                             .map = {emit_runs, runs}};

    return transfer_table_build(&request, t, err);
}

static void one_device_owns_all(void **state)
{
    struct runs runs = {1024, 1024, 1, 0, UINT32_MAX};
    struct transfer_table t[1] = {{0}};

    (void)state;
    assert_int_equal(build(&runs, 3 * CHUNK, 1, (uint32_t[]){0, 12}, t, NULL), 0);
    assert_int_equal(t[0].cta_count, 12);
    assert_int_equal(t[0].chunk_count, 3);
    assert_int_equal(t[0].row_count, 12);
    assert_int_equal(t[0].piece_count, 3);
    assert_int_equal(t[0].run_count, 1);
    assert_int_equal(t[0].bytes, 3 * CHUNK);
    for (int c = 0; c < 3; c++)
        assert_int_equal(t[0].writers[c], 4);
    transfer_table_clear(t);
}

static void a_straddled_chunk_is_clipped_to_its_owners(void **state)
{
    struct runs runs = {3000, 3000, 1, 0, UINT32_MAX};
    struct transfer_table t[2] = {{0}};

    (void)state; /* device 0 owns 0 .. 5999, device 1 the rest: chunk 1 is of both */
    assert_int_equal(build(&runs, 12000, 2, (uint32_t[]){0, 2, 4}, t, NULL), 0);
    assert_int_equal(t[0].bytes, 6000);
    assert_int_equal(t[1].bytes, 6000);
    assert_int_equal(t[0].sent_chunks, 2);
    assert_int_equal(t[1].sent_chunks, 2);
    assert_int_equal(t[0].piece[1].first_byte, CHUNK);
    assert_int_equal(t[0].piece[1].bytes, 6000 - CHUNK);
    assert_int_equal(t[1].piece[0].first_byte, 6000);
    assert_int_equal(t[1].piece[0].bytes, 2 * CHUNK - 6000);
    assert_int_equal(t[0].writers[1], 1);
    assert_int_equal(t[1].writers[1], 1); /* CTA 2 alone: CTA 3 begins in chunk 2 */
    assert_int_equal(t[1].writers[2], 2);
    assert_int_equal(t[0].writers[2], 0);
    transfer_table_clear(&t[0]);
    transfer_table_clear(&t[1]);
}

static void ranges_are_clipped_to_the_array(void **state)
{
    struct runs runs = {4096, 4096, 1, 0, UINT32_MAX};
    struct transfer_table t[2] = {{0}};

    (void)state; /* CTA 1 loses its end, CTAs 2 and 3 have nothing */
    assert_int_equal(build(&runs, 5000, 2, (uint32_t[]){0, 2, 4}, t, NULL), 0);
    assert_int_equal(t[0].bytes, 5000);
    assert_int_equal(t[0].chunk_count, 2);
    assert_int_equal(t[0].piece[1].bytes, 5000 - 4096);
    assert_int_equal(t[1].bytes, 0);
    assert_int_equal(t[1].row_count, 0);
    assert_int_equal(t[1].first[2], 0);
    transfer_table_clear(&t[0]);
    transfer_table_clear(&t[1]);
}

static void the_largest_range_does_not_overflow(void **state)
{
    struct runs runs = {16, UINT64_MAX, 1, 0, UINT32_MAX};
    struct transfer_table t[1] = {{0}};

    (void)state;
    assert_int_equal(build(&runs, 5000, 1, (uint32_t[]){0, 2}, t, NULL), 0);
    assert_int_equal(t[0].bytes, 5000);
    transfer_table_clear(t);
}

static void an_empty_cta_has_no_row(void **state)
{
    struct runs runs = {1024, 1024, 1, 0, 1};
    struct transfer_table t[1] = {{0}};
    uint32_t cta[4] = {0};

    (void)state;
    assert_int_equal(build(&runs, CHUNK, 1, (uint32_t[]){0, 4}, t, NULL), 0);
    assert_int_equal(t[0].first[1], t[0].first[2]);
    assert_int_equal(t[0].writers[0], 3);
    assert_int_equal(t[0].bytes, CHUNK - 1024);
    assert_int_equal(t[0].piece_count, 2);
    assert_int_equal(t[0].sent_chunks, 1);
    assert_int_equal(transfer_table_writers(&t[0], 0, cta, 4), 3);
    assert_int_equal(cta[0], 0);
    assert_int_equal(cta[1], 2);
    assert_int_equal(cta[2], 3);
    transfer_table_clear(t);
}

static void strided_runs_are_sorted_and_joined(void **state)
{
    struct runs runs = {1024, 1024, 2, 2 * CHUNK, UINT32_MAX};
    struct transfer_table t[2] = {{0}};

    (void)state; /* CTA i: a kilobyte of chunk i / 4 and of chunk i / 4 + 2 */
    assert_int_equal(build(&runs, 4 * CHUNK, 2, (uint32_t[]){0, 4, 8}, t, NULL), 0);
    assert_int_equal(t[0].row_count, 8);
    assert_int_equal(t[0].run_count, 2);
    assert_int_equal(t[0].run[1].first_byte, 2 * CHUNK);
    assert_int_equal(t[0].run[1].bytes, CHUNK);
    assert_int_equal(t[1].run[0].first_byte, CHUNK);
    assert_int_equal(t[0].writers[2], 4);
    assert_int_equal(t[0].writers[1], 0);
    assert_int_equal(t[1].writers[3], 4);
    transfer_table_clear(&t[0]);
    transfer_table_clear(&t[1]);
}

static void two_devices_must_not_share_a_byte(void **state)
{
    struct runs runs = {1000, 1001, 1, 0, UINT32_MAX};
    struct transfer_table t[2] = {{0}};
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(build(&runs, 4000, 2, (uint32_t[]){0, 2, 4}, t, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "array 'grid': its map gives byte 2000 both to CTA 1 on "
                                  "device 0 and to CTA 2 on device 1");
    assert_null(t[0].first); /* a failure leaves nothing to clear */
    assert_int_equal(build(&runs, 4000, 1, (uint32_t[]){0, 4}, t, &err), 0);
    assert_int_equal(t[0].bytes, 4000); /* one device may write a byte twice */
    transfer_table_clear(t);
}

static void many_ctas(void **state)
{
    struct runs runs = {64, 64, 4, 6400000, UINT32_MAX};
    const uint32_t first[] = {0, 25000, 50000, 75000, 100000};
    struct transfer_table t[4] = {{0}};
    uint64_t bytes = 0, writers = 0, rows = 0;

    (void)state;
    assert_int_equal(build(&runs, 25600000, 4, first, t, NULL), 0);
    for (int d = 0; d < 4; d++) {
        bytes += t[d].bytes;
        rows += t[d].row_count;
        assert_int_equal(t[d].run_count, 4);
        for (uint32_t c = 0; c < t[d].chunk_count; c++)
            writers += t[d].writers[c];
        transfer_table_clear(&t[d]);
    }
    assert_int_equal(bytes, 25600000);
    assert_int_equal(rows, writers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device_owns_all),
        cmocka_unit_test(a_straddled_chunk_is_clipped_to_its_owners),
        cmocka_unit_test(ranges_are_clipped_to_the_array),
        cmocka_unit_test(the_largest_range_does_not_overflow),
        cmocka_unit_test(an_empty_cta_has_no_row),
        cmocka_unit_test(strided_runs_are_sorted_and_joined),
        cmocka_unit_test(two_devices_must_not_share_a_byte),
        cmocka_unit_test(many_ctas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
