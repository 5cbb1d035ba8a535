/* SPDX-License-Identifier: Apache-2.0 */
/* Exact division for the CTA counts of kernel versions: every CTA number that a grid can
   have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "transfer/transfer.h"

#define MOST 0x7fffffffu /* largest CTA number of a 1-D grid */

static void holds(const struct proact_divisor *by, uint32_t n, uint32_t d)
{
    if (n <= MOST && (uint32_t)((uint64_t)n * by->factor >> by->shift) != n / d)
        fail_msg("%u / %u: factor %u, shift %u", n, d, by->factor, by->shift);
}

static void try_divisor(uint32_t d, uint32_t seed)
{
    struct proact_partition partition;
    const uint32_t grid[3] = {d, MOST / d + 1, 1};

    transfer_partition_grid(&partition, grid);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 50; k++, seed = seed * 1664525u + 1013904223u) {
            uint32_t multiple = (seed >> 1) / grid[i] * grid[i];

            holds(&partition.grid_divisor[i], seed >> 1, grid[i]);
            holds(&partition.grid_divisor[i], multiple, grid[i]);
            holds(&partition.grid_divisor[i], multiple - 1, grid[i]);
            holds(&partition.grid_divisor[i], multiple + grid[i] - 1, grid[i]);
            holds(&partition.grid_divisor[i], k, grid[i]);
            holds(&partition.grid_divisor[i], MOST - k, grid[i]);
        }
}

static void quotients_are_exact(void **state)
{
    uint32_t seed = 1;

    (void)state;
    for (uint32_t bit = 0; bit < 31; bit++)
        for (uint32_t off = 0; off < 3; off++)
            if ((1u << bit) + off > 1)
                try_divisor((1u << bit) + off - 1, seed += bit);
    for (uint32_t k = 0; k < 5000; k++) {
        seed = seed * 1664525u + 1013904223u;
        try_divisor((seed >> 1 >> seed % 31) + 1, seed);
    }
    try_divisor(MOST, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotients_are_exact)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
