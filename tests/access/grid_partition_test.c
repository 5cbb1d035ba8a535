/* SPDX-License-Identifier: Apache-2.0 */
/* Partition of a grid: every device gets consecutive CTAs, and together they cover the
   grid. Partitions end at complete planes or rows unless one would become much larger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/random.h"

enum { OVER_MAX = 16 };

static void expect(const uint32_t grid[3], unsigned over, const uint32_t *first)
{
    uint32_t got[OVER_MAX + 1];

    access_partition(grid, over, got);
    for (unsigned d = 0; d <= over; d++)
        if (got[d] != first[d])
            fail_msg("%u x %u x %u over %u: device %u begins at %u, not %u", grid[0],
                     grid[1], grid[2], over, d, got[d], first[d]);
}

static void partitions_are_known(void **state)
{
    (void)state;
    expect((uint32_t[]){10, 1, 1}, 4, (uint32_t[]){0, 3, 5, 8, 10});
    expect((uint32_t[]){2, 5, 1}, 4, (uint32_t[]){0, 4, 6, 8, 10});
    expect((uint32_t[]){128, 257, 1}, 4, (uint32_t[]){0, 8320, 16512, 24704, 32896});
    expect((uint32_t[]){128, 9, 1}, 4, (uint32_t[]){0, 288, 576, 864, 1152});
    expect((uint32_t[]){3, 2, 1}, 4, (uint32_t[]){0, 2, 3, 5, 6}); /* partial rows */
    expect((uint32_t[]){8, 8, 129}, 2, (uint32_t[]){0, 4160, 8256});
    expect((uint32_t[]){8, 64, 3}, 2, (uint32_t[]){0, 768, 1536}); /* rows of planes */
    expect((uint32_t[]){65535, 3, 1}, 2, (uint32_t[]){0, 98303, 196605});
    expect((uint32_t[]){7, 3, 2}, 1, (uint32_t[]){0, 42});
}

/* No partition exceeds the even size by more than a 16th, unless it has at most 64 CTAs. */
static void partitions_are_even(void **state)
{
    uint64_t chance = 1;

    (void)state;
    for (int n = 0; n < 20000; n++) {
        const uint32_t grid[3] = {1 + (uint32_t)random_below(&chance, 70),
                                  1 + (uint32_t)random_below(&chance, 70),
                                  1 + (uint32_t)random_below(&chance, n % 2 ? 70 : 1)};
        const unsigned over = 1 + (unsigned)random_below(&chance, OVER_MAX);
        const uint32_t ctas = grid[0] * grid[1] * grid[2], even = (ctas + over - 1) / over;
        uint32_t first[OVER_MAX + 1];

        access_partition(grid, over, first);
        assert_int_equal(first[0], 0);
        assert_int_equal(first[over], ctas);
        for (unsigned d = 0; d < over; d++) {
            assert_true(first[d] <= first[d + 1]);
            assert_true(ctas < over || first[d] < first[d + 1]);
            assert_true(first[d + 1] - first[d] <= 64 ||
                        first[d + 1] - first[d] <= even + even / 16);
            assert_true(d == 0 || first[d + 1] - first[d] <= first[1]);
        }
    }
}

/* Other boundaries are even enough if no partition is larger by more than a tenth or than
   64 CTAs. */
static void uneven_partitions_are_accepted_within_limits(void **state)
{
    const uint32_t line[3] = {900, 1, 1}, rows[3] = {16, 100, 1};

    (void)state;
    assert_int_equal(access_partition_unit(line, 4), 1);
    assert_true(access_partition_is_even(line, 4, (uint32_t[]){0, 240, 480, 720, 900}));
    assert_true(access_partition_is_even(line, 4, (uint32_t[]){0, 247, 480, 720, 900}));
    assert_false(access_partition_is_even(line, 4, (uint32_t[]){0, 240, 480, 652, 900}));
    assert_int_equal(access_partition_unit(rows, 4), 16);
    assert_true(access_partition_is_even(rows, 4, (uint32_t[]){0, 432, 864, 1264, 1600}));
    assert_false(access_partition_is_even(rows, 4, (uint32_t[]){0, 448, 864, 1264, 1600}));
    assert_true(access_partition_is_even((uint32_t[]){65, 1, 1}, 4,
                                         (uint32_t[]){0, 0, 64, 64, 65}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_known),
        cmocka_unit_test(partitions_are_even),
        cmocka_unit_test(uneven_partitions_are_accepted_within_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
