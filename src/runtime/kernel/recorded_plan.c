/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/recorded_plan.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/autotune/choice.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/autotune/stored_choice.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/kernel/stored_plan.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/recorded.h"

enum {
    TIMES = 2,        /* timed replays; the fastest counts */
    WORTH_IT = 16,    /* replays that amortize a recording */
    REPLAYS_FIRST = 1 /* replays before a timed one */
};

struct recorded_plan {
    const struct proact_kernel *kernel;
    const struct choice *choice; /* NULL: without one */
    bool is_split, is_stored;
    uint64_t changes; /* problems_changes() */
    unsigned launches;
    struct profile_key key; /* only if a profile is written */
    struct plan plan;
    double predicted_ns; /* of a launch; 0: unknown */
};

/* Prediction of the planner, or that of the stored plan of the same launch. */
static double recorded_plan_predicted(const struct launching *l,
                                      const struct recorded_plan *one)
{
    const struct plan_record *r =
        one->choice && one->choice->plans.number ? &one->choice->plans : problem_record(l);
    struct profile_key key = one->key;
    const double ns = one->is_split ? problem_recorded_ns(l) : 0;

    if (ns > 0)
        return ns;
    if (r)
        return one->is_split ? r->all[r->chosen].predicted_ns : r->single_ns;
    key.is_recorded = false;
    const struct profile_entry *e = session_profile_find(l->kernel->session, &key);

    return e && (e->plan.devices > 1) == one->is_split ? e->predicted_ns : 0;
}

/* Plan of the launch as a profile has it: without what the user set. */
static void recorded_plan_fill(const struct launching *l, struct recorded_plan *out)
{
    const struct proact *p = l->kernel->session;
    const struct transfer_plan *plan = &l->plan;
    const struct profile_entry *e = stored_plan_recorded(l);

    out->key = stored_plan_recorded_key(l);
    out->is_stored = e && profile_is_decided(e);
    if (out->is_stored)
        session_profile_use(l->kernel->session, &out->key);
    out->plan.devices = out->is_split ? p->devices.count : 1;
    out->predicted_ns = recorded_plan_predicted(l, out);
    if (!out->is_split)
        return;
    out->plan.axis = l->original ? l->interchanged[0] + 1 : 0;
    if (!p->constraint.is_open)
        return;
    strncpy(out->plan.method, plan->method->name, PLAN_METHOD_BYTES - 1);
    if (plan->method->takes_chunks)
        out->plan.chunk_first = plan->chunk_bytes;
    if (plan->method->takes_threads)
        out->plan.threads = plan->threads;
}

static bool recorded_plan_is_same(const struct recorded_plan *a,
                                  const struct recorded_plan *b)
{
    return a->kernel == b->kernel && a->choice == b->choice && a->is_split == b->is_split &&
           profile_keys_are_equal(&a->key, &b->key);
}

void recorded_plan_note(const struct launching *l)
{
    struct proact *p = l->kernel->session;
    struct proact_recording *r = p->recording;
    struct recorded_plan one = {.kernel = l->kernel,
                                .choice = l->choice,
                                .is_split = l->binding && p->devices.count > 1,
                                .changes = problems_changes(l->kernel),
                                .launches = 1};

    if (p->profile->path)
        recorded_plan_fill(l, &one);
    if (one.is_split)
        problem_note_recorded(l);
    for (size_t i = 0; i < r->plan_count; i++)
        if (recorded_plan_is_same(&r->plan[i], &one)) {
            r->plan[i].launches++;
            return;
        }
    r->plan = must_grow(r->plan, r->plan_count, &r->plan_capacity, sizeof *r->plan);
    r->plan[r->plan_count++] = one;
}

static bool recorded_plan_holds(const struct recorded_plan *one, unsigned replays)
{
    const struct choice *c = one->choice;

    if (one->is_split && problems_changes(one->kernel) != one->changes)
        return false;
    return replays < WORTH_IT || !c || !choice_is_made(c) || c->is_stored ||
           c->session->validation.is_under_way ||
           (c->settled != CHOICE_SINGLE) == one->is_split;
}

bool recorded_plans_hold(const struct proact_recording *r)
{
    for (size_t i = 0; i < r->plan_count; i++)
        if (!recorded_plan_holds(&r->plan[i], r->replays))
            return false;
    return true;
}

bool recorded_plans_are_due(const struct proact_recording *r)
{
    const struct proact *p = r->session;
    bool are_stored = true;

    for (size_t i = 0; i < r->plan_count; i++)
        are_stored &= r->plan[i].is_stored;
    return !are_stored && p->profile->path && r->replays >= REPLAYS_FIRST &&
           r->timed < TIMES && !p->has_interop && plan_budget_permits(&p->budget);
}

/* The share of a launch in a time: by its prediction, or equal shares if one is unknown. */
static double recorded_plan_share(const struct proact_recording *r, size_t index, double ns)
{
    double all = 0, launches = 0;
    bool are_predicted = true;

    for (size_t i = 0; i < r->plan_count; i++) {
        const struct recorded_plan *one = &r->plan[i];

        launches += one->launches;
        all += one->launches * one->predicted_ns;
        are_predicted &= one->predicted_ns > 0;
    }
    return are_predicted ? ns * r->plan[index].predicted_ns / all : ns / launches;
}

void recorded_plans_timed(struct proact_recording *r, uint64_t ns)
{
    struct proact *p = r->session;

    stored_choice_timed(p);
    r->least_ns = r->timed && r->least_ns < ns ? r->least_ns : ns;
    r->most_ns = r->most_ns > ns ? r->most_ns : ns;
    r->timed++;
    for (size_t i = 0; i < r->plan_count; i++) {
        const struct recorded_plan *one = &r->plan[i];
        const double spread = (double)(r->most_ns - r->least_ns);
        struct profile_candidate c = {.plan = one->plan,
                                      .predicted_ns = one->predicted_ns,
                                      .measured_ns =
                                          recorded_plan_share(r, i, (double)r->least_ns),
                                      .spread_ns = recorded_plan_share(r, i, spread),
                                      .runs = r->timed,
                                      .reason = PROFILE_TIMED};

        if (!one->is_stored)
            session_profile_add(p, &(struct profile_entry){.key = one->key,
                                                           .plan = c.plan,
                                                           .predicted_ns = c.predicted_ns,
                                                           .measured_ns = c.measured_ns,
                                                           .spread_ns = c.spread_ns,
                                                           .runs = c.runs,
                                                           .candidates = &c,
                                                           .candidate_count = 1});
    }
}
