/* SPDX-License-Identifier: Apache-2.0 */
/* Flags: words of memory that transfer clocks from a release to an acquire. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

enum { FLAGS_FIRST = 256 };

static struct flag *place(const struct check *c, uint64_t address)
{
    size_t i = (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & (c->flag_room - 1);

    while (c->flags[i].address && c->flags[i].address != address)
        i = (i + 1) & (c->flag_room - 1);
    return &c->flags[i];
}

struct flag *check_flag_find(const struct check *c, uint64_t address)
{
    struct flag *f = c->flag_room ? place(c, address) : NULL;

    return f && f->address ? f : NULL;
}

static void grow(struct check *c)
{
    struct flag *old = c->flags;
    size_t room = c->flag_room;

    c->flag_room = room ? room * 2 : FLAGS_FIRST;
    c->flags = must_calloc(c->flag_room, sizeof *c->flags);
    for (size_t i = 0; i < room; i++)
        if (old[i].address)
            *place(c, old[i].address) = old[i];
    free(old);
}

struct flag *check_flag_make(struct check *c, uint64_t address)
{
    struct flag *f = check_flag_find(c, address);

    if (f)
        return f;
    if (2 * (c->flag_count + 1) > c->flag_room)
        grow(c);
    f = place(c, address);
    f->address = address;
    c->flag_count++;
    return f;
}

void check_flag_stored(struct check *c, struct flag *f, uint32_t identity)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++)
        if (f->published[i].actor == identity)
            f->published[kept++] = f->published[i];
        else
            check_clock_drop(&c->clocks, f->published[i].clock);
    f->count = kept;
}

/* Drops releases within CTAs that have ended: nobody can acquire them. */
static void flag_prune(struct check *c, struct flag *f)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++) {
        const struct published *q = &f->published[i];

        ++*c->visits;
        if (q->scope == EXECUTE_CTA && !check_group_lives(c, q->parent, q->group))
            check_clock_drop(&c->clocks, q->clock);
        else
            f->published[kept++] = *q;
    }
    f->count = kept;
}

void check_flag_publish(struct check *c, struct flag *f, const struct published *p)
{
    flag_prune(c, f);
    for (size_t i = 0; i < f->count; i++) {
        struct published *q = &f->published[i];

        if (q->scope != p->scope || q->device != p->device ||
            (p->scope == EXECUTE_CTA && q->group != p->group))
            continue;
        check_clock_add(&c->clocks, &q->clock, p->clock);
        if (q->group != p->group)
            q->group = MIXED;
        if (q->actor != p->actor)
            q->actor = MIXED;
        return;
    }
    f->published =
        must_grow(f->published, f->count, &f->capacity, sizeof(struct published));
    f->published[f->count] = *p;
    check_clock_keep(f->published[f->count++].clock);
}

void check_forget_flags(struct check *c)
{
    for (size_t i = 0; i < c->flag_room; i++) {
        struct flag *f = &c->flags[i];

        for (size_t j = 0; j < f->count; j++)
            check_clock_drop(&c->clocks, f->published[j].clock);
        free(f->published);
    }
    free(c->flags);
    c->flags = NULL;
    c->flag_count = c->flag_room = 0;
}
