/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Copies within a profiler range that names the chunk and the peer. */

#include "transfer/transfer.h"

static inline void carried_begin(const struct transfer_binding *b, uint32_t slot,
                                 uint32_t chunk, unsigned to)
{
    const struct transfer_devices *t = b->devices;

    if (t->backend->carry_begin)
        t->backend->carry_begin(
            t->set, &(struct device_reason){.array = b->slot[slot].array, .chunk = chunk},
            to);
}

static inline void carried_end(const struct transfer_binding *b)
{
    if (b->devices->backend->carry_end)
        b->devices->backend->carry_end(b->devices->set);
}
