/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CTA runs: the bytes that each CTA of a grid accesses, compressed by runs of CTAs with
   equal strided ranges. A grid of millions of CTAs mostly has few runs. */

#include "base/spans/rows.h"

/* CTAs `cta` .. cta + count - 1 with `rows` strided ranges each. The list has those of the
   first CTA, from index `first` on. Those of each further CTA are `step` bytes after the
   previous one's, modulo 2^64. A single CTA has step 0. */
struct cta_run {
    uint32_t cta, count, first, rows;
    uint64_t step;
};

/* Runs in the order of their CTAs. CTAs without a run access nothing. A list starts
   zeroed. */
struct cta_runs {
    struct cta_run *run;
    struct rows *rows;
    uint32_t count, row_count;
    size_t run_capacity, row_capacity;
};

/* Appends a run, whose CTAs must follow all others. `rows` are the ranges of its first CTA,
   shifted by `from`. A run that continues the last one extends it. Returns false if there
   are more ranges than can be counted. */
bool cta_runs_add(struct cta_runs *r, struct cta_run run, const struct rows *rows,
                  uint64_t from);
void cta_runs_clear(struct cta_runs *r);

/* Ranges of CTAs `cta` .. `end` - 1. The ranges of one CTA come in order. The ranges of
   several CTAs of a run that form one strided range are returned together. */
struct cta_runs_walk {
    const struct cta_runs *of;
    uint32_t cta, end;
    uint32_t run, row, next;
    struct rows now; /* strided range whose ranges are returned next */
    struct rows_walk spans;
};
struct cta_runs_walk cta_runs_walk(const struct cta_runs *r, uint32_t cta, uint32_t end);
bool cta_runs_rows(struct cta_runs_walk *w, struct rows *out);
bool cta_runs_span(struct cta_runs_walk *w,
                   struct span *out); /* alternative to cta_runs_rows(); do not mix both */
