/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/trial.h"

#include "runtime/autotune/choice.h"
#include "runtime/autotune/coupling.h"
#include "runtime/objects/session.h"
#include "runtime/session/runtime_wait.h"

enum {
    MOVE_NS = 4000000, /* work during the initial transfers */
    TIME_NS = 8000000, /* work of the timed part */
    MOVE_ROUNDS = 3,   /* repetitions of the program's loop in each part */
    TIME_ROUNDS = 2,
    LAUNCHES_MIN = 8,
    LAUNCHES_MAX = 1024,
    SIXTEENFOLD = 16,   /* factor between launches of successive experiments */
    HOPELESS = 3,       /* ratio to the fastest mode that ends the initial part early */
    WATCH_NS = 20000,   /* upper limit of the measurement overhead in a single timed
                           launch */
    RUINOUS = 16,       /* ratio of split to single-device time ... */
    RUINOUS_NS = 200000 /* ... and difference that exclude a split */
};
static const double least_gain = 0.95;

/* Number of launches that contain each active kernel several times. */
static uint64_t round_launches(const struct proact *p)
{
    const struct trial *t = &p->trial;
    const unsigned rounds = t->is_under_way && t->is_timed ? TIME_ROUNDS : MOVE_ROUNDS;
    double apart = 0;

    for (const struct choice *c = p->choices; c; c = c->next_of_all)
        if (coupling_is_of_now(c) && c->apart > apart)
            apart = c->apart;
    const double launches = rounds * apart;

    return launches > LAUNCHES_MAX   ? LAUNCHES_MAX
           : launches > LAUNCHES_MIN ? (uint64_t)launches
                                     : LAUNCHES_MIN;
}

static bool goes_split(const struct choice *c, enum trial_way way)
{
    const uint64_t split = choice_split_ns(c), whole = choice_whole_ns(c);

    if (way == TRIAL_SETTLED || c->is_small)
        return c->settled;
    return way == TRIAL_SPLIT && (split < RUINOUS * whole || split < whole + RUINOUS_NS);
}

/* Whether the modes differ for any active kernel. */
static bool differ(const struct proact *p, enum trial_way a, enum trial_way b)
{
    bool differs = false;

    for (const struct choice *c = p->choices; c; c = c->next_of_all)
        differs |= coupling_is_of_now(c) && goes_split(c, a) != goes_split(c, b);
    return differs;
}

/* An experiment is useless for a kernel without joint costs: its own times suffice. */
static bool is_worth_it(const struct proact *p)
{
    bool is_coupled = false;

    for (const struct choice *c = p->choices; c; c = c->next_of_all)
        is_coupled |= coupling_is_of_now(c) && c->coupling_count;
    return is_coupled &&
           (differ(p, TRIAL_SETTLED, TRIAL_SPLIT) || differ(p, TRIAL_SETTLED, TRIAL_WHOLE));
}

static bool is_another(const struct proact *p, enum trial_way way)
{
    bool is = true;

    for (int tried = 0; tried < (int)way; tried++)
        is &= differ(p, (enum trial_way)tried, way);
    return is;
}

static void begin_while(struct proact *p, bool is_timed)
{
    struct trial *t = &p->trial;

    t->is_timed = is_timed;
    t->from_ns = p->now_ns;
    t->work_ns = t->launches = 0;
}

static enum trial_way fastest(const struct trial *t)
{
    enum trial_way best = TRIAL_SETTLED;

    for (int way = 0; way < TRIAL_WAYS; way++)
        if (t->by[way] > 0 && t->by[way] < t->by[best] * (best ? 1 : least_gain))
            best = (enum trial_way)way;
    return best;
}

/* Whether single-device launches without any fetch would take longer than the fastest
   measured period. */
static bool is_beaten_whole(const struct proact *p)
{
    double own = 0, work = 0;

    for (const struct choice *c = p->choices; c; c = c->next_of_all) {
        const uint64_t ns = choice_whole_ns(c);

        if (!coupling_is_of_now(c))
            continue;
        own += (ns > WATCH_NS ? (double)(ns - WATCH_NS) : 0) / c->apart;
        work += (double)choice_least_ns(c) / c->apart;
    }
    return own > p->trial.by[fastest(&p->trial)] * work;
}

