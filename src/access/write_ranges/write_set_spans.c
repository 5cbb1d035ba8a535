/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "access/write_ranges/write_set_spans.h"
#include "base/memory.h"

enum { MERGE_AT_FIRST = 4096, DIGITS = 1 << 11 };

void write_set_spans_add(struct write_set_spans *s, uint64_t first, uint64_t end)
{
    if (write_set_spans_extend(s, first, end))
        return;
    if (s->count >= MERGE_AT_FIRST && s->count >= s->merge_at) {
        write_set_spans_merge(s);
        s->merge_at = 2 * s->count; /* merging stays a small part of the work */
    }
    s->spans = must_grow(s->spans, s->count, &s->capacity, sizeof *s->spans);
    s->spans[s->count].first = first;
    s->spans[s->count++].end = end;
}

static int by_first(const void *a, const void *b)
{
    const struct write_set_span *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Radix sort over the bits in which two numbers differ. The tiles of many CTAs have
   millions of rows, and a comparison sort took most of the analysis time of a launch. */
static void sort_spans(struct write_set_spans *s)
{
    struct write_set_span *from = s->spans, *to;
    uint64_t differ = 0;

    if (s->count < DIGITS) {
        qsort(s->spans, s->count, sizeof *s->spans, by_first);
        return;
    }
    for (size_t n = 1; n < s->count; n++)
        differ |= from[n].first ^ from[0].first;
    to = must_calloc(s->count, sizeof *to);
    s->capacity = s->count;
    while (differ) {
        const int shift = __builtin_ctzll(differ);
        const uint64_t digit = (uint64_t)(DIGITS - 1) << shift;
        size_t at[DIGITS + 1] = {0};

        for (size_t n = 0; n < s->count; n++)
            at[((from[n].first & digit) >> shift) + 1]++;
        for (uint32_t n = 1; n < DIGITS; n++)
            at[n] += at[n - 1];
        for (size_t n = 0; n < s->count; n++)
            to[at[(from[n].first & digit) >> shift]++] = from[n];
        s->spans = to;
        to = from;
        from = s->spans;
        differ &= ~digit;
    }
    free(to);
}

void write_set_spans_merge(struct write_set_spans *s)
{
    size_t count = s->count, left = 0;
    bool sorted = true;

    for (size_t n = 1; n < count && sorted; n++)
        sorted = s->spans[n - 1].first <= s->spans[n].first;
    if (!sorted)
        sort_spans(s);
    for (size_t n = 0; n < count; n++) {
        struct write_set_span *last = left ? &s->spans[left - 1] : NULL;

        if (!last || s->spans[n].first > last->end)
            s->spans[left++] = s->spans[n];
        else if (s->spans[n].end > last->end)
            last->end = s->spans[n].end;
    }
    s->count = left;
}

void write_set_spans_clear(struct write_set_spans *s)
{
    free(s->spans);
    *s = (struct write_set_spans){0};
}
