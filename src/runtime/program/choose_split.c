/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/program/choose_split.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "model/predict.h"
#include "plan/cost.h"
#include "runtime/autotune/choice.h"
#include "runtime/autotune/choice_edges.h"
#include "runtime/autotune/choice_windows.h"
#include "runtime/autotune/preparation.h"
#include "runtime/autotune/stored_choice.h"
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/launch_partial.h"
#include "runtime/coherence/transfer_cost.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/launch_measure.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/pace.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/validity/consumers.h"

enum {
    UNTIMED_MAX = 8,  /* limit of launches before the timed split launch */
    REPLANNED_MAX = 2 /* changes of the plan after which a split is timed again */
};

/* Records the fetch before a split launch. Bytes that are missing because other kernels ran
   on one device are excluded: they depend on those kernels' modes (choice_edges.h). */
static void split_note_broadcast(struct choice *c, struct transfer_cost s,
                                 uint64_t broadcast_ns)
{
    fetch_rate_record(c->session, s.bytes, broadcast_ns);
    c->missing_bytes = s.bytes - s.by_launches;
    c->broadcast_ns =
        s.bytes
            ? (uint64_t)((double)broadcast_ns * (double)c->missing_bytes / (double)s.bytes)
            : 0;
}

/* Part of the launch in which its output may be sent: after the first wave of CTAs. Copies
   after the kernel have none. */
static double split_sending_share(const struct launching *l)
{
    const struct kernel_binding *b = l->binding;
    const double wave = model_wave(&l->kernel->session->topology.device,
                                   l->threads[0] * l->threads[1] * l->threads[2]);
    double most = wave;

    if (b->transfer.plan.method->initiator == TRANSFER_BY_COPY)
        return 0;
    for (unsigned d = 0; d < l->kernel->session->devices.count; d++)
        most = fmax(most, b->cta_first[d + 1] - b->cta_first[d]);
    return 1 - wave / most;
}

/* Bytes that the launch pushes to device 0. */
static uint64_t split_pushed_bytes(const struct kernel_binding *b)
{
    uint64_t bytes = 0;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        for (unsigned d = 1; d < b->transfer.devices->count; d++) {
            const struct transfer_table *t = &b->tables[s]->tables->table[d];

            for (uint32_t i = 0; i < t->send_count; i++)
                for (unsigned n = 0; n + 1 < b->transfer.devices->count; n++)
                    if (transfer_goes_to(t->send[i].to, n) &&
                        transfer_peer(b->transfer.devices, d, n) == 0)
                        bytes += t->send[i].bytes;
        }
    return bytes;
}

/* Excludes the push for readers that now run on one device, like the fetch before it: it
   depends on their modes. */
static uint64_t split_without_push_ns(struct choice *c, const struct launching *l,
                                      uint64_t measured_ns)
{
    const uint64_t pushed = split_pushed_bytes(l->binding),
                   single = choice_single_readers_bytes(c);

    c->sending_share = split_sending_share(l);
    return choice_unsent_ns(c, measured_ns, pushed < single ? pushed : single);
}

static enum proact_status time_split(struct choice *c, struct launching *l,
                                     struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct transfer_cost s = launch_missing_bytes(l, false, NULL, NULL);
    uint64_t from = proact_now_ns(p);
    enum proact_status status;

    if ((status = launch_fetch(l, err)) || (status = proact_wait(p, err)))
        return status;
    const uint64_t broadcast = proact_now_ns(p) - from;
    struct stopwatch_time took;

    if (!(status = stopwatch_start(p, err)))
        status = launch_queue(l, err);
    if ((status = stopwatch_stop(p, status, &took, err)))
        return status;
    if (!c->timed_split && !c->replanned) /* later fetches result from the probe itself */
        split_note_broadcast(c, s, broadcast);
    took.devices_ns = split_without_push_ns(c, l, took.devices_ns);
    c->timed_plan = l->plan;
    choice_note_split(c, took, l->is_divided, l->kernel->found_ns);
    return PROACT_OK;
}

/* The fetch before the launch is excluded: it happens once, not at later launches. */
static enum proact_status time_whole(struct choice *c, struct launching *l,
                                     enum proact_status (*whole)(struct launching *l,
                                                                 struct proact_error *err),
                                     struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    const struct write_set *partial = NULL;
    enum proact_status status;

    if ((status = partial_fetch(l, &partial, err)) ||
        (!partial && (status = launch_fetch(l, err))) || (status = proact_wait(p, err)))
        return status;
    struct stopwatch_time took;

    if (!(status = stopwatch_start(p, err)))
        status = whole(l, err);
    if ((status = stopwatch_stop(p, status, &took, err)))
        return status;
    choice_note_whole(c, took);
    return PROACT_OK;
}

