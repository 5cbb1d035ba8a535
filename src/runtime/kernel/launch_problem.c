/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/launch_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/candidates.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/autotune/stored_choice.h"
#include "runtime/kernel/problem_features.h"
#include "runtime/kernel/problem_list.h"
#include "runtime/kernel/problem_probe.h"
#include "runtime/kernel/problem_record.h"
#include "runtime/kernel/problem_timer.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

enum {
    SETTLED = 1,   /* launches with the present readers */
    UNTIMED = 2,   /* the same, if none of them was timed */
    TIMES = 2,     /* timed launches of a candidate; the fastest counts */
    TIMES_MOST = 8 /* limit of the launches of a candidate, if none could be timed */
};

/* The session's plan with the fields of a candidate. */
static struct transfer_plan problem_plan_of(const struct launch_problem *q,
                                            const struct plan_candidate *c)
{
    struct transfer_plan plan = q->constraint;

    transfer_methods_read(c->plan.method, &plan, NULL);
    if (plan.method->takes_chunks)
        plan.chunk_bytes = c->plan.chunk_first;
    if (plan.method->takes_threads)
        plan.threads = c->plan.threads;
    plan.compute_ratio = plan.method->schedules && c->plan.chunk_first == 0 && c->ratio > 0
                             ? c->ratio
                             : plan.compute_ratio;
    return plan;
}

/* Settles the plan of recordings. A recording with the former one ends. */
static void problem_settle_recorded(struct launch_problem *q, struct proact_kernel *k,
                                    const struct transfer_plan *plan)
{
    if (q->is_recorded && !plans_are_same(plan, &q->recorded)) {
        k->problems->changes++;
        q->is_recorded = false;
    }
    q->recorded = *plan;
}

/* The candidate for single launches. */
static void problem_settle(struct launch_problem *q, struct proact_kernel *k,
                           const struct plan_candidate *c)
{
    q->plan = problem_plan_of(q, c);
    q->selected = *c;
    q->state = PROBLEM_PLANNED;
    problem_record_choose(&q->record, c, ++k->session->last_number);
    problem_probe_clear(q);
}

/* Replaces the candidate of single launches. Recordings that share its plan follow, unless
   GPUs do not record the launches of the new one. */
static void problem_replace(struct launch_problem *q, struct proact_kernel *k,
                            const struct plan_candidate *c)
{
    const struct transfer_plan plan = problem_plan_of(q, c);

    if (plans_are_same(&q->recorded, &q->plan) &&
        !problem_method(plan.method).is_unrecorded)
        problem_settle_recorded(q, k, &plan);
    problem_settle(q, k, c);
}

/* The effort of the session, or the larger one of PROACT_EFFORT. */
static enum proact_effort problem_effort(const struct proact *p)
{
    const enum proact_effort by_user = (enum proact_effort)p->profile->effort;

    return by_user > p->effort ? by_user : p->effort;
}

/* Begins to time the candidates. */
static void problem_probe(struct launch_problem *q, const struct problem_choice *choice,
                          bool every)
{
    const struct plan_candidate recorded = problem_best_recorded(choice->problem);

    problem_probe_list(q, choice, &recorded, every);
    q->state = PROBLEM_PROBING;
    q->plan = problem_plan_of(q, &choice->all[choice->chosen]);
    q->recorded = problem_plan_of(q, &recorded);
    snprintf(q->why, sizeof q->why, "one of %u plans that are being measured",
             q->candidate_count);
}

/* Modelled times of the plan and of the default. */
static void problem_explain(const struct plan_problem *p, const struct plan_candidate *c,
                            char why[160])
{
    const struct model_time usual = plan_cost_of(p, &p->usual);

    if (plan_is_same(&c->plan, &p->usual))
        snprintf(why, 160,
                 "the default, modelled %.1f us with a kernel of %.1f us; no other is "
                 "clearly faster",
                 usual.ns / 1e3, p->kernel_ns / 1e3);
    else
        snprintf(why, 160,
                 "modelled %.1f us with a kernel of %.1f us; the default %s takes %.1f us",
                 c->cost.ns / 1e3, p->kernel_ns / 1e3, p->usual.method, usual.ns / 1e3);
}

