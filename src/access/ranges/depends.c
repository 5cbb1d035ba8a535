/* SPDX-License-Identifier: Apache-2.0 */
#include "access/depends.h"

#include <stdlib.h>

#include "access/form/form.h"
#include "base/memory.h"

struct access_depends access_depends_on_nothing(const struct access_analysis *a)
{
    return (struct access_depends){a, must_calloc(a->symbol_count + 1u, sizeof(bool)),
                                   must_calloc(a->loop_count + 1u, sizeof(bool)), false};
}

void access_depends_clear(struct access_depends *d)
{
    free(d->symbol);
    free(d->loop);
    *d = (struct access_depends){0};
}

static void add_loop(struct access_depends *d, uint32_t loop);

static void add_form(struct access_depends *d, const struct access_form *f);

static void add_guards(struct access_depends *d, const struct access_guard *g,
                       uint32_t count);

static void add_symbol(struct access_depends *d, uint32_t symbol)
{
    const struct access_symbol *y = &d->analysis->symbols[symbol];

    if (d->symbol[symbol])
        return;
    d->symbol[symbol] = true;
    if (y->kind == ACCESS_ITERATION || y->kind == ACCESS_TRIPS)
        add_loop(d, y->loop);
    add_form(d, y->left);
    add_form(d, y->right);
    for (uint32_t i = 0; i < y->choice_count; i++) {
        add_form(d, y->choices[i]);
        if (y->ways)
            add_guards(d, y->ways[i].guards, y->ways[i].count);
    }
}

static void add_form(struct access_depends *d, const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            add_symbol(d, f->terms[i].symbols[k]);
}

static bool depends_compares_null(const struct access_analysis *a,
                                  const struct access_condition *c)
{
    const struct access_term *t = c->left ? c->left->terms : NULL;
    int64_t right;

    return c->kind == ACCESS_COMPARE && c->bits == 64 &&
           (c->comparison == ACCESS_EQ || c->comparison == ACCESS_NE) &&
           form_is_constant(c->right, &right) && !right && c->left->count == 1 &&
           t->degree == 1 && t->factor == 1 &&
           a->symbols[t->symbols[0]].kind == ACCESS_PARAMETER &&
           a->symbols[t->symbols[0]].bytes == sizeof(uint64_t);
}

static void add_condition(struct access_depends *d, const struct access_condition *c)
{
    if (!c || (d->is_behind && depends_compares_null(d->analysis, c)))
        return;
    add_form(d, c->left);
    add_form(d, c->right);
    add_condition(d, c->first);
    add_condition(d, c->second);
}

static void add_ranges(struct access_depends *d, const struct access_range *r,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_form(d, r[i].form);
}

static void add_guards(struct access_depends *d, const struct access_guard *g,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_condition(d, g[i].condition);
        add_ranges(d, g[i].ranges, g[i].range_count);
    }
}

static void add_where_made(struct access_depends *d, const struct access_range *r,
                           uint32_t count)
{
    add_ranges(d, r, count);
    for (uint32_t i = 0; i < count; i++)
        if (r[i].block >= 0)
            add_guards(d, d->analysis->above[r[i].block].guards,
                       d->analysis->above[r[i].block].count);
}

/* Dependences of a trip count: access_trips() evaluates the ranges of all loops. */
static void add_loop(struct access_depends *d, uint32_t loop)
{
    const struct access_analysis *a = d->analysis;
    const struct access_loop *l = &a->loops[loop];

    if (d->loop[loop])
        return;
    d->loop[loop] = true;
    add_guards(d, &l->repeats, 1);
    add_guards(d, l->stays, l->stay_count);
    add_guards(d, l->guards, l->guard_count);
    add_ranges(d, a->ranges, a->range_count);
    if (l->parent >= 0)
        add_loop(d, (uint32_t)l->parent);
}

static void add(struct access_depends *d, const struct access_record *r, bool with_base)
{
    add_form(d, r->form);
    add_form(d, r->hull.from);
    add_form(d, r->hull.step);
    add_where_made(d, r->ranges, r->range_count);
    add_guards(d, r->guards, r->guard_count);
    if (r->base == ACCESS_BASE_PARAMETER && with_base)
        add_symbol(d, r->base_symbol);
    if (r->member >= 0)
        add_symbol(d, (uint32_t)r->member);
    add_where_made(d, r->member_ranges, r->member_range_count);
    if (r->loop >= 0)
        add_loop(d, (uint32_t)r->loop);
    for (uint32_t n = 0; n < r->either_count; n++)
        add(d, &r->either[n], with_base);
}

void access_depends_add(struct access_depends *d, const struct access_record *r)
{
    add(d, r, true);
}

void access_depends_add_behind(struct access_depends *d, const struct access_record *r)
{
    d->is_behind = true;
    add(d, r, false);
}
