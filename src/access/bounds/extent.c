/* SPDX-License-Identifier: Apache-2.0 */
/* Induction over the iterations of a loop. The guards describe the first iteration; the
   back edge of an iteration describes its successor. The bounds of both cases together hold
   for all iterations. */
#include "access/bounds/extent.h"

#include "access/bounds/countdown.h"

enum { LOOPS_MAX = 3 }; /* surrounding loops that are decomposed */

bool extent_inside(const struct access_analysis *a, int32_t loop, uint32_t around)
{
    int32_t up = loop;

    while (up >= 0 && (uint32_t)up != around)
        up = a->loops[up].parent;
    return up >= 0;
}

/* Whether the form of the previous iteration is the form with K reduced by one: no other
   part changes between iterations. */
static bool only_steps(const struct access_analysis *a, const struct access_form *f,
                       uint32_t loop)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol *y = &a->symbols[f->terms[i].symbols[k]];
            bool counts = y->kind == ACCESS_ITERATION || y->kind == ACCESS_TRIPS;

            if (y->kind == ACCESS_FUNCTION) {
                if (y->holds >> ACCESS_ITERATION & 1 || !only_steps(a, y->left, loop) ||
                    !only_steps(a, y->right, loop))
                    return false;
            } else if (counts && y->loop != loop &&
                       extent_inside(a, (int32_t)y->loop, loop)) {
                return false;
            } else if (y->kind == ACCESS_TRIPS && y->loop == loop) {
                return false;
            } else if (y->kind == ACCESS_LOADED || y->kind == ACCESS_OPAQUE ||
                       y->kind == ACCESS_MEMBER || y->kind == ACCESS_ELEMENT) {
                return false;
            }
        }
    return true;
}

/* Whether a choice in the form may differ between iterations of the loop. */
static bool extent_rechooses(const struct access_analysis *a, const struct access_form *f,
                             uint32_t loop)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol *y = &a->symbols[f->terms[i].symbols[k]];

            if (y->kind == ACCESS_CHOICE
                    ? y->holds >> ACCESS_ITERATION & 1 ||
                          (y->loop && extent_inside(a, (int32_t)y->loop - 1, loop))
                    : y->kind == ACCESS_FUNCTION && (extent_rechooses(a, y->left, loop) ||
                                                     extent_rechooses(a, y->right, loop)))
                return true;
        }
    return false;
}

/* Substitution of K of a loop. */
struct step {
    struct facts *facts;
    uint32_t loop;
    int64_t factor, constant;
};

static const struct access_form *step_of(void *context, uint32_t symbol)
{
    const struct step *s = context;
    struct forms *forms = &s->facts->forms;
    const struct access_symbol *y = &forms->symbols[symbol];
    const struct access_form *c = form_constant(forms, s->constant);

    if (y->kind != ACCESS_ITERATION || y->loop != s->loop)
        return NULL;
    return form_add(forms, c, form_of(forms, symbol), s->factor);
}

static const struct access_form *stepped(struct facts *f, const struct access_form *form,
                                         uint32_t loop, bool first)
{
    struct step s = {f, loop, first ? 0 : 1, first ? 0 : -1};

    return form_map(&f->forms, form, step_of, &s);
}

static const struct access_form *ended_of(void *context, uint32_t symbol)
{
    const struct ended *e = context;

    while (e && e->symbol != symbol)
        e = e->before;
    return e ? e->is : NULL;
}

void extent_end(struct extent *e, uint32_t first)
{
    struct facts *f = &e->facts;
    uint32_t kept = first;

    for (uint32_t i = first; i < f->count && e->ended; i++) {
        struct fact at = f->facts[i];

        at.form = form_map(&f->forms, at.form, ended_of, (void *)e->ended);
        if (at.form)
            f->facts[kept++] = at;
    }
    f->count = e->ended ? kept : f->count;
}

/* Adds the back-edge conditions of the previous iteration. */
static void add_stays(struct extent *e, uint32_t loop)
{
    const struct access_loop *l = &e->analysis->loops[loop];
    struct facts *f = &e->facts;
    uint32_t first = f->count, kept = first;
    bool chooses = form_holds(&f->forms, e->form) >> ACCESS_CHOICE & 1;
    struct countdown down;

    facts_add_guards(f, l->stays, l->stay_count);
    for (uint32_t i = 0; i < l->stay_count; i++)
        if (countdown_of(f, &l->stays[i], loop, &down) && facts_never_change(f, down.start))
            facts_add_positive(f, down.left, l->stays[i].condition);
    for (uint32_t i = first; i < f->count; i++) {
        struct fact at = f->facts[i];

        if (!only_steps(e->analysis, at.form, loop) ||
            (chooses && extent_rechooses(e->analysis, at.form, loop)))
            continue;
        at.form = stepped(f, at.form, loop, false);
        if (at.form)
            f->facts[kept++] = at;
    }
    f->count = kept;
    extent_end(e, first);
}

static void set_first(struct extent *e, uint32_t loop)
{
    struct facts *f = &e->facts;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        struct fact at = f->facts[i];

        at.form = stepped(f, at.form, loop, true);
        if (at.form)
            f->facts[kept++] = at;
    }
    f->count = kept;
    e->form = stepped(f, e->form, loop, true);
}

static bool bound(struct extent *e, int32_t loop, unsigned depth, struct range *out);

/* Bounds over all iterations: the first one and the later ones separately. */
static bool bound_apart(const struct extent *e, int32_t loop, unsigned depth,
                        struct range *out)
{
    const struct arena_mark mark = arena_mark(e->facts.forms.arena);
    int32_t parent = e->analysis->loops[loop].parent;
    struct extent first = *e, other = *e;
    struct range a, b;

    set_first(&first, (uint32_t)loop);
    add_stays(&other, (uint32_t)loop);
    const bool known = first.form && bound(&first, parent, depth + 1, &a) &&
                       bound(&other, parent, depth + 1, &b);

    arena_rewind(e->facts.forms.arena, mark);
    if (!known)
        return false;
    if (a.low > a.high || b.low > b.high) {
        *out = a.low > a.high ? b : a;
        return true;
    }
    *out = (struct range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    return true;
}

static bool bound(struct extent *e, int32_t loop, unsigned depth, struct range *out)
{
    bool known = facts_bound(&e->facts, e->form, out);
    struct range apart;

    if (loop < 0 || depth == LOOPS_MAX)
        return known;
    if (!facts_concern(&e->facts, e->form, (uint32_t)loop)
            ? !bound(e, e->analysis->loops[loop].parent, depth + 1, &apart)
            : !bound_apart(e, loop, depth, &apart))
        return known;
    if (!known || apart.low > out->low)
        out->low = apart.low;
    if (!known || apart.high < out->high)
        out->high = apart.high;
    return true;
}

void extent_open(struct extent *e, struct arena *arena, const struct access_analysis *a,
                 const struct access_record *r, const struct access_launch *l,
                 const int64_t *trips)
{
    e->analysis = a;
    e->form = NULL;
    e->loop = r->loop;
    e->ended = NULL;
    facts_open(&e->facts, arena, a, l, trips);
    e->facts.in_turn = true; /* `x[(i - 1) * n + j - 1]`: guards of row and column */
    range_keep(&e->facts.view, a->symbol_count, arena);
    if (facts_fit(&e->facts, a->ranges, a->range_count))
        facts_add_guards(&e->facts, r->guards, r->guard_count);
}

bool extent_of(const struct extent *e, const struct access_form *form, struct range *out)
{
    struct extent now = *e;

    now.form = form;
    return form && bound(&now, e->loop, 0, out);
}