/* Candidates of a launch: all, or only the plan that the user set or that the kernel
   permits. The model does not describe a launch with an interior, which keeps its plan. */
static struct problem_choice problem_choose(const struct problem_features *f, bool is_open,
                                            bool is_by_planner,
                                            struct plan_candidate all[PLAN_CANDIDATES_MAX])
{
    struct problem_choice c = {.problem = &f->problem, .all = all, .count = 1};

    if (is_open) {
        c.count = plan_candidates(&f->problem, all);
        c.chosen = plan_choose(&f->problem, all, c.count);
    } else {
        all[0] = (struct plan_candidate){
            .plan = f->problem.usual, .cost = plan_cost_of(&f->problem, &f->problem.usual)};
        if (!is_by_planner) /* a profile has no plan that the user set */
            all[0].plan = (struct plan){.devices = 0};
    }
    return c;
}

/* Selects the plans by the model. A launch of a recording costs the host nothing, and
   copies less: its plan is selected apart. */
static void problem_estimate(struct launch_problem *q, const struct launching *l,
                             struct plan_problem *p, const struct plan_candidate *chosen)
{
    problem_explain(p, chosen, q->why);
    p->is_recorded = true;
    const struct plan_candidate recorded = problem_best_recorded(p);
    const struct transfer_plan plan = problem_plan_of(q, &recorded);

    q->recorded_ns = recorded.cost.ns;
    problem_explain(p, &recorded, q->why_recorded);
    problem_settle_recorded(q, l->kernel, &plan);
    problem_settle(q, l->kernel, chosen);
}

static void problem_begin(struct launch_problem *q, const struct launching *l,
                          const struct kernel_binding *b)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    struct proact *p = l->kernel->session;
    const enum proact_effort effort = problem_effort(p);
    /* Copies may have replaced the default. */
    const bool is_open = q->constraint.is_open && !b->is_divided &&
                         (plans_are_same(&b->transfer.plan, &q->plan) ||
                          b->transfer.plan.method == transfer_method_whole());
    struct problem_features *f = problem_features(l, b);

    q->sends_nothing = !plan_sends(&f->problem);
    f->problem.kernel_ns = q->kernel_ns;
    f->problem.is_queued = 2 * q->queued > q->launches;
    const struct problem_choice choice =
        problem_choose(f, is_open, q->constraint.is_open, all);

    q->usual = (struct plan_candidate){
        .plan = f->problem.usual, .cost = plan_cost_of(&f->problem, &f->problem.usual)};
    if (p->profile->path)
        problem_record_create(&q->record, &choice, ++p->last_number);
    if (is_open && effort != PROACT_EFFORT_ESTIMATE) {
        problem_probe(q, &choice, effort == PROACT_EFFORT_EXHAUSTIVE);
    } else {
        if (is_open)
            problem_estimate(q, l, &f->problem, &all[choice.chosen]);
        q->state = PROBLEM_PLANNED;
    }
    problem_features_free(f);
}

/* Time of the kernel of the last launch, on the device with the most CTAs. 0: not known
   yet. */
static double problem_kernel_ns(const struct launch_problem *q, const struct launching *l,
                                const struct kernel_binding *b)
{
    const struct proact *p = l->kernel->session;

    return p->backend->is_virtual ? span_book_launch_ns(&p->book, b->launched)
                                  : problem_timer_ns(p, &q->timer);
}

static unsigned problem_busiest(const struct kernel_binding *b)
{
    unsigned most = 0;

    for (unsigned d = 1; d < b->transfer.devices->count; d++)
        if (b->cta_first[d + 1] - b->cta_first[d] >
            b->cta_first[most + 1] - b->cta_first[most])
            most = d;
    return most;
}

/* Time of the kernel without what its plan adds, of a launch that took `ns`. */
static double problem_plain_ns(const struct launching *l, const struct kernel_binding *b,
                               double ns)
{
    struct problem_features *f = problem_features(l, b);
    const double plain =
        f->is_plain ? ns : plan_kernel_ns(&f->problem, &f->problem.usual, ns);

    problem_features_free(f);
    return plain;
}

/* Begins the plan once the time of the kernel is known: that of the last launch, or of an
   earlier one if the readers have not changed for some launches. On a virtual clock the
   launches since the last wait have not ended. */
