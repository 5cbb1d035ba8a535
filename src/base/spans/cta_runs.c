/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spans/cta_runs.h"

#include <stdlib.h>

#include "base/memory.h"

/* Distance of the ranges from those of the last run's first CTA. False: other ranges. */
static bool is_moved(const struct cta_runs *r, const struct rows *rows, uint32_t count,
                     uint64_t from, uint64_t *by)
{
    const struct cta_run *last = &r->run[r->count - 1];
    const struct rows *is = r->rows + last->first;
    bool all = count == last->rows;

    *by = all && count ? rows[0].first + from - is[0].first : 0;
    for (uint32_t n = 0; n < count && all; n++)
        all = rows[n].first + from - is[n].first == *by && rows[n].bytes == is[n].bytes &&
              rows[n].pitch == is[n].pitch && rows[n].count == is[n].count;
    return all;
}

/* Extends the last run by the CTA if it continues the run. The second CTA of a run
   determines its step. */
static bool goes_on(struct cta_runs *r, uint32_t cta, uint32_t count,
                    const struct rows *rows, uint64_t from)
{
    struct cta_run *last = r->count ? &r->run[r->count - 1] : NULL;
    uint64_t by;

    if (!last || last->cta + last->count != cta || !is_moved(r, rows, count, from, &by) ||
        (last->count > 1 && by != last->step * last->count))
        return false;
    last->step = last->count > 1 ? last->step : by;
    last->count++;
    return true;
}

static bool append(struct cta_runs *r, struct cta_run run, const struct rows *rows,
                   uint64_t from)
{
    if ((uint64_t)r->row_count + run.rows > UINT32_MAX)
        return false;
    r->run = must_grow(r->run, r->count, &r->run_capacity, sizeof *r->run);
    run.first = r->row_count;
    run.step = run.count > 1 ? run.step : 0;
    r->run[r->count++] = run;
    for (uint32_t n = 0; n < run.rows; n++) {
        r->rows = must_grow(r->rows, r->row_count, &r->row_capacity, sizeof *r->rows);
        r->rows[r->row_count] = rows[n];
        r->rows[r->row_count++].first += from;
    }
    return true;
}

/* The result is the same as if the CTAs were added one by one. */
bool cta_runs_add(struct cta_runs *r, struct cta_run run, const struct rows *rows,
                  uint64_t from)
{
    if (goes_on(r, run.cta, run.rows, rows, from)) {
        struct cta_run *last = &r->run[r->count - 1];

        if (run.count == 1)
            return true;
        if (last->step == run.step) {
            last->count += run.count - 1;
            return true;
        }
        run.cta++;
        run.count--;
        from += run.step;
    }
    return append(r, run, rows, from);
}

void cta_runs_clear(struct cta_runs *r)
{
    free(r->run);
    free(r->rows);
    *r = (struct cta_runs){0};
}

/* First run that ends after the CTA. */
static uint32_t run_of(const struct cta_runs *r, uint32_t cta)
{
    uint32_t low = 0, high = r->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct cta_run *run = &r->run[middle];

        if (run->cta + run->count <= cta)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cta_runs_walk cta_runs_walk(const struct cta_runs *r, uint32_t cta, uint32_t end)
{
    return (struct cta_runs_walk){
        .of = r, .cta = cta, .end = end, .run = cta < end ? run_of(r, cta) : r->count};
}

/* The walked part of the run: CTAs *from .. *end - 1 of it. False: no more. */
static bool cut(const struct cta_runs_walk *w, uint32_t *from, uint32_t *end)
{
    const struct cta_run *run = &w->of->run[w->run];

    if (w->run >= w->of->count || run->cta >= w->end)
        return false;
    *from = w->cta > run->cta ? w->cta - run->cta : 0;
    *end = w->end - run->cta < run->count ? w->end - run->cta : run->count;
    return true;
}

bool cta_runs_rows(struct cta_runs_walk *w, struct rows *out)
{
    uint32_t from, end;

    while (cut(w, &from, &end)) {
        const struct cta_run *run = &w->of->run[w->run];
        struct rows row;

        if (w->row == run->rows) {
            w->run++;
            w->row = w->next = 0;
            continue;
        }
        row = w->of->rows[run->first + w->row];
        row.first += (from + w->next) * run->step;
        if (!w->next && rows_join(&row, end - from, run->step, out)) {
            w->row++;
            return true;
        }
        *out = row;
        if (from + ++w->next == end) {
            w->row++;
            w->next = 0;
        }
        return true;
    }
    return false;
}

bool cta_runs_span(struct cta_runs_walk *w, struct span *out)
{
    while (!rows_next(&w->spans, out)) {
        if (!cta_runs_rows(w, &w->now))
            return false;
        w->spans = (struct rows_walk){&w->now, &w->now + 1, 0};
    }
    return true;
}
