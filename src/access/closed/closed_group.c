/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Spans are unsigned: what is before the start is not below 0 with this added. */
#define START (1ll << 62)

bool closed_group_fits(const struct closed_group *g, const struct closed_store *s)
{
    return g->array == s->array && g->is_atomic == s->is_atomic &&
           !memcmp(&g->loops, &s->loops, sizeof g->loops) &&
           !memcmp(g->trips, s->trips, sizeof g->trips) &&
           closed_form_moves_alike(&g->at, &s->at);
}

void closed_group_open(struct closed_group *g, const struct closed_store *s,
                       const struct closed_view *v, uint32_t stores)
{
    *g = (struct closed_group){.array = s->array,
                               .line = s->line,
                               .is_atomic = s->is_atomic,
                               .at = s->at,
                               .loops = s->loops,
                               .view = v,
                               .threads = v->threads};
    memcpy(g->trips, s->trips, sizeof g->trips);
    g->stores = arena_alloc(v->arena, stores * sizeof *g->stores);
    g->facts = arena_alloc(v->arena, stores * CLOSED_FACTS_MAX * sizeof *g->facts);
    g->rooms = arena_alloc(v->arena, stores * CLOSED_FACTS_MAX * sizeof *g->rooms);
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint32_t find_fact(struct closed_group *g, const struct closed_fact *f)
{
    size_t bytes = g->threads * sizeof *f->form.inner;
    uint32_t n = 0;

    for (; n < g->fact_count; n++) {
        const struct closed_fact *is = g->facts[n].fact;

        if (is->most - is->form.line.constant == f->most - f->form.line.constant &&
            is->after == f->after && closed_form_moves_alike(&is->form, &f->form) &&
            !memcmp(is->form.inner, f->form.inner, bytes))
            return n;
    }
    struct closed_group_fact *to = &g->facts[g->fact_count++];

    to->fact = f;
    to->sorted = arena_alloc(g->view->arena, bytes);
    memcpy(to->sorted, f->form.inner, bytes);
    qsort(to->sorted, g->threads, sizeof *to->sorted, by_value);
    for (uint32_t t = 0; t < g->threads; t++)
        if (!t || to->sorted[t] != to->sorted[to->count - 1])
            to->sorted[to->count++] = to->sorted[t];
    return n;
}

void closed_group_add(struct closed_group *g, const struct closed_store *s)
{
    struct closed_member *to = &g->stores[g->store_count++];

    to->store = s;
    g->line = s->line < g->line ? s->line : g->line;
    for (uint32_t n = 0; n < s->fact_count; n++)
        to->fact[n] = find_fact(g, &s->facts[n]);
}

/* The largest inner value for which the fact holds: INT64_MAX for all of them, INT64_MIN
   for none. Two places of equal rooms see the same threads. */
static int64_t room_of(const struct closed_group *g, const struct closed_group_fact *f,
                       const int64_t *outer)
{
    const struct closed_fact *is = f->fact;
    uint32_t low = 0, high = f->count;

    if (is->after >= 0 && outer[is->after] == 0)
        return INT64_MAX;
    int64_t room = is->most - closed_form_start(g->view, &is->form, &g->loops, outer);

    if (room >= is->form.most)
        return INT64_MAX;
    if (room < is->form.least)
        return INT64_MIN;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (f->sorted[middle] <= room)
            low = middle;
        else
            high = middle;
    }
    return f->sorted[low];
}

static bool happens(const struct closed_group *g, const struct closed_member *m,
                    uint32_t thread)
{
    for (uint32_t n = 0; n < m->store->fact_count; n++)
        if (m->store->facts[n].form.inner[thread] > g->rooms[m->fact[n]])
            return false;
    return true;
}

static bool is_none(const struct closed_group *g, const struct closed_member *m)
{
    for (uint32_t n = 0; n < m->store->fact_count; n++)
        if (g->rooms[m->fact[n]] == INT64_MIN)
            return true;
    return false;
}

static void make_rows(struct closed_template *t)
{
    t->rows = must_calloc(t->count + 1u, sizeof *t->rows);
    for (uint32_t n = 0; n < t->count; n++) {
        const uint64_t first = (uint64_t)t->spans[n].first,
                       bytes = (uint64_t)t->spans[n].end - first;

        if (!n || !rows_go_on(&t->rows[t->row_count - 1], first, bytes))
            t->rows[t->row_count++] = rows_one(first, bytes);
        t->bytes += bytes;
    }
}

static void make_template(struct closed_group *g, struct closed_template *t)
{
    struct write_set_spans *spans = &g->spans;

    spans->count = 0;
    for (uint32_t n = 0; n < g->store_count; n++) {
        const struct closed_store *s = g->stores[n].store;
        uint64_t start =
            START + (uint64_t)s->at.line.constant - (uint64_t)g->at.line.constant;

        for (uint32_t i = 0; i < g->threads && !is_none(g, &g->stores[n]); i++) {
            uint64_t first = start + (uint64_t)s->at.inner[i];

            if (happens(g, &g->stores[n], i))
                write_set_spans_add(spans, first, first + s->bytes);
        }
    }
    write_set_spans_merge(spans);
    t->count = (uint32_t)spans->count;
    t->spans = must_calloc(t->count + 1u, sizeof *t->spans);
    for (uint32_t n = 0; n < t->count; n++) {
        t->spans[n].first = (int64_t)(spans->spans[n].first - START);
        t->spans[n].end = (int64_t)(spans->spans[n].end - START);
    }
    make_rows(t);
}

static const struct closed_template *find_template(struct closed_group *g)
{
    size_t bytes = g->fact_count * sizeof *g->rooms;
    uint64_t hash;

    if (g->template_count && !memcmp(g->templates[g->last].rooms, g->rooms, bytes))
        return &g->templates[g->last];
    hash = hash_bytes(g->rooms, bytes, 0);
    for (g->last = 0; g->last < g->template_count; g->last++)
        if (g->templates[g->last].hash == hash &&
            !memcmp(g->templates[g->last].rooms, g->rooms, bytes))
            return &g->templates[g->last];
    g->templates = must_grow(g->templates, g->template_count, &g->template_capacity,
                             sizeof *g->templates);
    struct closed_template *t = &g->templates[g->template_count++];

    *t = (struct closed_template){0};
    t->hash = hash;
    t->rooms = must_calloc(g->fact_count + 1u, sizeof *t->rooms);
    memcpy(t->rooms, g->rooms, bytes);
    make_template(g, t);
    return t;
}

const struct closed_template *closed_group_at(struct closed_group *g, const int64_t *outer,
                                              int64_t *from)
{
    bool none = g->fact_count > 0;

    for (uint32_t n = 0; n < g->fact_count; n++) {
        g->rooms[n] = room_of(g, &g->facts[n], outer);
        none &= g->rooms[n] == INT64_MIN;
    }
    for (uint32_t n = 0; n < g->store_count && none; n++)
        none = g->stores[n].store->fact_count > 0; /* what nothing guards happens */
    if (none)
        return NULL;
    const struct closed_template *t = find_template(g);

    *from = closed_form_start(g->view, &g->at, &g->loops, outer);
    return t->count ? t : NULL;
}

void closed_group_clear(struct closed_group *g)
{
    for (uint32_t n = 0; n < g->template_count; n++) {
        free(g->templates[n].rooms);
        free(g->templates[n].spans);
        free(g->templates[n].rows);
    }
    free(g->templates);
    write_set_spans_clear(&g->spans);
}