static void problem_measure_kernel(struct launch_problem *q, struct launching *l)
{
    const struct kernel_binding *settled = kernel_binding_settled(l, SETTLED);
    const struct kernel_binding *b = settled ? settled : kernel_binding_latest(l);
    const double ns = b ? problem_kernel_ns(q, l, b) : 0;

    if (ns > 0)
        q->kernel_ns = problem_plain_ns(l, b, ns);
    else if (b && !l->kernel->session->backend->is_virtual && !q->timer.is_recorded) {
        q->timer.device = problem_busiest(b);
        l->timer = &q->timer;
    }
    if (settled && q->kernel_ns > 0 && settled->launches >= (ns > 0 ? SETTLED : UNTIMED))
        problem_begin(q, l, settled);
}

/* Whether a plan for a launch without readers on other devices has some now. */
static bool problem_has_readers(const struct launch_problem *q, const struct launching *l)
{
    const struct kernel_binding *b =
        q->state == PROBLEM_PLANNED && q->sends_nothing && q->constraint.is_open
            ? kernel_binding_settled(l, SETTLED)
            : NULL;
    bool sends = false;

    for (unsigned s = 0; b && s < b->transfer.slot_count; s++)
        for (unsigned d = 0; d < b->tables[s]->tables->device_count; d++)
            sends |= b->tables[s]->tables->table[d].send_count > 0;
    return sends;
}

void problem_plan(struct launching *l)
{
    if (!problem_has_arrays(l)) /* launch_check_slots() reports that */
        return;
    const struct proact *p = l->kernel->session;
    struct launch_problem *q = problem_find(l);

    q->launches++;
    q->queued += p->sequence > p->order.settled;
    if (problem_has_readers(q, l)) {
        plan_record_clear(&q->record);
        q->state = PROBLEM_UNMEASURED;
    }
    if (q->state == PROBLEM_UNMEASURED)
        problem_measure_kernel(q, l);
    const bool may_probe = !l->is_mode_open && plan_budget_permits(&p->budget);

    q->gave_recorded = false;
    if (q->state == PROBLEM_PROBING && may_probe) {
        l->plan = problem_plan_of(q, &q->candidates[q->now]);
        l->measured = q;
    } else if (q->state != PROBLEM_UNMEASURED) {
        l->plan = q->plan;
    }
}

struct transfer_plan problem_plan_recorded(struct launching *l)
{
    struct launch_problem *q = problem_look_up(l);

    q->gave_recorded = q->state == PROBLEM_PLANNED;
    l->plan = q->recorded;
    return q->plan;
}

static void problem_end_probes(struct launch_problem *q, struct proact_kernel *k)
{
    const unsigned best = problem_fastest(q, false), recorded = problem_fastest(q, true);

    for (unsigned i = 0; i < q->candidate_count; i++)
        problem_record_timed(&q->record, &q->candidates[i].plan, &q->times[i]);
    snprintf(q->why, sizeof q->why, "measured %.1f us, the fastest of %u plans",
             q->times[best].least_ns / 1e3, q->candidate_count);
    q->recorded_ns = q->recorded_costs[recorded].ns;
    snprintf(q->why_recorded, sizeof q->why_recorded,
             "measured %.1f us, %.1f us with the modelled difference of a recording, "
             "the fastest of %u plans",
             q->times[recorded].least_ns / 1e3, problem_timed_ns(q, recorded, true) / 1e3,
             q->candidate_count);
    const struct transfer_plan in_recordings = problem_plan_of(q, &q->candidates[recorded]);

    problem_settle_recorded(q, k, &in_recordings);
    problem_settle(q, k, &q->candidates[best]);
    q->was_measured = true;
    q->has_other = q->uses_other = false;
}

bool problem_is_unsettled(struct launching *l)
{
    struct launch_problem *q = problem_find(l);
    const struct kernel_binding *b;
    double ns;

    if (!plan_budget_permits(&l->kernel->session->budget))
        return false;
    if (q->state == PROBLEM_UNMEASURED && (b = kernel_binding_settled(l, SETTLED)) &&
        (ns = problem_kernel_ns(q, l, b)) > 0) {
        q->kernel_ns = problem_plain_ns(l, b, ns);
        problem_begin(q, l, b);
    }
    return q->state == PROBLEM_PROBING;
}

