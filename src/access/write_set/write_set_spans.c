/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "access/write_set/write_set_spans.h"
#include "base/memory.h"

enum { MERGE_AT_FIRST = 4096 };

void write_set_spans_add(struct write_set_spans *s, uint64_t first, uint64_t end)
{
    if (write_set_spans_extend(s, first, end))
        return;
    if (s->count >= MERGE_AT_FIRST && s->count >= s->merge_at) {
        write_set_spans_merge(s);
        s->merge_at = 2 * s->count; /* so that merging stays a small part of the work */
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

void write_set_spans_merge(struct write_set_spans *s)
{
    size_t count = s->count, left = 0;
    bool sorted = true;

    for (size_t n = 1; n < count && sorted; n++)
        sorted = s->spans[n - 1].first <= s->spans[n].first;
    if (!sorted)
        qsort(s->spans, count, sizeof *s->spans, by_first);
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
