/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/problem_record.h"

#include <math.h>

#include "base/memory.h"
#include "model/predict.h"

/* A measured time begins with the launch, the model's with the kernel. */
static double record_launch_ns(const struct plan_problem *p)
{
    return 1000 * p->topology->device.launch_us;
}

/* Predicted time on one device: all waves of CTAs instead of those of one part. */
static double record_single_ns(const struct plan_problem *p)
{
    const double wave = model_wave(&p->topology->device, p->cta_threads);

    return record_launch_ns(p) + p->kernel_ns * ceil((double)p->ctas / wave) /
                                     fmax(ceil((double)p->ctas_most / wave), 1);
}

static struct profile_candidate *record_find(const struct plan_record *r,
                                             const struct plan *plan)
{
    for (unsigned i = 0; i < r->count; i++)
        if (plan_is_same(&r->all[i].plan, plan))
            return &r->all[i];
    return NULL;
}

/* A full record loses its most expensive candidate that is not the chosen one. */
static void record_add(struct plan_record *r, const struct plan_candidate *c)
{
    const unsigned at = r->count < PLAN_RECORD_MAX          ? r->count++
                        : r->chosen == PLAN_RECORD_MAX - 1u ? PLAN_RECORD_MAX - 2u
                                                            : PLAN_RECORD_MAX - 1u;

    r->all[at] = (struct profile_candidate){.plan = c->plan,
                                            .predicted_ns = r->launch_ns + c->cost.ns,
                                            .reason = PROFILE_PREDICTED};
}

void problem_record_choose(struct plan_record *r, const struct plan_candidate *chosen,
                           uint64_t number)
{
    if (!r->all)
        return;
    if (!record_find(r, &chosen->plan))
        record_add(r, chosen);
    r->chosen = (unsigned)(record_find(r, &chosen->plan) - r->all);
    r->number = number;
}

void problem_record_create(struct plan_record *r, const struct problem_choice *choice,
                           uint64_t number)
{
    plan_record_clear(r);
    r->all = must_calloc(PLAN_RECORD_MAX, sizeof *r->all);
    r->launch_ns = record_launch_ns(choice->problem);
    r->single_ns = record_single_ns(choice->problem);
    for (unsigned i = 0; i < choice->count && i < PLAN_RECORD_MAX - 1; i++)
        record_add(r, &choice->all[i]);
    for (unsigned i = PLAN_RECORD_MAX - 1; i < choice->count; i++)
        if (plan_is_same(&choice->all[i].plan, &choice->problem->usual))
            record_add(r, &choice->all[i]);
    problem_record_choose(r, &choice->all[choice->chosen], number);
}

void problem_record_timed(struct plan_record *r, const struct plan *plan,
                          const struct candidate_time *time)
{
    struct profile_candidate *c = r->all ? record_find(r, plan) : NULL;

    if (!c || !time->runs)
        return;
    c->measured_ns = time->least_ns;
    c->spread_ns = time->most_ns - time->least_ns;
    c->runs = time->runs;
    c->reason = PROFILE_TIMED;
}

void problem_record_unsupported(struct plan_record *r, const struct plan *plan)
{
    struct profile_candidate *c = r->all ? record_find(r, plan) : NULL;

    if (c)
        c->reason = PROFILE_UNSUPPORTED;
}
