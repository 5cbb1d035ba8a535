/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_map.h"

#include <stdlib.h>
#include <string.h>

#include "access/closed/closed_group.h"
#include "access/write_set/write_set_record.h"
#include "base/memory.h"

/* Places (CTA and iterations) after which, and ways to stand against facts after which, a
   slice is no slower. */
enum { PLACES_MAX = 1 << 24, LOOKS_MAX = 1 << 22, STORES_MAX = 64 };

struct closed_map {
    struct access_analysis *analysis;
};

/* One launch. */
struct closing {
    const struct access_launch *launch;
    struct closed_view view;
    struct record *into;
    struct closed_group *groups;
    uint32_t group_count;
    struct rows_list rows, apart; /* of one CTA and array */
    struct line *lines;           /* by group */
    uint32_t places;
};

struct closed_map *closed_map_create(const struct ptx_module *m,
                                     const struct ptx_function *f)
{
    struct closed_map *c = must_calloc(1, sizeof *c);

    c->analysis = access_analyze(m, f);
    return c;
}

void closed_map_destroy(struct closed_map *c)
{
    if (!c)
        return;
    access_destroy(c->analysis);
    free(c);
}

/* The array into which the record's pointer points: the store's offset is then in it. */
static bool find_array(const struct closing *c, const struct access_record *r,
                       struct closed_store *s)
{
    const struct access_symbol *y = &c->view.analysis->symbols[r->base_symbol];
    const struct record *to = c->into;
    uint64_t pointer;

    if (r->base != ACCESS_BASE_PARAMETER || y->bytes != 8 ||
        y->offset + 8u > c->launch->parameter_bytes)
        return false;
    memcpy(&pointer, c->launch->parameters + y->offset, sizeof pointer);
    for (uint32_t n = 0; n < to->array_count; n++)
        if (pointer - to->arrays[n].address < to->arrays[n].bytes) {
            s->array = n;
            s->at.line.constant += (int64_t)(pointer - to->arrays[n].address);
            return true;
        }
    return false;
}

static void add_store(struct closing *c, const struct closed_store *s, uint32_t stores)
{
    uint32_t n = 0;

    while (n < c->group_count && !closed_group_fits(&c->groups[n], s))
        n++;
    if (n == c->group_count)
        closed_group_open(&c->groups[c->group_count++], s, &c->view, stores);
    closed_group_add(&c->groups[n], s);
}

static const char *close_record(struct closing *c, const struct access_record *r,
                                uint32_t stores)
{
    struct closed_store *s = arena_alloc(c->view.arena, sizeof *s);
    const struct write_set_slice *slice = c->into->slice;
    uint32_t site = r->line < slice->line_count ? slice->site_of[r->line] : 0;
    int64_t bounds[2];
    bool known;
    const char *why;

    if (r->state != ACCESS_CLOSED || !r->bytes || !site)
        return "has no form";
    if (access_wraps(c->view.analysis, r, c->launch, c->view.trips, bounds, &known))
        return "may wrap";
    if ((why = closed_store_find(&c->view, r, s)))
        return why;
    if (s->is_never)
        return NULL;
    if (!find_array(c, r, s))
        return "starts from no array";
    if (!s->is_exact)
        return "has a guard without a form";
    s->is_atomic = slice->cut.sites[site - 1].is_atomic; /* in the slice all are stores */
    s->line = slice->cut.sites[site - 1].line;
    add_store(c, s, stores);
    return NULL;
}

static bool is_global_store(const struct access_record *r)
{
    return r->kind != ACCESS_READ && r->base != ACCESS_BASE_SHARED &&
           r->base != ACCESS_BASE_LOCAL;
}

static const char *close_records(struct closing *c, uint32_t *line)
{
    const struct access_analysis *a = c->view.analysis;
    uint32_t stores = 0;
    const char *why = NULL;

    for (uint32_t n = 0; n < a->record_count; n++)
        stores += is_global_store(&a->records[n]);
    *line = 0;
    if (stores > STORES_MAX)
        return "has too many stores";
    c->groups = arena_alloc(c->view.arena, (stores + 1u) * sizeof *c->groups);
    for (uint32_t n = 0; n < a->record_count && !why; n++) {
        if (!is_global_store(&a->records[n]))
            continue;
        *line = a->records[n].line;
        why = close_record(c, &a->records[n], stores);
    }
    *line = why ? *line : 0;
    return why;
}

