/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes, random numbers and the host's clock. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"

static void splitmix_is_the_published_one(void **state)
{
    uint64_t s = 1234567;

    (void)state;
    assert_true(random_next(&s) == 6457827717110365317u);
    assert_true(random_next(&s) == 3203168211198807973u);
    assert_true(random_next(&s) == 9817491932198370423u);
}

static void draws_are_bounded_and_even(void **state)
{
    uint64_t s = 7;
    unsigned noted[6] = {0};

    (void)state;
    for (int i = 0; i < 60000; i++) {
        uint64_t draw = random_below(&s, 6);

        assert_true(draw < 6);
        noted[draw]++;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(noted[i], 9600, 10400);
    assert_true(random_below(&s, 1) == 0);

    /* A bound just above 2^63: a plain modulo would give the lower part twice as often. */
    unsigned low = 0;

    for (int i = 0; i < 10000; i++)
        low += random_below(&s, ((uint64_t)1 << 63) + 1) < (uint64_t)1 << 62;
    assert_in_range(low, 4700, 5300);
    for (int i = 0; i < 1000; i++) {
        double x = random_unit(&s);

        assert_true(x >= 0 && x < 1);
    }
}

/* Frozen values: files contain them. */
static void hashes_do_not_change(void **state)
{
    (void)state;
    assert_true(hash_bytes("", 0, 0) == 0xa706dd2f4d197e6fu);
    assert_true(hash_text("proact", 0) == 0x3b1f09daf98c8e1eu);
    assert_true(hash_text("a machine of 4 devices", 17) == 0x5cff1d5970beab36u);
}

static void hashes_differ(void **state)
{
    unsigned char zeros[32] = {0};
    uint64_t noted[33 + 256];
    size_t count = 0;

    (void)state;
    for (size_t length = 0; length <= 32; length++) /* the length matters */
        noted[count++] = hash_bytes(zeros, length, 0);
    for (int bit = 0; bit < 256; bit++) { /* each bit matters */
        zeros[bit / 8] ^= (unsigned char)(1 << bit % 8);
        noted[count++] = hash_bytes(zeros, 32, 0);
        zeros[bit / 8] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_true(noted[i] != noted[j]);
    }
    assert_true(hash_text("a", 0) != hash_text("a", 1));
}

static void clock_goes_forward(void **state)
{
    uint64_t from = clock_host_ns();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t now = clock_host_ns();

        assert_true(now >= from);
        from = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix_is_the_published_one),
        cmocka_unit_test(draws_are_bounded_and_even),
        cmocka_unit_test(hashes_do_not_change),
        cmocka_unit_test(hashes_differ),
        cmocka_unit_test(clock_goes_forward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
