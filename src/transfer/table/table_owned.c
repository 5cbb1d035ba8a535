/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/table/table_owned.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void add_item(struct table_owned *o, struct owned item)
{
    struct owned *last = o->count ? &o->item[o->count - 1] : NULL;

    if (last && last->device == item.device && last->rows.count == 1 &&
        item.rows.count == 1 && rows_end(&last->rows) == item.rows.first) {
        last->rows.bytes += item.rows.bytes;
        return;
    }
    o->item = must_grow(o->item, o->count, &o->capacity, sizeof *o->item);
    o->item[o->count++] = item;
}

void owned_add(struct table_owned *o, uint32_t device, const struct rows *r)
{
    add_item(o, (struct owned){*r, device});
}

/* Stable radix sort, since indirect stores may cause millions of ranges. */
static void sort(struct table_owned *o, uint64_t limit)
{
    enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
    bool is_sorted = true;

    for (size_t i = 1; i < o->count && is_sorted; i++)
        is_sorted = o->item[i - 1].rows.first <= o->item[i].rows.first;
    if (is_sorted)
        return;
    struct owned *from = o->item, *to = must_calloc(o->count, sizeof *to);
    size_t *place = must_calloc(DIGITS, sizeof *place);

    for (unsigned shift = 0; shift < 64 && limit >> shift; shift += DIGIT_BITS) {
        memset(place, 0, DIGITS * sizeof *place);
        for (size_t i = 0; i < o->count; i++)
            place[from[i].rows.first >> shift & (DIGITS - 1)]++;
        for (size_t digit = 0, sum = 0; digit < DIGITS; digit++) {
            size_t count = place[digit];

            place[digit] = sum;
            sum += count;
        }
        for (size_t i = 0; i < o->count; i++)
            to[place[from[i].rows.first >> shift & (DIGITS - 1)]++] = from[i];
        struct owned *spare = from;

        from = to;
        to = spare;
    }
    free(place);
    free(to);
    o->item = from;
    o->capacity = o->count;
}

/* Size of the group of sorted items from `n` on whose extents overlap. */
static size_t entangled(const struct table_owned *o, size_t n)
{
    uint64_t end = rows_end(&o->item[n].rows);
    size_t next = n + 1;

    for (; next < o->count && o->item[next].rows.first < end; next++)
        if (rows_end(&o->item[next].rows) > end)
            end = rows_end(&o->item[next].rows);
    return next - n;
}

/* Splits interleaved strided ranges into single ranges; returns whether there were any. */
static bool part(struct table_owned *o)
{
    struct table_owned parted = {NULL, 0, 0};
    bool any = false;

    for (size_t n = 0, count; n < o->count; n += count) {
        count = entangled(o, n);
        any |= count > 1;
        for (size_t k = n; k < n + count; k++) {
            struct rows_walk w = {&o->item[k].rows, &o->item[k].rows + 1, 0};

            if (count == 1)
                add_item(&parted, o->item[k]);
            else
                for (struct span s; rows_next(&w, &s);)
                    add_item(&parted, (struct owned){rows_one(s.first, s.end - s.first),
                                                     o->item[k].device});
        }
    }
    free(o->item);
    *o = parted;
    return any;
}

void owned_sort(struct table_owned *o, uint64_t limit)
{
    sort(o, limit);
    if (part(o))
        sort(o, limit);
}

/* Finds a conflict. `far` is the previous item with the largest end: an item that overlaps
   the current one implies an overlap with `far`. */
bool owned_conflict(const struct table_owned *o, const struct owned **one,
                    const struct owned **other)
{
    const struct owned *far = o->item;

    for (size_t i = 1; i < o->count; i++) {
        const struct owned *item = &o->item[i];

        if (far->device != item->device && rows_end(&far->rows) > item->rows.first) {
            *one = far;
            *other = item;
            return true;
        }
        if (rows_end(&item->rows) > rows_end(&far->rows))
            far = item;
    }
    return false;
}

void owned_clear(struct table_owned *o)
{
    free(o->item);
    *o = (struct table_owned){0};
}
