/* SPDX-License-Identifier: Apache-2.0 */
/* Bookkeeping of a queued launch. */
#include "base/memory.h"
#include "runtime/arrays/distributed.h"
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/launch_flags.h"
#include "runtime/launch/launch_partition.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"
#include "runtime/session/array_order.h"
#include "runtime/session/recording.h"

/* Registers a launch whose agents may time out; the next wait checks them. */
static void account_launch(const struct launching *l)
{
    struct proact *p = l->kernel->session;
    const struct kernel_binding *b = l->binding;

    if (p->recording) {
        recording_add_launch(p, (uint32_t)l->sequence, b);
        return;
    }
    if (!transfer_may_give_up(&b->transfer) || p->devices.count == 1)
        return;
    p->launches =
        must_grow(p->launches, p->launch_count, &p->launch_capacity, sizeof *p->launches);
    p->launches[p->launch_count++] = (struct session_launch){(uint32_t)l->sequence, b};
}

static void account_slot(const struct launching *l, unsigned device, unsigned slot)
{
    const struct kernel_binding *b = l->binding;
    const struct transfer_tables *tables = b->tables[slot]->tables;
    /* Stores also bring bytes around those that a peer needs. */
    const struct transfer_table *sent = tables->by_store ? NULL : &tables->table[device];

    for (int lane = 0; lane < TRANSFER_LANES; lane++)
        array_account_sent(b->array[slot], device,
                           launch_receivers(l, device, (enum transfer_lane)lane, slot),
                           (enum transfer_lane)lane, l->sequence, sent);
}

static bool took_part(const struct launching *l, unsigned device)
{
    /* protocol: idle-unconsumed (else: return true;) */
    return !l->binding || !partition_is_idle(l, device);
}

/* Each device with CTAs has waited for all transfers into its replicas. After a failed
   launch the state is unknown, so every range counts as unconsumed. */
static void account_waits(const struct launching *l, struct proact_array *a, bool queued)
{
    const struct proact *p = l->kernel->session;

    for (unsigned d = 0; d < (l->binding ? p->devices.count : 1); d++)
        if (!queued)
            a->fresh[d].all = true;
        else if (took_part(l, d))
            need_clear(&a->fresh[d]);
}

void launch_account(const struct launching *l, bool queued)
{
    struct proact *p = l->kernel->session;
    const struct kernel_binding *b = l->binding;

    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = launch_array_at(l, i);

        if (!a)
            continue;
        if (p->recording)
            recording_add_array(p, a);
        a->used = l->sequence;
        account_waits(l, a, queued);
    }
    distributed_used(l);
    flags_sent(l);
    for (unsigned d = 0; b && d < p->devices.count; d++)
        for (unsigned s = 0; !partition_is_idle(l, d) && s < b->transfer.slot_count; s++) {
            account_slot(l, d, s);
            array_account(b->array[s], d, transfer_sent_bytes(&b->transfer, d, s),
                          transfer_sent_chunks(&b->transfer, d, s));
        }
    if (!b)
        return;
    launch_written(l);
    flags_written(l);
    account_launch(l);
}
