/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/copies.h"
#include "transfer/methods/expected.h"
#include "transfer/methods/transfer_methods.h"

/* Streams for the chunks of one device: its own, and one on each forwarding peer. */
struct relay {
    struct agent_item *item;
    uint64_t count;
    struct copies_lanes lanes;
    struct device_event *landed[TRANSFER_COPY_STREAMS]; /* arrival at the forwarding peer */
    struct device_stream *forward[PROACT_PEERS_MAX];
    struct device_event *forwarded[PROACT_PEERS_MAX];
};

static enum proact_status make_relay(struct transfer_binding *b, unsigned device,
                                     struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct relay *r = must_calloc(1, sizeof *r);

    b->state[device] = r;
    expected_list(b, device, &r->item, &r->count);
    enum proact_status status = copies_open(t, device, &r->lanes, err);

    for (int s = 0; s < TRANSFER_COPY_STREAMS && !status; s++)
        status = t->backend->event_create(t->set, device, false, &r->landed[s], err);
    for (unsigned i = 0; i + 1 < t->count && !status; i++) {
        unsigned peer = transfer_peer(t, device, i);

        status = t->backend->event_create(t->set, peer, false, &r->forwarded[i], err);
        if (!status)
            status = t->backend->stream_create(t->set, peer, &r->forward[i], err);
    }
    return status;
}

static void drop_relay(struct transfer_binding *b, unsigned device)
{
    const struct device_backend *backend = b->devices->backend;
    struct relay *r = b->state[device];

    for (int s = 0; s < TRANSFER_COPY_STREAMS; s++)
        if (r->landed[s])
            backend->event_destroy(r->landed[s]);
    for (int i = 0; i < PROACT_PEERS_MAX; i++) {
        if (r->forwarded[i])
            backend->event_destroy(r->forwarded[i]);
        if (r->forward[i])
            backend->stream_destroy(r->forward[i]);
    }
    copies_close(b->devices, &r->lanes);
    free(r->item);
    free(r);
}

/* Forwards a chunk from peer number `hop` to all other peers. The receivers are in
   descending order from hop - 1. While `hop` sends its first copy, the owner sends the next
   chunk to peer hop + 1; while it sends its second, hop + 1 sends its first. In descending
   order no two of them have the same receiver at the same time (for an odd number of
   peers); in ascending order they all do. */
static enum proact_status pass_on(const struct transfer_binding *b, unsigned device,
                                  const struct relay *r, struct agent_item item,
                                  unsigned hop, unsigned stream, struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    unsigned relay = transfer_peer(t, device, hop);
    enum proact_status status =
        t->backend->record(r->lanes.stream[stream], r->landed[stream], err);

    if (!status)
        /* protocol: relay-landed */
        status = t->backend->wait_event(r->forward[hop], r->landed[stream], err);
    for (unsigned i = 1; i + 1 < t->count && !status; i++)
        status =
            copies_move(b, device, item, relay,
                        transfer_peer(t, device, (hop + t->count - 1 - i) % (t->count - 1)),
                        r->forward[hop], err);
    return status;
}

static enum proact_status join(const struct transfer_devices *t, unsigned device,
                               const struct relay *r, struct proact_error *err)
{
    enum proact_status status = copies_join(t, device, &r->lanes, err);

    for (unsigned i = 0; i + 1 < t->count && t->count > 2 && !status; i++) {
        status = t->backend->record(r->forward[i], r->forwarded[i], err);
        if (!status)
            /* protocol: relay-forwarded */
            status = t->backend->wait_event(t->device[device].lane[TRANSFER_SIDE],
                                            r->forwarded[i], err);
    }
    return status;
}

/* Number of the peer that forwards the n-th chunk: the peers of the part take turns. A
   chunk never passes a peer to which it is not sent. */
static unsigned relay_hop(uint32_t peers, uint64_t n)
{
    for (n %= (unsigned)__builtin_popcount(peers); n; n--)
        peers &= peers - 1;
    return (unsigned)__builtin_ctz(peers);
}

static enum proact_status queue_relay(const struct transfer_binding *b, unsigned device,
                                      const struct proact_partition *partition,
                                      struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    const struct relay *r = b->state[device];
    enum proact_status status = copies_fork(t, device, &r->lanes, err);

    for (uint64_t i = 0; i < r->count && !status; i++) {
        unsigned stream = i % TRANSFER_COPY_STREAMS;
        unsigned hop = relay_hop(b->peers[device], i);
        const struct agent_item item = r->item[i];

        status = copies_await(b, device, partition, item, r->lanes.stream[stream], err);
        if (!status)
            status = copies_move(b, device, item, device, transfer_peer(t, device, hop),
                                 r->lanes.stream[stream], err);
        if (!status && t->count > 2)
            status = pass_on(b, device, r, item, hop, stream, err);
    }
    return status ? status : join(t, device, r, err);
}

/* Like copy-engine, but each chunk leaves its device once, to a peer that forwards it to
   the others; the peer changes by chunk. If one device writes everything, its egress is the
   bottleneck, while those of its peers are idle. */
const struct transfer_method transfer_relay = {
    .name = "relay",
    .summary = "as copy-engine, but to one peer, which forwards the chunk to the others",
    .initiator = TRANSFER_BY_RELAY,
    .partition_mode = PROACT_MODE_COUNT,
    .lane = TRANSFER_SIDE,
    .takes_chunks = true,
    .mixes = true,
    .passes_on = true,
    .sends_to_all = true,
    .chunk_bytes = 2 << 20,
    .bind = make_relay,
    .unbind = drop_relay,
    .beside = queue_relay,
};
