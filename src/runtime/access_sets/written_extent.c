/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/written_extent.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/spans/cta_runs.h"

/* From the first to the last byte of the first CTA of a run. */
static struct span extent_of_run(const struct cta_runs *of, const struct cta_run *run)
{
    struct span all = {UINT64_MAX, 0};

    for (uint32_t n = 0; n < run->rows; n++) {
        const struct rows *r = &of->rows[run->first + n];

        all.first = r->first < all.first ? r->first : all.first;
        all.end = rows_end(r) > all.end ? rows_end(r) : all.end;
    }
    return all;
}

static uint64_t ranges_of_run(const struct cta_runs *of, const struct cta_run *run)
{
    uint64_t count = 0;

    for (uint32_t n = 0; n < run->rows; n++)
        count += of->rows[run->first + n].count;
    return count;
}

/* Extent of all CTAs from `first` to `end` - 1. */
static uint64_t extent_of_device(const struct cta_runs *of, uint32_t first, uint32_t end)
{
    struct span all = {UINT64_MAX, 0};

    for (uint32_t n = 0; n < of->count; n++) {
        const struct cta_run *run = &of->run[n];
        const uint32_t from = run->cta > first ? run->cta : first;
        const uint32_t to = run->cta + run->count < end ? run->cta + run->count : end;
        const struct span one = extent_of_run(of, run);

        for (int last = 0; last < 2 && from < to; last++) { /* steps may be negative */
            const uint64_t by = ((last ? to - 1 : from) - run->cta) * run->step;

            all.first = one.first + by < all.first ? one.first + by : all.first;
            all.end = one.end + by > all.end ? one.end + by : all.end;
        }
    }
    return all.end > all.first ? all.end - all.first : 0;
}

struct plan_extent written_extent(const struct cta_runs *runs, const uint32_t *cta_first,
                                  unsigned devices)
{
    double bytes = 0, ranges = 0, ctas = 0;
    uint64_t most = 0;

    for (uint32_t n = 0; n < runs->count; n++) {
        const struct cta_run *run = &runs->run[n];
        const struct span one = extent_of_run(runs, run);

        if (one.end <= one.first)
            continue;
        bytes += (double)(one.end - one.first) * run->count;
        ranges += (double)ranges_of_run(runs, run) * run->count;
        ctas += run->count;
    }
    if (ctas <= 0)
        return (struct plan_extent){.bytes = 0};
    for (unsigned d = 0; d < devices; d++) {
        const uint64_t device = extent_of_device(runs, cta_first[d], cta_first[d + 1]);

        most = device > most ? device : most;
    }
    return (struct plan_extent){.bytes = (uint64_t)(bytes / ctas),
                                .ranges = ranges / ctas,
                                .share = fmin(bytes / ctas / fmax((double)most, 1), 1)};
}

static int extent_compare(const void *left, const void *right)
{
    const struct span *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

/* Joins adjacent ranges, which ascend, and counts strided ones. */
static size_t extent_copies(const struct span *span, size_t count)
{
    struct rows last = {0};
    size_t copies = 0;

    for (size_t i = 0, next; i < count; i = next) {
        uint64_t end = span[i].end;

        for (next = i + 1; next < count && span[next].first <= end; next++)
            end = span[next].end > end ? span[next].end : end;
        if (copies && rows_go_on(&last, span[i].first, end - span[i].first))
            continue;
        last = rows_one(span[i].first, end - span[i].first);
        copies++;
    }
    return copies;
}

size_t written_copies(const struct cta_runs *runs, uint32_t first, uint32_t end)
{
    enum { SPANS_MAX = 1 << 16 };
    struct cta_runs_walk walk = cta_runs_walk(runs, first, end);
    struct span *all = must_calloc(SPANS_MAX, sizeof *all);
    size_t count = 0;

    while (count < SPANS_MAX && cta_runs_span(&walk, &all[count]))
        count++;
    qsort(all, count, sizeof *all, extent_compare);
    const size_t copies = extent_copies(all, count);

    free(all);
    return copies;
}
