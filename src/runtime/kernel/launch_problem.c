/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/launch_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/candidates.h"
#include "runtime/kernel/problem_features.h"
#include "runtime/kernel/problem_timer.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

enum {
    SETTLED = 1,      /* launches with the present readers */
    UNTIMED = 2,      /* the same, if none of them was timed */
    MEASURED_MAX = 4, /* candidates that are timed; with an exhaustive effort all are */
    TIMES = 2,        /* timed launches of a candidate; the fastest counts */
};

enum problem_state { PROBLEM_UNMEASURED, PROBLEM_PROBING, PROBLEM_PLANNED };

struct launch_problem {
    struct launch_problem *next;
    uint32_t grid[3], threads[3];
    unsigned over;
    uint64_t digest; /* of the write set; 0: maps of the user */
    uint64_t bytes[PROACT_SLOTS_MAX];
    struct transfer_plan constraint; /* under which the plan was made */
    enum problem_state state;
    struct transfer_plan plan, recorded; /* of single launches, and in recordings */
    struct plan_candidate *candidates;   /* while probing: those to time */
    double *times;                       /* of each; 0: none yet */
    unsigned candidate_count, timed, now;
    struct problem_timer timer;
    double kernel_ns;          /* without transfers; 0: no timed launch has ended yet */
    uint64_t launches, queued; /* all; those that followed another one without a wait */
    char why[160], why_recorded[160];
    bool gave_recorded; /* the last launch has the plan of recordings */
};

struct kernel_problems {
    struct launch_problem *first, *last_used;
};

static bool problem_fits(const struct launch_problem *q, const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;

    if (memcmp(q->grid, l->grid, sizeof q->grid) != 0 ||
        memcmp(q->threads, l->threads, sizeof q->threads) != 0 || q->over != l->over ||
        q->digest != l->found.digest ||
        !plans_are_same(&q->constraint, &k->session->constraint))
        return false;
    for (unsigned s = 0; s < k->slot_count; s++)
        if (q->bytes[s] != launching_slot_array(l, s)->bytes)
            return false;
    return true;
}

static bool problem_has_arrays(const struct launching *l)
{
    bool has = true;

    for (unsigned s = 0; s < l->kernel->slot_count; s++)
        has &= launching_slot_array(l, s) != NULL;
    return has;
}

static struct launch_problem *problem_look_up(const struct launching *l)
{
    const struct kernel_problems *all = l->kernel->problems;
    struct launch_problem *q = all ? all->first : NULL;

    while (q && !problem_fits(q, l))
        q = q->next;
    return q;
}

static struct launch_problem *problem_find(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;
    struct launch_problem *q = problem_look_up(l);

    if (!k->problems)
        k->problems = must_calloc(1, sizeof *k->problems);
    if (!q) {
        q = must_calloc(1, sizeof *q);
        memcpy(q->grid, l->grid, sizeof q->grid);
        memcpy(q->threads, l->threads, sizeof q->threads);
        q->over = l->over;
        q->digest = l->found.digest;
        q->constraint = k->session->constraint;
        for (unsigned s = 0; s < k->slot_count; s++)
            q->bytes[s] = launching_slot_array(l, s)->bytes;
        q->plan = q->recorded = q->constraint;
        snprintf(q->why, sizeof q->why,
                 "the default, as its readers or the kernel's time are not known yet");
        q->next = k->problems->first;
        k->problems->first = q;
    }
    k->problems->last_used = q;
    return q;
}

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

static void problem_settle(struct launch_problem *q, const struct plan_candidate *c)
{
    q->plan = q->recorded = problem_plan_of(q, c);
    q->state = PROBLEM_PLANNED;
    free(q->candidates);
    free(q->times);
    q->candidates = NULL;
    q->times = NULL;
}

