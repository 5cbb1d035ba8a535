/* SPDX-License-Identifier: Apache-2.0 */
#include "access/access.h"

void access_partition_box(struct access_launch *l, uint32_t first, uint32_t end)
{
    const uint32_t *grid = l->nctaid, last = end - 1;
    const uint64_t plane = (uint64_t)grid[0] * grid[1];

    for (int i = 0; i < 3; i++) {
        l->ctaid_first[i] = 0;
        l->ctaid_end[i] = grid[i];
    }
    l->ctaid_first[2] = (uint32_t)(first / plane);
    l->ctaid_end[2] = (uint32_t)(last / plane) + 1;
    if (first / plane != last / plane)
        return;
    l->ctaid_first[1] = first / grid[0] % grid[1];
    l->ctaid_end[1] = last / grid[0] % grid[1] + 1;
    if (first / grid[0] != last / grid[0])
        return;
    l->ctaid_first[0] = first % grid[0];
    l->ctaid_end[0] = last % grid[0] + 1;
}

enum {
    UNEVEN = 16, /* complete rows may lengthen a partition by 1 / UNEVEN */
    LONGER = 10, /* the same for partitions that need not be even */
    FEW = 64,    /* concurrent CTAs of a device; fewer take equal time */
};

/* Whether partitions of complete units are about as long as even ones. */
static bool is_even(uint64_t ctas, uint64_t unit, unsigned over)
{
    const uint64_t units = ctas / unit, even = (ctas + over - 1) / over,
                   most = (units + over - 1) / over * unit;

    return units >= over && (most <= FEW || most - even <= even / UNEVEN);
}

uint32_t access_partition_unit(const uint32_t grid[3], unsigned over)
{
    const uint64_t row = grid[0], plane = row * grid[1], ctas = plane * grid[2];

    return (uint32_t)(grid[2] > 1 && is_even(ctas, plane, over) ? plane
                      : ctas > row && is_even(ctas, row, over)  ? row
                                                                : 1);
}

void access_partition(const uint32_t grid[3], unsigned over, uint32_t *first)
{
    const uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint64_t unit = access_partition_unit(grid, over);

    for (unsigned d = 0; d <= over; d++)
        first[d] = (uint32_t)((ctas / unit * d + over - 1) / over * unit);
}

bool access_partition_is_even(const uint32_t grid[3], unsigned over, const uint32_t *first)
{
    const uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2],
                   unit = access_partition_unit(grid, over),
                   even = (ctas / unit + over - 1) / over * unit;
    uint64_t most = 0;

    for (unsigned d = 0; d < over; d++)
        most = first[d + 1] - first[d] > most ? first[d + 1] - first[d] : most;
    return most <= FEW || most - even <= even / LONGER || most <= even;
}
