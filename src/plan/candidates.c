/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "plan/rules/rules.h"

/* In the order of their application. */
static const struct plan_rule *const plan_rules[] = {
    &plan_rule_axis,   &plan_rule_interior, &plan_rule_staging,
    &plan_rule_method, &plan_rule_chunk,    &plan_rule_threads};
enum { RULES = sizeof plan_rules / sizeof *plan_rules };

/* Smallest gain for which the default plan, or a larger chunk, is left, as a share of the
   cost. */
static const double plan_gain_least = 0.03;

struct plan_list {
    struct plan plan[PLAN_CANDIDATES_MAX];
    unsigned count;
};

bool plan_is_same(const struct plan *a, const struct plan *b)
{
    return a->devices == b->devices && a->axis == b->axis &&
           strcmp(a->method, b->method) == 0 && strcmp(a->tail, b->tail) == 0 &&
           a->tail_bytes == b->tail_bytes && a->chunk_first == b->chunk_first &&
           a->chunk_step == b->chunk_step && a->threads == b->threads &&
           a->interior == b->interior && a->staging == b->staging &&
           a->needed_first == b->needed_first;
}

static void plan_list_expand(const struct plan_problem *p, const struct plan_rule *rule,
                             const struct plan_list *from, struct plan_list *to)
{
    to->count = 0;
    for (unsigned i = 0; i < from->count && to->count < PLAN_CANDIDATES_MAX; i++) {
        const unsigned count = rule->expand(p, &from->plan[i], &to->plan[to->count],
                                            PLAN_CANDIDATES_MAX - to->count);

        if (!count)
            to->plan[to->count] = from->plan[i];
        to->count += count ? count : 1;
    }
}

/* Time of the devices, which is free for other launches where the host is slower. */
static double plan_devices_ns(const struct plan_candidate *c)
{
    return c->cost.ns - c->cost.term[MODEL_TERM_HOST];
}

static int plan_compare(const void *left, const void *right)
{
    const struct plan_candidate *a = left, *b = right;
    const double difference = a->cost.ns - b->cost.ns;
    const double equal = plan_devices_ns(a) - plan_devices_ns(b);

    if (difference < 0 || difference > 0)
        return difference < 0 ? -1 : 1;
    return equal < 0 ? -1 : equal > 0;
}

static bool plan_is_possible(const struct plan_problem *p, const struct plan *plan)
{
    const struct plan_method *m = plan_method_find(p, plan->method);

    return !p->is_recorded || !m || !m->is_unrecorded;
}

unsigned plan_candidates(const struct plan_problem *p,
                         struct plan_candidate out[PLAN_CANDIDATES_MAX])
{
    struct plan_list lists[2] = {{.count = 1}};
    int now = 0;

    for (int r = 0; r < RULES; r++, now = !now)
        plan_list_expand(p, plan_rules[r], &lists[now], &lists[!now]);
    unsigned count = 0;
    bool has_usual = false;

    for (unsigned i = 0; i < lists[now].count; i++) {
        if (!plan_is_possible(p, &lists[now].plan[i]))
            continue;
        out[count] = (struct plan_candidate){.plan = lists[now].plan[i]};
        has_usual |= plan_is_same(&out[count++].plan, &p->usual);
    }
    if (!has_usual) {
        count += count < PLAN_CANDIDATES_MAX;
        out[count - 1] = (struct plan_candidate){.plan = p->usual};
    }
    const double ratio = plan_copy_ratio(p);

    for (unsigned i = 0; i < count; i++) {
        out[i].cost = plan_cost_of(p, &out[i].plan);
        out[i].ratio = ratio;
    }
    qsort(out, count, sizeof *out, plan_compare);
    return count;
}

/* The cheapest candidate; of its method's chunk sizes, the largest that costs hardly more.
   Counters of small chunks compete for the L2, which the model does not describe. */
static unsigned plan_cheapest(const struct plan_candidate *all, unsigned count)
{
    unsigned best = 0;

    for (unsigned i = 1; i < count; i++)
        if (strcmp(all[i].plan.method, all[0].plan.method) == 0 &&
            all[i].plan.threads == all[0].plan.threads &&
            all[i].plan.chunk_first > all[best].plan.chunk_first &&
            all[i].cost.ns <= (1 + plan_gain_least) * all[0].cost.ns)
            best = i;
    return best;
}

unsigned plan_choose(const struct plan_problem *p, const struct plan_candidate *candidates,
                     unsigned count)
{
    const unsigned cheapest = plan_cheapest(candidates, count);
    unsigned usual = 0;

    while (usual < count && !plan_is_same(&candidates[usual].plan, &p->usual))
        usual++;
    if (usual >= count)
        return cheapest;
    const struct plan_candidate *best = &candidates[0], *now = &candidates[usual];
    const double gain = now->cost.ns - best->cost.ns,
                 devices_gain = plan_devices_ns(now) - plan_devices_ns(best);

    return gain > plan_gain_least * now->cost.ns ||
                   devices_gain > plan_gain_least * plan_devices_ns(now)
               ? cheapest
               : usual;
}
