/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of ranges. Ranges added in any order and number give the sorted union. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/write_ranges/write_set_spans.h"
#include "base/memory.h"
#include "base/random.h"

enum { UNITS = 1 << 15 };

/* Checks the ranges against `on`. Unit k is at base + k * width. */
static void check(struct write_set_spans *s, const unsigned char *on, uint64_t base,
                  uint64_t width)
{
    size_t n = 0;

    write_set_spans_merge(s);
    for (uint32_t k = 0; k < UNITS; k++) {
        if (!on[k] || (k && on[k - 1]))
            continue;
        uint32_t end = k + 1;

        while (end < UNITS && on[end])
            end++;
        assert_true(n < s->count);
        assert_int_equal(s->spans[n].first, base + k * width);
        assert_int_equal(s->spans[n++].end, base + end * width);
    }
    assert_int_equal(n, s->count);
}

static void add_some(struct write_set_spans *s, unsigned char *on, uint64_t base,
                     uint64_t width, uint32_t count, uint64_t *random)
{
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t from = (uint32_t)random_below(random, UNITS - 8);
        const uint32_t units = 1 + (uint32_t)random_below(random, 2);

        memset(on + from, 1, units);
        write_set_spans_add(s, base + from * width, base + (from + units) * width);
    }
}

static void added_ranges_are_sorted_and_joined(void **state)
{
    static const uint32_t counts[] = {1, 40, 2047, 2048, 3000, 4096, 5000, 20000};
    static const uint64_t bases[] = {0, 4096, 0x7f0000000004, UINT64_MAX / 2 - 4096};
    static const uint64_t widths[] = {1, 3, 64, 1280, (uint64_t)1 << 36};
    uint64_t random = 1;

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                unsigned char *on = must_calloc(UNITS, 1);
                struct write_set_spans s = {0};

                for (int turn = 0; turn < 2; turn++) { /* the second turn adds to merged
                                                          ranges */
                    add_some(&s, on, bases[b], widths[w], counts[c], &random);
                    check(&s, on, bases[b], widths[w]);
                }
                write_set_spans_clear(&s);
                free(on);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_ranges_are_sorted_and_joined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
