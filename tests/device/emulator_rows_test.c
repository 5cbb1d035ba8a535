/* SPDX-License-Identifier: Apache-2.0 */
/* Strided copies on the emulated machine: their duration, and the refused ones. */
#include <stdio.h>
#include <string.h>

#include "device/emulator_testing.h"

enum { MEGABYTE = 1 << 20 };

static void near_to(double measured, double expected)
{
    if (measured < expected * 0.97 || measured > expected * 1.03)
        fail_msg("%.0f ns, not %.0f", measured, expected);
}

struct buffers {
    struct emulator_rig r;
    device_addr from, near, far; /* on devices 0, 0 and 1 */
};

static void prepare(struct buffers *b, unsigned devices, bool links)
{
    emulator_prepare(&b->r, devices);
    if (!links)
        b->r.topology.link_gbps[0][1] = b->r.topology.link_gbps[1][0] = 0;
    b->r.topology.device.copy_host_us = 2;
}

static void start(struct buffers *b)
{
    emulator_start(&b->r);
    b->from = emulator_words(&b->r, 0, 8 * MEGABYTE);
    b->near = emulator_words(&b->r, 0, 8 * MEGABYTE);
    b->far = emulator_words(&b->r, 1, 8 * MEGABYTE);
    emulator_sync(&b->r);
}

static void begin(struct buffers *b, unsigned devices, bool links)
{
    prepare(b, devices, links);
    start(b);
}

static double rows_ns(struct buffers *b, device_addr to, size_t bytes, size_t count,
                      size_t pitch)
{
    const struct device_rows rows = {to, b->from, bytes, count, pitch, pitch};
    uint64_t before = b->r.b->now_ns(b->r.set);

    emulator_must(&b->r, b->r.b->copy_rows(b->r.stream[0][0], &rows, &b->r.err));
    emulator_sync(&b->r);
    return emulator_since(&b->r, before);
}

static double copy_ns(struct buffers *b, device_addr to, size_t bytes)
{
    uint64_t before = b->r.b->now_ns(b->r.set);

    emulator_must(&b->r, b->r.b->copy(b->r.stream[0][0], to, b->from, bytes, &b->r.err));
    emulator_sync(&b->r);
    return emulator_since(&b->r, before);
}

/* One packet per row, which occupies the engine like a full one: 288 bytes at 150 GB/s. */
static void narrow_rows_need_a_packet_each(void **state)
{
    struct buffers b;

    (void)state;
    begin(&b, 2, true);
    double more = rows_ns(&b, b.far, 8, 60000, 100) - rows_ns(&b, b.far, 8, 20000, 100);

    near_to(more, 40000 * 288 / 150.0);
    double wider = rows_ns(&b, b.far, 32, 20000, 100);
    double narrow = rows_ns(&b, b.far, 8, 20000, 100);

    near_to(narrow, wider);
    emulator_close(&b.r);
}

/* The machine's time per row, concurrent with the packets' bytes at 150 GB/s. */
static void rows_occupy_the_engine(void **state)
{
    struct buffers b;

    (void)state;
    prepare(&b, 2, true);
    b.r.topology.fabric.copy_row_ns = 3;
    start(&b);
    for (size_t bytes = 8; bytes <= 64; bytes *= 8) {
        double more =
            rows_ns(&b, b.far, bytes, 60000, 100) - rows_ns(&b, b.far, bytes, 20000, 100);

        near_to(more, 40000 * (3 + ((double)bytes + 32) / 150));
    }
    emulator_close(&b.r);
}

/* With infinite bandwidth the engine takes no time either. */
static void rows_are_free_where_bytes_are(void **state)
{
    struct buffers b;

    (void)state;
    prepare(&b, 2, true);
    b.r.topology.fabric.copy_row_ns = 3;
    b.r.options.infinite_bandwidth = true;
    start(&b);
    /* The rows alone would take 180 us. */
    assert_true(rows_ns(&b, b.far, 8, 60000, 100) < 15000);
    emulator_close(&b.r);
}

/* Neither does a copy without a link, which passes through the host: 8 MB at 10 GB/s,
   twice, would take more than a millisecond. */
static void copies_through_the_host_are_free_where_bytes_are(void **state)
{
    struct buffers b;

    (void)state;
    prepare(&b, 2, false);
    b.r.options.infinite_bandwidth = true;
    start(&b);
    assert_true(copy_ns(&b, b.far, 8 * MEGABYTE) < 100000);
    emulator_close(&b.r);
}

/* Two packets for more than 256 bytes. */
static void wider_rows_take_more(void **state)
{
    struct buffers b;

    (void)state;
    begin(&b, 2, true);
    double more = rows_ns(&b, b.far, 260, 60000, 300) - rows_ns(&b, b.far, 260, 20000, 300);

    near_to(more, 40000 * (260 + 2 * 32) / 50.0);
    emulator_close(&b.r);
}

static void wide_rows_take_as_long_as_one_copy(void **state)
{
    struct buffers b;

    (void)state;
    begin(&b, 2, true);
    near_to(rows_ns(&b, b.far, MEGABYTE, 8, 3 * MEGABYTE),
            copy_ns(&b, b.far, 8 * MEGABYTE));
    near_to(rows_ns(&b, b.near, MEGABYTE, 8, 3 * MEGABYTE),
            copy_ns(&b, b.near, 8 * MEGABYTE));
    emulator_close(&b.r);
}

