/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/table_owned.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void add_item(struct table_owned *o, struct owned item)
{
    struct owned *last = o->count ? &o->item[o->count - 1] : NULL;

    if (last && last->device == item.device && last->end == item.first) {
        last->end = item.end;
        return;
    }
    o->is_unsorted |= last && last->first > item.first;
    o->item = must_grow(o->item, o->count, &o->capacity, sizeof *o->item);
    o->item[o->count++] = item;
}

void owned_add(struct table_owned *o, uint32_t device, const struct rows *r)
{
    struct rows_walk w = {r, r + 1, 0};

    for (struct span s; rows_next(&w, &s);)
        add_item(o, (struct owned){s.first, s.end, device});
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

void owned_clear(struct table_owned *o)
{
    free(o->item);
    *o = (struct table_owned){0};
}
