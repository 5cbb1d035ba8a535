/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap of partitions: whether two partitions of a grid may write the same byte. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/write_ranges/write_set_spans.h"
#include "access/write_set.h"
#include "base/fail.h"
#include "base/memory.h"

/* Ranges of one partition in one array, computed on demand. Exact spans may be as many as
   threads, for single bytes and words. They are computed only if `closed` spans, which
   include small gaps, overlap. */
struct part {
    uint32_t first_cta, end_cta;
    uint64_t first, end;
    struct rows_list rows; /* for `closed` */
    struct write_set_spans spans, closed;
};

/* Appends a row; small gaps, inside it and before it, are closed. */
static void close_row(struct rows_list *l, struct rows r)
{
    struct rows *last = l->count ? &l->rows[l->count - 1] : NULL;

    rows_close(&r, ROWS_GAP_NARROW);
    if (last && rows_bridge(last, &r, ROWS_GAP_NARROW))
        rows_close(last, ROWS_GAP_NARROW);
    else
        rows_gather_turns(l, &r);
}

static void find_rows(const struct write_set_ranges *a, struct part *p)
{
    struct cta_runs_walk w = cta_runs_walk(&a->runs, p->first_cta, p->end_cta);
    struct rows rows;

    p->first = UINT64_MAX;
    p->end = 0;
    while (cta_runs_rows(&w, &rows)) {
        const uint64_t end = rows_end(&rows);

        p->first = rows.first < p->first ? rows.first : p->first;
        p->end = end > p->end ? end : p->end;
        close_row(&p->rows, rows);
    }
}

static void add_rows(const struct rows_list *rows, struct write_set_spans *into)
{
    struct rows_walk w = {rows->rows, rows->rows + rows->count, 0};
    struct span s;

    while (rows_next(&w, &s))
        write_set_spans_add(into, s.first, s.end);
    write_set_spans_merge(into);
}

static void find_closed(struct part *p)
{
    if (!p->closed.count)
        add_rows(&p->rows, &p->closed);
}

static void find_spans(const struct write_set_ranges *a, struct part *p)
{
    struct cta_runs_walk w = cta_runs_walk(&a->runs, p->first_cta, p->end_cta);
    struct rows_list exact = {0};

    if (p->spans.count)
        return;
    for (struct rows rows; cta_runs_rows(&w, &rows);)
        rows_gather_turns(&exact, &rows);
    add_rows(&exact, &p->spans);
    free(exact.rows);
}

/* First common byte, or UINT64_MAX. */
static uint64_t common_byte(const struct write_set_spans *a,
                            const struct write_set_spans *b)
{
    size_t i = 0, k = 0;

    while (i < a->count && k < b->count) {
        const struct write_set_span *x = &a->spans[i], *y = &b->spans[k];

        if (x->first < y->end && y->first < x->end)
            return x->first > y->first ? x->first : y->first;
        if (x->end <= y->first)
            i++;
        else
            k++;
    }
    return UINT64_MAX;
}

static uint32_t writer_of(const struct write_set_ranges *a, const struct part *p,
                          uint64_t byte)
{
    for (uint32_t cta = p->first_cta; cta < p->end_cta; cta++) {
        struct cta_runs_walk w = cta_runs_walk(&a->runs, cta, cta + 1);

        for (struct span s; cta_runs_span(&w, &s);)
            if (byte - s.first < s.end - s.first)
                return cta;
    }
    return p->end_cta;
}

static enum proact_status compare(const struct write_set *w,
                                  const struct write_set_ranges *a, struct part *one,
                                  struct part *other, struct proact_error *err)
{
    if (one->end <= other->first || other->end <= one->first)
        return PROACT_OK;
    find_closed(one);
    find_closed(other);
    if (common_byte(&one->closed, &other->closed) == UINT64_MAX)
        return PROACT_OK;
    find_spans(a, one);
    find_spans(a, other);
    uint64_t byte = common_byte(&one->spans, &other->spans);

    if (byte == UINT64_MAX)
        return PROACT_OK;
    return fail(err, PROACT_EREFUSED,
                "CTAs %" PRIu32 " and %" PRIu32 " are in different partitions of the "
                "grid, and both %s byte %" PRIu64 " of %s '%s'",
                writer_of(a, one, byte), writer_of(a, other, byte),
                w->is_exact ? "write" : "may write", byte,
                a->is_variable ? "variable" : "array", a->name);
}

static enum proact_status overlap_in(const struct write_set *w,
                                     const struct write_set_ranges *a,
                                     const uint32_t *part_first, uint32_t part_count,
                                     struct proact_error *err)
{
    struct part *parts = must_calloc(part_count + 1u, sizeof *parts);
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < part_count; n++) {
        parts[n].first_cta = part_first[n];
        parts[n].end_cta = part_first[n + 1];
        find_rows(a, &parts[n]);
        for (uint32_t before = 0; before < n && !status; before++)
            status = compare(w, a, &parts[before], &parts[n], err);
    }
    for (uint32_t n = 0; n < part_count; n++) {
        write_set_spans_clear(&parts[n].spans);
        write_set_spans_clear(&parts[n].closed);
        free(parts[n].rows.rows);
    }
    free(parts);
    return status;
}

static enum proact_status find_overlap(const struct write_set *w,
                                       const uint32_t *part_first, uint32_t part_count,
                                       struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < w->array_count && !status; n++)
        if (w->arrays[n].runs.count)
            status = overlap_in(w, &w->arrays[n], part_first, part_count, err);
    return status;
}

enum proact_status write_set_overlap(const struct write_set *w, const uint32_t *part_first,
                                     uint32_t part_count, struct proact_error *err)
{
    struct write_set_parted *p = w->parted;
    size_t bytes = (part_count + 1u) * sizeof *part_first;

    for (uint32_t n = 0; n < part_count; n++)
        if (part_first[n] > part_first[n + 1] || part_first[n + 1] > w->cta_count)
            return fail(err, PROACT_EINVAL,
                        "partition %" PRIu32 " of the grid ends with CTA %" PRIu32
                        " of %" PRIu32,
                        n, part_first[n + 1], w->cta_count);
    if (!p->first || p->count != part_count || memcmp(p->first, part_first, bytes) != 0) {
        free(p->first);
        p->first = must_calloc(1, bytes);
        memcpy(p->first, part_first, bytes);
        p->count = part_count;
        p->counted++;
        p->status = find_overlap(w, part_first, part_count, &p->err);
    }
    if (p->status && err)
        *err = p->err;
    return p->status;
}
