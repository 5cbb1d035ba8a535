/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, in few places for each address: of too many, those become one that lie
   closest. */
#include <stdlib.h>

#include "base/memory.h"
#include "runtime/stray/stray_ask.h"

enum { ALL_MAX = 1 << 12 }; /* of all addresses */

/* Bytes between the two. */
static uint64_t gap(const struct stray_beyond *a, const struct stray_beyond *b)
{
    const struct stray_beyond *low = a->first < b->first ? a : b, *high = low == a ? b : a;

    return high->first > low->end ? high->first - low->end : 0;
}

/* The two by that address that lie closest to each other become one, with what lies between
   them; or, if there is no such pair, the last two of all. */
static void join_two(struct stray_found *f, uint32_t offset)
{
    uint32_t into = f->count - 2, from = f->count - 1;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t j = i + 1; j < f->count && f->beyond[i].offset == offset; j++)
            if (f->beyond[j].offset == offset &&
                gap(&f->beyond[i], &f->beyond[j]) < least) {
                least = gap(&f->beyond[i], &f->beyond[j]);
                into = i;
                from = j;
            }
    struct stray_beyond *a = &f->beyond[into];
    const struct stray_beyond *b = &f->beyond[from];

    f->is_mixed |= a->offset != b->offset;
    a->first = b->first < a->first ? b->first : a->first;
    a->end = b->end > a->end ? b->end : a->end;
    a->is_certain = false;
    f->beyond[from] = f->beyond[--f->count];
}

void stray_add(struct stray_found *f, const struct stray_beyond *b)
{
    unsigned by_this = 1;

    for (uint32_t n = 0; n < f->count; n++) {
        if (f->beyond[n].offset != b->offset)
            continue;
        if (f->beyond[n].first <= b->first && f->beyond[n].end >= b->end)
            return;
        by_this++;
    }
    f->beyond = must_grow(f->beyond, f->count, &f->capacity, sizeof *f->beyond);
    f->beyond[f->count++] = *b;
    if (by_this > STRAY_BEYOND_MAX || f->count > ALL_MAX)
        join_two(f, b->offset);
}

void stray_found_clear(struct stray_found *f)
{
    free(f->beyond);
    *f = (struct stray_found){0};
}