/* What the group writes at `outer`, and, each time `step` farther on, at the `count` - 1
   values of one outer variable behind it. */
struct at {
    const struct closed_template *is; /* NULL: nothing */
    int64_t from, step;
    uint32_t count;
};

/* What a group without loops writes in a line of CTAs, and, each time `down` farther on, in
   the `left` ones below. */
struct line {
    struct line_run {
        struct at at; /* but that its template may have moved: */
        uint32_t is;  /* which one it is */
        int64_t down;
    } * runs;
    uint32_t count, left;
    size_t capacity;
};

/* Whether what starts at `from` stays in the array; `from` is any 64 bits. */
static bool is_within(const struct closed_template *t, int64_t from, uint64_t bytes)
{
    const int64_t most = (int64_t)1 << 61;
    int64_t first = t->spans[0].first, end = t->spans[t->count - 1].end;

    if (from < -most || from > most || first < -most || end > most)
        return false;
    return from + first >= 0 && (uint64_t)(from + end) <= bytes;
}

static bool are_within(const struct closed_template *t, const struct at *at, uint64_t bytes)
{
    const uint64_t way = (at->count - 1u) * (uint64_t)at->step;

    return is_within(t, at->from, bytes) &&
           is_within(t, (int64_t)((uint64_t)at->from + way), bytes);
}

static bool find_at(struct closing *c, struct closed_group *g, const int64_t *outer,
                    uint32_t of, uint32_t most, struct at *at)
{
    struct record_array *a = &c->into->arrays[g->array];

    if (c->places++ == PLACES_MAX)
        return false;
    at->count = most > 1 ? closed_group_alike(g, outer, of, most, &at->step) : 1;
    if (at->count == 1)
        at->step = 0;
    at->is = closed_group_at(g, outer, &at->from);
    if (!at->is)
        return true;
    record_note_line(a, g->line, g->is_atomic);
    return are_within(at->is, at, a->bytes) &&
           (uint64_t)g->template_count * g->threads * g->store_count <= LOOKS_MAX;
}

/* The next values of loops 0 .. count - 1, the first of which is outermost. */
static bool next(const struct closed_group *g, uint32_t count, int64_t *outer)
{
    while (count-- > 0) {
        if (++outer[3 + count] < g->trips[count])
            return true;
        outer[3 + count] = 0;
    }
    return false;
}

/* One after the other, each `step` behind the one before it. */
static void gather(struct rows_list *l, const struct at *at)
{
    for (uint32_t n = 0; n < at->is->row_count; n++) {
        struct rows row = at->is->rows[n], all;

        row.first += (uint64_t)at->from;
        if (rows_join(&row, at->count, (uint64_t)at->step, &all)) {
            rows_gather(l, &all);
            continue;
        }
        for (uint32_t k = 0; k < at->count; k++, row.first += (uint64_t)at->step)
            rows_gather(l, &row);
    }
}

/* Sorted, and none touches the one before it. */
static bool are_apart(const struct rows_list *l)
{
    for (size_t n = 1; n < l->count; n++)
        if (rows_end(&l->rows[n - 1]) >= l->rows[n].first)
            return false;
    return true;
}

/* How many values of outer variable `along` from outer[along] on, most at most, are alike
   where variable `of` is as now and up to `count` - 1 more: what moves in equal steps does
   so in between, too. */
static uint32_t alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                      uint32_t count, uint32_t along, uint32_t most, int64_t *step)
{
    int64_t last[CLOSED_OUTER];

    memcpy(last, outer, sizeof last);
    last[of] += count - 1u;
    most = closed_group_alike(g, outer, along, most, step);
    return closed_group_alike(g, last, along, most, step);
}

/* What one group writes there: whether anything, in how many CTAs from there on, each
   `step` behind the one before it. */
struct beside {
    bool is_any;
    uint32_t ctas;
    int64_t step;
};

