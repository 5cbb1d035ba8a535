/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_quotient.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

uint32_t closed_sort_once(int64_t *values, uint32_t count)
{
    uint32_t kept = 0;

    qsort(values, count, sizeof *values, by_value);
    for (uint32_t n = 0; n < count; n++)
        if (!n || values[n] != values[kept - 1])
            values[kept++] = values[n];
    return kept;
}

static const struct closed_quotient *make(struct closed_view *v, struct closed_quotient q)
{
    struct closed_quotient *made = arena_alloc(v->arena, sizeof *made);

    q.number = v->quotient_count;
    q.remainders = arena_alloc(v->arena, v->threads * sizeof *q.remainders);
    for (uint32_t t = 0; t < v->threads; t++) {
        q.remainders[t] = q.inner[t] % q.divisor;
        q.most = q.inner[t] > q.most ? q.inner[t] : q.most;
    }
    q.rest_count = closed_sort_once(q.remainders, v->threads);
    *made = q;
    return v->quotients[v->quotient_count++] = made;
}

const struct closed_quotient *closed_quotient_find(struct closed_view *v,
                                                   const struct closed_line *line,
                                                   const int64_t *inner, int64_t high,
                                                   int64_t divisor)
{
    const size_t bytes = v->threads * sizeof *inner;
    struct closed_quotient q = {.divisor = divisor, .line = *line, .high = high};
    int64_t least = inner[0];

    q.inner = arena_alloc(v->arena, bytes);
    for (uint32_t t = 0; t < v->threads; t++)
        least = inner[t] < least ? inner[t] : least;
    for (uint32_t t = 0; t < v->threads; t++)
        q.inner[t] = inner[t] - least;
    q.line.constant += least;
    for (uint32_t n = 0; n < v->quotient_count; n++) {
        const struct closed_quotient *is = v->quotients[n];

        if (is->divisor == divisor && !memcmp(&is->line, &q.line, sizeof q.line) &&
            !memcmp(is->inner, q.inner, bytes))
            return is;
    }
    return v->quotient_count < CLOSED_QUOTIENTS_MAX ? make(v, q) : NULL;
}

struct closed_phase closed_quotient_phase(const struct closed_quotient *q, int64_t line)
{
    const int64_t rest = line % q->divisor;
    uint32_t low = 0, high = q->rest_count; /* below `low` they do not reach the next */

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (q->remainders[middle] + rest < q->divisor)
            low = middle;
        else
            high = middle;
    }
    return (struct closed_phase){
        rest, high < q->rest_count ? q->remainders[high] + rest - q->divisor : rest,
        q->divisor - 1 - q->remainders[low] - rest};
}

void closed_form_add_quotient(struct closed_view *v, struct closed_form *f,
                              const struct closed_quotient *q, int64_t factor)
{
    struct closed_multiple **at = &f->multiples;

    while (*at && (*at)->of->number < q->number)
        at = &(*at)->next;
    if (!*at || (*at)->of != q) {
        struct closed_multiple *m = arena_alloc(v->arena, sizeof *m);

        *m = (struct closed_multiple){.next = *at, .of = q};
        *at = m;
    }
    (*at)->factor = (int64_t)((uint64_t)(*at)->factor + (uint64_t)factor);
    if (!(*at)->factor)
        *at = (*at)->next;
}
