/* SPDX-License-Identifier: Apache-2.0 */
/* Happens-before: actors, joins, fences, acquire and release (PTX memory model, 8.10).

   The model has simplifications that can miss an error but never report a false one. The
   lanes of a warp are one actor, so a missing __syncwarp() is not detected. A fence covers
   the warp, and after a barrier the CTA, as on hardware. Releases of several CTAs through
   one flag are joined. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

enum { NUMBERS_RUN = 256, STEPS_MORE = 64 };

/* Number of steps at which compaction of a clock, which visits all actors, pays off. */
static uint32_t steps_allowed(const struct check *c, const struct check_clock *k)
{
    return 2 * check_clock_count(k) + STEPS_MORE + (uint32_t)c->actor_count / STEPS_MORE;
}

static uint32_t take_number(struct check *c, unsigned device)
{
    struct numbers *n =
        &c->numbers[device < c->device_count ? device : TOPOLOGY_DEVICES_MAX];

    if (n->next == n->end) {
        uint32_t run = c->actor_count ? NUMBERS_RUN : 1; /* the host is alone in its
                                                            block */

        n->next = (uint32_t)c->actor_count;
        n->end = n->next + run;
        c->actors = must_grow(c->actors, n->end, &c->actor_capacity, sizeof(struct actor));
        for (; c->actor_count < n->end; c->actor_count++)
            c->actors[c->actor_count] = (struct actor){0};
    }
    return n->next++;
}

uint32_t check_issue_of(const struct check *c, uint32_t actor)
{
    return actor == CHECK_HOST ? c->issued : c->actors[actor].issued;
}

void check_issued(struct check *c, uint32_t actor, uint32_t number)
{
    c->actors[actor].issued = number;
    if (c->issued < number)
        c->issued = number;
}

uint32_t check_actor(struct check *c, const char *name, unsigned device, uint32_t parent)
{
    bool is_host = c->actor_count == 0;
    struct check_clock *known = is_host ? NULL : check_snapshot(c, parent);
    uint32_t number = take_number(c, device);

    c->actors[number] = (struct actor){.name = must_strdup(name),
                                       .device = device,
                                       .group = parent,
                                       .epoch = c->now,
                                       .issued = check_issue_of(c, parent),
                                       .clock = known,
                                       .compact_at = steps_allowed(c, known)};
    return number;
}

static void drop(struct check_clock **k)
{
    check_clock_drop(*k);
    *k = NULL;
}

void check_ended(struct check *c, uint32_t actor)
{
    struct actor *a = &c->actors[actor];

    drop(&a->clock);
    for (int s = 0; s < SCOPES; s++) {
        drop(&a->fenced[s]);
        drop(&a->pending[s]);
    }
}

void check_forget_actors(struct check *c)
{
    for (uint32_t i = 0; i < c->actor_count; i++) {
        free(c->actors[i].name);
        check_ended(c, i);
    }
    c->actor_count = 0;
    for (int i = 0; i <= TOPOLOGY_DEVICES_MAX; i++)
        c->numbers[i] = (struct numbers){0};
}

bool check_knows(const struct check *c, uint32_t actor, check_stamp s)
{
    uint64_t time = check_stamp_time(s);
    uint32_t who = check_stamp_actor(s);

    return time <= c->quiesced || who == actor ||
           time <= check_clock_time(c->actors[actor].clock, who);
}

/* Time of an actor's own accesses that a snapshot includes; 0: it had none. */
static uint64_t own_time(struct check *c, struct actor *a)
{
    uint64_t until = a->last ? a->epoch - 1 : 0;

    if (a->last && a->last == a->epoch) { /* later accesses are not included */
        until = a->epoch;
        a->epoch = ++c->now;
    }
    return until;
}

struct check_clock *check_snapshot(struct check *c, uint32_t actor)
{
    struct actor *a = &c->actors[actor];
    uint64_t until = own_time(c, a);

    return until ? check_clock_with(a->clock, actor, until) : check_clock_keep(a->clock);
}

/* Compacts a clock: every actor that is known up to its last access is known up to now.
   Ended and joined actors thus become one step. */
static void compact(struct check *c, struct actor *a)
{
    uint64_t now = c->now++;
    struct check_step *steps = must_calloc(c->actor_count, sizeof *steps);

    for (uint32_t i = 0; i < c->actor_count; i++) {
        struct actor *b = &c->actors[i];
        uint64_t time = check_clock_time(a->clock, i);

        if (b->last <= time) {
            time = now;
            if (b->epoch <= now)
                b->epoch = now + 1;
        }
        steps[i] = (struct check_step){.time = time, .first = i};
    }
    check_clock_drop(a->clock);
    a->clock = check_clock_make(steps, (uint32_t)c->actor_count);
    free(steps);
    a->compact_at = steps_allowed(c, a->clock);
}

