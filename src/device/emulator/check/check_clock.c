/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/check/check_clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Slot: 2 * time + 1 for a range of actors with equal times, or the address of a node of
   the level below. Nodes that only one clock refers to are changed in place. */
typedef uint64_t slot;

struct check_clock {
    uint32_t references, level; /* 0: a slot is one actor */
    uint64_t least, most;       /* times */
    slot slot[CHECK_CLOCK_SLOTS];
};

static slot slot_of_time(uint64_t time)
{
    return 2 * time + 1;
}

static slot slot_of_node(struct check_clock *k)
{
    return (uintptr_t)k;
}

/* NULL: the slot is a time. */
static struct check_clock *slot_node(slot s)
{
    return s & 1 ? NULL : (struct check_clock *)(uintptr_t)s;
}

static uint64_t slot_least(slot s)
{
    return s & 1 ? s >> 1 : slot_node(s)->least;
}

static uint64_t slot_most(slot s)
{
    return s & 1 ? s >> 1 : slot_node(s)->most;
}

static slot slot_keep(slot s)
{
    if (slot_node(s))
        slot_node(s)->references++;
    return s;
}

static void slot_drop(struct check_clocks *all, slot s)
{
    check_clock_drop(all, slot_node(s));
}

static struct check_clock *node_create(struct check_clocks *all, uint32_t level)
{
    struct check_clock *k = all->spare;

    if (k)
        all->spare = slot_node(k->slot[0]);
    else
        k = must_calloc(1, sizeof *k);
    ++*all->visits;
    k->references = 1;
    k->level = level;
    return k;
}

void check_clocks_clear(struct check_clocks *all)
{
    while (all->spare) {
        struct check_clock *next = slot_node(all->spare->slot[0]);

        free(all->spare);
        all->spare = next;
    }
}

struct check_clock *check_clock_keep(struct check_clock *k)
{
    if (k)
        k->references++;
    return k;
}

void check_clock_drop(struct check_clocks *all, struct check_clock *k)
{
    if (!k || --k->references)
        return;
    for (int i = 0; i < CHECK_CLOCK_SLOTS; i++)
        slot_drop(all, k->slot[i]);
    k->slot[0] = slot_of_node(all->spare);
    all->spare = k;
}

void check_clock_clear(struct check_clocks *all, struct check_clock **k)
{
    check_clock_drop(all, *k);
    *k = NULL;
}

/* Node in which all actors have the time. */
static struct check_clock *node_even(struct check_clocks *all, uint32_t level,
                                     uint64_t time)
{
    struct check_clock *k = node_create(all, level);

    for (int i = 0; i < CHECK_CLOCK_SLOTS; i++)
        k->slot[i] = slot_of_time(time);
    k->least = k->most = time;
    return k;
}

/* Replaces *k by a node that nobody else refers to. */
static void node_own(struct check_clocks *all, struct check_clock **k)
{
    struct check_clock *old = *k, *own;

    if (old->references == 1)
        return;
    own = node_create(all, old->level);
    own->least = old->least;
    own->most = old->most;
    for (int i = 0; i < CHECK_CLOCK_SLOTS; i++)
        own->slot[i] = slot_keep(old->slot[i]);
    check_clock_drop(all, old);
    *k = own;
}

static void node_measure(struct check_clock *k)
{
    k->least = UINT64_MAX;
    k->most = 0;
    for (int i = 0; i < CHECK_CLOCK_SLOTS; i++) {
        const uint64_t least = slot_least(k->slot[i]), most = slot_most(k->slot[i]);

        k->least = least < k->least ? least : k->least;
        k->most = most > k->most ? most : k->most;
    }
}

/* Slot for a node. The caller gives up its reference. */
static slot slot_take(struct check_clocks *all, struct check_clock *k)
{
    const uint64_t time = k->most;

    if (k->least != time)
        return slot_of_node(k);
    check_clock_drop(all, k);
    return slot_of_time(time);
}

static bool node_is_equal(const struct check_clock *a, const struct check_clock *b)
{
    return !memcmp(a->slot, b->slot, sizeof a->slot);
}

/* Adds levels to the clock until it has slots for `actor`. */
static void clock_grow(struct check_clocks *all, struct check_clock **k, uint64_t actor)
{
    if (!*k)
        *k = node_even(all, 0, 0);
    while (actor >> CHECK_CLOCK_BITS * ((*k)->level + 1)) {
        struct check_clock *above = node_even(all, (*k)->level + 1, 0);

        above->slot[0] = slot_of_node(*k);
        above->most = (*k)->most;
        *k = above;
    }
}

static uint32_t slot_index(uint32_t level, uint32_t actor)
{
    return actor >> CHECK_CLOCK_BITS * level & (CHECK_CLOCK_SLOTS - 1);
}

uint64_t check_clock_time(const struct check_clock *k, uint32_t actor)
{
    slot s;

    if (!k || (uint64_t)actor >> CHECK_CLOCK_BITS * (k->level + 1))
        return 0;
    for (s = k->slot[slot_index(k->level, actor)]; !(s & 1);
         s = k->slot[slot_index(k->level, actor)])
        k = slot_node(s);
    return s >> 1;
}

