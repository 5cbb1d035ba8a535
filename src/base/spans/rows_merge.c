/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spans/rows_merge.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Position of the range in a row of its pitch. */
static uint64_t column(const struct rows *r)
{
    return r->first % r->pitch;
}

static uint64_t line(const struct rows *r)
{
    return r->first / r->pitch;
}

/* Order: larger pitch first, single ranges last; then by first row, number of rows and
   position. */
static int by_line(const void *a, const void *b)
{
    const struct rows *x = a, *y = b;
    int by = compare(y->pitch, x->pitch);

    if (by || !x->pitch)
        return by ? by : compare(x->first, y->first);
    by = compare(line(x), line(y));
    by = by ? by : compare(x->count, y->count);
    return by ? by : compare(x->first, y->first);
}

static int by_column(const void *a, const void *b)
{
    const struct rows *x = a, *y = b;
    int by = compare(y->pitch, x->pitch);

    if (by || !x->pitch)
        return by ? by : compare(x->first, y->first);
    by = compare(column(x), column(y));
    by = by ? by : compare(x->bytes, y->bytes);
    return by ? by : compare(x->first, y->first);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A range that fills its pitch becomes a single row. */
static bool go_beside(struct rows *last, const struct rows *next)
{
    const uint64_t end = last->first + last->bytes;

    if (!next->pitch || last->pitch != next->pitch || last->count != next->count ||
        next->first > end)
        return false;
    last->bytes = later(end, next->first + next->bytes) - last->first;
    if (last->bytes >= last->pitch)
        *last = rows_one(last->first, rows_end(last) - last->first);
    return true;
}

static bool go_behind(struct rows *last, const struct rows *next)
{
    if (!next->pitch || last->pitch != next->pitch || last->bytes != next->bytes ||
        column(last) != column(next) || line(next) > line(last) + last->count)
        return false;
    const uint64_t count =
        later(line(last) + last->count, line(next) + next->count) - line(last);

    if (count > UINT32_MAX)
        return false;
    last->count = (uint32_t)count;
    return true;
}

static size_t join(struct rows *r, size_t count,
                   bool (*goes)(struct rows *last, const struct rows *next))
{
    size_t to = 0;

    for (size_t n = 1; n < count; n++)
        if (!goes(&r[to], &r[n]))
            r[++to] = r[n];
    return to + 1;
}

size_t rows_merge(struct rows *r, size_t count)
{
    if (!count)
        return 0;
    qsort(r, count, sizeof *r, by_line);
    count = join(r, count, go_beside);
    qsort(r, count, sizeof *r, by_column);
    return join(r, count, go_behind);
}
