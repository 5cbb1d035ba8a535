/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_store.h"

#include "access/bounds/facts.h"
#include "access/closed/closed_quotient.h"

/* The guards of a store give facts, which are decomposed one by one. */
struct finder {
    struct closed_view *view;
    struct closed_store *store;
    struct facts facts;
};

static bool add_leaf(struct facts *f, const struct access_condition *c, bool negated)
{
    uint32_t before = f->count;

    if (!facts_are_whole(f, c))
        return facts_add_unsigned(f, c, negated);
    facts_add(f, c, negated);
    return f->count > before;
}

/* Adds the facts of a condition; returns whether they are equivalent to it. */
static bool add_condition(struct facts *f, const struct access_condition *c, bool negated)
{
    switch (c->kind) {
    case ACCESS_COMPARE:
        return add_leaf(f, c, negated);
    case ACCESS_UNLESS:
        return add_condition(f, c->first, !negated);
    case ACCESS_BOTH:
    case ACCESS_EITHER:
        if (negated != (c->kind == ACCESS_EITHER))
            return false;
        return (int)add_condition(f, c->first, negated) &
               (int)add_condition(f, c->second, negated);
    case ACCESS_UNSURE:
        break;
    }
    return false;
}

/* Whether the form counts iterations of an inner loop. At the end of an iteration of `loop`
   they differ from those at the store. */
static bool counts_inside(const struct finder *d, const struct closed_form *f,
                          uint32_t loop)
{
    const struct closed_loops *loops = &d->store->loops;
    const struct access_analysis *a = d->view->analysis;

    for (uint32_t n = 0; n < loops->count; n++) {
        int32_t up = a->loops[loops->loop[n]].parent;

        while (up >= 0 && up != (int32_t)loop)
            up = a->loops[up].parent;
        if (up >= 0 && f->line.step[3 + n])
            return true;
    }
    return false;
}

/* Whether the form and its parts are small enough over the launch to be added without
   overflow. */
static bool is_small(const struct finder *d, const struct access_form *f,
                     const struct closed_form *parts)
{
    const int64_t most = (int64_t)1 << 61;
    struct range r;
    int64_t sum = 0, part;

    for (const struct closed_multiple *m = parts->multiples; m; m = m->next)
        if (__builtin_mul_overflow(m->factor, m->of->most / m->of->divisor + 1, &part) ||
            part <= -most || part >= most || (sum += part < 0 ? -part : part) >= most)
            return false;
    return range_of(&d->facts.view, f, &r) && r.low > -most && r.high < most &&
           parts->least > -most && parts->most < most;
}

/* Adds a fact; false if it has no closed form. With an outer variable `after`, the fact
   describes the previous iteration of its loop. */
static bool add_fact(struct finder *d, const struct fact *f, int32_t after)
{
    struct closed_store *s = d->store;
    struct closed_fact fact = {.most = f->most, .after = after};

    if (s->fact_count == CLOSED_FACTS_MAX ||
        !closed_form_split(d->view, f->form, &s->loops, &fact.form) ||
        !is_small(d, f->form, &fact.form))
        return false;
    if (after >= 0) {
        struct closed_line *line = &fact.form.line;

        if (fact.form.curves || fact.form.multiples ||
            counts_inside(d, &fact.form, s->loops.loop[after - 3]))
            return false;
        line->constant = (int64_t)((uint64_t)line->constant - (uint64_t)line->step[after]);
        s->is_exact &= line->step[after] >= 0; /* once false, it stays false */
    }
    s->facts[s->fact_count++] = fact;
    return true;
}

static void add_guard(struct finder *d, const struct access_guard *g, int32_t after)
{
    struct facts *f = &d->facts;
    bool all;

    f->count = 0;
    all = facts_fit(f, g->ranges, g->range_count) &&
          add_condition(f, g->condition, g->negated) && f->count < FACTS_MAX;
    for (uint32_t n = 0; n < f->count; n++)
        all &= add_fact(d, &f->facts[n], after);
    d->store->is_exact &= all;
}

static void find_facts(struct finder *d, const struct access_record *r)
{
    const struct closed_view *v = d->view;
    const struct access_analysis *a = v->analysis;
    const struct closed_loops *loops = &d->store->loops;

    facts_open(&d->facts, v->arena, a, v->launch, v->trips);
    if (!facts_fit(&d->facts, a->ranges, a->range_count)) {
        d->store->is_exact = false; /* an assumption fails: no guard is reliable */
        return;
    }
    for (uint32_t n = 0; n < r->guard_count; n++)
        add_guard(d, &r->guards[n], -1);
    for (uint32_t n = 0; n < loops->count; n++) {
        const struct access_loop *loop = &a->loops[loops->loop[n]];

        if (d->store->trips[n] <= 1)
            continue; /* no further iteration */
        d->store->is_exact &= loop->repeats.condition && loop->repeats_decide;
        if (loop->repeats.condition)
            add_guard(d, &loop->repeats, (int32_t)(3 + n));
    }
}

const char *closed_store_find(struct closed_view *v, const struct access_record *r,
                              struct closed_store *out)
{
    struct finder d = {.view = v, .store = out};

    closed_view_turn(v, r);
    *out = (struct closed_store){.bytes = r->bytes, .is_exact = r->guards_decide};
    if (!closed_loops_find(v->analysis, r, &out->loops))
        return "depends on the counter of a loop that does not contain it";
    for (uint32_t n = 0; n < out->loops.count; n++) {
        out->trips[n] = v->trips[out->loops.loop[n]];
        if (out->trips[n] < 0)
            return "is in a loop of unknown length";
        out->is_never |= out->trips[n] == 0;
    }
    if (!closed_form_split(v, r->form, &out->loops, &out->at))
        return "mixes the thread index with the CTA index or a loop counter";
    find_facts(&d, r);
    return NULL;
}
