/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges are combined to strided copies: few copies, and every byte once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "transfer/methods/stretches.h"

enum { BYTES = 1 << 16 };

/* A backend that copies immediately and counts the copies. */
struct device_stream {
    unsigned copies, rows, fails_at;
    bool is_wrong; /* invalid strided copy: overlapping, descending or empty */
};

static enum proact_status copy_rows(struct device_stream *s, const struct device_rows *r,
                                    struct proact_error *err)
{
    if (++s->copies == s->fails_at) {
        snprintf(err->text, sizeof err->text, "copy %u fails", s->copies);
        return PROACT_EDRIVER;
    }
    s->rows += (unsigned)r->count;
    s->is_wrong |= !r->count || r->to_pitch > BYTES || device_rows_check(r, NULL);
    for (size_t y = 0; y < r->count; y++)
        for (size_t x = 0; x < r->bytes; x++) {
            unsigned char *to = (void *)(uintptr_t)(r->to + y * r->to_pitch + x);

            *to =
                (unsigned char)(*to + *(unsigned char *)(uintptr_t)(r->from +
                                                                    y * r->from_pitch + x));
        }
    return PROACT_OK;
}

static const struct device_backend keeper = {.name = "counts", .copy_rows = copy_rows};

struct rig {
    unsigned char to[BYTES], from[BYTES], expected[BYTES];
    struct device_stream stream;
    struct stretches s;
};

static struct rig *rig_make(void)
{
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    for (size_t i = 0; i < BYTES; i++)
        r->from[i] = (unsigned char)(1 + i % 251);
    r->s = (struct stretches){.backend = &keeper,
                              .stream = &r->stream,
                              .to = (uintptr_t)r->to,
                              .from = (uintptr_t)r->from};
    return r;
}

static void add(struct rig *r, uint64_t first, uint64_t bytes)
{
    memcpy(r->expected + first, r->from + first, bytes);
    stretches_add(&r->s, first, bytes);
}

/* Returns the number of copies. A byte that was copied twice or never differs. */
static unsigned rig_end(struct rig *r)
{
    struct proact_error err = {""};
    size_t count = r->s.count;

    assert_int_equal(stretches_copy(&r->s, &err), PROACT_OK);
    assert_memory_equal(r->to, r->expected, BYTES);
    assert_false(r->stream.is_wrong);
    assert_int_equal(r->stream.rows, count);
    assert_int_equal(r->s.count, 0);
    unsigned copies = r->stream.copies;

    free(r);
    return copies;
}

static void a_column_is_one_copy(void **state)
{
    struct rig *r = rig_make();

    (void)state;
    for (unsigned y = 0; y < 500; y++)
        add(r, 5 + 100 * y, 8);
    assert_int_equal(rig_end(r), 1);
}

static void both_ends_of_lines_are_two_copies(void **state)
{
    struct rig *r = rig_make();

    (void)state;
    for (unsigned y = 0; y < 500; y++) {
        add(r, 100 * y, 4);
        add(r, 96 + 100 * y, 4);
    }
    assert_int_equal(rig_end(r), 2);
    r = rig_make();
    for (unsigned y = 0; y < 500; y++) {
        add(r, 100 * y, 4);
        add(r, 40 + 100 * y, 12);
        add(r, 80 + 100 * y, 4);
    }
    assert_int_equal(rig_end(r), 3);
}

/* Other ranges precede, interrupt and follow the column. */
static void columns_end_at_other_ranges(void **state)
{
    struct rig *r = rig_make();

    (void)state;
    add(r, 0, 30);
    for (unsigned y = 0; y < 100; y++)
        add(r, 100 + 50 * y, 4);
    for (unsigned y = 0; y < 100; y++)
        add(r, 6000 + 60 * y, 4);
    for (unsigned y = 0; y < 100; y++) {
        add(r, 20000 + 100 * y, 2);
        add(r, 20010 + 100 * y, 6);
    }
    add(r, 50000, 1000);
    assert_int_equal(rig_end(r), 6);
}

