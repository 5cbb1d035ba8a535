/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/table_owned.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void owned_begin_cta(struct table_owned *o)
{
    o->next = o->row;
    o->appends = false;
}

static void append(struct table_owned *o, struct owned range)
{
    if (o->count && o->item[o->count - 1].first > range.first)
        o->is_unsorted = true;
    if (!o->appends)
        o->row = o->count;
    o->appends = true;
    o->item = must_grow(o->item, o->count, &o->capacity, sizeof *o->item);
    o->item[o->count++] = range;
    o->next = o->count;
}

void owned_add(struct table_owned *o, uint32_t device, uint64_t first, uint64_t end)
{
    struct owned *before = o->next < o->count ? &o->item[o->next] : NULL;

    if (before && before->end == first && before->device == device) {
        before->end = end;
        o->next++;
    } else
        append(o, (struct owned){first, end, device});
}

/* Stable: a radix sort, for scattered ranges may be millions. */
void owned_sort(struct table_owned *o, uint64_t limit)
{
    enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

    if (!o->is_unsorted)
        return;
    struct owned *from = o->item, *to = must_calloc(o->count, sizeof *to);
    size_t *place = must_calloc(DIGITS, sizeof *place);

    for (unsigned shift = 0; shift < 64 && limit >> shift; shift += DIGIT_BITS) {
        memset(place, 0, DIGITS * sizeof *place);
        for (size_t i = 0; i < o->count; i++)
            place[from[i].first >> shift & (DIGITS - 1)]++;
        for (size_t digit = 0, sum = 0; digit < DIGITS; digit++) {
            size_t count = place[digit];

            place[digit] = sum;
            sum += count;
        }
        for (size_t i = 0; i < o->count; i++)
            to[place[from[i].first >> shift & (DIGITS - 1)]++] = from[i];
        struct owned *spare = from;

        from = to;
        to = spare;
    }
    free(place);
    free(to);
    o->item = from;
    o->capacity = o->count;
    o->is_unsorted = false;
}

/* `far` is the one before that reaches farthest. Another that reaches into this one would
   have met `far` already. */
bool owned_conflict(const struct table_owned *o, const struct owned **one,
                    const struct owned **other)
{
    const struct owned *far = o->item;

    for (size_t i = 1; i < o->count; i++) {
        const struct owned *item = &o->item[i];

        if (far->device != item->device && far->end > item->first) {
            *one = far;
            *other = item;
            return true;
        }
        if (item->end > far->end)
            far = item;
    }
    return false;
}
