/* SPDX-License-Identifier: Apache-2.0 */
/* Actors: their numbers and names.

   The number of an ended actor is used again by an actor of the same stream that knows all
   accesses of the ended one. Whoever knows the later actor up to a time then knows the
   earlier one as well. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

enum { NUMBERS_LEAST = 16, NUMBERS_MOST = 256, STEPS_LEAST = 64, FORMERS_MAX = 32 };

/* The root of the number of actors balances compactions, whose number falls with the steps
   allowed, with joins, whose cost grows with them. */
uint32_t check_steps_allowed(const struct check *c, const struct check_clock *k)
{
    uint32_t root = STEPS_LEAST;

    while ((size_t)root * root < c->actor_count)
        root += root / 2;
    return 2 * check_clock_count(k) + root;
}

/* Compacts a clock: every actor that is known up to its last access is known up to now.
   Ended and joined actors thus become one step. */
static void compact(struct check *c, struct check_clock **clock, uint32_t *compact_at)
{
    const uint64_t now = c->now++;
    struct check_step *steps = NULL;
    size_t count = 0, capacity = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < c->actor_count; i++) {
        struct actor *b = &c->actors[i];
        uint64_t time = check_clock_next(*clock, i, &at);

        if (b->last <= time) {
            time = now;
            if (b->epoch <= now)
                b->epoch = now + 1;
        }
        if (count && steps[count - 1].time == time)
            continue;
        steps = must_grow(steps, count, &capacity, sizeof *steps);
        steps[count++] = (struct check_step){.time = time, .first = i};
    }
    check_clock_drop(*clock);
    *clock = check_clock_make(steps, (uint32_t)count);
    free(steps);
    *compact_at = check_steps_allowed(c, *clock);
}

void check_compact(struct check *c, struct check_clock **clock, uint32_t *compact_at)
{
    if (check_clock_count(*clock) > *compact_at)
        compact(c, clock, compact_at);
}

static void numbers_extend(struct check *c, struct numbers *n)
{
    uint32_t run = n->size < NUMBERS_MOST ? n->size + NUMBERS_LEAST : NUMBERS_MOST;

    if (!c->actor_count)
        run = 1; /* the host is alone in its block */
    *n = (struct numbers){.next = (uint32_t)c->actor_count,
                          .end = (uint32_t)c->actor_count + run,
                          .size = run};
    c->actors = must_grow(c->actors, n->end, &c->actor_capacity, sizeof(struct actor));
    for (; c->actor_count < n->end; c->actor_count++)
        c->actors[c->actor_count] = (struct actor){0};
}

/* Unused number of the pool; 0: of the device. */
static uint32_t new_number(struct check *c, uint32_t pool, unsigned device)
{
    const unsigned list = device < c->device_count ? device : TOPOLOGY_DEVICES_MAX;
    struct numbers n = pool ? c->actors[pool].numbers : c->numbers[list];

    if (n.next == n.end)
        numbers_extend(c, &n);
    const uint32_t number = n.next++;

    *(pool ? &c->actors[pool].numbers : &c->numbers[list]) = n;
    return number;
}

/* Keeps the name of an ended actor for messages about its accesses; the oldest ones are
   dropped. */
static void former_keep(struct actor *a)
{
    if (!a->last) {
        free(a->name);
        return;
    }
    if (a->former_count == FORMERS_MAX) {
        free(a->formers[0].name);
        memmove(a->formers, a->formers + 1, --a->former_count * sizeof *a->formers);
    }
    a->formers =
        must_grow(a->formers, a->former_count, &a->former_capacity, sizeof *a->formers);
    a->formers[a->former_count++] =
        (struct former){.until = a->last, .name = a->name, .issued = a->issued};
}

/* First ended number of the pool if the clock covers its accesses; else 0. */
static uint32_t number_again(struct check *c, uint32_t pool, unsigned device,
                             const struct check_clock *known)
{
    struct actor *p = &c->actors[pool];
    const uint32_t number = p->first_ended;
    struct actor *a = &c->actors[number];

    if (!number || a->device != device || check_clock_time(known, number) < a->last)
        return 0;
    p->first_ended = a->next_ended;
    former_keep(a);
    if (c->now <= a->last)
        c->now = a->last + 1;
    return number;
}

