/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_map.h"

#include <stdlib.h>
#include <string.h>

#include "access/closed/closed_walk.h"
#include "access/slice/write_set_slice.h"
#include "base/memory.h"

/* The tables by thread of all stores and guards take some MB. */
enum { STORES_MAX = 1024, TABLES_MAX = 1 << 17, CELLS_MAX = 1 << 13 };
static const char *const too_many = "has too many stores";

struct closed_map {
    struct access_analysis *analysis;
};

/* State of one launch. */
struct closing {
    struct closed_view view;
    struct closed_walk walk;
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

/* Finds the array of the record's pointer. The offset of the store is then relative to the
   array. */
static bool find_array(const struct closing *c, const struct access_record *r,
                       struct closed_store *s)
{
    const struct access_symbol *y = &c->view.analysis->symbols[r->base_symbol];
    const struct record *to = c->walk.into;
    uint64_t pointer;

    if (r->base != ACCESS_BASE_PARAMETER || y->bytes != 8 ||
        y->offset + 8u > c->walk.launch->parameter_bytes)
        return false;
    memcpy(&pointer, c->walk.launch->parameters + y->offset, sizeof pointer);
    for (uint32_t n = 0; n < to->array_count; n++)
        if (pointer - to->arrays[n].address < to->arrays[n].bytes) {
            s->array = n;
            s->at.line.constant += (int64_t)(pointer - to->arrays[n].address);
            return true;
        }
    return false;
}

/* Adds a store to its group. Each group has room for all stores; false if that takes too
   much memory. */
static bool add_store(struct closing *c, const struct closed_store *s, uint32_t stores)
{
    uint32_t n = 0;

    while (n < c->walk.group_count && !closed_group_fits(&c->walk.groups[n], s))
        n++;
    if (n == c->walk.group_count && (n + 1) * stores > CELLS_MAX)
        return false;
    if (n == c->walk.group_count)
        closed_group_open(&c->walk.groups[c->walk.group_count++], s, &c->view, stores);
    closed_group_add(&c->walk.groups[n], s);
    return true;
}

static const char *close_record(struct closing *c, const struct access_record *r,
                                uint32_t stores)
{
    struct closed_store *s = arena_alloc(c->view.arena, sizeof *s);
    const struct write_set_slice *slice = c->walk.into->slice;
    uint32_t site = r->line < slice->line_count ? slice->site_of[r->line] : 0;
    int64_t bounds[2];
    bool known;
    const char *why;

    if (r->state != ACCESS_CLOSED || !r->bytes || !site)
        return "has no symbolic expression";
    if (access_wraps(c->view.analysis, r, c->walk.launch, c->view.trips, bounds, &known))
        return "has an address that may overflow";
    if ((why = closed_store_find(&c->view, r, s)))
        return why;
    if (s->is_never)
        return NULL;
    if (!find_array(c, r, s))
        return "has no base array";
    if (!s->is_exact)
        return "has a guard without a symbolic expression";
    s->is_atomic = slice->cut.sites[site - 1].is_atomic; /* the slice has stores only */
    s->line = slice->cut.sites[site - 1].line;
    return add_store(c, s, stores) ? NULL : too_many;
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
    if (stores > STORES_MAX || (uint64_t)stores * c->view.threads > TABLES_MAX)
        return too_many;
    c->walk.groups = arena_alloc(c->view.arena, (stores + 1u) * sizeof *c->walk.groups);
    for (uint32_t n = 0; n < a->record_count && !why; n++) {
        if (!is_global_store(&a->records[n]))
            continue;
        *line = a->records[n].line;
        why = close_record(c, &a->records[n], stores);
    }
    *line = why ? *line : 0;
    return why;
}

const char *closed_map_run(const struct closed_map *c, const struct access_launch *l,
                           struct record *into, uint32_t *line)
{
    struct arena arena = {0};
    struct closing now = {.walk = {.launch = l, .into = into}};
    struct closed_walk *w = &now.walk;
    const char *why;

    int64_t *trips = arena_alloc(&arena, (c->analysis->loop_count + 1u) * sizeof *trips);

    access_trips(c->analysis, l, trips);
    closed_view_open(&now.view, c->analysis, l, trips, &arena);
    why = close_records(&now, line);
    w->lines = must_calloc(w->group_count + 1u, sizeof *w->lines);
    if (!why)
        why = closed_walk_all(w);
    for (uint32_t n = 0; n < w->group_count; n++) {
        closed_group_clear(&w->groups[n]);
        free(w->lines[n].runs);
    }
    free(w->lines);
    free(w->rows.rows);
    free(w->apart.rows);
    arena_clear(&arena);
    return why;
}