/* Ranges may touch and need not ascend; a single range is one copy. */
static void any_list_is_copied(void **state)
{
    struct rig *r = rig_make();

    (void)state;
    for (unsigned y = 0; y < 50; y++)
        add(r, 400 - 8 * y, 8);
    assert_in_range(rig_end(r), 1, 50);
    r = rig_make();
    for (unsigned y = 0; y < 50; y++)
        add(r, 8 * y, 8);
    assert_int_equal(rig_end(r), 1);
    r = rig_make();
    add(r, 77, 999);
    assert_int_equal(rig_end(r), 1);
    assert_int_equal(rig_end(rig_make()), 0);
}

/* Ranges with a random pattern, so that some can be combined. */
static void add_runs(struct rig *r, uint64_t *random)
{
    uint64_t at = random_below(random, 50);

    while (at < BYTES - 8000) {
        unsigned period = 1 + (unsigned)random_below(random, 5);
        unsigned rows = 1 + (unsigned)random_below(random, 20);
        uint64_t bytes[5], gap[5];

        for (unsigned p = 0; p < period; p++) {
            bytes[p] = 1 + random_below(random, random_below(random, 2) ? 3 : 40);
            gap[p] = random_below(random, 30);
        }
        for (unsigned y = 0; y < rows; y++)
            for (unsigned p = 0; p < period; p++) {
                add(r, at, bytes[p]);
                at += bytes[p] + gap[p];
            }
    }
}

static void random_lists_are_copied_completely(void **state)
{
    uint64_t random = 7;
    unsigned copies = 0, stretches = 0;

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct rig *r = rig_make();

        add_runs(r, &random);
        stretches += (unsigned)r->s.count;
        copies += rig_end(r);
    }
    if (copies > stretches / 2)
        fail_msg("%u copies of %u stretches", copies, stretches);
}

/* Only counts the copies, without access to memory. */
static enum proact_status count_rows(struct device_stream *s, const struct device_rows *r,
                                     struct proact_error *err)
{
    (void)r, (void)err;
    s->copies++;
    return PROACT_OK;
}

static void wide_ranges_are_not_combined(void **state)
{
    static const struct device_backend counter = {.name = "counts",
                                                  .copy_rows = count_rows};
    struct device_stream stream = {0};
    struct stretches s = {.backend = &counter, .stream = &stream};

    (void)state;
    for (unsigned y = 0; y < 6; y++)
        stretches_add(&s, (uint64_t)y << 30, (1 << 20) + 1);
    assert_int_equal(stretches_copy(&s, NULL), PROACT_OK);
    assert_int_equal(stream.copies, 6);
    for (unsigned y = 0; y < 6; y++)
        stretches_add(&s, (uint64_t)y << 30, 1 << 20);
    assert_int_equal(stretches_copy(&s, NULL), PROACT_OK);
    assert_int_equal(stream.copies, 7);
}

static void the_first_failure_stops_the_copies(void **state)
{
    struct rig *r = rig_make();
    struct proact_error err = {""};

    (void)state;
    r->stream.fails_at = 2;
    for (unsigned i = 1; i < 9; i++)
        add(r, 1000 * i, i);
    assert_int_equal(stretches_copy(&r->s, &err), PROACT_EDRIVER);
    assert_string_equal(err.text, "copy 2 fails");
    assert_int_equal(r->stream.copies, 2);
    assert_int_equal(r->s.count, 0);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_one_copy),
        cmocka_unit_test(both_ends_of_lines_are_two_copies),
        cmocka_unit_test(columns_end_at_other_ranges),
        cmocka_unit_test(any_list_is_copied),
        cmocka_unit_test(random_lists_are_copied_completely),
        cmocka_unit_test(wide_ranges_are_not_combined),
        cmocka_unit_test(the_first_failure_stops_the_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