uint32_t check_issue_of(const struct check *c, uint32_t actor)
{
    return actor == CHECK_HOST ? c->issued : c->actors[actor].issued;
}

/* Former actor of the number that made the access; NULL: the present one. A dropped one is
   described by the oldest one kept. */
static const struct former *former_at(const struct check *c, check_stamp s)
{
    const struct actor *a = &c->actors[check_stamp_actor(s)];

    for (size_t i = 0; i < a->former_count; i++)
        if (check_stamp_time(s) <= a->formers[i].until)
            return &a->formers[i];
    return NULL;
}

uint32_t check_issue_at(const struct check *c, check_stamp s)
{
    const struct former *f = former_at(c, s);

    return f ? f->issued : check_issue_of(c, check_stamp_actor(s));
}

const char *check_name_at(const struct check *c, check_stamp s)
{
    const struct former *f = former_at(c, s);

    return f ? f->name : c->actors[check_stamp_actor(s)].name;
}

void check_issued(struct check *c, uint32_t actor, uint32_t number)
{
    c->actors[actor].issued = number;
    if (c->issued < number)
        c->issued = number;
}

uint64_t check_own_time(struct check *c, struct actor *a)
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
    uint64_t until = check_own_time(c, a);

    return until ? check_clock_with(a->clock, actor, until) : check_clock_keep(a->clock);
}

uint32_t check_actor(struct check *c, const char *name, unsigned device, uint32_t parent)
{
    const bool is_host = c->actor_count == 0, is_pool = is_host || parent == CHECK_HOST;
    struct check_clock *known = is_host ? NULL : check_snapshot(c, parent);
    const uint32_t pool = is_pool ? 0 : c->actors[parent].pool;
    uint32_t number = pool ? number_again(c, pool, device, known) : 0;

    if (!number)
        number = new_number(c, pool, device);
    const struct actor *before = &c->actors[number];

    c->actors[number] = (struct actor){.name = must_strdup(name),
                                       .device = device,
                                       .identity = c->identities++,
                                       .group = is_host ? 0 : c->actors[parent].identity,
                                       .pool = is_pool ? number : pool,
                                       .formers = before->formers,
                                       .former_count = before->former_count,
                                       .former_capacity = before->former_capacity,
                                       .epoch = c->now,
                                       .issued = check_issue_of(c, parent),
                                       .clock = known,
                                       .compact_at = check_steps_allowed(c, known)};
    return number;
}

static void actor_clear_clocks(struct actor *a)
{
    check_clock_clear(&a->clock);
    for (int i = 0; a->collected && i < COLLECTIONS; i++)
        check_clock_clear(&a->collected[i]);
    free(a->collected);
    a->collected = NULL;
    for (int s = 0; s < SCOPES; s++) {
        check_clock_clear(&a->fenced[s]);
        check_clock_clear(&a->pending[s]);
    }
}

void check_ended(struct check *c, uint32_t actor)
{
    struct actor *a = &c->actors[actor], *p = &c->actors[a->pool];

    actor_clear_clocks(a);
    a->next_ended = 0;
    if (a == p)
        return;
    if (p->first_ended)
        c->actors[p->last_ended].next_ended = actor;
    else
        p->first_ended = actor;
    p->last_ended = actor;
}

void check_forget_actors(struct check *c)
{
    for (uint32_t i = 0; i < c->actor_count; i++) {
        struct actor *a = &c->actors[i];

        for (size_t n = 0; n < a->former_count; n++)
            free(a->formers[n].name);
        free(a->formers);
        free(a->name);
        actor_clear_clocks(a);
    }
    c->actor_count = 0;
    c->identities = 0;
    for (int i = 0; i <= TOPOLOGY_DEVICES_MAX; i++)
        c->numbers[i] = (struct numbers){0};
}
