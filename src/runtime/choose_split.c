/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choose_split.h"

#include <string.h>

#include "runtime/bring.h"
#include "runtime/wants.h"

enum { UNTIMED_MAX = 8 }; /* launches before the one that is timed split */

/* What the replicas are behind because of launches that need not have been whole is charged
   to the last of these; unless it stays whole all the same, it is not counted here. */
static void charge(struct choice *c, const struct proact *p, struct spreading s,
                   uint64_t spread_ns)
{
    struct choice *other = p->whole_by;
    uint64_t theirs = 0;

    if (s.by_launches && other && other != c) {
        theirs = (uint64_t)((double)spread_ns * (double)s.by_launches / (double)s.bytes);
        other->owed_ns = theirs;
        if (choice_is_made(other) && !choice_is_split(other))
            theirs = 0;
    }
    c->behind = s.bytes;
    c->spread_ns = spread_ns - theirs;
}

static enum proact_status time_split(struct choice *c, struct launching *l, bool is_again,
                                     struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct spreading s = launch_behind(l);
    uint64_t from = proact_now_ns(p);
    enum proact_status status;

    if ((status = launch_bring(l, err)) || (status = proact_wait(p, err)))
        return status;
    uint64_t spread = proact_now_ns(p);

    if ((status = launch_queue(l, err)) || (status = proact_wait(p, err)))
        return status;
    uint64_t took = proact_now_ns(p) - spread;

    const uint64_t found = l->kernel->found_ns;

    if (is_again) { /* what was brought this time it lacked because of the look */
        c->split_ns = took < c->split_ns ? took : c->split_ns;
        c->found_ns = found < c->found_ns ? found : c->found_ns;
        return PROACT_OK;
    }
    c->split_ns = took;
    c->found_ns = found;
    charge(c, p, s, s.bytes ? spread - from : 0);
    return PROACT_OK;
}

static enum proact_status time_whole(struct choice *c, struct launching *l,
                                     enum proact_status (*whole)(struct launching *l,
                                                                 struct proact_error *err),
                                     struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    uint64_t from = proact_now_ns(p);
    enum proact_status status;

    if ((status = whole(l, err)) || (status = proact_wait(p, err)))
        return status;
    c->whole_ns = proact_now_ns(p) - from;
    if (choice_wins(c) || choice_is_clear(c))
        c->step = CHOICE_MADE;
    c->looked = c->launches;
    c->odd = 0;
    memcpy(c->block, l->block, l->kernel->parameter_bytes);
    return PROACT_OK;
}

/* The step of this launch; a look takes the next one then, but not before launches send
   what they are going to. */
static unsigned take_step(struct choice *c, const struct launching *l)
{
    unsigned step = c->step;

    c->untimed = step == CHOICE_READY ? 0 : c->untimed;
    if (step == CHOICE_TIMED_SPLIT && !wants_are_known(l->binding) &&
        !choice_kernel_is_dear(l->kernel) && c->untimed++ < UNTIMED_MAX)
        return CHOICE_READY;
    c->step += step < CHOICE_MADE;
    return step;
}

/* A look costs two waits; other launches go on their way. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*whole)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    bool is_split = choice_is_split(c);
    unsigned step = take_step(c, l);
    enum proact_status status;

    c->last = is_split                     ? RAN_SPLIT
              : step == CHOICE_TIMED_WHOLE ? RAN_TO_BE_TIMED
                                           : RAN_WHOLE;
    if (step == CHOICE_READY)
        c->owed_ns = 0; /* who waits for it then says so again */
    if (!is_split) {    /* what a share needs is too little */
        p->whole_by = c;
        l->binding = NULL;
        l->needs = NULL;
    }
    /* What the others wrote is brought once, and is not in the way of later launches. */
    if (step == CHOICE_TIMED_WHOLE && (status = launch_bring(l, err)))
        return status;
    if (step != CHOICE_READY && step != CHOICE_MADE && (status = proact_wait(p, err)))
        return status;
    if (step == CHOICE_TIMED_SPLIT || step == CHOICE_TIMED_AGAIN)
        return time_split(c, l, step == CHOICE_TIMED_AGAIN, err);
    if (step == CHOICE_TIMED_WHOLE)
        return time_whole(c, l, whole, err);
    if (!is_split)
        return whole(l, err);
    if (step == CHOICE_MADE)
        choice_note_found(c, l->kernel);
    c->odd = launch_behind(l).bytes > c->behind ? c->odd + 1 : 0;
    return launch_queue(l, err);
}