void check_learn(struct check *c, uint32_t actor, struct check_clock *more)
{
    struct actor *a = &c->actors[actor];

    check_clock_add(&a->clock, more);
    if (check_clock_count(a->clock) > a->compact_at)
        compact(c, a);
}

/* Compacts the parent's clock, since many clocks are created from it. */
uint32_t check_beginning(struct check *c, const char *name, unsigned device,
                         uint32_t parent)
{
    if (check_clock_count(c->actors[parent].clock) > STEPS_MORE)
        compact(c, &c->actors[parent]);
    return check_actor(c, name, device, parent);
}

void check_join(struct check *c, uint32_t into, uint32_t from)
{
    if (into == from)
        return;
    struct check_clock *known = check_snapshot(c, from);

    check_learn(c, into, known);
    check_clock_drop(known);
}

/* Joins clocks; most members share the clock of the previous barrier. */
void check_gather(struct check *c, uint32_t into, const uint32_t *from, uint32_t count)
{
    struct check_step *steps = must_calloc(2 * (size_t)count, sizeof *steps);
    const struct check_clock *latest = NULL;
    uint32_t filled = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct actor *a = &c->actors[from[i]];

        if (a->clock != latest)
            check_learn(c, into, a->clock);
        latest = a->clock;
        if (filled && steps[filled - 1].first == from[i])
            filled--;
        steps[filled++] = (struct check_step){.time = own_time(c, a), .first = from[i]};
        steps[filled++] = (struct check_step){.first = from[i] + 1};
    }
    struct check_clock *own = check_clock_make(steps, filled);

    check_learn(c, into, own);
    check_clock_drop(own);
    free(steps);
}

/* Shares fences: after the barrier all members may release what one of them has fenced. */
static void share_fences(struct check *c, const uint32_t *members, uint32_t count)
{
    for (int s = 0; s < SCOPES; s++) {
        struct check_clock *all = NULL, *latest = NULL;

        for (uint32_t i = 0; i < count; i++) {
            struct check_clock *one = c->actors[members[i]].fenced[s];

            if (one && one != latest)
                check_clock_add(&all, one);
            latest = one;
        }
        for (uint32_t i = 0; all && i < count; i++) {
            struct actor *a = &c->actors[members[i]];

            drop(&a->fenced[s]);
            a->fenced[s] = check_clock_keep(all);
        }
        check_clock_drop(all);
    }
}

void check_meet(struct check *c, uint32_t group, const uint32_t *members, uint32_t count)
{
    check_gather(c, group, members, count);
    struct check_clock *known = check_snapshot(c, group);

    for (uint32_t i = 0; i < count; i++) {
        struct actor *a = &c->actors[members[i]];

        drop(&a->clock);
        a->clock = check_clock_keep(known);
        a->compact_at = c->actors[group].compact_at;
    }
    check_clock_drop(known);
    share_fences(c, members, count);
}

void check_fence(struct check *c, uint32_t actor, enum execute_order order,
                 enum execute_scope scope)
{
    struct actor *a = &c->actors[actor];

    if (order != EXECUTE_RELEASE)
        for (int s = EXECUTE_CTA; s <= (int)scope; s++) {
            check_learn(c, actor, a->pending[s]);
            drop(&a->pending[s]);
        }
    if (order == EXECUTE_ACQUIRE)
        return;
    struct check_clock *known = check_snapshot(c, actor);

    for (int s = EXECUTE_CTA; s <= (int)scope; s++) {
        drop(&a->fenced[s]);
        a->fenced[s] = check_clock_keep(known);
    }
    check_clock_drop(known);
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
            check_clock_add(&c->actors[actor].pending[needed], p->clock);
    }
}

static void release(struct check *c, uint32_t actor, uint64_t address, bool at_once,
                    enum execute_scope scope)
{
    const struct actor *a = &c->actors[actor];
    struct published p = {
        .scope = scope, .device = a->device, .group = a->group, .actor = actor};

    if (at_once) {
        p.clock = check_snapshot(c, actor);
        check_flag_publish(check_flag_make(c, address), &p);
        check_clock_drop(p.clock);
        return;
    }
    for (int s = EXECUTE_CTA; s <= (int)scope; s++) {
        p.scope = (enum execute_scope)s;
        p.clock = a->fenced[s];
        if (p.clock && (s == (int)scope || p.clock != a->fenced[scope]))
            check_flag_publish(check_flag_make(c, address), &p);
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
        check_flag_stored(f, actor);
    if (stores)
        release(c, actor, address, both || order == EXECUTE_RELEASE, scope);
}
