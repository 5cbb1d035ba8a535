/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launching.h"

struct proact_array *launching_array(const struct launching *l, uint32_t offset)
{
    for (size_t i = 0; i < l->place_count; i++)
        if (l->places[i].offset == offset)
            return l->places[i].array;
    return NULL;
}

struct proact_array *launching_slot_array(const struct launching *l, unsigned slot)
{
    struct proact_array *a = launching_array(l, l->kernel->slot[slot].offset);

    return a || !l->found.set || !l->place_count ? a : l->places[0].array;
}

void launch_split(const uint32_t grid[3], unsigned over, unsigned devices,
                  uint32_t *cta_first)
{
    uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2];

    for (unsigned d = 0; d <= devices; d++)
        cta_first[d] = (uint32_t)(d < over ? ctas * d / over : ctas);
}
