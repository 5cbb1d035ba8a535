/* SPDX-License-Identifier: Apache-2.0 */
#include "access/loops/ended_loop.h"

#include "access/loops/exact_trips.h"

static bool is_sure(const struct extent *e, const struct access_guard *g);

static bool is_part_sure(const struct extent *e, const struct access_guard *g,
                         const struct access_condition *part, bool negated)
{
    struct access_guard one = *g;

    one.condition = part;
    one.negated = negated;
    return is_sure(e, &one);
}

/* Whether the facts imply a comparison of values that are constant for a thread. It then
   is true whenever it was evaluated. */
static bool is_surely(const struct extent *e, const struct access_guard *g)
{
    struct access_guard other = *g;
    struct facts known = e->facts, now = known;
    struct range r;

    if (!facts_never_change(&now, g->condition->left) ||
        !facts_never_change(&now, g->condition->right))
        return false;
    other.negated = !g->negated;
    facts_add_guards(&now, &other, 1);
    for (uint32_t i = known.count; i < now.count; i++)
        if (facts_bound(&known, now.facts[i].form, &r) && r.low > now.facts[i].most)
            return true;
    return false;
}

static bool is_sure(const struct extent *e, const struct access_guard *g)
{
    const struct access_condition *c = g->condition;

    switch (c->kind) {
    case ACCESS_COMPARE:
        return is_surely(e, g);
    case ACCESS_UNLESS:
        return is_part_sure(e, g, c->first, !g->negated);
    case ACCESS_BOTH:
    case ACCESS_EITHER:
        if (g->negated == (c->kind == ACCESS_EITHER))
            return is_part_sure(e, g, c->first, g->negated) &&
                   is_part_sure(e, g, c->second, g->negated);
        return is_part_sure(e, g, c->first, g->negated) ||
               is_part_sure(e, g, c->second, g->negated);
    case ACCESS_UNSURE:
        break;
    }
    return false;
}

static bool is_entered(const struct extent *e, const struct access_loop *l)
{
    bool is = l->guards_decide;

    for (uint32_t i = 0; i < l->guard_count && is; i++)
        is = is_sure(e, &l->guards[i]);
    return is;
}

bool ended_loop_trips(struct extent *e, uint32_t loop, int64_t *trips, bool *may_pass)
{
    const int64_t *most = e->facts.view.trips;
    const bool is_never = most && most[loop] == 0;

    *trips = 0;
    if (extent_inside(e->analysis, e->loop, loop) ||
        (!is_never && !exact_trips(&e->facts, e->analysis, loop, trips)))
        return false;
    *may_pass = !is_never && !is_entered(e, &e->analysis->loops[loop]);
    return true;
}
