/* SPDX-License-Identifier: Apache-2.0 */
#include "access/records/either.h"

#include <string.h>

#include "access/conditions/choices.h"

enum { EITHER_MAX = 8 };

/* Records under construction, over all choices so far. */
struct ways {
    const struct bases *bases;
    struct access_record record[EITHER_MAX];
    uint32_t count;
};

/* A choice among the terms of the address, the first of several; -1: none. */
static int64_t choice_in(const struct forms *forms, const struct access_form *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->terms[i].degree == 1 && f->terms[i].factor == 1 &&
            forms->symbols[f->terms[i].symbols[0]].kind == ACCESS_CHOICE)
            return (int64_t)f->terms[i].symbols[0];
    return -1;
}

static void add_guards(struct study *s, struct access_record *r, struct access_way way)
{
    struct access_guard *guards =
        arena_alloc(s->arena, (r->guard_count + way.count + 1u) * sizeof *guards);

    if (r->guard_count)
        memcpy(guards, r->guards, r->guard_count * sizeof *guards);
    if (way.count)
        memcpy(guards + r->guard_count, way.guards, way.count * sizeof *guards);
    r->guards = guards;
    r->guard_count += way.count;
}

static bool add_record(struct ways *w, const struct access_record *r,
                       const struct access_form *address, int64_t base)
{
    struct forms *forms = &w->bases->study->maker.forms;
    struct access_record *now = &w->record[w->count];

    if (base < 0 || bases_kind(&forms->symbols[base]) != ACCESS_BASE_PARAMETER ||
        w->count == EITHER_MAX)
        return false;
    *now = *r;
    now->state = ACCESS_CLOSED;
    now->base = ACCESS_BASE_PARAMETER;
    now->base_symbol = (uint32_t)base;
    now->reason = NULL;
    now->form = form_add(forms, address, form_of(forms, (uint32_t)base), -1);
    w->count++;
    return now->form && !(form_holds(forms, now->form) & (HOLDS_DATA | HOLDS_OPAQUE));
}

/* Adds a record for each choice. `r` has the guards of the choices made before. */
static bool add_ways(struct ways *w, const struct access_record *r,
                     const struct access_form *address)
{
    struct study *s = w->bases->study;
    struct forms *forms = &s->maker.forms;
    const int64_t base = bases_find(w->bases, address), choice = choice_in(forms, address);

    if (choice < 0 || (base >= 0 && bases_marked(w->bases, (uint32_t)base)))
        return add_record(w, r, address, base);
    const struct access_symbol y = forms->symbols[choice];
    const struct access_form *rest =
        form_add(forms, address, form_of(forms, (uint32_t)choice), -1);

    for (uint32_t k = 0; k < y.choice_count; k++) {
        const struct access_form *f = form_add(forms, rest, y.choices[k], 1);
        struct access_record now = *r;

        add_guards(s, &now, choices_way(s, (uint32_t)choice, k));
        if (!f || !add_ways(w, &now, f))
            return false;
    }
    return true;
}

void either_find(const struct bases *b, struct access_record *r,
                 const struct access_form *address, struct access_range *ranges,
                 uint32_t range_count)
{
    struct access_record of = *r;
    struct ways w = {.bases = b};

    of.ranges = ranges;
    of.range_count = range_count;
    if (choice_in(&b->study->maker.forms, address) < 0 || !add_ways(&w, &of, address))
        return;
    struct access_record *all = arena_alloc(b->study->arena, w.count * sizeof *all);

    memcpy(all, w.record, w.count * sizeof *all);
    r->either = all;
    r->either_count = w.count;
}

const struct access_record *access_either(const struct access_record *r, uint32_t *count)
{
    *count = r->either ? r->either_count : 1;
    return r->either ? r->either : r;
}
