/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_group.h"

#include "access/closed/closed_quotient.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Added to offsets: spans are unsigned, and offsets may be negative. */
#define START (1ll << 62)

bool closed_group_fits(const struct closed_group *g, const struct closed_store *s)
{
    return g->array == s->array && g->is_atomic == s->is_atomic &&
           !memcmp(&g->loops, &s->loops, sizeof g->loops) &&
           !memcmp(g->trips, s->trips, sizeof g->trips) &&
           closed_form_moves_alike(&g->at, &s->at);
}

static void note_quotients(struct closed_group *g, const struct closed_form *f)
{
    for (const struct closed_multiple *m = f->multiples; m; m = m->next)
        g->quotients |= UINT32_C(1) << m->of->number;
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
    g->bounds = arena_alloc(v->arena, (CLOSED_QUOTIENTS_MAX + stores * CLOSED_FACTS_MAX) *
                                          sizeof *g->bounds);
    note_quotients(g, &s->at);
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
    to->count = closed_sort_once(to->sorted, g->threads);
    note_quotients(g, &f->form);
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

/* By quotient of the view. All quotients and facts are known at this point. */
static int64_t *remainders(const struct closed_group *g)
{
    return g->bounds + g->fact_count;
}

static size_t bounds_bytes(const struct closed_group *g)
{
    return (g->fact_count + g->view->quotient_count) * sizeof *g->bounds;
}

/* Part of the form that depends on the thread, at the current position. */
static int64_t inner_now(const struct closed_group *g, const struct closed_form *f,
                         uint32_t thread)
{
    uint64_t sum = (uint64_t)f->inner[thread];

    for (const struct closed_multiple *m = f->multiples; m; m = m->next)
        sum += (uint64_t)m->factor *
               (uint64_t)closed_quotient_above(m->of, remainders(g)[m->of->number], thread);
    return (int64_t)sum;
}

struct range closed_group_inner(const struct closed_group *g, const struct closed_form *f,
                                const int64_t *outer)
{
    struct range r = {f->least, f->most};

    for (const struct closed_multiple *m = f->multiples; m; m = m->next) {
        const struct closed_quotient *q = m->of;
        const int64_t rest =
            closed_line_at(&q->line, outer, 3 + g->loops.count) % q->divisor;

        *(m->factor < 0 ? &r.low : &r.high) += m->factor * ((rest + q->most) / q->divisor);
    }
    return r;
}

/* Index of the largest sorted value of the fact that does not exceed `room`. */
static int64_t largest(const struct closed_group_fact *f, int64_t room)
{
    uint32_t low = 0, high = f->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (f->sorted[middle] <= room)
            low = middle;
        else
            high = middle;
    }
    return f->sorted[low];
}

/* The same for values with quotients. */
static int64_t largest_now(const struct closed_group *g, const struct closed_form *f,
                           int64_t room)
{
    int64_t found = INT64_MIN;
    bool all = true;

    for (uint32_t t = 0; t < g->threads; t++) {
        const int64_t value = inner_now(g, f, t);

        all &= value <= room;
        if (value <= room && value > found)
            found = value;
    }
    return all ? INT64_MAX : found;
}

/* Largest inner value for which the fact holds. INT64_MAX: all; INT64_MIN: none. Equal
   results at two positions select the same threads. */
static int64_t room_of(const struct closed_group *g, const struct closed_group_fact *f,
                       const int64_t *outer)
{
    const struct closed_fact *is = f->fact;

    if (is->after >= 0 && outer[is->after] == 0)
        return INT64_MAX;
    const int64_t room = is->most - closed_form_start(g->view, &is->form, &g->loops, outer);
    const struct range inner = closed_group_inner(g, &is->form, outer);

    if (room >= inner.high)
        return INT64_MAX;
    if (room < inner.low)
        return INT64_MIN;
    return is->form.multiples ? largest_now(g, &is->form, room) : largest(f, room);
}

/* Smallest remainder of a quotient's line for which the same threads reach the next
   value. */
static int64_t phase_of(const struct closed_group *g, const struct closed_quotient *q,
                        const int64_t *outer)
{
    const struct closed_phase p =
        closed_quotient_phase(q, closed_line_at(&q->line, outer, 3 + g->loops.count));

    return p.rest - p.less;
}

static bool happens(const struct closed_group *g, const struct closed_member *m,
                    uint32_t thread)
{
    for (uint32_t n = 0; n < m->store->fact_count; n++) {
        const int64_t room = g->bounds[m->fact[n]];

        if (room < INT64_MAX && inner_now(g, &m->store->facts[n].form, thread) > room)
            return false;
    }
    return true;
}

static bool is_none(const struct closed_group *g, const struct closed_member *m)
{
    for (uint32_t n = 0; n < m->store->fact_count; n++)
        if (g->bounds[m->fact[n]] == INT64_MIN)
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
            uint64_t first = start + (uint64_t)inner_now(g, &s->at, i);

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

static bool group_bounds_equal(const struct closed_group *g,
                               const struct closed_template *t, uint64_t hash)
{
    return t->hash == hash && !memcmp(t->bounds, g->bounds, bounds_bytes(g));
}

/* The search starts at the last template: the result is mostly that one or the following
   one. */
static const struct closed_template *find_template(struct closed_group *g)
{
    const uint64_t hash = hash_bytes(g->bounds, bounds_bytes(g), 0);
    const uint32_t count = g->template_count;

    for (uint32_t n = 0; n < count; n++) {
        const uint32_t at = (g->last + n) % count;

        if (group_bounds_equal(g, &g->templates[at], hash))
            return &g->templates[g->last = at];
    }
    g->last = count;
    g->templates = must_grow(g->templates, g->template_count, &g->template_capacity,
                             sizeof *g->templates);
    struct closed_template *t = &g->templates[g->template_count++];

    *t = (struct closed_template){0};
    t->hash = hash;
    t->bounds = must_calloc(1, bounds_bytes(g) + 1u);
    memcpy(t->bounds, g->bounds, bounds_bytes(g));
    make_template(g, t);
    return t;
}

const struct closed_template *closed_group_at(struct closed_group *g, const int64_t *outer,
                                              int64_t *from)
{
    bool none = g->fact_count > 0;

    for (uint32_t n = 0; n < g->view->quotient_count; n++)
        if (g->quotients >> n & 1)
            remainders(g)[n] = phase_of(g, g->view->quotients[n], outer);
    for (uint32_t n = 0; n < g->fact_count; n++) {
        const int64_t room = room_of(g, &g->facts[n], outer);

        g->bounds[n] = room;
        none &= room == INT64_MIN;
    }
    for (uint32_t n = 0; n < g->store_count && none; n++)
        none = g->stores[n].store->fact_count > 0; /* an unguarded store always executes */
    if (none)
        return NULL;
    const struct closed_template *t = find_template(g);

    *from = closed_form_start(g->view, &g->at, &g->loops, outer);
    return t->count ? t : NULL;
}

void closed_group_clear(struct closed_group *g)
{
    for (uint32_t n = 0; n < g->template_count; n++) {
        free(g->templates[n].bounds);
        free(g->templates[n].spans);
        free(g->templates[n].rows);
    }
    free(g->templates);
    write_set_spans_clear(&g->spans);
}