/* Many iterations of the innermost loop are alike. */
static bool gather_loops(struct closing *c, struct closed_group *g, int64_t *outer,
                         struct beside *is)
{
    const uint32_t last = 3 + g->loops.count - 1;
    struct at at;

    do {
        for (; outer[last] < g->trips[last - 3]; outer[last] += at.count) {
            const int64_t left = g->trips[last - 3] - outer[last];

            if (!find_at(c, g, outer, last, left < UINT32_MAX ? (uint32_t)left : UINT32_MAX,
                         &at))
                return false;
            if (is->ctas > 1)
                is->ctas = alike(g, outer, last, at.count, 0, is->ctas, &is->step);
            if (at.is)
                gather(&c->rows, &at);
            is->is_any |= at.is != NULL;
        }
        outer[last] = 0;
    } while (next(g, last - 3, outer));
    return true;
}

static bool gather_group(struct closing *c, struct closed_group *g, int64_t *outer,
                         struct beside *is)
{
    struct at at;

    if (g->loops.count)
        return gather_loops(c, g, outer, is);
    if (!find_at(c, g, outer, 0, is->ctas, &at))
        return false;
    *is = (struct beside){at.is != NULL, at.count, at.step};
    at.count = 1;
    if (at.is)
        gather(&c->rows, &at);
    return true;
}

/* All that goes to the array in the CTA outer[0]: to c->rows. `run` is of as many CTAs as
   may be. */
static bool gather_array(struct closing *c, uint32_t array, int64_t *outer,
                         struct cta_run *run)
{
    bool moves = false;

    c->rows.count = 0;
    for (uint32_t n = 0; n < c->group_count; n++) {
        struct beside is = {false, run->count, 0};

        if (c->groups[n].array != array)
            continue;
        if (!gather_group(c, &c->groups[n], outer, &is))
            return false;
        run->count = is.ctas;
        if (is.is_any && moves && run->step != (uint64_t)is.step)
            run->count = 1;
        else if (is.is_any)
            run->step = (uint64_t)is.step;
        moves |= is.is_any;
    }
    rows_gathered(&c->rows);
    return true;
}

/* Whether rows that far behind those of a list are in the array. */
static bool rows_within(const struct rows_list *l, uint64_t way, uint64_t bytes)
{
    bool all = true;

    for (size_t n = 0; n < l->count; n++)
        all &= l->rows[n].first + way < bytes && rows_end(&l->rows[n]) + way <= bytes;
    return all;
}

static bool add_run(struct closing *c, uint32_t array, struct cta_run *run)
{
    struct record_array *a = &c->into->arrays[array];
    struct rows_list *l = &c->apart;

    if (!are_apart(&c->rows)) {
        struct rows_walk w = {c->rows.rows, c->rows.rows + c->rows.count, 0};

        run->count = 1;
        for (struct span s; rows_next(&w, &s);)
            write_set_spans_add(&a->spans, s.first, s.end);
        return record_end_cta(c->into, run->cta);
    }
    l->count = 0;
    for (size_t n = 0; n < c->rows.count; n++)
        rows_append(l, c->rows.rows[n]);
    run->rows = (uint32_t)l->count;
    return !l->count || (l->count <= UINT32_MAX &&
                         rows_within(l, (run->count - 1u) * run->step, a->bytes) &&
                         record_add_run(a, *run, l->rows, 0));
}

static bool add_at(const struct closing *c, const struct closed_group *g,
                   const struct at *at, uint32_t cta)
{
    const struct cta_run run = {cta, at->count, 0, at->is ? at->is->row_count : 0,
                                (uint64_t)at->step};

    return !at->is || record_add_run(&c->into->arrays[g->array], run, at->is->rows,
                                     (uint64_t)at->from);
}

/* The line below the last one, which does alike. */
static bool add_again(const struct closing *c, const struct closed_group *g,
                      struct line *line, uint32_t cta)
{
    const uint64_t bytes = c->into->arrays[g->array].bytes;

    line->left--;
    for (uint32_t n = 0; n < line->count; n++) {
        struct line_run *run = &line->runs[n];
        struct at *at = &run->at;

        at->is = at->is ? &g->templates[run->is] : NULL;
        at->from = (int64_t)((uint64_t)at->from + (uint64_t)run->down);
        if (at->is && (!are_within(at->is, at, bytes) || !add_at(c, g, at, cta)))
            return false;
        cta += at->count;
    }
    return true;
}

