/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spans/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

size_t spans_from(const struct spans *s, uint64_t byte)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->span[middle].end <= byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void spans_add(struct spans *s, uint64_t first, uint64_t end)
{
    if (first >= end)
        return;
    struct span *last = s->count ? &s->span[s->count - 1] : NULL;

    /* Ranges mostly arrive in order. */
    if (last && last->first <= first && first <= last->end) {
        last->end = last->end > end ? last->end : end;
        return;
    }
    if (last && last->end < first) {
        s->span = must_grow(s->span, s->count, &s->capacity, sizeof *s->span);
        s->span[s->count++] = (struct span){first, end};
        return;
    }
    /* Ranges from `at` to before `behind` touch the new one and are merged into it. */
    size_t at = first ? spans_from(s, first - 1) : 0, behind = at;

    while (behind < s->count && s->span[behind].first <= end) {
        first = s->span[behind].first < first ? s->span[behind].first : first;
        end = s->span[behind].end > end ? s->span[behind].end : end;
        behind++;
    }
    if (behind == at)
        s->span = must_grow(s->span, s->count, &s->capacity, sizeof *s->span);
    if (s->count > behind)
        memmove(&s->span[at + 1], &s->span[behind], (s->count - behind) * sizeof *s->span);
    s->count = s->count - (behind - at) + 1;
    s->span[at] = (struct span){first, end};
}

/* The range that starts first, removed from its list. */
static struct span take_first(const struct spans *a, size_t *n, const struct spans *b,
                              size_t *m)
{
    if (*m == b->count || (*n < a->count && a->span[*n].first <= b->span[*m].first))
        return a->span[(*n)++];
    return b->span[(*m)++];
}

static void merge(struct spans *into, const struct spans *of)
{
    struct spans both = {must_calloc(into->count + of->count, sizeof *both.span), 0,
                         into->count + of->count};

    for (size_t n = 0, m = 0; n < into->count || m < of->count;) {
        const struct span next = take_first(into, &n, of, &m);

        spans_add(&both, next.first, next.end);
    }
    spans_clear(into);
    *into = both;
}

void spans_join(struct spans *into, const struct spans *of)
{
    enum { FEW = 16 }; /* more insertions would repeatedly move all later ranges */

    if (of->count > FEW && into->count &&
        of->span[0].first <= into->span[into->count - 1].end) {
        merge(into, of);
        return;
    }
    for (size_t n = 0; n < of->count; n++)
        spans_add(into, of->span[n].first, of->span[n].end);
}

static uint64_t gap_behind(const struct spans *s, size_t n)
{
    return s->span[n + 1].first - s->span[n].end;
}

static int compare_gaps(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The largest of the `count` smallest gaps. */
static uint64_t gap_at_most(const struct spans *s, size_t count)
{
    uint64_t *gap = must_calloc(s->count, sizeof *gap), found;

    for (size_t n = 0; n + 1 < s->count; n++)
        gap[n] = gap_behind(s, n);
    qsort(gap, s->count - 1, sizeof *gap, compare_gaps);
    found = gap[count - 1];
    free(gap);
    return found;
}

void spans_coarsen(struct spans *s, size_t most)
{
    size_t to = 0;

    if (s->count <= most)
        return;
    const uint64_t largest = gap_at_most(s, s->count - most);

    for (size_t n = 0; n + 1 < s->count; n++)
        if (s->span[n + 1].first - s->span[to].end <= largest)
            s->span[to].end = s->span[n + 1].end;
        else
            s->span[++to] = s->span[n + 1];
    s->count = to + 1;
}

void spans_close(struct spans *s, uint64_t most, bool all)
{
    size_t to = 0;

    for (size_t n = 1; n < s->count; n++) {
        struct span *last = &s->span[to];
        const uint64_t gap = s->span[n].first - last->end;

        if (gap <= most && (all || gap <= s->span[n].end - s->span[n].first))
            last->end = s->span[n].end;
        else
            s->span[++to] = s->span[n];
    }
    s->count = s->count ? to + 1 : 0;
}

bool range_set_contains(const struct spans *s, const struct spans *all_of)
{
    for (size_t n = 0; n < all_of->count; n++) {
        size_t at = spans_from(s, all_of->span[n].first);

        if (at == s->count || s->span[at].first > all_of->span[n].first ||
            s->span[at].end < all_of->span[n].end)
            return false;
    }
    return true;
}

/* The count is limited, because range sets may have millions of ranges and callers need
   few. */
size_t spans_meetings(const struct spans *a, const struct spans *b, size_t most)
{
    size_t count = 0;

    for (size_t n = 0, m = 0; n < a->count && m < b->count && count < most;) {
        if (a->span[n].first < b->span[m].end && b->span[m].first < a->span[n].end) {
            count++;
            n++;
        } else if (a->span[n].end <= b->span[m].first) {
            n = spans_from(a, b->span[m].first);
        } else {
            m = spans_from(b, a->span[n].first);
        }
    }
    return count;
}

bool spans_meet(const struct spans *a, const struct spans *b)
{
    return spans_meetings(a, b, 1) != 0;
}

void spans_clear(struct spans *s)
{
    free(s->span);
    *s = (struct spans){0};
}
