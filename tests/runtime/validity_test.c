/* SPDX-License-Identifier: Apache-2.0 */
/* The validity map, compared with one word per byte. */
#include "runtime/objects/validity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"

enum { BYTES = 50, ROUNDS = 2000, STEPS = 12 };

static void same(const struct validity_map *h, const uint32_t *devices)
{
    uint64_t at = 0;

    for (size_t n = 0; n < h->count; n++) {
        assert_true(h->piece[n].end > at);
        if (n)
            assert_int_not_equal(h->piece[n].devices, h->piece[n - 1].devices);
        for (; at < h->piece[n].end; at++) {
            assert_int_equal(h->piece[n].devices, devices[at]);
            assert_int_equal(validity_find(h, at), n);
        }
    }
    assert_int_equal(at, BYTES);
}

static void test_changes(void **state)
{
    uint64_t r = 7;
    struct validity_map h = {0}, copy = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t devices[BYTES];

        validity_init(&h, BYTES, 15);
        for (int at = 0; at < BYTES; at++)
            devices[at] = 15;
        for (int step = 0; step < STEPS; step++) {
            uint64_t first = random_below(&r, BYTES);
            uint64_t end = first + random_below(&r, BYTES + 1 - first);
            uint32_t some = 1u << random_below(&r, 4);
            bool sets = random_below(&r, 2);

            (sets ? validity_set : validity_add)(&h, first, end, some);
            for (uint64_t at = first; at < end; at++)
                devices[at] = sets ? some : devices[at] | some;
            same(&h, devices);
        }
        validity_copy(&copy, &h);
        same(&copy, devices);
    }
    validity_clear(&h);
    validity_clear(&copy);
}

static void test_many_at_once(void **state)
{
    uint64_t r = 11;
    struct validity_map h = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct validity_range range[BYTES];
        uint32_t devices[BYTES];

        validity_init(&h, BYTES, 1);
        for (int at = 0; at < BYTES; at++)
            devices[at] = 1;
        for (int step = 0; step < STEPS; step++) {
            const uint32_t some = 1u << random_below(&r, 4);
            uint64_t at = random_below(&r, 9);
            size_t count = 0;

            for (; at < BYTES; at += 1 + random_below(&r, 9), count++) {
                range[count].first = at;
                at += 1 + random_below(&r, BYTES - at);
                range[count].end = at;
            }
            if (step % 3 == 0)
                validity_set(&h, range[0].first, range[0].end, some);
            else if (step % 3 == 1)
                validity_set_ranges(&h, range, count, some);
            else
                validity_add_ranges(&h, range, count, some);
            for (size_t n = 0; n < (step % 3 ? count : 1); n++)
                for (at = range[n].first; at < range[n].end; at++)
                    devices[at] = step % 3 == 2 ? devices[at] | some : some;
            same(&h, devices);
            assert_true(step % 3 == 2 ||
                        validity_is_exactly(&h, range[0].first, range[0].end, some));
            assert_false(validity_is_exactly(&h, range[0].first, range[0].end, some | 16));
        }
    }
    validity_clear(&h);
}

static void visit_difference(void *context, uint64_t first, uint64_t end, uint32_t devices)
{
    uint32_t *noted = context;

    assert_true(first < end && end <= BYTES);
    for (uint64_t at = first; at < end; at++) {
        assert_int_equal(noted[at], 0);
        noted[at] = devices;
    }
}

/* Few ranges in many pieces, many ranges in few pieces, and equal numbers. */
static void test_unlike(void **state)
{
    uint64_t r = 5;
    struct validity_map h = {0};

    (void)state;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        const uint64_t most = 1 + random_below(&r, 9), apart = 1 + random_below(&r, 9);
        const uint32_t mask = 1 + (uint32_t)random_below(&r, 15),
                       devices = mask & (uint32_t)random_below(&r, 16);
        uint32_t holds[BYTES], expected[BYTES] = {0}, noted[BYTES] = {0};
        struct spans spans = {0};

        validity_init(&h, BYTES, 1);
        for (uint64_t at = 0, end; at < BYTES; at = end) {
            const uint32_t some = 1 + (uint32_t)random_below(&r, 15);

            end = at + 1 + random_below(&r, most);
            end = end < BYTES ? end : BYTES;
            validity_set(&h, at, end, some);
            for (uint64_t n = at; n < end; n++)
                holds[n] = some;
        }
        for (uint64_t at = random_below(&r, BYTES); at < BYTES;) {
            const uint64_t first = at, end = at + 1 + random_below(&r, apart);

            at = end < BYTES ? end : BYTES;
            spans_add(&spans, first, at);
            for (uint64_t n = first; n < at; n++)
                expected[n] = (holds[n] & mask) == devices ? 0 : holds[n];
            at += 1 + random_below(&r, apart);
        }
        validity_each_mismatch(
            &h, &spans, &(struct validity_query){mask, devices, visit_difference, noted});
        assert_memory_equal(noted, expected, sizeof noted);
        spans_clear(&spans);
    }
    validity_clear(&h);
}

static void test_whole(void **state)
{
    struct validity_map h = {0};

    (void)state;
    validity_init(&h, BYTES, 3);
    assert_true(validity_everywhere(&h, 3));
    assert_false(validity_everywhere(&h, 7));
    validity_set(&h, 4, 5, 2);
    assert_true(validity_everywhere(&h, 2));
    assert_false(validity_everywhere(&h, 1));
    validity_add(&h, 0, BYTES, 1);
    assert_true(validity_everywhere(&h, 3));
    assert_int_equal(h.count, 1);
    validity_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_unlike),
        cmocka_unit_test(test_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
