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
#include "runtime/kernel/problem_record.h"
#include "runtime/kernel/problem_timer.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

enum {
    SETTLED = 1,      /* launches with the present readers */
    MEASURED_MAX = 3, /* candidates that are timed; with an exhaustive effort all are */
    TIMES = 2,        /* timed launches of a candidate; the fastest counts */
    TIMES_MOST = 8,   /* launches of a candidate of which none could be timed */
    PROBLEMS_MAX = 64 /* of a kernel: the ones not used for the longest time are dropped */
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
    struct transfer_plan plan;
    struct plan_candidate *candidates;       /* while probing: those to time */
    struct candidate_time *times;            /* of each */
    unsigned candidate_count, launched, now; /* launched: under the present one */
    struct problem_timer timer;
    struct plan_candidate usual, selected; /* the default, and that of `plan` */
    struct plan_record record;             /* of the settled plan */
    bool is_recorded;                      /* a recording has the plan */
    bool was_measured;                     /* it is the fastest of those that were timed */
    char why[160];
};

struct kernel_problems {
    struct launch_problem *first; /* the last used one */
    unsigned count;
    uint64_t changes;
};

static bool problem_fits(const struct launch_problem *q, const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;

    if (memcmp(q->grid, l->grid, sizeof q->grid) != 0 ||
        memcmp(q->threads, l->threads, sizeof q->threads) != 0 || q->over != l->over ||
        q->digest != l->found.digest ||
        !plans_are_same(&q->constraint, &k->session->constraint) ||
        q->constraint.is_open != k->session->constraint.is_open)
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

bool problem_is_known(const struct launching *l)
{
    return problem_has_arrays(l) && problem_look_up(l);
}

static void problem_destroy(const struct proact *p, struct launch_problem *q)
{
    problem_timer_clear(p, &q->timer);
    plan_record_clear(&q->record);
    free(q->candidates);
    free(q->times);
    free(q);
}

static struct launch_problem *problem_create(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;
    struct launch_problem *q = must_calloc(1, sizeof *q);

    memcpy(q->grid, l->grid, sizeof q->grid);
    memcpy(q->threads, l->threads, sizeof q->threads);
    q->over = l->over;
    q->digest = l->found.digest;
    q->constraint = k->session->constraint;
    for (unsigned s = 0; s < k->slot_count; s++)
        q->bytes[s] = launching_slot_array(l, s)->bytes;
    q->plan = q->constraint;
    snprintf(q->why, sizeof q->why,
             "the default, as its readers or the kernel's time are not known yet");
    return q;
}

static void problems_trim(struct proact_kernel *k)
{
    struct launch_problem **last = &k->problems->first;

    if (k->problems->count <= PROBLEMS_MAX)
        return;
    while ((*last)->next)
        last = &(*last)->next;
    problem_destroy(k->session, *last);
    *last = NULL;
    k->problems->count--;
}

/* Moves the problem to the front of the list. */
static struct launch_problem *problem_find(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;
    struct launch_problem *q = problem_look_up(l), **link;

    if (!k->problems)
        k->problems = must_calloc(1, sizeof *k->problems);
    if (q) {
        for (link = &k->problems->first; *link != q;)
            link = &(*link)->next;
        *link = q->next;
    } else {
        q = problem_create(l);
        k->problems->count++;
    }
    q->next = k->problems->first;
    k->problems->first = q;
    problems_trim(k);
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

static void problem_settle(struct launch_problem *q, struct proact_kernel *k,
                           const struct plan_candidate *c)
{
    const struct transfer_plan plan = problem_plan_of(q, c);

    if (q->is_recorded && !plans_are_same(&plan, &q->plan)) {
        k->problems->changes++;
        q->is_recorded = false;
    }
    q->plan = plan;
    q->selected = *c;
    q->state = PROBLEM_PLANNED;
    problem_record_choose(&q->record, c, ++k->session->last_number);
    free(q->candidates);
    free(q->times);
    q->candidates = NULL;
    q->times = NULL;
}

/* The effort of the session, or the larger one of PROACT_EFFORT. */
static enum proact_effort problem_effort(const struct proact *p)
{
    const enum proact_effort by_user = (enum proact_effort)p->profile->effort;

    return by_user > p->effort ? by_user : p->effort;
}

/* Candidates to time: the default, and the best by the model. */
static void problem_probe(struct launch_problem *q, const struct problem_choice *choice,
                          bool every)
{
    q->candidates = must_calloc(choice->count, sizeof *q->candidates);
    q->times = must_calloc(choice->count, sizeof *q->times);
    q->candidate_count = q->launched = q->now = 0;
    for (unsigned i = 0, best = 0; i < choice->count; i++) {
        const bool is_usual = plan_is_same(&choice->all[i].plan, &choice->problem->usual);

        if (is_usual || every || best < MEASURED_MAX - 1)
            q->candidates[q->candidate_count++] = choice->all[i];
        best += !is_usual;
    }
    q->state = PROBLEM_PROBING;
    q->plan = problem_plan_of(q, &choice->all[choice->chosen]);
    snprintf(q->why, sizeof q->why, "one of %u plans that are being measured",
             q->candidate_count);
}

/* Modelled times of the plan and of the default. */
static void problem_explain(struct launch_problem *q, const struct plan_problem *p,
                            const struct plan_candidate *c)
{
    const struct plan_cost usual = plan_cost_of(p, &p->usual);

    if (plan_is_same(&c->plan, &p->usual))
        snprintf(q->why, sizeof q->why,
                 "the default, modelled %.1f us with a kernel of %.1f us; no other is "
                 "clearly faster",
                 usual.ns / 1e3, p->kernel_ns / 1e3);
    else
        snprintf(q->why, sizeof q->why,
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

static void problem_begin(struct launch_problem *q, const struct launching *l,
                          const struct kernel_binding *b, double kernel_ns)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    struct proact *p = l->kernel->session;
    const enum proact_effort effort = problem_effort(p);
    const bool is_open = q->constraint.is_open && !b->is_divided &&
                         plans_are_same(&b->transfer.plan, &q->plan);
    struct problem_features *f = problem_features(l, b, kernel_ns);
    const struct problem_choice choice =
        problem_choose(f, is_open, q->constraint.is_open, all);

    q->usual = (struct plan_candidate){
        .plan = f->problem.usual, .cost = plan_cost_of(&f->problem, &f->problem.usual)};
    if (p->profile->path)
        problem_record_create(&q->record, &choice, ++p->last_number);
    if (is_open && effort != PROACT_EFFORT_ESTIMATE) {
        problem_probe(q, &choice, effort == PROACT_EFFORT_EXHAUSTIVE);
    } else {
        if (is_open) {
            problem_explain(q, &f->problem, &all[choice.chosen]);
            problem_settle(q, l->kernel, &all[choice.chosen]);
        }
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

static void problem_measure_kernel(struct launch_problem *q, struct launching *l)
{
    const struct kernel_binding *b = kernel_binding_settled(l, SETTLED);
    const double kernel_ns = b ? problem_kernel_ns(q, l, b) : 0;

    if (kernel_ns > 0)
        problem_begin(q, l, b, kernel_ns);
    else if (!l->kernel->session->backend->is_virtual && !q->timer.is_recorded &&
             (b || (b = kernel_binding_latest(l)))) {
        q->timer.device = problem_busiest(b);
        l->timer = &q->timer;
    }
}

void problem_plan(struct launching *l)
{
    if (!problem_has_arrays(l)) /* launch_check_slots() reports that */
        return;
    struct launch_problem *q = problem_find(l);

    if (q->state == PROBLEM_UNMEASURED)
        problem_measure_kernel(q, l);
    const bool may_probe =
        !l->is_mode_open && plan_budget_permits(&l->kernel->session->budget);

    if (q->state == PROBLEM_PROBING && may_probe) {
        l->plan = problem_plan_of(q, &q->candidates[q->now]);
        l->measured = q;
    } else if (q->state != PROBLEM_UNMEASURED) {
        l->plan = q->plan;
    }
}

static void problem_end_probes(struct launch_problem *q, struct proact_kernel *k)
{
    unsigned best = 0;

    for (unsigned i = 0; i < q->candidate_count; i++) {
        const double ns = q->times[i].least_ns, best_ns = q->times[best].least_ns;

        if (ns > 0 && (best_ns <= 0 || ns < best_ns))
            best = i;
        problem_record_timed(&q->record, &q->candidates[i].plan, &q->times[i]);
    }
    snprintf(q->why, sizeof q->why, "measured %.1f us, the fastest of %u plans",
             q->times[best].least_ns / 1e3, q->candidate_count);
    problem_settle(q, k, &q->candidates[best]);
    q->was_measured = true;
}

bool problem_is_unsettled(struct launching *l, const struct transfer_plan *last)
{
    struct launch_problem *q = problem_find(l);
    const struct kernel_binding *b;
    double kernel_ns;

    if (!plan_budget_permits(&l->kernel->session->budget))
        return false;
    if (q->state == PROBLEM_UNMEASURED && (b = kernel_binding_settled(l, SETTLED)) &&
        (kernel_ns = problem_kernel_ns(q, l, b)) > 0)
        problem_begin(q, l, b, kernel_ns);
    return q->state == PROBLEM_PROBING ||
           (q->state == PROBLEM_PLANNED && !plans_are_same(&q->plan, last) &&
            !plans_are_same(&q->plan, &q->constraint));
}

/* Leaves out the candidate that is being measured. */
static void problem_skip(struct launch_problem *q, struct proact_kernel *k)
{
    problem_record_unsupported(&q->record, &q->candidates[q->now].plan);
    q->candidate_count--;
    for (unsigned i = q->now; i < q->candidate_count; i++) {
        q->candidates[i] = q->candidates[i + 1];
        q->times[i] = q->times[i + 1];
    }
    q->launched = 0;
    if (q->now == q->candidate_count)
        problem_end_probes(q, k);
}

void problem_refuse(struct launching *l)
{
    struct launch_problem *q = problem_look_up(l);

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
    q->plan = q->constraint;
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
    if (selected_ns < usual_ns)
        return;
    snprintf(q->why, sizeof q->why, "the default, measured %.1f us; %.24s took %.1f us",
             usual_ns / 1e3, q->plan.method->name, selected_ns / 1e3);
    problem_settle(q, l->kernel, &q->usual);
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

void problem_note_recorded(const struct launching *l)
{
    struct launch_problem *q = problem_has_arrays(l) ? problem_look_up(l) : NULL;

    if (q)
        q->is_recorded = true;
}

uint64_t problems_changes(const struct proact_kernel *k)
{
    return k->problems ? k->problems->changes : 0;
}

const char *problem_text(const struct proact_kernel *k)
{
    return k->problems && k->problems->first ? k->problems->first->why : NULL;
}

void problems_drop(struct proact_kernel *k)
{
    while (k->problems && k->problems->first) {
        struct launch_problem *q = k->problems->first;

        k->problems->first = q->next;
        problem_destroy(k->session, q);
    }
    free(k->problems);
    k->problems = NULL;
}