/* Full sectors are read and written. */
static void rows_within_a_device_take_sectors(void **state)
{
    struct buffers b;

    (void)state;
    begin(&b, 2, true);
    double more = rows_ns(&b, b.near, 4, 100000, 64) - rows_ns(&b, b.near, 4, 50000, 64);

    near_to(more, 50000 * 2 * 32 / 500.0);
    emulator_close(&b.r);
}

/* One call and one start; 1500 copies would take 3 ms of host time. */
static void many_rows_are_one_copy(void **state)
{
    struct buffers b;

    (void)state;
    begin(&b, 2, true);
    struct device_traffic before = b.r.b->traffic(b.r.set, 0, 1);
    double ns = rows_ns(&b, b.far, 8, 1500, 8192);
    struct device_traffic after = b.r.b->traffic(b.r.set, 0, 1);

    if (ns > 15000)
        fail_msg("%.0f ns", ns);
    assert_int_equal(after.bytes - before.bytes, 1500 * 8);
    assert_int_equal(after.packets - before.packets, 1500);
    assert_int_equal(after.wire_bytes - before.wire_bytes, 1500 * (8 + 32));
    emulator_close(&b.r);
}

/* One copy per row, each with a start. */
static void rows_without_a_link_are_copies(void **state)
{
    struct buffers b;

    (void)state;
    begin(&b, 2, false);
    double more = rows_ns(&b, b.far, 8, 60, 100) - rows_ns(&b, b.far, 8, 20, 100);

    near_to(more, 40 * (3000 + 2 * 8 / 10.0));
    emulator_close(&b.r);
}

static void rows_outside_are_refused(void **state)
{
    struct buffers b;
    struct device_rows rows = {
        .bytes = 100, .count = 9, .to_pitch = 4096, .from_pitch = 100};
    char expected[256];

    (void)state;
    begin(&b, 2, true);
    rows.from = b.from;
    rows.to = b.far + 32ull * MEGABYTE - 8 * 4096 - 99;
    assert_int_equal(b.r.b->copy_rows(b.r.stream[0][0], &rows, &b.r.err), PROACT_EINVAL);
    snprintf(expected, sizeof expected,
             "copy to: 9 rows of 100 bytes, 4096 apart from 0x%llx on, are not in one "
             "allocation: row 8 is not",
             (unsigned long long)rows.to);
    assert_string_equal(b.r.err.text, expected);
    rows.to--;
    emulator_must(&b.r, b.r.b->copy_rows(b.r.stream[0][0], &rows, &b.r.err));
    rows.from_pitch = SIZE_MAX / 8;
    assert_int_equal(b.r.b->copy_rows(b.r.stream[0][0], &rows, &b.r.err), PROACT_EINVAL);
    assert_non_null(strstr(b.r.err.text, "copy from: 9 rows"));
    assert_non_null(strstr(b.r.err.text, "row 1 is not"));
    rows.from = 64;
    assert_int_equal(b.r.b->copy_rows(b.r.stream[0][0], &rows, &b.r.err), PROACT_EINVAL);
    assert_non_null(strstr(b.r.err.text, "row 0 is not"));
    emulator_close(&b.r);
}

/* An unordered concurrent fill: a race in the last row, and none between rows. */
static enum proact_status race(unsigned to, uint64_t at)
{
    struct buffers b;

    emulator_prepare(&b.r, 2);
    b.r.options.check = true;
    emulator_start(&b.r);
    b.from = emulator_words(&b.r, 0, 4096);
    b.far = emulator_words(&b.r, to, 4096);
    emulator_sync(&b.r);
    const struct device_rows rows = {b.far, b.from, 12, 9, 100, 80};

    emulator_must(&b.r, b.r.b->fill(b.r.stream[0][1], b.from + at, 1, 4, &b.r.err));
    emulator_must(&b.r, b.r.b->copy_rows(b.r.stream[0][0], &rows, &b.r.err));
    enum proact_status status = b.r.b->synchronize(b.r.set, &b.r.err);

    emulator_close(&b.r);
    return status;
}

static void each_row_is_checked(void **state)
{
    (void)state;
    for (unsigned to = 0; to < 2; to++) {
        assert_int_equal(race(to, 8 * 80 + 8), PROACT_EFAULT);
        assert_int_equal(race(to, 8 * 80 + 12), PROACT_OK);
        assert_int_equal(race(to, 12), PROACT_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_rows_need_a_packet_each),
        cmocka_unit_test(rows_occupy_the_engine),
        cmocka_unit_test(rows_are_free_where_bytes_are),
        cmocka_unit_test(copies_through_the_host_are_free_where_bytes_are),
        cmocka_unit_test(wider_rows_take_more),
        cmocka_unit_test(wide_rows_take_as_long_as_one_copy),
        cmocka_unit_test(rows_within_a_device_take_sectors),
        cmocka_unit_test(many_rows_are_one_copy),
        cmocka_unit_test(rows_without_a_link_are_copies),
        cmocka_unit_test(rows_outside_are_refused),
        cmocka_unit_test(each_row_is_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
