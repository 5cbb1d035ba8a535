/* SPDX-License-Identifier: Apache-2.0 */
/* Order of operations on an array, and their bookkeeping. */
#include "runtime/session/array_order.h"

#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/session/recording.h"

/* Per stream: the last operation that must precede; 0: none. */
struct behind {
    uint64_t at[PROACT_DEVICES_MAX][TRANSFER_LANES];
};

static void add(uint64_t *at, uint64_t sequence)
{
    if (*at < sequence)
        *at = sequence;
}

/* Transfers into a replica. */
static void add_arrivals(struct behind *b, const struct proact_array *a, unsigned to)
{
    for (unsigned from = 0; from < a->session->devices.count; from++)
        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            add(&b->at[from][lane], a->sent[from][to][lane]);
}

/* Transfers out of a replica. */
static void add_departures(struct behind *b, const struct proact_array *a, unsigned from)
{
    for (unsigned to = 0; to < a->session->devices.count; to++)
        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            add(&b->at[from][lane], a->sent[from][to][lane]);
}

static enum proact_status await(struct proact *p, struct order_place place,
                                const struct behind *b, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < p->devices.count; d++)
        for (int lane = 0; lane < TRANSFER_LANES && !status; lane++)
            status = order_wait(&p->order, place,
                                (struct order_place){d, (enum transfer_lane)lane},
                                b->at[d][lane], err);
    return status;
}

enum proact_status array_await(struct proact *p, const struct proact_array *a,
                               struct order_place place, bool writes,
                               struct proact_error *err)
{
    struct behind b = {0};

    /* protocol: arrival-wait */
    add_arrivals(&b, a, place.device);
    if (writes)
        /* protocol: source-wait */
        add_departures(&b, a, place.device);
    return await(p, place, &b, err);
}

enum proact_status array_await_departures(struct proact *p, const struct proact_array *a,
                                          struct order_place place,
                                          struct proact_error *err)
{
    struct behind b = {0};

    add_departures(&b, a, place.device);
    return await(p, place, &b, err);
}

enum proact_status array_await_peers(struct proact *p, const struct proact_array *a,
                                     struct order_place place, uint32_t to,
                                     struct proact_error *err)
{
    struct behind b = {0};

    for (unsigned d = 0; d < p->devices.count && to; d++) {
        if (d != place.device && !(to >> d & 1))
            continue;
        /* protocol: reader-wait */
        add(&b.at[d][TRANSFER_MAIN], a->used);
        /* protocol: peer-source-wait */
        add_departures(&b, a, d);
        /* protocol: peer-arrival-wait */
        add_arrivals(&b, a, d);
    }
    if (to)
        add(&b.at[0][TRANSFER_MAIN], p->all_used);
    return await(p, place, &b, err);
}

enum proact_status array_await_parts(struct proact *p, const struct proact_array *a,
                                     struct order_place place, bool writes,
                                     struct proact_error *err)
{
    struct behind b = {0};

    /* protocol: distributed-written */
    add_arrivals(&b, a, 0);
    for (unsigned d = 0; d < p->devices.count && writes; d++)
        /* protocol: distributed-used */
        add(&b.at[d][TRANSFER_MAIN], a->used);
    /* protocol: distributed-all-used */
    add(&b.at[0][TRANSFER_MAIN], p->all_used);
    return await(p, place, &b, err);
}

/* A writer of a distributed array counts as a sender to device 0. */
void array_account_parts(struct proact_array *a, unsigned device, bool writes,
                         uint64_t sequence)
{
    if (writes)
        a->sent[device][0][TRANSFER_MAIN] = sequence;
    a->used = a->session->last_sent = sequence;
}

/* Adds the extents that are sent to one device. */
static void add_fresh(struct transfer_need *fresh, const struct transfer_table *sent,
                      unsigned peer)
{
    enum { EXTENTS_MAX = 64 };

    fresh->all |= !sent || sent->extent_count > EXTENTS_MAX;
    for (size_t n = 0; !fresh->all && n < sent->extent_count; n++)
        if (sent->extent[n].peers >> peer & 1)
            spans_add(&fresh->spans, sent->extent[n].first, sent->extent[n].end);
}

void array_account_sent(struct proact_array *a, unsigned from, uint32_t to,
                        enum transfer_lane lane, uint64_t sequence,
                        const struct transfer_table *sent)
{
    const struct transfer_devices *devices = &a->session->devices;

    for (unsigned d = 0; d < devices->count; d++) {
        if (!(to >> d & 1))
            continue;
        a->sent[from][d][lane] = a->session->last_sent = sequence;
        /* protocol: unconsumed-sent */
        add_fresh(&a->fresh[d], sent, transfer_peer_number(devices, from, d));
    }
}

void array_account(struct proact_array *a, unsigned device, uint64_t bytes, uint64_t chunks)
{
    if (a->session->recording) {
        recording_add_traffic(a->session, a, device, bytes, chunks);
        return;
    }
    a->traffic[device].bytes += bytes;
    a->traffic[device].chunks += chunks;
    a->session->chunks[device] += chunks;
}
