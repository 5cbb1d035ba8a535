/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/memory/rt_range.h"

#include <string.h>

#include "base/memory.h"

enum { REACH = 1 << 16 };

/* Number of ranges that begin at or before the address. */
static size_t until(const struct rt_ranges *r, uint64_t address)
{
    size_t low = 0, high = r->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (r->list[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct rt_range *range_add(struct rt_ranges *r, const struct rt_range *range)
{
    size_t at = until(r, range->first);

    r->list = must_grow(r->list, r->count + 1, &r->capacity, sizeof *r->list);
    memmove(&r->list[at + 1], &r->list[at], (r->count - at) * sizeof *r->list);
    r->list[at] = *range;
    r->count++;
    r->changes++;
    return &r->list[at];
}

struct rt_range *range_find(const struct rt_ranges *r, uint64_t address)
{
    size_t at = until(r, address);

    return at && address - r->list[at - 1].first < r->list[at - 1].bytes ? &r->list[at - 1]
                                                                         : NULL;
}

static bool reaches(const struct rt_range *range, uint64_t distance, bool is_end)
{
    /* Kernels cannot access the neighbours of registered host memory. */
    return range->is_shadow ? is_end : range->array && distance <= REACH;
}

struct rt_range *range_near(const struct rt_ranges *r, uint64_t address)
{
    const size_t at = until(r, address);
    struct rt_range *before = at ? &r->list[at - 1] : NULL;
    struct rt_range *behind = at < r->count ? &r->list[at] : NULL;

    if (before && address - before->first < before->bytes)
        return before;
    const uint64_t from = before ? address - before->first - before->bytes : 0;
    const uint64_t to = behind ? behind->first - address : 0;
    const bool is_before = before && reaches(before, from, from == 0);
    const bool is_behind = behind && reaches(behind, to, false);

    if (is_before && is_behind)
        return from <= to ? before : behind;
    return is_before ? before : is_behind ? behind : NULL;
}

void range_remove(struct rt_ranges *r, struct rt_range *range)
{
    size_t at = (size_t)(range - r->list);

    memmove(range, range + 1, (r->count - at - 1) * sizeof *range);
    r->count--;
    r->changes++;
}