/* Candidates to time: the default, and the best by the model. */
static void problem_probe(struct launch_problem *q, const struct plan_problem *p,
                          const struct plan_candidate *all, unsigned count, bool every)
{
    q->candidates = must_calloc(count, sizeof *q->candidates);
    q->times = must_calloc(count, sizeof *q->times);
    q->candidate_count = q->timed = q->now = 0;
    for (unsigned i = 0; i < count; i++) {
        const bool is_usual = plan_is_same(&all[i].plan, &p->usual);

        if (is_usual || every || i < MEASURED_MAX - 1)
            q->candidates[q->candidate_count++] = all[i];
    }
    q->state = PROBLEM_PROBING;
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

/* A launch of a recording costs the host nothing, and copies less: its plan is selected
   apart. */
static void problem_estimate(struct launch_problem *q, struct plan_problem *p,
                             struct plan_candidate all[PLAN_CANDIDATES_MAX])
{
    const unsigned chosen = plan_choose(p, all, plan_candidates(p, all));

    problem_explain(p, &all[chosen], q->why);
    problem_settle(q, &all[chosen]);
    p->is_recorded = true;
    const unsigned recorded = plan_choose(p, all, plan_candidates(p, all));

    problem_explain(p, &all[recorded], q->why_recorded);
    q->recorded = problem_plan_of(q, &all[recorded]);
}

static void problem_begin(struct launch_problem *q, const struct launching *l,
                          const struct kernel_binding *b)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    const enum proact_effort effort = l->kernel->session->effort;
    struct problem_features *f = problem_features(l, b);

    f->problem.kernel_ns = q->kernel_ns;
    f->problem.is_queued = 2 * q->queued > q->launches;
    if (effort == PROACT_EFFORT_ESTIMATE)
        problem_estimate(q, &f->problem, all);
    else
        problem_probe(q, &f->problem, all, plan_candidates(&f->problem, all),
                      effort == PROACT_EFFORT_EXHAUSTIVE);
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

/* Whether the time of the kernel is known: that of the last launch, or of an earlier one if
   the readers have not changed for some launches. On a virtual clock the launches since the
   last wait have not ended. */
static bool problem_time(struct launch_problem *q, struct launching *l,
                         const struct kernel_binding *b)
{
    const double ns = problem_kernel_ns(q, l, b);

    if (ns > 0) {
        struct problem_features *f = problem_features(l, b);

        q->kernel_ns = plan_kernel_ns(&f->problem, &f->problem.usual, ns);
        problem_features_free(f);
    } else if (!l->kernel->session->backend->is_virtual && !q->timer.is_recorded) {
        q->timer.device = problem_busiest(b);
        l->timer = &q->timer;
    }
    return q->kernel_ns > 0 && b->launches >= (ns > 0 ? SETTLED : UNTIMED);
}

void problem_plan(struct launching *l)
{
    const struct kernel_binding *b;

    if (!problem_has_arrays(l)) /* launch_check_slots() reports that */
        return;
    const struct proact *p = l->kernel->session;
    struct launch_problem *q = problem_find(l);

    q->launches++;
    q->queued += p->sequence > p->order.settled;
    if (q->state == PROBLEM_UNMEASURED && (b = kernel_binding_latest(l)) &&
        transfer_counts(&b->transfer) && problem_time(q, l, b))
        problem_begin(q, l, b);
    if (q->state == PROBLEM_PROBING && plan_budget_permits(&l->kernel->session->budget)) {
        l->plan = problem_plan_of(q, &q->candidates[q->now]);
        l->measured = q;
    } else if (q->state == PROBLEM_PLANNED) {
        q->gave_recorded =
            !plans_are_same(&q->plan, &q->recorded) && !kernel_binding_of(l, &q->recorded);
        l->plan = q->gave_recorded ? q->recorded : q->plan;
    }
}

bool problem_plan_recorded(struct launching *l)
{
    struct launch_problem *q = problem_has_arrays(l) ? problem_look_up(l) : NULL;
    const struct kernel_binding *b = q ? kernel_binding_latest(l) : NULL;

    if (!b)
        return false;
    q->gave_recorded = q->state == PROBLEM_PLANNED && kernel_binding_of(l, &q->recorded);
    l->plan = q->gave_recorded ? q->recorded : b->transfer.plan;
    return true;
}

/* The first launch under a plan builds its tables and is not counted. */
void problem_measured(struct launching *l, double ns)
{
    struct launch_problem *q = l->measured;
    unsigned best = 0;

    if (l->binding->launches >= 1 && ns > 0 &&
        (q->times[q->now] <= 0 || ns < q->times[q->now]))
        q->times[q->now] = ns;
    if (++q->timed <= TIMES)
        return;
    q->timed = 0;
    if (++q->now < q->candidate_count)
        return;
    for (unsigned i = 1; i < q->candidate_count; i++)
        if (q->times[i] > 0 && (q->times[best] <= 0 || q->times[i] < q->times[best]))
            best = i;
    snprintf(q->why, sizeof q->why, "measured %.1f us, the fastest of %u plans",
             q->times[best] / 1e3, q->candidate_count);
    problem_settle(q, &q->candidates[best]);
}

const char *problem_text(const struct proact_kernel *k)
{
    const struct launch_problem *q = k->problems ? k->problems->last_used : NULL;

    if (!q)
        return NULL;
    return q->gave_recorded && q->why_recorded[0] ? q->why_recorded : q->why;
}

void problems_drop(struct proact_kernel *k)
{
    while (k->problems && k->problems->first) {
        struct launch_problem *q = k->problems->first;

        k->problems->first = q->next;
        problem_timer_clear(k->session, &q->timer);
        free(q->candidates);
        free(q->times);
        free(q);
    }
    free(k->problems);
    k->problems = NULL;
}
