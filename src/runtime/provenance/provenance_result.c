/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges outside an array, with a limit per pointer. Above it, the closest ranges are
   joined. */
#include <stdlib.h>

#include "base/memory.h"
#include "runtime/provenance/provenance_query.h"

enum { ALL_MAX = 1 << 12 }; /* for all pointers */

/* Bytes between two ranges. */
static uint64_t gap(const struct provenance_range *a, const struct provenance_range *b)
{
    const struct provenance_range *low = a->first < b->first ? a : b,
                                  *high = low == a ? b : a;

    return high->first > low->end ? high->first - low->end : 0;
}

/* Joins the two closest ranges of that pointer, including the gap; without such a pair, the
   last two ranges of all pointers. */
static void join_two(struct provenance_result *f, uint32_t offset)
{
    uint32_t into = f->count - 2, from = f->count - 1;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t j = i + 1; j < f->count && f->outside[i].offset == offset; j++)
            if (f->outside[j].offset == offset &&
                gap(&f->outside[i], &f->outside[j]) < least) {
                least = gap(&f->outside[i], &f->outside[j]);
                into = i;
                from = j;
            }
    struct provenance_range *a = &f->outside[into];
    const struct provenance_range *b = &f->outside[from];

    f->is_mixed |= a->offset != b->offset;
    a->first = b->first < a->first ? b->first : a->first;
    a->end = b->end > a->end ? b->end : a->end;
    a->is_certain = false;
    f->outside[from] = f->outside[--f->count];
}

void provenance_result_add(struct provenance_result *f, const struct provenance_range *b)
{
    unsigned by_this = 1;

    for (uint32_t n = 0; n < f->count; n++) {
        if (f->outside[n].offset != b->offset)
            continue;
        if (f->outside[n].first <= b->first && f->outside[n].end >= b->end)
            return;
        by_this++;
    }
    f->outside = must_grow(f->outside, f->count, &f->capacity, sizeof *f->outside);
    f->outside[f->count++] = *b;
    if (by_this > PROVENANCE_RANGES_MAX || f->count > ALL_MAX)
        join_two(f, b->offset);
}

void provenance_result_clear(struct provenance_result *f)
{
    free(f->outside);
    *f = (struct provenance_result){0};
}
