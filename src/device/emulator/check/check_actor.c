/* SPDX-License-Identifier: Apache-2.0 */
/* Actors: their numbers and names.

   The number of an ended actor is used again by an actor of the same stream that knows all
   accesses of the ended one. Whoever knows the later actor up to a time then knows the
   earlier one as well. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

enum { NUMBERS_MOST = 256, FORMERS_MAX = 32 };

/* Blocks begin with a node of a clock. */
static void numbers_extend(struct check *c, struct numbers *n)
{
    const uint32_t first = (uint32_t)c->actor_count;

    if (n->block < NUMBERS_MOST)
        n->block += CHECK_CLOCK_SLOTS;
    n->next = first;
    n->end = first + n->block;
    c->actors = must_grow(c->actors, n->end, &c->actor_capacity, sizeof(struct actor));
    memset(&c->actors[first], 0, n->block * sizeof(struct actor));
    c->actor_count = n->end;
}

/* Unused number of the pool; 0: of the host and the streams. */
static uint32_t new_number(struct check *c, uint32_t pool, bool is_group)
{
    struct numbers n = pool ? c->actors[pool].numbers[is_group] : c->numbers;

    if (n.next == n.end)
        numbers_extend(c, &n);
    const uint32_t number = n.next++;

    *(pool ? &c->actors[pool].numbers[is_group] : &c->numbers) = n;
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
static uint32_t number_again(struct check *c, uint32_t pool, bool is_group, unsigned device,
                             const struct check_clock *known)
{
    struct numbers *n = &c->actors[pool].numbers[is_group];
    const uint32_t number = n->first_ended;
    struct actor *a = &c->actors[number];

    if (!number || a->device != device || check_clock_time(known, number) < a->last)
        return 0;
    n->first_ended = a->next_ended;
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

void check_settle(struct check *c, struct actor *a)
{
    struct check_clock *sum = NULL;

    if (!a->collected)
        return;
    for (int i = 0; i < COLLECTIONS; i++) {
        check_clock_add(&c->clocks, &sum, a->collected[i]);
        check_clock_drop(&c->clocks, a->collected[i]);
    }
    free(a->collected);
    a->collected = NULL;
    check_clock_add(&c->clocks, &a->clock, sum);
    check_clock_drop(&c->clocks, sum);
}

struct check_clock *check_snapshot(struct check *c, uint32_t actor)
{
    struct actor *a = &c->actors[actor];

    check_settle(c, a);
    struct check_clock *known = check_clock_keep(a->clock);

    check_clock_raise(&c->clocks, &known, actor, check_own_time(c, a));
    return known;
}

static uint32_t actor_create(struct check *c, const char *name, unsigned device,
                             uint32_t parent, bool is_group)
{
    const bool is_host = c->actor_count == 0, is_pool = is_host || parent == CHECK_HOST;
    struct check_clock *known = is_host ? NULL : check_snapshot(c, parent);
    const uint32_t pool = is_pool ? 0 : c->actors[parent].pool;
    uint32_t number = pool ? number_again(c, pool, is_group, device, known) : 0;

    if (!number)
        number = new_number(c, pool, is_group);
    const struct actor *before = &c->actors[number];

    c->actors[number] = (struct actor){.name = must_strdup(name),
                                       .device = device,
                                       .identity = c->identities++,
                                       .group = is_host ? 0 : c->actors[parent].identity,
                                       .parent = parent,
                                       .is_group = is_group,
                                       .pool = is_pool ? number : pool,
                                       .formers = before->formers,
                                       .former_count = before->former_count,
                                       .former_capacity = before->former_capacity,
                                       .epoch = c->now,
                                       .issued = check_issue_of(c, parent),
                                       .clock = known};
    return number;
}

uint32_t check_actor(struct check *c, const char *name, unsigned device, uint32_t parent)
{
    return actor_create(c, name, device, parent, false);
}

uint32_t check_group(struct check *c, const char *name, unsigned device, uint32_t parent)
{
    return actor_create(c, name, device, parent, true);
}

bool check_group_lives(const struct check *c, uint32_t number, uint32_t identity)
{
    const struct actor *a = &c->actors[number];

    return a->identity == identity && !a->has_ended;
}

static void actor_clear_clocks(struct check *c, struct actor *a)
{
    check_clock_clear(&c->clocks, &a->clock);
    for (int i = 0; a->collected && i < COLLECTIONS; i++)
        check_clock_drop(&c->clocks, a->collected[i]);
    free(a->collected);
    a->collected = NULL;
    for (int s = 0; s < SCOPES; s++) {
        check_clock_clear(&c->clocks, &a->fenced[s]);
        check_clock_clear(&c->clocks, &a->pending[s]);
    }
}

void check_ended(struct check *c, uint32_t actor)
{
    struct actor *a = &c->actors[actor];
    struct numbers *n = &c->actors[a->pool].numbers[a->is_group];

    actor_clear_clocks(c, a);
    a->has_ended = true;
    a->next_ended = 0;
    if (a->pool == actor)
        return;
    if (n->first_ended)
        c->actors[n->last_ended].next_ended = actor;
    else
        n->first_ended = actor;
    n->last_ended = actor;
}

void check_forget_actors(struct check *c)
{
    for (uint32_t i = 0; i < c->actor_count; i++) {
        struct actor *a = &c->actors[i];

        for (size_t n = 0; n < a->former_count; n++)
            free(a->formers[n].name);
        free(a->formers);
        free(a->name);
        actor_clear_clocks(c, a);
    }
    c->actor_count = 0;
    c->identities = 0;
    c->numbers = (struct numbers){0};
}
