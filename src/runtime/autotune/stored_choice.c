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
    c->settled = c->now = e->plan.devices > 1 ? CHOICE_SPLIT : CHOICE_SINGLE;
    c->split_ns = (uint64_t)e->split_ns;
    c->whole_ns = (uint64_t)e->single_ns;
    session_profile_use(c->session, &e->key);
}

void stored_choice_begin(struct choice *c, const struct launching *l)
{
    struct proact *p = c->session;

    if (!session_profile_is_used(p))
        return;
    c->key = must_calloc(1, sizeof *c->key);
    *c->key = session_profile_key(l);
    c->axis = l->original ? l->interchanged[0] + 1 : 0;
    const struct profile_entry *e = session_profile_usable(p, c->key);

    if (!e)
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

void stored_choice_note_plans(struct choice *c, const struct plan_record *plans)
{
    if (c->key && plans && plans->number != c->plans.number)
        plan_record_copy(&c->plans, plans);
}

static void candidate_timed(struct profile_candidate *out, uint64_t least, uint64_t most,
                            unsigned runs)
{
    if (!runs)
        return;
    out->measured_ns = (double)least;
    out->spread_ns = most > least ? (double)(most - least) : 0;
    out->runs = runs;
    out->reason = PROFILE_TIMED;
}

/* Candidates over all devices, with the chosen one first among them, then one device.
   Returns their number. */
static unsigned stored_candidates(const struct choice *c,
                                  struct profile_candidate out[PLAN_RECORD_MAX + 1])
{
    const struct plan_record *r = &c->plans;
    unsigned count = 1;

    out[0] = (struct profile_candidate){.reason = PROFILE_UNDECIDED};
    if (r->number) {
        out[0] = r->all[r->chosen];
        for (unsigned i = 0; i < r->count; i++)
            if (i != r->chosen)
                out[count++] = r->all[i];
    }
    candidate_timed(&out[0], c->split_ns, c->split_most_ns, c->timed_split);
    for (unsigned i = 0; i < count; i++) {
        out[i].plan.devices = c->session->devices.count;
        out[i].plan.axis = c->axis;
    }
    out[count] = (struct profile_candidate){
        .plan = {.devices = 1}, .predicted_ns = r->single_ns, .reason = PROFILE_UNDECIDED};
    candidate_timed(&out[count], c->whole_ns, c->whole_most_ns, c->timed_whole);
    return count + 1;
}

void stored_choice_made(struct choice *c)
{
    const struct proact *p = c->session;
    const bool splits = (p->validation.is_under_way ? c->settled : c->now) != CHOICE_SINGLE;
    struct profile_candidate candidates[PLAN_RECORD_MAX + 1];

    if (!c->key || c->is_stored)
        return;
    const unsigned count = stored_candidates(c, candidates);
    const struct profile_candidate *chosen = &candidates[splits ? 0 : count - 1];
    const struct profile_entry e = {.key = *c->key,
                                    .plan = chosen->plan,
                                    .predicted_ns = chosen->predicted_ns,
                                    .measured_ns = chosen->measured_ns,
                                    .spread_ns = chosen->spread_ns,
                                    .split_ns = (double)c->split_ns,
                                    .single_ns = (double)c->whole_ns,
                                    .runs = chosen->runs,
                                    .candidates = candidates,
                                    .candidate_count = count};

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
