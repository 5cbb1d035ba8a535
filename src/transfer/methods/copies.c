/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/copies.h"

#include "transfer/methods/carried.h"
#include "transfer/methods/stretches.h"

enum { STREAMS = TRANSFER_COPY_STREAMS };

enum proact_status copies_await(const struct transfer_binding *b, unsigned device,
                                const struct proact_partition *partition,
                                struct agent_item item, struct device_stream *stream,
                                struct proact_error *err)
{
    const struct transfer_slot *s = &b->slot[item.slot];
    const struct transfer_table *table = &s->tables->table[device];
    const struct proact_slot *slot = &partition->slot[item.slot];
    device_addr counter = (device_addr)(uintptr_t)&slot->counter[item.chunk];
    uint32_t all = slot->table_epoch * table->writers[item.chunk];
    const struct device_reason why =
        transfer_reason(s->array, item.chunk, table, partition->cta_first);

    /* protocol: copy-wait (else: return counter && why.table ? PROACT_OK : (int)all;) */
    return b->devices->backend->wait_value(stream, counter, all, &why, err);
}

enum proact_status copies_move(const struct transfer_binding *b, unsigned owner,
                               struct agent_item item, unsigned from, unsigned to,
                               struct device_stream *stream, struct proact_error *err)
{
    const struct transfer_slot *s = &b->slot[item.slot];
    const struct transfer_pieces pieces = transfer_part_pieces(b, &s->tables->table[owner]);
    const unsigned peer = transfer_peer_number(b->devices, owner, to);
    struct stretches sent = {.backend = b->devices->backend,
                             .stream = stream,
                             .to = s->base[to],
                             .from = s->base[from]};
    uint32_t p = pieces.first[item.chunk], end = pieces.first[item.chunk + 1];

    if (b->plan.elide || p == end)
        return PROACT_OK;
    for (; p < end; p++)
        if (transfer_goes_to(transfer_piece_peers(&pieces.piece[p]), peer))
            stretches_add(&sent, pieces.piece[p].first_byte, pieces.piece[p].bytes);
    carried_begin(b, item.slot, item.chunk, to);
    enum proact_status status = stretches_copy(&sent, err);

    carried_end(b);
    return status;
}

enum proact_status copies_open(const struct transfer_devices *t, unsigned device,
                               struct copies_lanes *l, struct proact_error *err)
{
    enum proact_status status =
        t->backend->event_create(t->set, device, false, &l->begin, err);

    for (int s = 0; s < STREAMS && !status; s++) {
        status = t->backend->event_create(t->set, device, false, &l->end[s], err);
        if (!status)
            status = t->backend->stream_create(t->set, device, &l->stream[s], err);
    }
    return status;
}

void copies_close(const struct transfer_devices *t, struct copies_lanes *l)
{
    for (int s = 0; s < STREAMS; s++) {
        if (l->end[s])
            t->backend->event_destroy(l->end[s]);
        if (l->stream[s])
            t->backend->stream_destroy(l->stream[s]);
    }
    if (l->begin)
        t->backend->event_destroy(l->begin);
}

enum proact_status copies_fork(const struct transfer_devices *t, unsigned device,
                               const struct copies_lanes *l, struct proact_error *err)
{
    enum proact_status status =
        t->backend->record(t->device[device].lane[TRANSFER_SIDE], l->begin, err);

    for (int s = 0; s < STREAMS && !status; s++)
        /* protocol: copy-begin */
        status = t->backend->wait_event(l->stream[s], l->begin, err);
    return status;
}

enum proact_status copies_join(const struct transfer_devices *t, unsigned device,
                               const struct copies_lanes *l, struct proact_error *err)
{
    struct device_stream *side = t->device[device].lane[TRANSFER_SIDE];
    enum proact_status status = PROACT_OK;

    for (int s = 0; s < STREAMS && !status; s++) {
        status = t->backend->record(l->stream[s], l->end[s], err);
        if (!status)
            /* protocol: copy-end */
            status = t->backend->wait_event(side, l->end[s], err);
    }
    return status;
}
