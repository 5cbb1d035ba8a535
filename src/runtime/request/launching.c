/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/request/launching.h"

#include "access/access.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

struct proact_array *launching_array(const struct launching *l, uint32_t offset)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].offset == offset)
            return l->relocations[i].array;
    return NULL;
}

void launching_count_arrays(struct launching *l)
{
    l->counted = ++l->kernel->session->counted;
    l->array_count = 0;
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].array->in_launch.counted != l->counted)
            l->relocations[i].array->in_launch =
                (struct array_in_launch){l->counted, i, l->array_count++};
}

static bool is_counted(const struct launching *l, const struct proact_array *a)
{
    return l->counted && a && a->in_launch.counted == l->counted;
}

bool launching_is_again(const struct launching *l, size_t relocation)
{
    if (is_counted(l, l->relocations[relocation].array))
        return l->relocations[relocation].array->in_launch.relocation != relocation;
    for (size_t i = 0; i < relocation; i++)
        if (l->relocations[i].array == l->relocations[relocation].array)
            return true;
    return false;
}

uint32_t launching_number(const struct launching *l, const struct proact_array *a)
{
    uint32_t number = 0;

    if (is_counted(l, a))
        return a->in_launch.number;
    if (l->counted && !a)
        return l->array_count;
    for (size_t i = 0; i < l->relocation_count && l->relocations[i].array != a; i++)
        number += !launching_is_again(l, i);
    return number;
}

uint32_t launching_arrays(const struct launching *l)
{
    return launching_number(l, NULL);
}

struct proact_array *launching_slot_array(const struct launching *l, unsigned slot)
{
    const struct proact_kernel *k = l->kernel;
    struct proact_array *a = launching_array(l, k->slot[slot].offset);

    if (a || !l->found.set)
        return a;
    for (unsigned s = 0; s < k->slot_count && !a; s++)
        a = launching_array(l, k->slot[s].offset);
    return a || !l->relocation_count ? a : l->relocations[0].array;
}

void launch_split(const uint32_t grid[3], unsigned over, unsigned devices,
                  uint32_t *cta_first)
{
    access_partition(grid, over, cta_first);
    for (unsigned d = over; d < devices; d++)
        cta_first[d + 1] = cta_first[over];
}
