/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bytes against an array of flags. */
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
    assert_true(spans_hold(&a, &b));
    spans_add(&b, 12, 20);
    spans_add(&b, 30, 31);
    assert_true(spans_hold(&a, &b));
    assert_int_equal(spans_from(&a, 20), 1);
    assert_int_equal(spans_from(&a, 40), 2);
    spans_add(&b, 20, 21);
    assert_false(spans_hold(&a, &b));
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
    assert_true(spans_hold(&a, &b));
    assert_int_equal(a.count, 1);
    spans_clear(&a);
    spans_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
