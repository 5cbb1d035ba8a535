/* SPDX-License-Identifier: Apache-2.0 */
/* Replay: recorded quanta become the resources that turns use. */
#include "base/short_name.h"
#include "device/emulator/quanta/quanta_run.h"
#include "device/emulator/traffic/global_access.h"

/* Loops mostly swap two arrays: later occurrences take the last two in turn. */
static uint32_t replay_occurrence(const struct shape_cta *c, uint32_t seen)
{
    if (seen < c->count || c->count < 2)
        return seen < c->count ? seen : 0;
    return c->count - 2 + (seen - c->count) % 2;
}

void quanta_replay_begin(struct emulated *d, struct resident *r, uint32_t cta,
                         uint32_t seen)
{
    const struct device_shape *s = r->run->quanta->use->shape;
    const struct shape_cta *own = &s->cta[cta],
                           *c = own->executed ? &s->cta[own->executed - 1] : own;

    r->shift = own->executed ? own->shift : NULL;
    if (!s->depends)
        seen = replay_occurrence(c, seen);
    if (seen < c->count && c->occurrence[seen].is_complete)
        r->replayed = &c->occurrence[seen];
    else
        device_fault(d, PROACT_EREFUSED,
                     "kernel '%s': launch %u of CTA %u was not recorded, and its work "
                     "depends on data that launches change",
                     name_shorten(s->kernel).text, seen, cta);
}

bool quanta_replay_is_left(const struct resident *r)
{
    return r->replayed && r->quantum < r->replayed->quantum_count;
}

/* The lines that the kernel would leave in the L2. */
static void touch_stores(struct emulated *d, const struct resident *r,
                         const struct quantum_range *range)
{
    const uint64_t shift = r->shift ? (uint64_t)r->shift[range->slot] : 0,
                   first = r->run->quanta->first[range->slot] + range->first + shift;
    const struct usage before = d->usage;

    for (uint32_t i = 0; i < range->count; i++)
        access_touch(d, first + (uint64_t)i * range->stride, range->bytes);
    d->usage = before;
}

/* Which lines the kernel would replace is not recorded: any are. */
static void replace_lines(struct emulated *d, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        d->l2_lines[random_next(&d->replaced) & d->l2_mask] = 0;
}

/* The share of a number in the part of a quantum. */
static uint64_t quantum_share(uint32_t number, const struct quanta_part *p)
{
    return p->total ? number * p->after / p->total - number * p->before / p->total : 0;
}

static void add_part(struct usage *u, const struct quantum *q, const struct quanta_part *p)
{
    u->issued += p->after - p->before;
    u->longest += p->longest;
    u->stalls += quantum_share(q->stalls + p->stalls, p);
    u->barriers += quantum_share(q->barriers, p);
    u->sectors += quantum_share(q->sectors, p);
    u->missed_sectors += quantum_share(q->missed_sectors, p);
    u->awaited_sectors += quantum_share(q->awaited_sectors, p);
    u->loads += quantum_share(q->loads, p);
    u->fresh_loads += quantum_share(q->fresh_loads, p);
    u->waited += quantum_share(q->waited, p);
    u->missed += quantum_share(q->missed, p);
    u->stores += quantum_share(q->stores, p);
}

void quanta_replay_turn(struct emulated *d, struct resident *r)
{
    const struct cta_quanta *c = r->replayed;
    const struct quantum *q = &c->quantum[r->quantum];
    const size_t from = r->quantum ? c->quantum[r->quantum - 1].range_end : 0;
    struct quanta_part part = {
        .after = q->issued, .total = q->issued, .longest = q->longest};

    if (r->run->quanta->launch->sends_stores)
        part = quanta_stores_part(d, r, from, q->range_end);
    add_part(&d->usage, q, &part);
    r->part++;
    if (part.after < part.total)
        return;
    replace_lines(d, q->replaced);
    for (size_t i = from; i < q->range_end; i++)
        touch_stores(d, r, &c->range[i]);
    r->quantum++;
    r->part = 0;
}
