/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of bulk stores: issued, source read, performed, waited for. */
#include "device/emulator/traffic/bulk_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/span_log.h"
#include "device/emulator/traffic/global_access.h"
#include "device/emulator/traffic/message.h"

/* Maximum additional delay with a seed. */
enum { LATE_NS = 300 };

static uint32_t thread_of(const struct execute_warp *w, unsigned lane)
{
    return execute_warp_index(w) * BULK_LANES + lane;
}

static bool is_meant(const struct bulk_store *s, const struct bulk_wait *q)
{
    return s->thread / BULK_LANES == execute_warp_index(q->warp) &&
           q->mask >> s->thread % BULK_LANES & 1 &&
           s->group <= q->through[s->thread % BULK_LANES];
}

static bool is_over(const struct bulk_cta *c, const struct bulk_wait *q)
{
    for (const struct bulk_store *s = c->stores; s; s = s->next)
        if (is_meant(s, q) && !(q->for_read ? s->is_read : s->is_landed))
            return false;
    return true;
}

/* Frees complete stores. The checker needs a store until its thread has waited for it. */
static void forget_stores(struct emulated *d, struct bulk_cta *c)
{
    for (struct bulk_store **s = &c->stores; *s;) {
        struct bulk_store *this = *s;

        if (this->is_landed && this->is_awaited && (this->is_known || !d->set->check)) {
            *s = this->next;
            checked_bulk_over(d, this->actor);
            bulk_store_free(this);
        } else {
            s = &this->next;
        }
    }
}

static void wait_ends(struct emulated *d, struct bulk_cta *c, const struct bulk_wait *q)
{
    for (struct bulk_store *s = c->stores; s; s = s->next) {
        if (!is_meant(s, q))
            continue;
        s->is_awaited = true;
        if (!q->for_read && !s->is_known)
            checked_bulk_wait(d, q->warp, s->actor);
        s->is_known |= !q->for_read;
    }
}

/* Reports the progress of a store of the CTA. */
static void come_further(struct emulated *d, struct bulk_cta *c)
{
    d->changes++;
    if (!c->resident) {
        if (!c->open)
            bulk_free(d, c);
        return;
    }
    for (struct bulk_wait **q = &c->waits; *q;) {
        struct bulk_wait *this = *q;

        if (!is_over(c, this)) {
            q = &this->next;
            continue;
        }
        *q = this->next;
        wait_ends(d, c, this);
        execute_complete(this->warp, this->mask, NULL);
        resident_wake(d, c->resident);
        free(this);
    }
    forget_stores(d, c);
}

static void landed(struct emulated *d, void *subject, uint64_t detail)
{
    struct bulk_store *s = subject;

    (void)detail;
    if (s->data)
        memcpy((void *)(uintptr_t)s->address, s->data, s->bytes);
    s->is_read = s->is_landed = true;
    s->cta->open--;
    come_further(d, s->cta);
}

static void was_read(struct emulated *d, void *subject, uint64_t detail)
{
    struct bulk_store *s = subject;

    (void)detail;
    s->is_read = true;
    come_further(d, s->cta);
}

static uint64_t late_ps(struct emulated *d)
{
    return d->set->options.seed ? random_below(&d->chance, LATE_NS) * PS : 0;
}

static void land_here(struct emulated *d, struct bulk_store *s)
{
    uint64_t lands_ps =
        d->now_ps + ps_of_ns(d->set->topology->device.l2_latency_ns) + late_ps(d);

    s->data = malloc(s->bytes ? s->bytes : 1);
    if (!s->data)
        abort();
    memcpy(s->data, s->from, s->bytes);
    if (lands_ps > s->cta->here_ps)
        s->cta->here_ps = lands_ps;
    later(d, lands_ps, landed, s, 0);
    was_read(d, s, 0);
}

/* Sends a store to a peer; it stays on the SM while the egress backlog exceeds its
   limit. */
static void land_there(struct emulated *d, struct bulk_store *s, unsigned to)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    struct message *m = message_create(d, to, store_pieces, 1, s->bytes);
    struct sm *sm = &d->sms[s->cta->resident->sm];
    uint64_t leaves, queue = OUT_QUEUE_NS * (uint64_t)PS;

    m->pieces[0] = (struct piece){s->address, s->bytes, 0};
    memcpy(m->data, s->from, s->bytes);
    m->bytes = s->bytes;
    m->wire_bytes = model_wire_bytes(f, MODEL_SM, s->bytes, s->bytes);
    leaves = message_send(d, m, d->now_ps + late_ps(d),
                          model_packets(f, MODEL_SM, s->bytes, s->bytes));
    span_link(d, to, d->now_ps, leaves, s->bytes);
    if (leaves > sm->bulk_free_ps + queue)
        sm->bulk_free_ps = leaves - queue;
    when_acknowledged(d, landed, s, 0);
    if (leaves > d->now_ps + queue)
        later(d, leaves - queue, was_read, s, 0);
    else
        was_read(d, s, 0);
}

