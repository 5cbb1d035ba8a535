/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/validate.h"

#include <math.h>

enum {
    LAUNCHES_LEAST = 8,
    LAUNCHES_ROUNDS = 1024, /* limit of the launches that rounds of the loop require */
    INTERVAL = 16,          /* factor between launches of successive validations */
    HOPELESS = 3,           /* ratio to the fastest assignment that ends a window early */
    WATCH_NS = 20000,   /* upper limit of the measurement overhead in one timed launch */
    RUINOUS = 16,       /* ratio of split to single-device time ... */
    RUINOUS_NS = 200000 /* ... and difference that exclude a split */
};
static const double validation_gain_least = 0.05;

/* Least work of each part of a window, and of the time between two checks of the budget. */
static const uint64_t validation_part_ns = 4000000;
/* Rounds of the program's loop in each part. */
static const double validation_part_rounds[] = {3, 1, 1};
enum { PARTS = sizeof validation_part_rounds / sizeof *validation_part_rounds };

static unsigned validation_label_under(const struct joint_node *n,
                                       enum validation_assignment a)
{
    const int split = joint_label_of(n, true), single = joint_label_of(n, false);

    if (a == VALIDATION_SECOND)
        return n->second;
    if (a == VALIDATION_SETTLED || split == JOINT_NONE || single == JOINT_NONE)
        return n->settled;
    const double split_ns = n->label[split].ns, single_ns = n->label[single].ns;

    return (unsigned)(a == VALIDATION_SPLIT && (split_ns < RUINOUS * single_ns ||
                                                split_ns < single_ns + RUINOUS_NS)
                          ? split
                          : single);
}

static bool validation_differs(const struct joint_table *t, enum validation_assignment a,
                               enum validation_assignment b)
{
    bool differs = false;

    for (unsigned i = 0; i < t->node_count; i++)
        differs |= validation_label_under(&t->nodes[i], a) !=
                   validation_label_under(&t->nodes[i], b);
    return differs;
}

/* Whether the assignment differs from all earlier ones. */
static bool validation_is_new(const struct joint_table *t, enum validation_assignment a)
{
    bool is_new = true;

    for (int other = 0; other < (int)a; other++)
        is_new &= validation_differs(t, (enum validation_assignment)other, a);
    return is_new;
}

/* Without edges the times of the problems decide. */
static bool validation_is_useful(const struct joint_table *t)
{
    bool is_useful = false;

    for (int a = 1; a < VALIDATION_ASSIGNMENTS; a++)
        is_useful |= validation_is_new(t, (enum validation_assignment)a);
    return t->edge_count && is_useful;
}

/* Launches that contain each problem that many times. */
static uint64_t validation_rounds(const struct joint_table *t, double rounds)
{
    double period = 0;

    for (unsigned i = 0; i < t->node_count; i++)
        period = fmax(period, t->nodes[i].period);
    return (uint64_t)fmin(fmax(rounds * period, LAUNCHES_LEAST), LAUNCHES_ROUNDS);
}

static void validation_begin_part(struct validation *v, const struct joint_table *t,
                                  unsigned part, uint64_t now_ns)
{
    v->part = part;
    v->from_ns = now_ns;
    v->work_ns = v->launches = v->checks = 0;
    v->launches_least = validation_rounds(t, validation_part_rounds[part]);
}

/* Whether `a` replaces `b`. Only the settled assignment has an advantage. */
static bool validation_beats(const struct validation *v, enum validation_assignment a,
                             enum validation_assignment b)
{
    const double spread = fmax(v->spread[a], v->spread[b]),
                 gain = b == VALIDATION_SETTLED ? fmax(validation_gain_least, spread) : 0;

    return v->time[a] > 0 && v->time[a] < v->time[b] * (1 - gain);
}

static enum validation_assignment validation_fastest(const struct validation *v)
{
    enum validation_assignment best = VALIDATION_SETTLED;

    for (int a = 1; a < VALIDATION_ASSIGNMENTS; a++)
        if (validation_beats(v, (enum validation_assignment)a, best))
            best = (enum validation_assignment)a;
    return best;
}

/* Whether the single-device launches alone, without any fetch, would take longer than the
   fastest window. */
static bool validation_single_is_beaten(const struct validation *v,
                                        const struct joint_table *t)
{
    double own = 0, work = 0;

    for (unsigned i = 0; i < t->node_count; i++) {
        const struct joint_node *n = &t->nodes[i];
        const int split = joint_label_of(n, true), single = joint_label_of(n, false);
        const double single_ns = single == JOINT_NONE ? 0 : n->label[single].ns;
        const double split_ns = split == JOINT_NONE ? single_ns : n->label[split].ns;

        own += fmax(single_ns - WATCH_NS, 0) / n->period;
        work += fmin(single_ns, split_ns) / n->period;
    }
    return own > v->time[validation_fastest(v)] * work;
}

static bool validation_is_skipped(const struct validation *v, const struct joint_table *t,
                                  enum validation_assignment a)
{
    return !validation_is_new(t, a) ||
           (a == VALIDATION_SINGLE && validation_single_is_beaten(v, t));
}

