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

static void add_quantum(struct usage *u, const struct quantum *q)
{
    u->issued += q->issued;
    u->longest += q->longest;
    u->stalls += q->stalls;
    u->barriers += q->barriers;
    u->sectors += q->sectors;
    u->missed_sectors += q->missed_sectors;
    u->awaited_sectors += q->awaited_sectors;
    u->loads += q->loads;
    u->fresh_loads += q->fresh_loads;
    u->waited += q->waited;
    u->missed += q->missed;
    u->stores += q->stores;
}

void quanta_replay_turn(struct emulated *d, struct resident *r)
{
    const struct cta_quanta *c = r->replayed;
    const struct quantum *q = &c->quantum[r->quantum];
    const size_t from = r->quantum ? c->quantum[r->quantum - 1].range_end : 0;

    add_quantum(&d->usage, q);
    if (r->run->quanta->launch->sends_stores)
        quanta_stores_send(d, r, from, q->range_end);
    replace_lines(d, q->replaced);
    for (size_t i = from; i < q->range_end; i++)
        touch_stores(d, r, &c->range[i]);
    r->quantum++;
}
