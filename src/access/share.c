/* SPDX-License-Identifier: Apache-2.0 */
#include "access/access.h"

void access_share(struct access_launch *l, uint32_t first, uint32_t end)
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

uint64_t access_share_first(uint64_t ctas, unsigned device, unsigned over)
{
    return (ctas * device + over - 1) / over;
}
