/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to the peers of a replayed launch (PROACT III-C, inline): the recorded ranges go
   to the peers that the kernel version would select. Small stores of a quantum to one peer
   travel as one message with the packets of all of them. */
#include <math.h>

#include "device/emulator/quanta/quanta_run.h"
#include "device/emulator/span_log.h"
#include "device/emulator/traffic/global_access.h"
#include "device/emulator/traffic/message.h"

/* Bytes on the wire after which a message leaves. */
enum { MESSAGE_BYTES = 256 };

/* Stores that are sent: the state for all their peers. */
struct sent_store {
    struct emulated *d;
    double wire_bytes;                         /* of the largest message */
    const struct proact_slot *slot;            /* of the current store */
    struct message *message[PROACT_PEERS_MAX]; /* NULL: none yet */
    uint64_t packets[PROACT_PEERS_MAX];
};

/* Adds bytes of the array to the messages of the peers. */
static void store_add_bytes(struct sent_store *to, uint64_t bytes, uint32_t peers)
{
    for (uint32_t rest = peers; rest; rest &= rest - 1) {
        struct emulated *d = to->d;
        const struct topology_fabric *f = &d->set->topology->fabric;
        const unsigned i = (unsigned)__builtin_ctz(rest);
        const uint64_t address =
            (uint64_t)(uintptr_t)to->slot->base + (uint64_t)to->slot->peer_offset[i];

        if (!to->message[i])
            to->message[i] = message_create(d, memory_device(&d->set->memory, address),
                                            store_pieces, 0, 0);
        to->message[i]->bytes += bytes;
        to->message[i]->wire_bytes += model_wire_bytes(f, MODEL_SM, bytes, bytes);
        to->wire_bytes = fmax(to->wire_bytes, (double)to->message[i]->wire_bytes);
        to->packets[i] += model_packets(f, MODEL_SM, bytes, bytes);
    }
}

static uint32_t line_peers(const struct proact_stores *s, uint64_t line)
{
    uint32_t peers = 0;

    for (uint32_t i = 0; i < s->region_count; i++)
        if ((uint32_t)line - s->region[i].first_line < s->region[i].lines)
            peers |= s->region[i].peers;
    return peers;
}

/* Adds one range, cut where the peers of its lines differ. */
static void store_add_range(struct sent_store *to, const struct proact_stores *s,
                            uint64_t first, uint32_t bytes)
{
    const uint64_t end = first + bytes;

    while (first < end) {
        const uint32_t peers = line_peers(s, first / PROACT_LINE_BYTES);
        uint64_t next = first;

        while (next < end && line_peers(s, next / PROACT_LINE_BYTES) == peers)
            next = (next / PROACT_LINE_BYTES + 1) * PROACT_LINE_BYTES;
        next = next < end ? next : end;
        store_add_bytes(to, next - first, peers);
        first = next;
    }
}

static const struct proact_stores *stores_of(const struct resident *r,
                                             const struct quantum_range *range)
{
    return &r->run->quanta->partition->slot[range->slot].stores;
}

/* Adds the bytes of one store to the messages of the peers that need it. */
static void store_add(struct sent_store *to, const struct resident *r,
                      const struct quantum_range *ranges, size_t count)
{
    const struct proact_stores *s = stores_of(r, ranges);
    const uint32_t all =
        s->peers ? s->peers[r->id[0]] : (1u << r->run->quanta->partition->peer_count) - 1;

    to->slot = &r->run->quanta->partition->slot[ranges->slot];
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ranges[i].count; k++) {
            const uint64_t first = ranges[i].first + (uint64_t)k * ranges[i].stride +
                                   (r->shift ? (uint64_t)r->shift[ranges[i].slot] : 0);

            if (s->region_count)
                store_add_range(to, s, first, ranges[i].bytes);
            else
                store_add_bytes(to, ranges[i].bytes, all);
        }
}

/* First loop over the peers of the CTA: those up to this one. */
static unsigned store_pivot(const struct resident *r)
{
    const struct proact_partition *p = r->run->quanta->partition;

    return (p->cta_first + r->id[0]) % p->peer_count;
}

static bool is_sent(const struct resident *r, const struct quantum_range *range)
{
    const struct proact_stores *s = stores_of(r, range);

    return r->run->quanta->partition->peer_count &&
           r->id[0] - s->unsent_first >= s->unsent_count;
}

/* Sends the messages after `issued` instructions of the turn, in the order of the loops
   over the peers: those up to the pivot, the highest first, then the others. */
static void store_send(struct sent_store *to, struct resident *r, uint32_t issued)
{
    const struct proact_partition *p = r->run->quanta->partition;
    struct emulated *d = to->d;
    const struct topology_device *t = &d->set->topology->device;
    const uint64_t ready_ps =
        d->now_ps + (uint64_t)((double)issued * t->dependent_cycles * PS / t->clock_ghz);

    for (unsigned n = 0, pivot = store_pivot(r); n < p->peer_count; n++) {
        const unsigned i = n <= pivot ? pivot - n : p->peer_count - (n - pivot);
        struct message *m = to->message[i];

        if (!m)
            continue;
        const uint64_t bytes = m->bytes;
        const unsigned peer = m->to;

        m->credit = (uint64_t)m->wire_bytes;
        d->usage.sent_bytes += bytes;
        span_link(d, peer, d->now_ps, access_send(d, r, m, ready_ps, to->packets[i]),
                  bytes);
    }
    *to = (struct sent_store){.d = d};
}

/* Ranges of the store that begins at index `from`. */
static size_t count_ranges(const struct cta_quanta *c, size_t from, size_t end)
{
    size_t next = from + 1;

    while (next < end && c->range[next].continues)
        next++;
    return next - from;
}

void quanta_stores_send(struct emulated *d, struct resident *r, size_t from, size_t end)
{
    const struct quantum_range *ranges = r->replayed->range;
    struct sent_store to = {.d = d};

    if (!r->run->quanta->partition->peer_count)
        return;
    for (size_t i = from, count; i < end; i += count) {
        count = count_ranges(r->replayed, i, end);
        if (!is_sent(r, &ranges[i]))
            continue;
        store_add(&to, r, &ranges[i], count);
        if (to.wire_bytes >= MESSAGE_BYTES)
            store_send(&to, r, ranges[i].issued);
    }
    if (to.wire_bytes > 0)
        store_send(&to, r, ranges[end - 1].issued);
}
