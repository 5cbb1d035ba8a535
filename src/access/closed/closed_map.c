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

/* Counts before it walks. */
static bool is_small(const struct closing *c)
{
    double places = 0;

    for (uint32_t n = 0; n < c->group_count; n++) {
        double of = c->into->cta_count;

        for (uint32_t k = 0; k < c->groups[n].loops.count; k++)
            of *= (double)c->groups[n].trips[k];
        places += of;
    }
    return places <= PLACES_MAX;
}

/* Whether what starts at `from` stays in the array; `from` is any 64 bits. */
static bool is_within(const struct closed_template *t, int64_t from, uint64_t bytes)
{
    const int64_t most = (int64_t)1 << 61;
    int64_t first = t->spans[0].first, end = t->spans[t->count - 1].end;

    if (from < -most || from > most || first < -most || end > most)
        return false;
    return from + first >= 0 && (uint64_t)(from + end) <= bytes;
}

static void add_alone(struct record_array *a, const struct closed_template *t, int64_t from)
{
    struct rows *rows = record_add_rows(a, t->row_count);

    for (uint32_t n = 0; n < t->row_count; n++) {
        rows[n] = t->rows[n];
        rows[n].first += (uint64_t)from;
    }
    a->ranges += t->count;
    a->bytes_written += t->bytes;
}

static bool add_at(struct closing *c, struct closed_group *g, const int64_t *outer)
{
    struct record_array *a = &c->into->arrays[g->array];
    int64_t from;
    const struct closed_template *t = closed_group_at(g, outer, &from);

    if (!t)
        return true;
    record_note_line(a, g->line, g->is_atomic);
    if (!is_within(t, from, a->bytes))
        return false;
    if (g->is_alone)
        add_alone(a, t, from);
    for (uint32_t n = 0; n < t->count && !g->is_alone; n++)
        write_set_spans_add(&a->spans, (uint64_t)(from + t->spans[n].first),
                            (uint64_t)(from + t->spans[n].end));
    return (uint64_t)g->template_count * g->threads * g->store_count <= LOOKS_MAX;
}

/* All iterations of the group's loops, the first of them outermost. */
static bool add_group(struct closing *c, struct closed_group *g, const uint32_t id[3])
{
    int64_t outer[CLOSED_OUTER] = {id[0], id[1], id[2]};
    uint32_t n;

    do {
        if (!add_at(c, g, outer))
            return false;
        for (n = g->loops.count; n-- > 0 && ++outer[3 + n] == g->trips[n];)
            outer[3 + n] = 0;
    } while (n != UINT32_MAX);
    return true;
}

/* What a template says is then what the CTA writes, sorted and apart. */
static void find_alone(struct closing *c)
{
    for (uint32_t n = 0; n < c->group_count; n++) {
        c->groups[n].is_alone = !c->groups[n].loops.count;
        for (uint32_t k = 0; k < c->group_count; k++)
            c->groups[n].is_alone &= k == n || c->groups[k].array != c->groups[n].array;
    }
}

static const char *walk(struct closing *c)
{
    const uint32_t *grid = c->launch->nctaid;
    uint32_t id[3], number = 0;

    find_alone(c);
    for (id[2] = 0; id[2] < grid[2]; id[2]++)
        for (id[1] = 0; id[1] < grid[1]; id[1]++)
            for (id[0] = 0; id[0] < grid[0]; id[0]++) {
                for (uint32_t n = 0; n < c->group_count; n++)
                    if (!add_group(c, &c->groups[n], id))
                        return "may leave its array, or is too irregular";
                if (!record_end_cta(c->into, number++))
                    return "has too many ranges";
            }
    return NULL;
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
    if (!why && !is_small(&now))
        why = "has too many iterations";
    if (!why)
        why = walk(&now);
    for (uint32_t n = 0; n < now.group_count; n++)
        closed_group_clear(&now.groups[n]);
    arena_clear(&arena);
    return why;
}
