/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "transfer/transfer.h"

enum proact_status transfer_bind(struct transfer_binding *b, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < b->devices->count && b->plan.method->bind && !status; d++)
        status = b->plan.method->bind(b, d, err);
    if (status)
        transfer_unbind(b);
    return status;
}

void transfer_unbind(struct transfer_binding *b)
{
    for (unsigned d = 0; d < b->devices->count && b->plan.method->unbind; d++) {
        if (b->state[d])
            b->plan.method->unbind(b, d);
        b->state[d] = NULL;
    }
}

bool transfer_counts(const struct transfer_binding *b)
{
    return b->devices->count > 1 && b->plan.method->share_mode & PROACT_SHARE_COUNT;
}

void transfer_share(const struct transfer_binding *b, unsigned device, uint32_t epoch,
                    struct proact_share *share)
{
    const struct transfer_devices *t = b->devices;

    share->mode = t->count > 1 && b->slot_count ? b->plan.method->share_mode : 0;
    share->peer_count = b->plan.elide ? 0 : t->count - 1;
    share->epoch = epoch;
    share->slot_count = b->slot_count;
    if (b->plan.elide)
        share->mode &= ~(uint32_t)PROACT_SHARE_STORE;
    for (uint32_t s = 0; s < b->slot_count; s++) {
        const struct transfer_slot *slot = &b->slot[s];

        share->slot[s] = slot->tables->resident[device];
        share->slot[s].round = slot->tables->round;
        share->slot[s].base = (unsigned char *)(uintptr_t)slot->base[device];
        for (unsigned i = 0; i + 1 < t->count; i++)
            share->slot[s].delta[i] =
                (long long)(slot->base[transfer_peer(t, device, i)] - slot->base[device]);
    }
}

uint64_t transfer_sent_bytes(const struct transfer_binding *b, unsigned device,
                             uint32_t slot)
{
    return b->plan.elide
               ? 0
               : b->slot[slot].tables->table[device].bytes * (b->devices->count - 1);
}

uint64_t transfer_sent_chunks(const struct transfer_binding *b, unsigned device,
                              uint32_t slot)
{
    if (b->plan.elide || !b->plan.method->takes_chunks)
        return 0;
    return (uint64_t)b->slot[slot].tables->table[device].sent_chunks *
           (b->devices->count - 1);
}
