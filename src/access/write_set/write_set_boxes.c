/* SPDX-License-Identifier: Apache-2.0 */
#include "access/write_set/write_set_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "access/closed/closed_map.h"
#include "base/memory.h"

/* Limit of evaluations of the forms, which take about 0.1 ms each. */
enum { LOOKS_MAX = 64 };

/* Box of consecutive CTAs of the grid. */
struct box {
    uint32_t first[3], end[3];
};

struct piece {
    uint32_t first, end; /* CTA numbers */
    bool is_closed;
    struct record record; /* of closed ones */
};

struct dividing {
    const struct access_launch *launch;
    const struct write_set_slice *slice;
    const struct record *into;
    struct piece *pieces; /* in order */
    size_t count, capacity;
    unsigned looks;
    const char *why; /* of the last box without a closed form; finally, of all CTAs */
    uint32_t line;
};

static uint32_t number_of(const struct dividing *d, const uint32_t id[3])
{
    const uint32_t *grid = d->launch->nctaid;

    return (id[2] * grid[1] + id[1]) * grid[0] + id[0];
}

static uint32_t ctas_of(const struct box *b)
{
    return (b->end[0] - b->first[0]) * (b->end[1] - b->first[1]) *
           (b->end[2] - b->first[2]);
}

/* Whether the closed forms cover the box. */
static bool close(struct dividing *d, const struct box *b, struct record *to)
{
    struct access_launch l = *d->launch;

    memcpy(l.ctaid_first, b->first, sizeof l.ctaid_first);
    memcpy(l.ctaid_end, b->end, sizeof l.ctaid_end);
    d->looks++;
    record_part_open(to, d->into);
    d->why = closed_map_run(d->slice->closed, &l, to, &d->line);
    if (d->why)
        record_part_close(to);
    return !d->why;
}

/* Appends a piece; consecutive pieces without closed forms are merged. */
static struct piece *add_piece(struct dividing *d, const struct box *b, bool is_closed)
{
    const uint32_t first = number_of(d, b->first), end = first + ctas_of(b);
    struct piece *last = d->count ? &d->pieces[d->count - 1] : NULL;

    if (last && !last->is_closed && !is_closed) {
        last->end = end;
        return last;
    }
    d->pieces = must_grow(d->pieces, d->count, &d->capacity, sizeof *d->pieces);
    d->pieces[d->count] = (struct piece){first, end, is_closed, {0}};
    return &d->pieces[d->count++];
}

/* Halves a box along the slowest axis with more than one CTA. */
static void halve(const struct box *b, struct box half[2])
{
    unsigned axis = 2;

    while (b->end[axis] - b->first[axis] == 1)
        axis--;
    half[0] = half[1] = *b;
    half[0].end[axis] = half[1].first[axis] =
        b->first[axis] + (b->end[axis] - b->first[axis]) / 2;
}

static void divide(struct dividing *d, const struct box *b);

static void divide_halves(struct dividing *d, const struct box *b)
{
    struct box half[2];

    halve(b, half);
    divide(d, &half[0]);
    divide(d, &half[1]);
}

static void divide(struct dividing *d, const struct box *b)
{
    struct record record;

    if (d->looks >= LOOKS_MAX)
        add_piece(d, b, false);
    else if (close(d, b, &record))
        add_piece(d, b, true)->record = record;
    else if (ctas_of(b) == 1)
        add_piece(d, b, false);
    else
        divide_halves(d, b);
}

/* Whether the first or the last CTA alone has a closed form that the complete box lacks. */
static bool helps(struct dividing *d, const struct box *all)
{
    struct box one[2] = {*all, *all};
    struct record record;

    for (unsigned axis = 0; axis < 3; axis++) {
        one[0].end[axis] = one[0].first[axis] + 1;
        one[1].first[axis] = one[1].end[axis] - 1;
    }
    for (unsigned n = 0; n < 2; n++)
        if (close(d, &one[n], &record)) {
            record_part_close(&record);
            return true;
        }
    return false;
}

/* Line of the kernel for a line of the slice. */
static uint32_t line_of(const struct write_set_slice *s, uint32_t line)
{
    const uint32_t of = line && line < s->line_count ? s->site_of[line] : 0;

    return of ? s->cut.sites[of - 1].line : 0;
}

static void find_pieces(struct dividing *d)
{
    struct box all = {.first = {0}};
    struct record record;

    memcpy(all.end, d->launch->nctaid, sizeof all.end);
    if (close(d, &all, &record)) {
        add_piece(d, &all, true)->record = record;
        return;
    }
    const char *why = d->why;
    const uint32_t line = d->line;

    if (ctas_of(&all) > 1 && helps(d, &all))
        divide_halves(d, &all);
    else
        add_piece(d, &all, false);
    d->why = why;
    d->line = line_of(d->slice, line);
}

static enum proact_status take_piece(const struct dividing *d, const struct piece *p,
                                     const struct execution *run, struct record *into,
                                     struct boxes_result *out, struct proact_error *err)
{
    struct execution e = *run;
    struct record part;
    enum proact_status status;

    if (p->is_closed) {
        out->places += p->record.places;
        return record_part_take(into, &p->record, p->first, err);
    }
    e.first = p->first;
    e.end = p->end;
    e.why = d->why;
    e.line = d->line;
    record_part_open(&part, into);
    status = write_set_execute(&e, &part, &out->lanes, err);
    if (!status)
        status = record_part_take(into, &part, p->first, err);
    into->is_cut_short |= part.is_cut_short;
    out->ran += p->end - p->first;
    out->work += write_set_work(&part, 0);
    record_part_close(&part);
    return status;
}

enum proact_status boxes_find(const struct access_launch *launch,
                              const struct execution *run, struct record *into,
                              struct boxes_result *out, struct proact_error *err)
{
    struct dividing d = {.launch = launch, .slice = run->slice, .into = into};
    enum proact_status status = PROACT_OK;

    find_pieces(&d);
    *out = (struct boxes_result){.ran = 0};
    for (size_t n = 0; n < d.count; n++) {
        if (!status)
            status = take_piece(&d, &d.pieces[n], run, into, out, err);
        if (d.pieces[n].is_closed)
            record_part_close(&d.pieces[n].record);
    }
    free(d.pieces);
    out->why = out->ran ? d.why : NULL;
    out->line = out->ran ? d.line : 0;
    out->work += out->lanes;
    return status;
}
