/* SPDX-License-Identifier: Apache-2.0 */
#include "access/pattern/pattern.h"
#include "access/pattern/pattern_split.h"

#include <stdlib.h>

struct maker_of_patterns {
    struct access_patterns *out;
    struct splitter splitter;
    struct split *splits; /* by record */
    uint32_t *array_of;   /* by record, UINT32_MAX: none */
};

static enum access_kind kind_of(const struct access_record *r)
{
    return r->kind == ACCESS_REDUCE ? ACCESS_ATOMIC : r->kind;
}

static uint32_t find_array(struct access_patterns *p, const struct access_record *r)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->arrays[i].base_symbol == r->base_symbol && p->arrays[i].kind == kind_of(r))
            return i;
    p->arrays[p->count] = (struct access_array){.base = r->base,
                                                .base_symbol = r->base_symbol,
                                                .kind = kind_of(r),
                                                .is_proven = true};
    return p->count++;
}

static bool is_global(const struct access_record *r)
{
    return (r->base == ACCESS_BASE_PARAMETER || r->base == ACCESS_BASE_VARIABLE) &&
           r->bytes && r->form;
}

static const struct access_shape *shape_of(const struct access_analysis *a, uint32_t symbol,
                                           const struct access_shape *shapes,
                                           uint32_t count)
{
    const struct access_symbol *y = &a->symbols[symbol];

    for (uint32_t i = 0; i < count; i++)
        if (y->kind == ACCESS_PARAMETER && y->offset == shapes[i].base_offset)
            return &shapes[i];
    return NULL;
}

/* Element size: the smallest access to a base of any kind. */
static uint32_t element_of(const struct access_analysis *a, uint32_t symbol)
{
    uint32_t bytes = 0;

    for (uint32_t r = 0; r < a->record_count; r++)
        if (is_global(&a->records[r]) && a->records[r].base_symbol == symbol &&
            (!bytes || a->records[r].bytes < bytes))
            bytes = a->records[r].bytes;
    return bytes;
}

static const struct access_axis *axis_like(const struct split *s,
                                           const struct access_axis *axis)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (form_equal(s->axes[i].stride, axis->stride))
            return &s->axes[i];
    return NULL;
}

/* Properties of an axis that hold for two accesses to one array. */
static void merge_axis(struct access_axis *into, const struct access_axis *other)
{
    int64_t constant;

    if (!other || form_is_constant(other->index, &constant))
        return; /* one row or one element */
    if (form_is_constant(into->index, &constant)) {
        *into = *other;
        return;
    }
    if (into->how == ACCESS_BY_DATA || other->how == ACCESS_BY_DATA) {
        into->how = ACCESS_BY_DATA;
        into->grid = -1;
        into->tile = NULL;
    } else if (into->how != other->how || into->grid != other->grid) {
        into->how = ACCESS_MIXED;
        into->grid = -1;
        into->tile = NULL;
    } else if (into->tile && !form_equal(into->tile, other->tile)) {
        into->tile = NULL;
    }
}

static void merge(struct access_array *a, const struct split *s)
{
    a->is_proven &= s->is_proven;
    a->record_count++;
    if (a->record_count == 1) {
        a->axis_count = s->count;
        a->reason = s->reason;
        for (uint32_t i = 0; i < s->count; i++)
            a->axes[i] = s->axes[i];
        return;
    }
    if (!a->axis_count || !s->count) {
        a->axis_count = 0;
        a->reason = a->reason ? a->reason : s->reason;
        return;
    }
    struct split first = {.count = a->axis_count};

    for (uint32_t i = 0; i < a->axis_count; i++)
        first.axes[i] = a->axes[i];
    for (uint32_t i = 0; i < s->count; i++)
        if (!axis_like(&first, &s->axes[i])) {
            /* another access shows more dimensions: use its axes if they include all of
               ours */
            if (s->count < a->axis_count) {
                a->axis_count = 0;
                a->reason = "its accesses have different strides";
                return;
            }
            a->axis_count = s->count;
            for (uint32_t k = 0; k < s->count; k++) {
                a->axes[k] = s->axes[k];
                merge_axis(&a->axes[k], axis_like(&first, &s->axes[k]));
            }
            return;
        }
    for (uint32_t i = 0; i < a->axis_count; i++)
        merge_axis(&a->axes[i], axis_like(s, &first.axes[i]));
}

/* Constant of an index. */
static int64_t constant_of(const struct access_form *f)
{
    return f->count && !f->terms[0].degree ? f->terms[0].factor : 0;
}

/* Index of a record along an axis of its array. */
static const struct access_form *axis_index(struct forms *s, const struct split *r,
                                            const struct access_axis *axis)
{
    const struct access_axis *own = axis_like(r, axis);

    return own ? own->index : form_constant(s, 0);
}

/* Halo computation of a read array relative to a written one. */
struct halo {
    const struct access_array *reads, *writes;
    bool moves[ACCESS_AXES_MAX]; /* by axis: every read moves with some write */
    int64_t low[ACCESS_AXES_MAX], high[ACCESS_AXES_MAX];
};

/* Whether two accesses differ only by constants. Axes on which no CTA moves may differ;
   `same` states it for each axis. */
