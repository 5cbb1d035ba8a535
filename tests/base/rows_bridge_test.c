/* SPDX-License-Identifier: Apache-2.0 */
/* Bridged strided ranges. They contain the bytes of both ranges and the gaps between each
   piece and the next. */
#include "base/spans/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"

enum { BYTES = 400, MOST = 6, ROUNDS = 200000 };

static uint32_t draw(uint64_t *r, uint32_t below)
{
    return (uint32_t)(random_next(r) % below);
}

static struct rows draw_rows(uint64_t *r, uint64_t first, uint32_t count, uint64_t pitch)
{
    const uint64_t bytes = 1 + draw(r, (uint32_t)pitch - 1);

    return count > 1 ? (struct rows){first, bytes, pitch, count} : rows_one(first, bytes);
}

static void mark(const struct rows *r, unsigned char *in, unsigned char with)
{
    struct rows_walk w = {r, r + 1, 0};

    for (struct span s; rows_next(&w, &s);)
        memset(in + s.first, with, s.end - s.first);
}

/* Expected bytes: those of both ranges, and each gap after a piece of the first range. */
static void expect(const struct rows *one, const struct rows *next, const struct rows *both)
{
    unsigned char want[BYTES] = {0}, got[BYTES] = {0};

    for (uint32_t n = 0; n < one->count; n++) {
        const uint64_t end = one->first + n * one->pitch + one->bytes,
                       first = next->first + n * next->pitch;

        assert_true(first >= end && first - end <= MOST);
        memset(want + end, 1, first - end);
    }
    mark(one, want, 1);
    mark(next, want, 1);
    mark(both, got, 1);
    assert_memory_equal(got, want, BYTES);
    assert_int_equal(both->count, one->count);
    assert_true(both->count == 1 || both->bytes <= both->pitch);
}

static void a_bridge_contains_both_ranges_and_the_gaps(void **state)
{
    uint64_t r = 5;
    unsigned bridged = 0, many = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t count = 1 + draw(&r, 3);
        const uint64_t pitch = 4 + draw(&r, 20);
        const struct rows one = draw_rows(&r, draw(&r, 30), count, pitch);
        const struct rows next =
            draw_rows(&r, one.first + draw(&r, 40), draw(&r, 6) ? count : 1 + draw(&r, 3),
                      draw(&r, 6) ? pitch : 4 + draw(&r, 20));
        struct rows both = one;

        if (!rows_bridge(&both, &next, MOST)) {
            assert_memory_equal(&both, &one, sizeof one);
            continue;
        }
        expect(&one, &next, &both);
        bridged++;
        many += both.count > 1;
    }
    assert_true(bridged > 5000 && many > 1000);
}

static void narrow_gaps_are_closed(void **state)
{
    struct rows r = {10, 4, 4 + MOST, 3}, wide = {10, 4, 5 + MOST, 3}, one = rows_one(3, 4);

    (void)state;
    assert_true(rows_close(&r, MOST));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.first, 10);
    assert_int_equal(r.bytes, 2 * (4 + MOST) + 4);
    assert_false(rows_close(&wide, MOST));
    assert_false(rows_close(&one, MOST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bridge_contains_both_ranges_and_the_gaps),
        cmocka_unit_test(narrow_gaps_are_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