static void slot_raise(struct check_clocks *all, slot *s, uint32_t level, uint32_t actor,
                       uint64_t time);

static void node_raise(struct check_clocks *all, struct check_clock **k, uint32_t actor,
                       uint64_t time)
{
    slot *s;

    node_own(all, k);
    s = &(*k)->slot[slot_index((*k)->level, actor)];
    if ((*k)->level)
        slot_raise(all, s, (*k)->level - 1, actor, time);
    else
        *s = slot_of_time(time);
    node_measure(*k);
}

/* The clock of the slot has an earlier time of the actor. */
static void slot_raise(struct check_clocks *all, slot *s, uint32_t level, uint32_t actor,
                       uint64_t time)
{
    struct check_clock *k = slot_node(*s);

    ++*all->visits;
    if (!k)
        k = node_even(all, level, *s >> 1);
    node_raise(all, &k, actor, time);
    *s = slot_take(all, k);
}

void check_clock_raise(struct check_clocks *all, struct check_clock **k, uint32_t actor,
                       uint64_t time)
{
    if (check_clock_time(*k, actor) >= time)
        return;
    clock_grow(all, k, actor);
    node_raise(all, k, actor, time);
}

static void slot_join(struct check_clocks *all, slot *s, slot more);

/* Joins slots of a node that has other references too. It is replaced if one changes. */
static void node_join_shared(struct check_clocks *all, struct check_clock **k,
                             const struct check_clock *more)
{
    struct check_clock *const old = *k;

    for (int i = 0; i < CHECK_CLOCK_SLOTS; i++) {
        slot s;

        if (slot_least(old->slot[i]) >= slot_most(more->slot[i]))
            continue;
        s = slot_keep(old->slot[i]);
        slot_join(all, &s, more->slot[i]);
        if (s != old->slot[i] && *k == old) {
            old->references++; /* until all slots are compared */
            node_own(all, k);
        }
        if (*k == old) {
            slot_drop(all, s);
        } else {
            slot_drop(all, (*k)->slot[i]);
            (*k)->slot[i] = s;
        }
    }
    if (*k != old)
        check_clock_drop(all, old);
}

/* Joins nodes of one level. */
static void node_join(struct check_clocks *all, struct check_clock **k,
                      struct check_clock *more)
{
    ++*all->visits;
    if (*k == more || (*k)->least >= more->most)
        return;
    if ((*k)->references == 1)
        for (int i = 0; i < CHECK_CLOCK_SLOTS; i++)
            slot_join(all, &(*k)->slot[i], more->slot[i]);
    else
        node_join_shared(all, k, more);
    if (node_is_equal(*k, more)) {
        check_clock_drop(all, *k);
        *k = check_clock_keep(more);
    } else {
        node_measure(*k);
    }
}

static void slot_join(struct check_clocks *all, slot *s, slot more)
{
    struct check_clock *k = slot_node(*s), *other = slot_node(more);

    if (*s == more || slot_least(*s) >= slot_most(more))
        return;
    if (slot_most(*s) <= slot_least(more)) {
        slot_drop(all, *s);
        *s = slot_keep(more);
        return;
    }
    /* A slot that is a time stands for a node of equal times. */
    if (!k)
        k = node_even(all, other->level, *s >> 1);
    if (other)
        check_clock_keep(other);
    else
        other = node_even(all, k->level, more >> 1);
    node_join(all, &k, other);
    check_clock_drop(all, other);
    *s = slot_take(all, k);
}

void check_clock_add(struct check_clocks *all, struct check_clock **k,
                     struct check_clock *more)
{
    if (*k == more || !more)
        return;
    if (!*k) {
        *k = check_clock_keep(more);
        return;
    }
    const uint64_t last = ((uint64_t)1 << CHECK_CLOCK_BITS * (more->level + 1)) - 1,
                   own_last = ((uint64_t)1 << CHECK_CLOCK_BITS * ((*k)->level + 1)) - 1;

    check_clock_keep(more);
    clock_grow(all, k, last);
    clock_grow(all, &more, own_last);
    node_join(all, k, more);
    check_clock_drop(all, more);
}

static bool node_covers(struct check_clocks *all, const struct check_clock *k,
                        const struct check_clock *other)
{
    ++*all->visits;
    if (k == other || k->least >= other->most)
        return true;
    for (int i = 0; i < CHECK_CLOCK_SLOTS; i++) {
        const slot a = k->slot[i], b = other->slot[i];

        if (a == b || slot_least(a) >= slot_most(b))
            continue;
        if (slot_least(a) < slot_least(b) || slot_most(a) < slot_most(b) || a & b & 1 ||
            !slot_node(a) || !slot_node(b))
            return false;
        if (!node_covers(all, slot_node(a), slot_node(b)))
            return false;
    }
    return true;
}

bool check_clock_covers(struct check_clocks *all, const struct check_clock *k,
                        const struct check_clock *other)
{
    if (k == other || !other)
        return true;
    return k && k->level == other->level && node_covers(all, k, other);
}