static void validation_end(struct validation *v, uint64_t launches)
{
    v->now = validation_fastest(v);
    v->is_under_way = false;
    v->next = INTERVAL * launches;
    v->launches = 0;
}

static void validation_next_window(struct validation *v, const struct joint_table *t,
                                   uint64_t launches, uint64_t now_ns)
{
    do
        v->now++;
    while (v->now < VALIDATION_ASSIGNMENTS && validation_is_skipped(v, t, v->now));
    if (v->now < VALIDATION_ASSIGNMENTS)
        validation_begin_part(v, t, 0, now_ns);
    else
        validation_end(v, launches);
}

/* Ends a part with that time per work. Returns whether the window is over. */
static bool validation_end_part(struct validation *v, double time)
{
    if (!v->part) {
        v->time[v->now] = 0;
        if (v->now == VALIDATION_SETTLED ||
            time < HOPELESS * v->time[validation_fastest(v)])
            return false;
        v->time[v->now] = time;
        return true;
    }
    if (v->part + 1 < PARTS) {
        v->half = time;
        return false;
    }
    v->time[v->now] = (v->half + time) / 2;
    v->spread[v->now] = fabs(v->half - time) / fmin(v->half, time);
    return true;
}

void validation_launched(struct validation *v, double work_ns)
{
    v->launches++;
    v->work_ns += (uint64_t)work_ns;
}

bool validation_is_due(const struct validation *v, uint64_t launches)
{
    if (v->is_under_way)
        return v->launches >= LAUNCHES_LEAST &&
               v->work_ns >= (v->checks + 1) * validation_part_ns;
    return v->launches >= LAUNCHES_LEAST && v->launches >= v->launches_least &&
           launches >= v->next;
}

bool validation_may_advance(struct validation *v, const struct joint_table *t,
                            struct plan_budget *budget)
{
    if (v->is_under_way)
        return true;
    v->launches_least = validation_rounds(t, validation_part_rounds[0]);
    if (v->launches < v->launches_least)
        return false;
    const bool is_useful = validation_is_useful(t),
               is_permitted = plan_budget_permits(budget);

    budget->is_claimed = is_useful && (budget->is_claimed || !is_permitted);
    if (is_useful && is_permitted)
        return true;
    v->launches = 0;
    return false;
}

/* Charges the windows until now, less the time of the same work in the fastest part. */
static void validation_charge(struct validation *v, uint64_t now_ns,
                              struct plan_budget *budget)
{
    const uint64_t took_ns = v->took_ns + (now_ns - v->from_ns),
                   work_ns = v->worked_ns + v->work_ns;
    const double time = (double)(now_ns - v->from_ns) / (double)v->work_ns,
                 fastest = v->fastest > 0 ? fmin(v->fastest, time) : time;

    plan_budget_repay(budget, v->charged_ns);
    v->charged_ns = (uint64_t)fmax((double)took_ns - fastest * (double)work_ns, 0);
    plan_budget_spend(budget, v->charged_ns);
    if (v->launches < v->launches_least)
        return; /* the part goes on */
    v->took_ns = took_ns;
    v->worked_ns = work_ns;
    v->fastest = fastest;
}

void validation_advance(struct validation *v, const struct joint_table *t,
                        uint64_t launches, uint64_t now_ns, struct plan_budget *budget)
{
    if (!v->is_under_way) {
        *v = (struct validation){.is_under_way = true, .next = v->next};
        validation_begin_part(v, t, 0, now_ns);
        return;
    }
    validation_charge(v, now_ns, budget);
    if (v->launches < v->launches_least) {
        v->checks++;
        if (v->now != VALIDATION_SETTLED && !plan_budget_permits(budget))
            validation_end(v, launches);
    } else if (validation_end_part(v, (double)(now_ns - v->from_ns) / (double)v->work_ns)) {
        validation_next_window(v, t, launches, now_ns);
    } else {
        validation_begin_part(v, t, v->part + 1, now_ns);
    }
    budget->is_claimed &= v->is_under_way;
}

/* The faster mode for all, by the measured times. */
static enum validation_assignment validation_same_for_all(const struct joint_table *t)
{
    double split = 0, single = 0;

    for (unsigned i = 0; i < t->node_count; i++) {
        const struct joint_node *n = &t->nodes[i];

        split += n->label[validation_label_under(n, VALIDATION_SPLIT)].ns / n->period;
        single += n->label[validation_label_under(n, VALIDATION_SINGLE)].ns / n->period;
    }
    return split < single ? VALIDATION_SPLIT : VALIDATION_SINGLE;
}

static bool validation_was_any(const struct validation *v)
{
    return v->is_under_way || v->next;
}

unsigned validation_label(const struct validation *v, const struct joint_node *n,
                          bool has_edges)
{
    return validation_was_any(v) || has_edges ? validation_label_under(n, v->now)
                                              : n->settled;
}

void validation_disturb(struct validation *v, const struct joint_table *t)
{
    if (v->is_under_way)
        v->now = v->next ? VALIDATION_SETTLED : validation_same_for_all(t);
    v->is_under_way = false;
    v->launches = 0;
}

void validation_timed(struct validation *v, const struct joint_table *t)
{
    if (!validation_was_any(v))
        v->now = validation_same_for_all(t);
}
