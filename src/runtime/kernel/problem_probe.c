/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/problem_probe.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "runtime/kernel/problem_list.h"

enum { MEASURED_MAX = 3 }; /* candidates that are timed */

/* Modelled cost of a launch in a recording; INFINITY if GPUs do not record it. A timed
   launch has no host time: the devices start when all of it is queued. */
static struct recorded_cost problem_recorded_cost(const struct plan_problem *p,
                                                  const struct plan *plan)
{
    struct plan_problem single = *p, recorded = *p;
    const struct plan_method *m = plan_method_find(p, plan->method);

    if (m && m->is_unrecorded)
        return (struct recorded_cost){INFINITY, INFINITY};
    single.is_queued = recorded.is_recorded = true;
    single.is_recorded = false;
    const struct model_time timed = plan_cost_of(&single, plan);
    const double ns = plan_cost_of(&recorded, plan).ns;

    return (struct recorded_cost){ns, ns - (timed.ns - timed.term[MODEL_TERM_HOST])};
}

struct plan_candidate problem_best_recorded(const struct plan_problem *p)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    struct plan_problem recorded = *p;

    recorded.is_recorded = true;
    return all[plan_choose(&recorded, all, plan_candidates(&recorded, all))];
}

/* Marks a candidate with that plan, if one is left. */
static void problem_mark(const struct problem_choice *choice, const struct plan *plan,
                         bool *is_timed, unsigned *left)
{
    for (unsigned i = 0; i < choice->count && *left; i++)
        if (!is_timed[i] && plan_is_same(&choice->all[i].plan, plan)) {
            is_timed[i] = true;
            (*left)--;
        }
}

void problem_probe_list(struct launch_problem *q, const struct problem_choice *choice,
                        const struct plan_candidate *recorded, bool every)
{
    bool is_timed[PLAN_CANDIDATES_MAX] = {false};
    unsigned left = every ? choice->count : MEASURED_MAX;

    problem_mark(choice, &choice->problem->usual, is_timed, &left);
    problem_mark(choice, &choice->all[0].plan, is_timed, &left);
    problem_mark(choice, &recorded->plan, is_timed, &left);
    q->recorded_costs = must_calloc(choice->count, sizeof *q->recorded_costs);
    q->candidates = must_calloc(choice->count, sizeof *q->candidates);
    q->times = must_calloc(choice->count, sizeof *q->times);
    q->candidate_count = q->launched = q->now = 0;
    for (unsigned i = 0; i < choice->count; i++) {
        if (!is_timed[i] && left)
            left--;
        else if (!is_timed[i])
            continue;
        q->recorded_costs[q->candidate_count] =
            problem_recorded_cost(choice->problem, &choice->all[i].plan);
        q->candidates[q->candidate_count++] = choice->all[i];
    }
}

void problem_probe_drop(struct launch_problem *q, unsigned candidate)
{
    q->candidate_count--;
    for (unsigned i = candidate; i < q->candidate_count; i++) {
        q->candidates[i] = q->candidates[i + 1];
        q->times[i] = q->times[i + 1];
        q->recorded_costs[i] = q->recorded_costs[i + 1];
    }
}

void problem_probe_clear(struct launch_problem *q)
{
    free(q->candidates);
    free(q->times);
    free(q->recorded_costs);
    q->candidates = NULL;
    q->times = NULL;
    q->recorded_costs = NULL;
}

double problem_timed_ns(const struct launch_problem *q, unsigned candidate,
                        bool is_recorded)
{
    const double ns = q->times[candidate].least_ns;

    if (ns > 0 && is_recorded)
        return fmax(ns + q->recorded_costs[candidate].more_ns, 1);
    return ns;
}

unsigned problem_fastest(const struct launch_problem *q, bool is_recorded)
{
    unsigned best = 0;

    for (unsigned i = 0; i < q->candidate_count; i++) {
        const double ns = problem_timed_ns(q, i, is_recorded),
                     best_ns = problem_timed_ns(q, best, is_recorded);

        if (ns > 0 && (best_ns <= 0 || ns < best_ns))
            best = i;
    }
    return best;
}