static bool add_line(struct closing *c, struct closed_group *g, int64_t *outer,
                     uint32_t cta)
{
    const uint32_t *grid = c->launch->nctaid;
    struct line *line = &c->lines[g - c->groups];
    uint32_t lines = grid[1] - (uint32_t)outer[1]; /* alike, from this one on */
    struct line_run run;

    line->count = 0;
    for (; outer[0] < grid[0]; outer[0] += run.at.count) {
        if (!find_at(c, g, outer, 0, grid[0] - (uint32_t)outer[0], &run.at) ||
            !add_at(c, g, &run.at, cta + (uint32_t)outer[0]))
            return false;
        if (lines == 1)
            continue;
        lines = alike(g, outer, 0, run.at.count, 1, lines, &run.down);
        run.is = run.at.is ? (uint32_t)(run.at.is - g->templates) : 0;
        line->runs =
            must_grow(line->runs, line->count, &line->capacity, sizeof *line->runs);
        line->runs[line->count++] = run;
    }
    line->left = lines - 1;
    return true;
}

/* The one group that writes the array; NULL where several do. */
static struct closed_group *only_group(const struct closing *c, uint32_t array)
{
    struct closed_group *only = NULL;

    for (uint32_t n = 0; n < c->group_count; n++) {
        if (c->groups[n].array != array)
            continue;
        if (only)
            return NULL;
        only = &c->groups[n];
    }
    return only;
}

/* CTAs that stand beside each other, many of which are alike. */
static bool add_beside(struct closing *c, uint32_t array, const uint32_t id[3],
                       uint32_t number)
{
    const uint32_t width = c->launch->nctaid[0];
    struct closed_group *g = only_group(c, array);
    int64_t first[CLOSED_OUTER] = {0, id[1], id[2]};
    struct cta_run run;

    if (g && !g->loops.count)
        return c->lines[g - c->groups].left
                   ? add_again(c, g, &c->lines[g - c->groups], number)
                   : add_line(c, g, first, number);
    for (uint32_t x = 0; x < width; x += run.count) {
        int64_t outer[CLOSED_OUTER] = {x, id[1], id[2]};

        run = (struct cta_run){number + x, width - x, 0, 0, 0};
        if (!gather_array(c, array, outer, &run) || !add_run(c, array, &run))
            return false;
    }
    return true;
}

static bool is_written(const struct closing *c, uint32_t array)
{
    for (uint32_t n = 0; n < c->group_count; n++)
        if (c->groups[n].array == array)
            return true;
    return false;
}

static const char *walk(struct closing *c)
{
    const uint32_t *grid = c->launch->nctaid;
    uint32_t id[3], number = 0;
    const char *why = NULL;

    for (id[2] = 0; id[2] < grid[2] && !why; id[2]++)
        for (id[1] = 0; id[1] < grid[1] && !why; id[1]++, number += grid[0])
            for (uint32_t n = 0; n < c->into->array_count && !why; n++)
                if (is_written(c, n) && !add_beside(c, n, id, number))
                    why = "may leave its array, or is too irregular";
    return why;
}

const char *closed_map_run(const struct closed_map *c, const struct access_launch *l,
                           struct record *into, uint32_t *line)
{
    struct arena arena = {0};
    struct closing now = {.launch = l, .into = into};
    const char *why;

    int64_t *trips = arena_alloc(&arena, (c->analysis->loop_count + 1u) * sizeof *trips);

    access_trips(c->analysis, l, trips);
    closed_view_open(&now.view, c->analysis, l, trips, &arena);
    why = close_records(&now, line);
    now.lines = must_calloc(now.group_count + 1u, sizeof *now.lines);
    if (!why)
        why = walk(&now);
    for (uint32_t n = 0; n < now.group_count; n++) {
        closed_group_clear(&now.groups[n]);
        free(now.lines[n].runs);
    }
    free(now.lines);
    free(now.rows.rows);
    free(now.apart.rows);
    arena_clear(&arena);
    return why;
}
