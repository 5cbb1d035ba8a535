/* SPDX-License-Identifier: Apache-2.0 */
/* Merged strided ranges. They contain the same bytes, and those of a stencil are few. */
#include "base/spans/rows_merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"

enum { BYTES = 400, MOST = 12, ROUNDS = 20000 };

static uint32_t draw(uint64_t *r, uint32_t below)
{
    return (uint32_t)(random_next(r) % below);
}

static void mark(const struct rows *r, size_t count, unsigned char *in)
{
    struct rows_walk w = {r, r + count, 0};

    for (struct span s; rows_next(&w, &s);)
        memset(in + s.first, 1, s.end - s.first);
}

/* Few pitches and columns, so that ranges coincide. */
static struct rows draw_rows(uint64_t *r)
{
    const uint64_t pitch = 8 + 4 * draw(r, 2), first = draw(r, 40);
    const struct rows out = {first, 1 + draw(r, (uint32_t)pitch - 1), pitch,
                             2 + draw(r, 3)};

    return draw(r, 8) ? out : rows_one(first, 1 + draw(r, 30));
}

static void merged_ranges_contain_the_same_bytes(void **state)
{
    uint64_t r = 11;
    size_t less = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char before[BYTES] = {0}, after[BYTES] = {0};
        struct rows rows[MOST];
        const size_t count = draw(&r, MOST + 1);

        for (size_t n = 0; n < count; n++)
            rows[n] = draw_rows(&r);
        mark(rows, count, before);
        const size_t left = rows_merge(rows, count);

        assert_true(left <= count);
        less += count - left;
        mark(rows, left, after);
        assert_memory_equal(after, before, BYTES);
        for (size_t n = 0; n < left; n++)
            assert_true(rows[n].count == 1 ? !rows[n].pitch
                                           : rows[n].bytes < rows[n].pitch);
    }
    assert_true(less > ROUNDS / 4);
}

/* A stencil of 27 points on every second row: the pitch is two rows. */
static void a_stencil_becomes_two_ranges(void **state)
{
    enum { CELL = 8, ROW = 258 * CELL, PITCH = 2 * ROW, PLANE = 258 * ROW, ROWS = 16381 };
    const uint64_t middle = 4 * PLANE + 6 * ROW + 16 * CELL;
    struct rows rows[27];
    size_t n = 0;

    (void)state;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                rows[n++] =
                    (struct rows){middle + (uint64_t)(z * PLANE + y * ROW + x * CELL),
                                  255 * CELL, PITCH, ROWS};
    assert_int_equal(rows_merge(rows, n), 2);
    for (n = 0; n < 2; n++) {
        assert_int_equal(rows[n].bytes, 257 * CELL);
        assert_in_range(rows[n].count, ROWS + 258, ROWS + 259);
    }
}

static void a_strided_range_without_gaps_becomes_one_range(void **state)
{
    struct rows rows[] = {{10, 6, 10, 5}, {14, 6, 10, 5}, {100, 4, 0, 1}};

    (void)state;
    assert_int_equal(rows_merge(rows, 3), 2);
    assert_int_equal(rows[0].first, 10);
    assert_int_equal(rows[0].bytes, 50);
    assert_int_equal(rows[0].pitch, 0);
    assert_int_equal(rows_merge(NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_ranges_contain_the_same_bytes),
        cmocka_unit_test(a_stencil_becomes_two_ranges),
        cmocka_unit_test(a_strided_range_without_gaps_becomes_one_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
