/* SPDX-License-Identifier: Apache-2.0 */
/* Happens-before: actors, joins, fences, acquire and release (PTX memory model, 8.10).

   The model has simplifications that can miss an error but never report a false one. The
   lanes of a warp are one actor, so a missing __syncwarp() is not detected. A fence covers
   the warp, and after a barrier the CTA, as on hardware. Releases of several CTAs through
   one flag are joined. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

bool check_knows(const struct check *c, uint32_t actor, check_stamp s)
{
    uint64_t time = check_stamp_time(s);
    uint32_t who = check_stamp_actor(s);

    return time <= c->quiesced || who == actor ||
           time <= check_clock_time(c->actors[actor].clock, who);
}

void check_learn(struct check *c, uint32_t actor, struct check_clock *more)
{
    check_clock_add(&c->clocks, &c->actors[actor].clock, more);
}

void check_join(struct check *c, uint32_t into, uint32_t from)
{
    if (into == from)
        return;
    struct check_clock *known = check_snapshot(c, from);

    check_learn(c, into, known);
    check_clock_drop(&c->clocks, known);
}

/* Joins clocks of similar sizes, as a binary counter carries, so that each part of a clock
   takes part in few joins. */
void check_collect(struct check *c, uint32_t into, uint32_t from)
{
    struct check_clock *sum = check_snapshot(c, from);
    struct actor *a = &c->actors[into];
    int n = 0;

    if (!a->collected)
        a->collected = must_calloc(COLLECTIONS, sizeof *a->collected);
    for (; a->collected[n] && n < COLLECTIONS - 1; n++) {
        check_clock_add(&c->clocks, &sum, a->collected[n]);
        check_clock_clear(&c->clocks, &a->collected[n]);
    }
    check_clock_add(&c->clocks, &a->collected[n], sum);
    check_clock_drop(&c->clocks, sum);
}

/* Joins clocks; most members share the clock of the previous barrier. */
void check_gather(struct check *c, uint32_t into, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct actor *a = &c->actors[from[i]];

        check_settle(c, a);
        check_learn(c, into, a->clock);
        check_clock_raise(&c->clocks, &c->actors[into].clock, from[i],
                          check_own_time(c, a));
    }
}

/* Shares fences: after the barrier all members may release what one of them has fenced. */
static void share_fences(struct check *c, const uint32_t *members, uint32_t count)
{
    for (int s = 0; s < SCOPES; s++) {
        struct check_clock *all = NULL, *latest = NULL;

        for (uint32_t i = 0; i < count; i++) {
            struct check_clock *one = c->actors[members[i]].fenced[s];

            if (one && one != latest)
                check_clock_add(&c->clocks, &all, one);
            latest = one;
        }
        for (uint32_t i = 0; all && i < count; i++) {
            struct actor *a = &c->actors[members[i]];

            check_clock_clear(&c->clocks, &a->fenced[s]);
            a->fenced[s] = check_clock_keep(all);
        }
        check_clock_drop(&c->clocks, all);
    }
}

void check_meet(struct check *c, uint32_t group, const uint32_t *members, uint32_t count)
{
    check_gather(c, group, members, count);
    struct check_clock *known = check_snapshot(c, group);

    for (uint32_t i = 0; i < count; i++) {
        struct actor *a = &c->actors[members[i]];

        check_clock_clear(&c->clocks, &a->clock);
        a->clock = check_clock_keep(known);
    }
    check_clock_drop(&c->clocks, known);
    share_fences(c, members, count);
}

void check_fence(struct check *c, uint32_t actor, enum execute_order order,
                 enum execute_scope scope)
{
    struct actor *a = &c->actors[actor];

    if (order != EXECUTE_RELEASE)
        for (int s = EXECUTE_CTA; s <= (int)scope; s++) {
            check_learn(c, actor, a->pending[s]);
            check_clock_clear(&c->clocks, &a->pending[s]);
        }
    if (order == EXECUTE_ACQUIRE)
        return;
    struct check_clock *known = check_snapshot(c, actor);

    for (int s = EXECUTE_CTA; s <= (int)scope; s++) {
        check_clock_clear(&c->clocks, &a->fenced[s]);
        a->fenced[s] = check_clock_keep(known);
    }
    check_clock_drop(&c->clocks, known);
}

/* Smallest scope that includes the releasing actor and `reader`. */
static enum execute_scope scope_needed(const struct published *p,
                                       const struct actor *reader)
{
    if (p->device != reader->device)
        return EXECUTE_SYS;
    return p->group == reader->group || p->group == MIXED ? EXECUTE_CTA : EXECUTE_GPU;
}

static void acquire(struct check *c, uint32_t actor, const struct flag *f, bool at_once,
                    enum execute_scope scope)
{
    for (size_t i = 0; f && i < f->count; i++) {
        const struct published *p = &f->published[i];
        enum execute_scope needed = scope_needed(p, &c->actors[actor]);

        if (needed > p->scope || needed > scope)
            continue;
        if (at_once)
            check_learn(c, actor, p->clock);
        else
            check_clock_add(&c->clocks, &c->actors[actor].pending[needed], p->clock);
    }
}

static void release(struct check *c, uint32_t actor, uint64_t address, bool at_once,
                    enum execute_scope scope)
{
    const struct actor *a = &c->actors[actor];
    struct published p = {.scope = scope,
                          .device = a->device,
                          .parent = a->parent,
                          .group = a->group,
                          .actor = a->identity};

    if (at_once) {
        p.clock = check_snapshot(c, actor);
        check_flag_publish(c, check_flag_make(c, address), &p);
        check_clock_drop(&c->clocks, p.clock);
        return;
    }
    for (int s = EXECUTE_CTA; s <= (int)scope; s++) {
        p.scope = (enum execute_scope)s;
        p.clock = a->fenced[s];
        if (p.clock &&
            (s == (int)scope || !check_clock_covers(&c->clocks, a->fenced[scope], p.clock)))
            check_flag_publish(c, check_flag_make(c, address), &p);
    }
}

void check_strong(struct check *c, uint32_t actor, uint64_t address,
                  enum execute_order order, enum execute_scope scope, bool loads,
                  bool stores)
{
    if (order == EXECUTE_WEAK)
        return;
    if (order == EXECUTE_VOLATILE)
        scope = EXECUTE_SYS;
    bool both = order == EXECUTE_ACQ_REL || order == EXECUTE_SC;
    struct flag *f = check_flag_find(c, address);

    if (loads)
        acquire(c, actor, f, both || order == EXECUTE_ACQUIRE, scope);
    if (stores && !loads && f)
        check_flag_stored(c, f, c->actors[actor].identity);
    if (stores)
        release(c, actor, address, both || order == EXECUTE_RELEASE, scope);
}
