/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/traffic/bulk_store.h"

#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/check/checked.h"

struct bulk_cta *bulk_of(struct emulated *d, struct resident *r)
{
    struct bulk_cta *c = r->bulk;

    if (c)
        return c;
    c = must_calloc(1, sizeof *c);
    c->resident = r;
    c->groups = must_calloc(r->run->threads, sizeof *c->groups);
    c->next = d->bulk_ctas;
    if (c->next)
        c->next->previous = c;
    return d->bulk_ctas = r->bulk = c;
}

void bulk_store_free(struct bulk_store *s)
{
    free(s->data);
    free(s);
}

void bulk_free(struct emulated *d, struct bulk_cta *c)
{
    while (c->stores) {
        struct bulk_store *next = c->stores->next;

        bulk_store_free(c->stores);
        c->stores = next;
    }
    while (c->waits) {
        struct bulk_wait *next = c->waits->next;

        free(c->waits);
        c->waits = next;
    }
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        d->bulk_ctas = c->next;
    free(c->groups);
    free(c);
}

uint64_t bulk_exit(struct emulated *d, struct resident *r, uint64_t end_ps)
{
    if (!r->bulk)
        return end_ps;
    for (struct bulk_store *s = r->bulk->stores; s; s = s->next) {
        if (!s->is_awaited)
            device_fault(d, PROACT_EFAULT,
                         "device %u: kernel '%s', CTA (%u,%u,%u): ends while its bulk "
                         "store of PTX line %u may still read its shared memory: no "
                         "cp.async.bulk.wait_group waits for it",
                         d->number, r->run->name, r->named[0], r->named[1], r->named[2],
                         s->line);
        s->from = NULL;
    }
    return r->bulk->here_ps < end_ps ? end_ps : r->bulk->here_ps + 1;
}

void bulk_end(struct emulated *d, struct resident *r)
{
    for (struct bulk_store *s = r->bulk ? r->bulk->stores : NULL; s; s = s->next)
        checked_bulk_end(d, r, s->actor);
}

void bulk_leave(struct emulated *d, struct resident *r)
{
    struct bulk_cta *c = r->bulk;

    r->bulk = NULL;
    if (!c)
        return;
    c->resident = NULL;
    if (!c->open)
        bulk_free(d, c);
}

void bulk_clear(struct emulated *d)
{
    for (struct bulk_cta *c = d->bulk_ctas, *next; c; c = next) {
        next = c->next;
        bulk_free(d, c);
    }
}