static bool is_worth_trying(const struct proact *p, enum trial_way way)
{
    return is_another(p, way) && (way != TRIAL_WHOLE || !is_beaten_whole(p));
}

static void go_on(struct proact *p)
{
    struct trial *t = &p->trial;

    while (++t->way < TRIAL_WAYS && !is_worth_trying(p, t->way))
        ;
    if (t->way < TRIAL_WAYS) {
        begin_while(p, false);
        return;
    }
    t->way = fastest(t);
    t->is_under_way = false;
    t->next = SIXTEENFOLD * p->chosen;
    t->launches = 0;
}

static void begin(struct proact *p)
{
    p->trial = (struct trial){.is_under_way = true, .next = p->trial.next};
    begin_while(p, false);
}

static void end_while(struct proact *p)
{
    struct trial *t = &p->trial;
    const double by = (double)(p->now_ns - t->from_ns) / (double)t->work_ns;

    plan_budget_charge(&p->budget, t->from_ns, t->work_ns);
    if (!t->is_timed && (!t->way || by < HOPELESS * t->by[fastest(t)])) {
        begin_while(p, true);
        return;
    }
    t->by[t->way] = by;
    go_on(p);
}

static bool is_over(const struct proact *p)
{
    const struct trial *t = &p->trial;

    /* This runs at every launch, so the loop over all kernels is the last condition. */
    return (t->is_under_way ? t->work_ns >= (t->is_timed ? TIME_NS : MOVE_NS)
                            : p->chosen >= t->next) &&
           t->launches >= round_launches(p);
}

enum proact_status trial_step(struct proact *p, struct proact_error *err)
{
    enum proact_status status;

    if (p->trial.launches < LAUNCHES_MIN || !is_over(p))
        return PROACT_OK;
    if (!p->trial.is_under_way && (!plan_budget_permits(&p->budget) || !is_worth_it(p))) {
        p->trial.launches = 0;
        return PROACT_OK;
    }
    if (!session_try_quiesce(p))
        return PROACT_OK;
    if ((status = proact_wait(p, err)))
        return status;
    if (p->trial.is_under_way)
        end_while(p);
    else
        begin(p);
    return PROACT_OK;
}

/* The faster common mode, by the measured times. */
static enum trial_way same_for_all(const struct proact *p)
{
    double split = 0, whole = 0;

    for (const struct choice *c = p->choices; c; c = c->next_of_all) {
        if (!coupling_is_of_now(c))
            continue;
        whole += (double)choice_whole_ns(c) / c->apart;
        split +=
            (double)(goes_split(c, TRIAL_SPLIT) ? choice_split_ns(c) : choice_whole_ns(c)) /
            c->apart;
    }
    return split < whole ? TRIAL_SPLIT : TRIAL_WHOLE;
}

static bool was_any(const struct trial *t)
{
    return t->is_under_way || t->next;
}

void trial_choose(struct choice *c)
{
    const struct trial *t = &c->session->trial;

    if (c->is_stored)
        return;
    c->splits = was_any(t) || c->coupling_count ? goes_split(c, t->way) : c->settled;
}

bool trial_splits_new(const struct proact *p)
{
    return p->trial.way == TRIAL_SETTLED ? !p->look.goes_whole
                                         : p->trial.way == TRIAL_SPLIT;
}

void trial_timed(struct proact *p)
{
    if (!was_any(&p->trial))
        p->trial.way = same_for_all(p);
}

void trial_launched(struct choice *c)
{
    struct trial *t = &c->session->trial;
    t->launches++;
    t->work_ns += choice_least_ns(c);
    trial_choose(c);
}

void trial_disturb(struct proact *p)
{
    struct trial *t = &p->trial;

    if (t->is_under_way)
        t->way = t->next ? TRIAL_SETTLED : same_for_all(p);
    t->is_under_way = false;
    t->launches = 0;
}