/* Whether the split is timed again, because it was slower than under the plan before: a
   first launch can take longer. If it stays slower, the plan before returns. */
static bool split_repeats(struct choice *c, const struct launching *l)
{
    if (!c->former_ns)
        return false;
    if (c->split_ns >= c->former_ns && c->timed_split == 1)
        return true;
    problem_compare(l, (double)c->former_ns, (double)c->split_ns);
    c->other.split_ns = c->former_ns;
    if (c->former_ns <= c->split_ns) {
        const double share = c->sending_share;

        c->other.split_ns = c->split_ns;
        c->split_ns = c->former_ns;
        c->sending_share = c->other.sending_share;
        c->other.sending_share = share;
        c->timed_plan = l->kernel->session->constraint;
    }
    c->former_ns = 0;
    return false;
}

static enum proact_status time_one(struct choice *c, struct launching *l,
                                   enum proact_status (*whole)(struct launching *l,
                                                               struct proact_error *err),
                                   struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = proact_wait(p, err);
    const uint64_t from = proact_now_ns(p);

    if (status)
        return status;
    const bool is_split = c->step == CHOICE_TIME_SPLIT;

    if (is_split) {
        status = time_split(c, l, err);
    } else {
        p->looks = true; /* its reads predict nothing */
        status = time_whole(c, l, whole, err);
        p->looks = false;
    }
    if (status)
        return status;
    stored_choice_timed(p);
    plan_budget_charge(&p->budget, from, choice_least_ns(c));
    if (is_split && split_repeats(c, l))
        return PROACT_OK;
    c->step = choice_after(c);
    if (c->step != CHOICE_MADE)
        return PROACT_OK;
    c->looked = c->launches;
    c->odd = 0;
    choice_settle(c);
    windows_timed(p);
    windows_choose(c);
    stored_choice_note_plans(c, problem_record(l));
    stored_choice_made(c);
    memcpy(c->block, l->block, l->kernel->parameter_bytes);
    return PROACT_OK;
}

/* Whether a launch may be timed now. Timing starts when the push targets are final. */
static bool may_time(struct choice *c, const struct launching *l)
{
    return !stored_choice_postpones(c) &&
           (c->step == CHOICE_TIME_WHOLE || c->timed_split ||
            consumers_are_known(l->binding) || c->untimed++ >= UNTIMED_MAX);
}

/* Whether more bytes are missing than at the timed launch. Bytes due to single-device
   launches of other kernels were already counted. */
static bool is_odd(struct choice *c, struct launching *l)
{
    const struct transfer_cost s = launch_missing_bytes(l, false, NULL, NULL);

    return s.bytes - s.by_launches > c->missing_bytes;
}

static enum proact_status queue_split(struct choice *c, struct launching *l,
                                      struct proact_error *err)
{
    const uint64_t from = clock_host_ns();
    const enum proact_status status = launch_queue(l, err);

    choice_note_queued(c, clock_host_ns() - from);
    return status;
}

static void begin(struct choice *c)
{
    c->step = CHOICE_TIME_SPLIT;
    c->timed_split = c->timed_whole = c->untimed = c->replanned = 0;
    c->former_ns = c->other.split_ns = 0;
    c->is_short = false;
}

/* Whether the kernel of a split launch takes no less time than on one device. */
static bool split_gains_nothing(const struct launching *l)
{
    const struct proact *p = l->kernel->session;
    const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    const struct plan_grid grid = {ctas, (ctas + p->devices.count - 1) / p->devices.count};

    return plan_split_least_ns(&p->topology, grid, 1) >= 1;
}

bool choice_is_small(const struct choice *c, const struct launching *l)
{
    return !choice_is_made(c) && split_gains_nothing(l) && launch_device0_is_current(l);
}

/* Whether, in addition, the split misses no fewer bytes. */
static bool split_cannot_pay(struct launching *l)
{
    return split_gains_nothing(l) && launch_missing_bytes(l, true, NULL, NULL).bytes <=
                                         launch_missing_bytes(l, false, NULL, NULL).bytes;
}