static bool same_place(struct forms *s, const struct halo *h, const struct split *r,
                       const struct split *w, bool *same)
{
    for (uint32_t i = 0; i < h->reads->axis_count; i++) {
        const struct access_axis *a = &h->reads->axes[i], *b = &h->writes->axes[i];
        const struct access_form *d =
            form_add(s, axis_index(s, r, a), axis_index(s, w, b), -1);
        int64_t by;

        same[i] = d && form_is_constant(d, &by);
        if (!same[i] && (a->how != ACCESS_EACH || b->how != ACCESS_EACH))
            return false;
    }
    return true;
}

/* Widens the halo by a read, relative to all writes that move with it. */
static bool widen_halo(struct maker_of_patterns *m, struct halo *h, const struct split *r)
{
    int64_t least[ACCESS_AXES_MAX] = {0}, most[ACCESS_AXES_MAX] = {0};
    bool met[ACCESS_AXES_MAX] = {false}, same[ACCESS_AXES_MAX], found = false;
    struct forms *forms = &m->splitter.forms;

    for (uint32_t w = 0; w < m->splitter.analysis->record_count; w++) {
        if (m->array_of[w] != (uint32_t)(h->writes - m->out->arrays) ||
            !same_place(forms, h, r, &m->splits[w], same))
            continue;
        found = true;
        for (uint32_t i = 0; i < h->reads->axis_count; i++) {
            int64_t at = constant_of(axis_index(forms, &m->splits[w], &h->writes->axes[i]));

            if (!same[i])
                continue;
            least[i] = met[i] && least[i] < at ? least[i] : at;
            most[i] = met[i] && most[i] > at ? most[i] : at;
            met[i] = true;
        }
    }
    for (uint32_t i = 0; i < h->reads->axis_count; i++) {
        int64_t at = constant_of(axis_index(forms, r, &h->reads->axes[i]));

        h->moves[i] &= met[i];
        h->low[i] = at - least[i] < h->low[i] ? at - least[i] : h->low[i];
        h->high[i] = at - most[i] > h->high[i] ? at - most[i] : h->high[i];
    }
    return found;
}

/* The halo of a read array refers to the first written array with which every read
   moves. */
static void find_halo(struct maker_of_patterns *m, uint32_t reads)
{
    struct access_array *a = &m->out->arrays[reads];

    for (uint32_t w = 0; w < m->out->count; w++) {
        struct halo h = {.reads = a, .writes = &m->out->arrays[w]};
        bool all = h.writes->kind == ACCESS_WRITE && h.writes->axis_count == a->axis_count;

        for (uint32_t i = 0; i < a->axis_count; i++)
            h.moves[i] = true;
        for (uint32_t r = 0; r < m->splitter.analysis->record_count && all; r++)
            if (m->array_of[r] == reads)
                all = widen_halo(m, &h, &m->splits[r]);
        for (uint32_t i = 0; i < a->axis_count && all; i++) {
            a->axes[i].has_halo = h.moves[i];
            a->axes[i].low = h.moves[i] ? h.low[i] : 0;
            a->axes[i].high = h.moves[i] ? h.high[i] : 0;
        }
        if (all)
            return;
    }
}

static void fill(struct maker_of_patterns *m, const struct access_shape *shapes,
                 uint32_t shape_count)
{
    const struct access_analysis *a = m->splitter.analysis;

    for (uint32_t r = 0; r < a->record_count; r++) {
        const struct access_record *at = &a->records[r];
        uint32_t bytes = is_global(at) ? element_of(a, at->base_symbol) : 0;
        const struct access_shape *shape;

        m->array_of[r] = UINT32_MAX;
        if (!bytes)
            continue;
        shape = shape_of(a, at->base_symbol, shapes, shape_count);
        m->splits[r] = split_record(&m->splitter, at, bytes, shape);
        m->array_of[r] = find_array(m->out, at);
        m->out->arrays[m->array_of[r]].element_bytes = shape ? shape->element_bytes : bytes;
        merge(&m->out->arrays[m->array_of[r]], &m->splits[r]);
    }
    for (uint32_t i = 0; i < m->out->count; i++)
        if (m->out->arrays[i].kind == ACCESS_READ && m->out->arrays[i].axis_count)
            find_halo(m, i);
}

struct access_patterns *access_patterns(const struct access_analysis *a,
                                        const struct access_shape *shapes,
                                        uint32_t shape_count, const struct access_launch *l)
{
    struct access_patterns *p = must_calloc(1, sizeof *p);
    struct maker_of_patterns m = {.out = p};
    int64_t *trips = arena_alloc(&p->arena, a->loop_count * sizeof *trips);

    if (l)
        access_trips(a, l, trips);
    m.splitter = (struct splitter){
        .analysis = a,
        .launch = l,
        .trips = trips,
        .forms = {.arena = &p->arena, .symbols = a->symbols, .count = a->symbol_count},
        .keys = split_keys_find(a, &p->arena)};
    m.splits = arena_alloc(&p->arena, a->record_count * sizeof *m.splits);
    m.array_of = arena_alloc(&p->arena, a->record_count * sizeof *m.array_of);
    p->arrays = arena_alloc(&p->arena, a->record_count * sizeof *p->arrays);
    fill(&m, shapes, shape_count);
    return p;
}

void access_patterns_destroy(struct access_patterns *p)
{
    if (!p)
        return;
    arena_clear(&p->arena);
    free(p);
}
