/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/coherence/fetch.h"
#include "runtime/kernel/recorded_plan.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/session.h"
#include "runtime/session/recorded.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/session/stopwatch.h"
#include "runtime/version/runtime_child.h"
#include "runtime/version/runtime_clone.h"

/* Limit of consecutive replays that start with a fetch. A new recording from the current
   state needs no fetch. */
enum { BEHIND_MOST = 4 };

static void account(struct proact_recording *r)
{
    struct proact *p = r->session;

    r->replays += r->replays < UINT_MAX;
    /* Launches keep their relative numbers, so that the spans of a launch stay together. */
    for (size_t i = 0; i < r->table_count; i++)
        r->table[i].tables->table_epoch = r->table[i].epochs;
    for (size_t i = 0; i < r->kernel_count; i++)
        span_book_launched(&p->book, r->kernel[i].device,
                           p->sequence + r->kernel[i].sequence - r->begin);
    p->sequence += r->end - r->begin;
    if (r->uses_first) { /* like first_done_some() */
        p->all_used = p->sequence;
        p->whole_by = NULL;
        session_variables_used(p);
    }
    for (size_t i = 0; i < r->array_count; i++) {
        validity_copy(&r->array[i].array->validity_map, &r->array[i].after);
        r->array[i].array->changes++;
        r->array[i].array->writer = NULL;
        p->device0_is_stale = true;
    }
    for (size_t i = 0; i < r->traffic_count; i++) {
        const struct recorded_traffic *t = &r->traffic[i];

        t->array->traffic[t->device].bytes += t->bytes;
        t->array->traffic[t->device].chunks += t->chunks;
        p->chunks[t->device] += t->chunks;
    }
    for (size_t i = 0; i < r->launch_count; i++)
        if (transfer_may_give_up(&r->launch[i].binding->transfer)) {
            p->launches = must_grow(p->launches, p->launch_count, &p->launch_capacity,
                                    sizeof *p->launches);
            p->launches[p->launch_count++] = r->launch[i];
        }
}

/* Kernels read the variables of the time of the replay. A program's recording with split
   launches is made again after a change of variables. */
static enum proact_status follow_variables(const struct proact_recording *r,
                                           struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < r->kernel_count && !r->is_program && !status; i++) {
        status = kernel_clones_follow(r->kernel[i].kernel, err);
        if (!status)
            status = kernel_children_follow(r->kernel[i].kernel, err);
    }
    return status;
}

static enum proact_status replay_queue(struct proact_recording *r, struct proact_error *err)
{
    struct proact *p = r->session;
    const enum proact_status status = p->backend->graph_launch(r->graph, err);

    p->order.is_elsewhere |= r->is_elsewhere;
    if (!status)
        account(r);
    return status;
}

/* All devices are idle before and after a timed replay. */
static enum proact_status replay_time(struct proact_recording *r, struct proact_error *err)
{
    struct proact *p = r->session;
    struct stopwatch_time took = {0, 0};
    enum proact_status status = proact_wait(p, err);
    const uint64_t from = proact_now_ns(p);

    if (status)
        return status;
    if (!(status = stopwatch_start(p, err)))
        status = replay_queue(r, err);
    if ((status = stopwatch_stop(p, status, &took, err)))
        return status;
    plan_budget_charge(&p->budget, from, took.devices_ns);
    recorded_plans_timed(r, took.devices_ns);
    return PROACT_OK;
}

bool proact_recording_is_split(const struct proact_recording *r)
{
    return r->is_elsewhere;
}

enum proact_status proact_replay(struct proact_recording *r, struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_replay(r)", (const void *[]){r}, err);

    if (status)
        return status;
    struct proact *p = r->session;
    if (r->missing)
        return fail(err, PROACT_EINVAL,
                    "the recording cannot be replayed: %s that it uses was destroyed or "
                    "has another map",
                    r->missing);
    if (p->recording)
        return fail(err, PROACT_EINVAL, "a replay cannot be recorded");
    if (r->follows && (r->variables != p->variables || r->constants != p->constants))
        return fail(err, PROACT_EINVAL,
                    "the recording cannot be replayed: variables of modules may have "
                    "changed");
    if (r->is_program && r->behind == BEHIND_MOST)
        return fail(err, PROACT_EINVAL,
                    "the recording can no longer be replayed: the other devices have "
                    "fewer current ranges of its arrays than during the recording");
    if (r->is_program && !recorded_plans_hold(r))
        return fail(err, PROACT_EINVAL,
                    "the recording can no longer be replayed: its launches have other "
                    "plans now");
    if ((status = follow_variables(r, err)))
        return status;
    const uint64_t before = p->sequence;

    for (size_t i = 0; i < r->array_count; i++)
        if ((status = array_fetch_identical(r->array[i].array, &r->array[i].before, err)))
            return status;
    r->behind = p->sequence == before ? 0 : r->behind + 1;
    return recorded_plans_are_due(r) && session_try_quiesce(p) ? replay_time(r, err)
                                                               : replay_queue(r, err);
}