static void choice_take_whole(struct choice *c, struct launching *l)
{
    l->choice = c;
    c->session->whole_by = c;
    l->binding = NULL;
    l->needs = NULL;
}

enum proact_status choice_run_small(struct choice *c, struct launching *l,
                                    enum proact_status (*whole)(struct launching *l,
                                                                struct proact_error *err),
                                    struct proact_error *err)
{
    c->last = RAN_SMALL;
    c->step = CHOICE_READY;
    c->is_small = true;
    c->settled = CHOICE_SINGLE;
    choice_take_whole(c, l);
    return whole(l, err);
}

enum proact_status choice_run_untried(struct choice *c, struct launching *l,
                                      enum proact_status (*whole)(struct launching *l,
                                                                  struct proact_error *err),
                                      struct proact_error *err)
{
    c->last = preparation_is_done(l) ? RAN_UNTRIED : RAN_UNPREPARED;
    choice_take_whole(c, l);
    return whole(l, err);
}

bool choice_awaits_versions(const struct choice *c, const struct launching *l)
{
    const struct proact *p = c->session;

    return !choice_is_made(c) && l->kernel->clones && p->backend->is_compiling &&
           p->backend->is_compiling(p->set);
}

enum proact_status choice_run_uncompiled(
    struct choice *c, struct launching *l,
    enum proact_status (*whole)(struct launching *l, struct proact_error *err),
    struct proact_error *err)
{
    const enum proact_status status = pace_keep_compiling(l->kernel->session, err);

    c->last = RAN_UNCOMPILED;
    choice_take_whole(c, l);
    return status ? status : whole(l, err);
}

/* Split times hold for the plan of their launches. After a change of the plan the split is
   timed again; after the measurement of plans, both modes are. */
static void split_follow_plan(struct choice *c, const struct launching *l)
{
    const bool is_made = choice_is_made(c);

    if (!c->timed_split || c->replanned >= REPLANNED_MAX ||
        (is_made && !problem_was_measured(l)) || l->kernel->session->vary_plans ||
        plans_are_same(&c->timed_plan, &l->plan))
        return;
    c->replanned++;
    c->former_ns = is_made ? 0 : c->split_ns;
    c->other.split_ns = 0;
    c->other.sending_share = c->sending_share;
    c->timed_split = 0;
    if (is_made)
        c->timed_whole = 0;
    c->step = CHOICE_TIME_SPLIT;
}

/* Times a split launch under a candidate plan. */
static enum proact_status measure_plan(struct choice *c, struct launching *l,
                                       struct proact_error *err)
{
    c->last = RAN_SPLIT;
    l->choice = c;
    l->is_short = c->is_short;
    return launch_measure(l, err);
}

/* A probe costs two waits; other launches are only queued. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*whole)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err)
{
    struct proact *p = l->kernel->session;

    if (!choice_is_made(c) && split_cannot_pay(l)) {
        joint_cost_record(c, l);
        return choice_run_small(c, l, whole, err);
    }
    c->is_small = false;
    if (l->measured)
        return measure_plan(c, l, err);
    if (l->binding && !c->is_stored)
        split_follow_plan(c, l);
    const bool is_made = choice_is_made(c), waits = choice_waits(c);
    const bool is_split = waits ? windows_split_new(p) : choice_is_split(c);

    c->last = is_split  ? RAN_SPLIT
              : is_made ? RAN_WHOLE
              : waits   ? RAN_UNTRIED
                        : RAN_TO_BE_TIMED;
    l->choice = c;
    l->is_short = c->is_short;
    if (!is_made)
        joint_cost_record(c, l);
    if (!is_split) { /* the inputs of one partition do not suffice */
        p->whole_by = c;
        l->binding = NULL;
        l->needs = NULL;
    }
    if (is_made)
        p->look.goes_split = is_split;
    if (c->step == CHOICE_READY)
        begin(c);
    else if (!is_made && !waits && may_time(c, l) && session_try_quiesce(p))
        return time_one(c, l, whole, err);
    if (!is_split)
        return whole(l, err);
    if (is_made) {
        if (c->other.split_ns)
            problem_use_other(l, c->now == CHOICE_SPLIT_OTHER);
        choice_note_found(c, l->kernel);
        stored_choice_note_plans(c, problem_record(l));
    }
    c->odd = is_odd(c, l) ? c->odd + 1 : 0;
    return queue_split(c, l, err);
}