static void read_source(struct emulated *d, void *subject, uint64_t detail)
{
    struct bulk_store *s = subject;
    unsigned to = memory_device(&d->set->memory, s->address);

    (void)detail;
    if (!s->from)
        return;
    if (to == d->number)
        land_here(d, s);
    else
        land_there(d, s, to);
}

/* Time when the SM's copy unit reads the source. The rate to peers is that of one CTA's
   stores. */
static uint64_t source_ps(struct emulated *d, struct execute_warp *w, uint32_t bytes,
                          bool is_here)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    uint64_t now = instant(d, w) + late_ps(d);

    if (is_here || d->set->options.infinite_bandwidth)
        return now;
    return serve(&d->sms[d->current->sm].bulk_free_ps, now,
                 ps_of_bytes(bytes, f->bulk_gbps_per_cta > 0 ? f->bulk_gbps_per_cta
                                                             : f->sm_gbps_per_cta));
}

static bool issue(struct emulated *d, struct execute_warp *w, const struct execute_bulk *b,
                  unsigned lane)
{
    const struct execute_access a = {.kind = EXECUTE_STORE,
                                     .scope = EXECUTE_GPU,
                                     .shape = EXECUTE_SCATTERED,
                                     .mask = 1u << lane,
                                     .bytes = b->bytes[lane],
                                     .align = EXECUTE_BULK_ALIGN,
                                     .line = b->line,
                                     .address = b->address};
    struct known_range known;
    enum execute_verdict verdict = access_look_up(d, w, &a, &known);
    uint32_t actor = 0;

    if (verdict == EXECUTE_FAULT || !checked_bulk(d, w, lane, &a, &actor))
        return false;
    struct bulk_cta *c = bulk_of(d, d->current);
    struct bulk_store *s = must_calloc(1, sizeof *s);

    *s = (struct bulk_store){.next = c->stores,
                             .cta = c,
                             .thread = thread_of(w, lane),
                             .group = c->groups[thread_of(w, lane)] + 1,
                             .address = a.address[lane],
                             .bytes = a.bytes,
                             .line = b->line,
                             .from = b->from[lane],
                             .actor = actor};
    c->stores = s;
    c->open++;
    d->usage.stores++;
    if (verdict == EXECUTE_GO)
        access_touch(d, s->address, s->bytes);
    later(d, source_ps(d, w, s->bytes, verdict == EXECUTE_GO), read_source, s, 0);
    return true;
}

static enum execute_verdict wait(struct emulated *d, struct execute_warp *w,
                                 const struct execute_bulk *b, struct bulk_cta *c)
{
    struct bulk_wait q = {
        .warp = w, .mask = b->mask, .for_read = b->step == EXECUTE_BULK_WAIT_READ};

    for (uint32_t rest = b->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint32_t groups = c->groups[thread_of(w, lane)];

        q.through[lane] = groups > b->pending ? groups - b->pending : 0;
    }
    if (is_over(c, &q)) {
        wait_ends(d, c, &q);
        forget_stores(d, c);
        return EXECUTE_GO;
    }
    struct bulk_wait *kept = must_calloc(1, sizeof *kept);

    *kept = q;
    kept->next = c->waits;
    c->waits = kept;
    return EXECUTE_WAIT;
}

enum execute_verdict bulk_global(void *context, struct execute_warp *w,
                                 const struct execute_bulk *b)
{
    struct emulated *d = context;
    struct bulk_cta *c = d->current->bulk;

    if (b->step == EXECUTE_BULK_WAIT || b->step == EXECUTE_BULK_WAIT_READ)
        return c ? wait(d, w, b, c) : EXECUTE_GO;
    for (uint32_t rest = b->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        if (b->step == EXECUTE_BULK_STORE && b->bytes[lane] && !issue(d, w, b, lane))
            return EXECUTE_FAULT;
        if (b->step == EXECUTE_BULK_COMMIT && c)
            c->groups[thread_of(w, lane)]++;
    }
    return EXECUTE_GO;
}
