/* SPDX-License-Identifier: Apache-2.0 */
/* Range sets against an array of flags. */
#include "base/spans/spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"

enum { BYTES = 60, ROUNDS = 20000 };

static void same(const struct spans *s, const bool *in)
{
    size_t n = 0;

    for (uint64_t at = 0; at < BYTES;) {
        uint64_t end = at;

        while (end < BYTES && in[end])
            end++;
        if (end > at) {
            assert_true(n < s->count);
            assert_int_equal(s->span[n].first, at);
            assert_int_equal(s->span[n].end, end);
            n++;
        }
        at = end + 1;
    }
    assert_int_equal(n, s->count);
}

static void test_add(void **state)
{
    uint64_t r = 7;

    (void)state;
    for (int round = 0; round < ROUNDS / 8; round++) {
        struct spans s = {0};
        bool in[BYTES] = {false};

        for (int n = 0; n < 8; n++) {
            uint64_t first = random_below(&r, BYTES), length = random_below(&r, 12);
            uint64_t end = first + length < BYTES ? first + length : BYTES;

            spans_add(&s, first, end);
            for (uint64_t at = first; at < end; at++)
                in[at] = true;
            same(&s, in);
        }
        spans_clear(&s);
    }
}

static void test_hold(void **state)
{
    struct spans a = {0}, b = {0};

    (void)state;
    spans_add(&a, 10, 20);
    spans_add(&a, 30, 40);
    assert_true(range_set_contains(&a, &b));
    spans_add(&b, 12, 20);
    spans_add(&b, 30, 31);
    assert_true(range_set_contains(&a, &b));
    assert_int_equal(spans_from(&a, 20), 1);
    assert_int_equal(spans_from(&a, 40), 2);
    spans_add(&b, 20, 21);
    assert_false(range_set_contains(&a, &b));
    assert_true(spans_meet(&a, &b));
    spans_clear(&b);
    spans_add(&b, 0, 10);
    spans_add(&b, 20, 30);
    spans_add(&b, 40, 41);
    assert_false(spans_meet(&a, &b));
    assert_false(spans_meet(&b, &a));
    spans_add(&b, 39, 40);
    assert_true(spans_meet(&b, &a));
    spans_join(&a, &b);
    assert_true(range_set_contains(&a, &b));
    assert_int_equal(a.count, 1);
    spans_clear(&a);
    spans_clear(&b);
}

/* Sets large enough that they are merged. */
static void test_join(void **state)
{
    uint64_t r = 3;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct spans of[2] = {{0}, {0}};
        bool in[BYTES] = {false};

        for (int n = 0; n < 2; n++)
            for (uint64_t at = 0; at < BYTES; at++)
                if (random_below(&r, 2)) {
                    spans_add(&of[n], at, at + 1);
                    in[at] = true;
                }
        spans_join(&of[0], &of[1]);
        same(&of[0], in);
        spans_clear(&of[0]);
        spans_clear(&of[1]);
    }
}

static void test_close(void **state)
{
    struct spans s = {0};

    (void)state;
    spans_close(&s, 8, false);
    assert_int_equal(s.count, 0);
    spans_add(&s, 0, 4);
    spans_add(&s, 8, 12);  /* a gap of the limit */
    spans_add(&s, 17, 21); /* a larger gap */
    spans_add(&s, 26, 46);
    spans_add(&s, 55, 80); /* a gap above the limit */
    spans_close(&s, 8, false);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.span[0].end, 12);
    assert_int_equal(s.span[1].first, 17);
    assert_int_equal(s.span[1].end, 46);
    assert_int_equal(s.span[2].first, 55);
    spans_close(&s, 8, true);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.span[0].end, 46);
    spans_clear(&s);
}

static void draw(struct spans *s, uint64_t *chance, uint64_t most)
{
    uint64_t at = random_below(chance, most);

    s->count = 0;
    for (int n = 0; n < 40; n++, at += 1 + random_below(chance, most)) {
        const uint64_t first = at;

        at += 1 + random_below(chance, 3);
        spans_add(s, first, at);
    }
}

/* A few ranges, or many, between two ranges of the other set. */
static void test_meet(void **state)
{
    struct spans a = {0}, b = {0};
    uint64_t chance = 5;
    unsigned met = 0;

    (void)state;
    for (int round = 0; round < 4000; round++) {
        bool meet = false;

        draw(&a, &chance, 2 + random_below(&chance, 40));
        draw(&b, &chance, 1000);
        for (size_t n = 0; n < a.count; n++)
            for (size_t m = 0; m < b.count; m++)
                meet |= a.span[n].first < b.span[m].end && b.span[m].first < a.span[n].end;
        assert_int_equal(spans_meet(&a, &b), meet);
        assert_int_equal(spans_meet(&b, &a), meet);
        met += meet;
    }
    assert_in_range(met, 400, 3600);
    spans_clear(&a);
    spans_clear(&b);
}

/* A coarsened set contains the original set. Its remaining gaps are at least as large as
   every gap that it closed. */
static void test_coarsen(void **state)
{
    enum { SPANS = 50, LEFT = 7 };
    uint64_t r = 3;

    (void)state;
    for (int round = 0; round < ROUNDS / 8; round++) {
        struct spans s = {0}, was = {0};
        uint64_t at = 0, taken = 0;

        for (int n = 0; n < SPANS; n++) {
            at += 1 + random_below(&r, 1000);
            spans_add(&s, at, at + 1 + random_below(&r, 9));
            at = s.span[s.count - 1].end;
        }
        spans_join(&was, &s);
        spans_coarsen(&s, SPANS);
        assert_int_equal(s.count, was.count);
        spans_coarsen(&s, LEFT);
        assert_in_range(s.count, LEFT - 3, LEFT); /* some gaps are equal */
        assert_true(range_set_contains(&s, &was));
        for (size_t n = 0; n + 1 < was.count; n++) {
            const struct span gap = {was.span[n].end, was.span[n + 1].first};
            const size_t in = spans_from(&s, gap.first);

            if (s.span[in].first <= gap.first && gap.end - gap.first > taken)
                taken = gap.end - gap.first;
        }
        for (size_t n = 0; n + 1 < s.count; n++)
            assert_true(s.span[n + 1].first - s.span[n].end >= taken);
        spans_clear(&s);
        spans_clear(&was);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),     cmocka_unit_test(test_hold),
        cmocka_unit_test(test_join),    cmocka_unit_test(test_close),
        cmocka_unit_test(test_coarsen), cmocka_unit_test(test_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
