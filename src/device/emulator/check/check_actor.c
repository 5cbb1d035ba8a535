/* SPDX-License-Identifier: Apache-2.0 */
/* Actors: their numbers and names.

   The number of an ended actor is used again by an actor of the same stream that knows all
   accesses of the ended one. Whoever knows the later actor up to a time then knows the
   earlier one as well. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

enum { NUMBERS_RUN = 256, STEPS_LEAST = 64, FORMERS_MAX = 32 };

uint32_t check_steps_allowed(const struct check *c, const struct check_clock *k)
{
    return 2 * check_clock_count(k) + STEPS_LEAST + (uint32_t)c->actor_count / STEPS_LEAST;
}

static uint32_t new_number(struct check *c, unsigned device)
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
    uint32_t number = is_pool ? 0 : number_again(c, c->actors[parent].pool, device, known);

    if (!number)
        number = new_number(c, device);
    const struct actor *before = &c->actors[number];

    c->actors[number] = (struct actor){.name = must_strdup(name),
                                       .device = device,
                                       .identity = c->identities++,
                                       .group = is_host ? 0 : c->actors[parent].identity,
                                       .pool = is_pool ? number : c->actors[parent].pool,
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
