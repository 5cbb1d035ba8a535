/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/stored_choice.h"

#include <proact/program.h>

#include "base/memory.h"
#include "runtime/autotune/choice.h"
#include "runtime/autotune/look.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

enum { EXHAUSTIVE_TIMES = 3 };

static void use(struct choice *c, const struct profile_entry *e)
{
    c->is_stored = true;
    c->step = CHOICE_MADE;
    c->settled = c->splits = e->plan.devices > 1;
    c->split_ns = (uint64_t)e->split_ns;
    c->whole_ns = (uint64_t)e->single_ns;
    c->session->profile->used++;
}

void stored_choice_begin(struct choice *c, const struct launching *l)
{
    struct proact *p = c->session;

    if (!session_profile_is_used(p))
        return;
    c->key = must_calloc(1, sizeof *c->key);
    *c->key = session_profile_key(l);
    c->axis = l->original ? l->interchanged[0] + 1 : 0;
    const struct profile_entry *e = session_profile_find(p, c->key);

    if (!e || (p->budget.is_lifted && !e->is_pinned)) /* to be measured again */
        return;
    if (!profile_is_decided(e)) {
        c->stored_launches = e->runs;
    } else if (e->plan.devices == 1 || e->plan.devices == p->devices.count) {
        c->stored_axis = e->plan.axis;
        use(c, e);
    } else if (e->plan.devices) {
        session_profile_note(p, true,
                             "the stored plan of '%.64s' is not used: it has %u devices, 1 "
                             "or %u are possible",
                             c->key->kernel, e->plan.devices, p->devices.count);
    }
}

bool stored_choice_postpones(const struct choice *c)
{
    return c->launches <= c->stored_launches;
}

bool stored_choice_needs_probes(const struct choice *c)
{
    return c->session->profile->effort == EFFORT_EXHAUSTIVE &&
           plan_budget_permits(&c->session->budget) &&
           (c->timed_split < EXHAUSTIVE_TIMES || c->timed_whole < EXHAUSTIVE_TIMES);
}

void stored_choice_timed(struct proact *p)
{
    p->profile->timed++;
}

static uint64_t spread_of(uint64_t least, uint64_t most)
{
    return most > least ? most - least : 0;
}

static void candidate_set(struct profile_candidate *out, unsigned devices, uint64_t least,
                          uint64_t most, unsigned runs)
{
    *out = (struct profile_candidate){.plan = {.devices = devices},
                                      .measured_ns = (double)least,
                                      .spread_ns = (double)spread_of(least, most),
                                      .runs = runs,
                                      .reason = PROFILE_TIMED};
}

void stored_choice_made(struct choice *c)
{
    const struct proact *p = c->session;
    const unsigned all = p->devices.count;
    const bool splits = p->trial.is_under_way ? c->settled : c->splits;
    struct profile_candidate candidates[2];

    if (!c->key || c->is_stored)
        return;
    candidate_set(&candidates[0], all, c->split_ns, c->split_most_ns, c->timed_split);
    candidate_set(&candidates[1], 1, c->whole_ns, c->whole_most_ns, c->timed_whole);
    const struct profile_candidate *chosen = &candidates[splits ? 0 : 1];
    const struct profile_entry e = {
        .key = *c->key,
        .plan = {.devices = splits ? all : 1, .axis = splits ? c->axis : 0},
        .measured_ns = chosen->measured_ns,
        .spread_ns = chosen->spread_ns,
        .split_ns = (double)c->split_ns,
        .single_ns = (double)c->whole_ns,
        .runs = chosen->runs,
        .candidates = candidates,
        .candidate_count = 2};

    session_profile_add(c->session, &e);
}

/* Launches that a probe would have begun with, had there been more of them or more time. */
static bool is_unfinished(const struct choice *c)
{
    return !c->looked && (c->timed_split || c->timed_whole || c->last == RAN_UNTRIED);
}

void stored_choice_end(struct choice *c)
{
    if (!c->key || c->is_stored || c->is_superseded)
        return;
    if (choice_is_made(c))
        stored_choice_made(c);
    else if (is_unfinished(c))
        session_profile_add(c->session,
                            &(struct profile_entry){.key = *c->key,
                                                    .runs = c->launches < UINT32_MAX
                                                                ? (unsigned)c->launches
                                                                : UINT32_MAX});
}

void proact_profile_save(struct proact *p)
{
    for (struct choice *c = p->choices; c; c = c->next_of_all)
        stored_choice_end(c);
}