/* Leaves out the candidate that is being measured. */
static void problem_skip(struct launch_problem *q, struct proact_kernel *k)
{
    problem_record_unsupported(&q->record, &q->candidates[q->now].plan);
    problem_probe_drop(q, q->now);
    q->launched = 0;
    if (q->now == q->candidate_count)
        problem_end_probes(q, k);
}

void problem_refuse(struct launching *l)
{
    struct launch_problem *q = problem_look_up(l);

    if (l->kernel->session->recording) {
        l->plan = q->recorded = q->plan;
        return;
    }
    l->plan = l->kernel->session->constraint;
    if (!q || q->state == PROBLEM_UNMEASURED)
        return;
    if (q->state == PROBLEM_PROBING) {
        if (l->measured)
            problem_skip(q, l->kernel);
        l->measured = NULL;
        return;
    }
    snprintf(q->why, sizeof q->why, "the default; the kernel does not support %.24s",
             q->plan.method->name);
    q->plan = q->recorded = q->constraint;
    plan_record_clear(&q->record);
}

/* The first launch under a plan builds its tables and is not counted. */
void problem_measured(struct launching *l, double ns)
{
    struct launch_problem *q = l->measured;
    struct candidate_time *t = &q->times[q->now];

    stored_choice_timed(l->kernel->session);
    if (l->binding->launches >= 1 && ns > 0) {
        t->least_ns = t->runs && t->least_ns < ns ? t->least_ns : ns;
        t->most_ns = t->most_ns > ns ? t->most_ns : ns;
        t->runs++;
    }
    q->launched++;
    if (t->runs < TIMES && q->launched < TIMES_MOST)
        return;
    q->launched = 0;
    if (++q->now == q->candidate_count)
        problem_end_probes(q, l->kernel);
}

void problem_compare(const struct launching *l, double usual_ns, double selected_ns)
{
    struct launch_problem *q = problem_look_up(l);

    if (!q || q->state != PROBLEM_PLANNED)
        return;
    problem_record_timed(&q->record, &q->usual.plan,
                         &(struct candidate_time){usual_ns, usual_ns, 1});
    problem_record_timed(&q->record, &q->selected.plan,
                         &(struct candidate_time){selected_ns, selected_ns, 1});
    q->has_other = true;
    q->other = q->usual;
    if (selected_ns < usual_ns)
        return;
    q->other = q->selected;
    snprintf(q->why, sizeof q->why, "the default, measured %.1f us; %.24s took %.1f us",
             usual_ns / 1e3, q->plan.method->name, selected_ns / 1e3);
    problem_replace(q, l->kernel, &q->usual);
}

void problem_use_other(struct launching *l, bool is_other)
{
    struct launch_problem *q = problem_look_up(l);

    if (!q || !q->has_other || q->uses_other == is_other)
        return;
    const struct plan_candidate now = q->other;

    q->other = q->selected;
    q->uses_other = is_other;
    snprintf(q->why, sizeof q->why, "of two timed plans, the %s",
             is_other ? "one that costs other kernels less" : "faster one");
    problem_replace(q, l->kernel, &now);
}

bool problem_was_measured(const struct launching *l)
{
    const struct launch_problem *q = problem_has_arrays(l) ? problem_look_up(l) : NULL;

    return q && q->was_measured;
}

const struct plan_record *problem_record(const struct launching *l)
{
    const struct launch_problem *q = problem_has_arrays(l) ? problem_look_up(l) : NULL;

    return q && q->record.number ? &q->record : NULL;
}

double problem_recorded_ns(const struct launching *l)
{
    const struct launch_problem *q = problem_has_arrays(l) ? problem_look_up(l) : NULL;

    return q && q->state == PROBLEM_PLANNED ? q->recorded_ns : 0;
}

void problem_note_recorded(const struct launching *l)
{
    struct launch_problem *q = problem_has_arrays(l) ? problem_look_up(l) : NULL;

    if (q)
        q->is_recorded = true;
}

const char *problem_text(const struct proact_kernel *k)
{
    const struct launch_problem *q = k->problems ? k->problems->first : NULL;

    if (!q)
        return NULL;
    return q->gave_recorded && q->why_recorded[0] ? q->why_recorded : q->why;
}
