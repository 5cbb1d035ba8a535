/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each thread block (CTA) of a grid has of some bytes, by runs of CTAs that have
   alike: a grid of millions is mostly few runs. */

#include "base/spans/rows.h"

/* CTAs `cta` .. cta + count - 1 have `rows` rows each. Those from `first` on in a list are
   of the first CTA; each other one's lie `step` behind those of the one before it, modulo
   2^64. A single one has step 0. */
struct cta_run {
    uint32_t cta, count, first, rows;
    uint64_t step;
};

/* In the order of their CTAs; those of no run have nothing. Start from zero. */
struct cta_runs {
    struct cta_run *run;
    struct rows *rows;
    uint32_t count, row_count;
    size_t run_capacity, row_capacity;
};

/* Behind all others: the rows of its first CTA are these, moved by `from`. It becomes part
   of the last run where it goes on as that does. False: there are more rows than can be
   counted. */
bool cta_runs_add(struct cta_runs *r, struct cta_run run, const struct rows *rows,
                  uint64_t from);
void cta_runs_clear(struct cta_runs *r);

/* What CTAs `cta` .. `end` - 1 have. A CTA's rows come in their order; of several CTAs of a
   run, what is one thing comes at once, row by row. */
struct cta_runs_walk {
    const struct cta_runs *of;
    uint32_t cta, end;
    uint32_t run, row, next;
    struct rows now; /* the spans of these come next */
    struct rows_walk spans;
};
struct cta_runs_walk cta_runs_walk(const struct cta_runs *r, uint32_t cta, uint32_t end);
bool cta_runs_rows(struct cta_runs_walk *w, struct rows *out);
bool cta_runs_span(struct cta_runs_walk *w, struct span *out); /* not both of them */
