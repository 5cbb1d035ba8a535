/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/bulk_copies.h"
#include "transfer/methods/carried.h"
#include "transfer/methods/stretches.h"
#include "transfer/methods/transfer_methods.h"

enum proact_status bulk_copy_slot(const struct transfer_binding *b, unsigned device,
                                  unsigned peer, uint32_t slot, struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    const struct transfer_slot *s = &b->slot[slot];
    const struct transfer_table *table = &s->tables->table[device];
    const unsigned number = transfer_peer_number(t, device, peer);
    struct stretches sent = {.backend = t->backend,
                             .stream = t->device[device].lane[TRANSFER_SIDE],
                             .to = s->base[peer],
                             .from = s->base[device]};

    if (!table->send_count)
        return PROACT_OK;
    for (uint32_t r = 0; r < table->send_count; r++)
        if (transfer_goes_to(table->send[r].to, number))
            stretches_add(&sent, table->send[r].first, table->send[r].bytes);
    carried_begin(b, slot, DEVICE_WHOLE, peer);
    enum proact_status status = stretches_copy(&sent, err);

    carried_end(b);
    return status;
}

/* Copies to the peers of the part, on one stream per sender. With one stream per
   destination the rate halves if all devices send to all. */
static enum proact_status copy_all(const struct transfer_binding *b, unsigned device,
                                   struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (b->plan.elide)
        return status;
    for (unsigned i = 0; i + 1 < b->devices->count && !status; i++)
        for (uint32_t slot = 0;
             b->peers[device] >> i & 1 && slot < b->slot_count && !status; slot++)
            status =
                bulk_copy_slot(b, device, transfer_peer(b->devices, device, i), slot, err);
    return status;
}

/* The baseline: all devices copy at once, each to one peer after another. Under methods
   that need peer access it sends to the peers out of reach (transfer_pairs.c). */
const struct transfer_method transfer_bulk = {
    .name = "bulk",
    .summary = "copies all written data after the kernel has ended: the baseline",
    .initiator = TRANSFER_BY_COPY,
    .lane = TRANSFER_SIDE,
    .divides = true,
    .after = copy_all,
};
