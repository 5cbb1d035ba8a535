/* SPDX-License-Identifier: Apache-2.0 */
/* Fit of series of messages: their start grows with the size, as that of CTAs that share a
   link, or is that of one message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_fit/fit_senders.h"

enum { SIZES = 16, DEPTHS = 7 };

struct rows {
    struct sweep_row row[SIZES * DEPTHS];
    struct sweep sweep;
};

/* Messages of 4 KB to 128 MB. One takes 1 us and 0.02 ns/B, and a series `start` and
   0.002 ns/B. */
static void fill(struct rows *r, double start_ns, double start_ns_per_byte, unsigned most)
{
    *r = (struct rows){.sweep = {.is_complete = true, .rows = r->row}};
    for (unsigned i = 0; i < SIZES; i++)
        for (unsigned depth = 1; depth <= most; depth *= 2) {
            const double bytes = (double)(4096u << i), one = 1000 + 0.02 * bytes,
                         series = start_ns + start_ns_per_byte * bytes +
                                  depth * (10 + 0.002 * bytes);

            r->row[r->sweep.count++] = (struct sweep_row){
                MODEL_SEND_STORE, depth, 4096u << i, series > one ? series : one};
        }
}

static struct fit_error error_of_fit(const struct rows *r)
{
    static struct fit_senders all;
    const struct topology keys = {.device_count = 2};

    fit_senders_find(&r->sweep, &keys, &all);
    return all.sender[MODEL_SEND_STORE].fit.all;
}

static void starts_grow_with_the_size(void **state)
{
    static struct rows r;

    (void)state;
    fill(&r, 500, 0.012, 64);
    const struct fit_error error = error_of_fit(&r);

    assert_int_equal(error.count, SIZES / 2 * DEPTHS);
    assert_true(error.p95 < 0.02);
}

static void starts_may_be_constant(void **state)
{
    static struct rows r;

    (void)state;
    fill(&r, 900, 0, 64);
    assert_true(error_of_fit(&r).p95 < 0.02);
}

/* Only series of 16 messages take longer than one message. */
static void one_depth_shows_a_period(void **state)
{
    static struct rows r;

    (void)state;
    fill(&r, 0, 0, 16);
    assert_true(error_of_fit(&r).p95 < 0.02);
}

/* Series of 32 and 64 messages take four times as long as shorter ones, and nearly the same
   time: the start of the line through them is not that of the shorter ones. */
static void a_start_takes_no_longer_than_one_message(void **state)
{
    static struct rows r;

    (void)state;
    fill(&r, 0, 0, 64);
    for (size_t i = 0; i < r.sweep.count; i++) {
        const double one = 1000 + 0.02 * (double)r.row[i].bytes;

        r.row[i].ns = r.row[i].depth < 32 ? one : one * (3.6 + 0.0125 * r.row[i].depth);
    }
    assert_true(error_of_fit(&r).p95 < 1); /* 2.8 for 16 messages without the limit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_grow_with_the_size),
        cmocka_unit_test(starts_may_be_constant),
        cmocka_unit_test(one_depth_shows_a_period),
        cmocka_unit_test(a_start_takes_no_longer_than_one_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
