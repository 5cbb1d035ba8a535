/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "transfer/methods/mixed.h"

enum proact_status transfer_bind(struct transfer_binding *b, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    transfer_pairs_open(b);
    if (b->plan.tail)
        status = mixed_open(b, err);
    for (struct transfer_binding *of = b; of; of = of->next)
        for (unsigned d = 0; d < b->devices->count && of->plan.method->bind && !status; d++)
            status = of->plan.method->bind(of, d, err);
    if (status)
        transfer_unbind(b);
    return status;
}

void transfer_unbind(struct transfer_binding *b)
{
    for (struct transfer_binding *of = b; of; of = of->next)
        for (unsigned d = 0; d < b->devices->count && of->plan.method->unbind; d++) {
            if (of->state[d] || of->children[d])
                of->plan.method->unbind(of, d);
            of->state[d] = NULL;
        }
    mixed_close(b);
    while (b->next) {
        struct transfer_binding *part = b->next;

        b->next = part->next;
        free(part);
    }
}

/* Whether the part has anything to do for the device. Parts that run agents or counters
   have, also without bytes. */
static bool part_works(const struct transfer_binding *part, unsigned device)
{
    const bool copies = part->plan.method->initiator == TRANSFER_BY_COPY;
    bool works = part->peers[device] && !part->is_copied && !copies;

    for (uint32_t s = 0; s < part->slot_count && !works; s++) {
        const struct transfer_table *t = &part->slot[s].tables->table[device];

        works = part->is_copied ? t->copied_count > 0
                                : part->peers[device] && t->send_count > 0;
    }
    return works;
}

enum proact_status transfer_before(const struct transfer_binding *b, unsigned device,
                                   const struct proact_partition *partition,
                                   struct device_launch *launch, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (const struct transfer_binding *of = b; of && !status; of = of->next)
        if (of->plan.method->before && of->peers[device])
            status = of->plan.method->before(of, device, partition, launch, err);
    return status;
}

enum proact_status transfer_beside(const struct transfer_binding *b, unsigned device,
                                   const struct proact_partition *partition,
                                   struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (const struct transfer_binding *of = b; of && !status; of = of->next)
        if (of->plan.method->beside && part_works(of, device))
            status = of->plan.method->beside(of, device, partition, err);
    return status;
}

enum proact_status transfer_after(const struct transfer_binding *b, unsigned device,
                                  struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (const struct transfer_binding *of = b; of && !status; of = of->next)
        if (of->plan.method->after && part_works(of, device))
            status = of->plan.method->after(of, device, err);
    return status;
}

bool transfer_passes_on(const struct transfer_binding *b)
{
    bool passes = false;

    for (; b; b = b->next)
        passes |= b->plan.method->passes_on;
    return passes;
}

bool transfer_divides(const struct transfer_binding *b)
{
    bool divides = !b->plan.tail;

    for (; b; b = b->next)
        divides &= b->plan.method->divides;
    return divides;
}

bool transfer_works_beside(const struct transfer_binding *b, unsigned device)
{
    bool works = false;

    for (; b; b = b->next) {
        const struct transfer_method *m = b->plan.method;

        works |=
            part_works(b, device) && (m->lane == TRANSFER_SIDE || m->beside || m->after);
    }
    return works;
}

bool transfer_may_give_up(const struct transfer_binding *b)
{
    bool may = false;

    for (; b; b = b->next)
        may |= b->plan.method->may_give_up;
    return may;
}

bool transfer_stores(const struct transfer_plan *plan)
{
    return transfer_plan_mode(plan) & PROACT_MODE_STORE;
}

bool transfer_sends_to_all(const struct transfer_plan *plan)
{
    return plan->method->sends_to_all || (plan->tail && plan->tail->sends_to_all);
}

uint32_t transfer_plan_mode(const struct transfer_plan *plan)
{
    uint32_t mode = plan->method->partition_mode;

    if (plan->tail)
        mode |= plan->tail->partition_mode;
    return mixed_is_active(plan) ? mode | PROACT_MODE_MIXED : mode;
}

bool transfer_launches(const struct transfer_devices *devices,
                       const struct transfer_plan *plan)
{
    return devices->count > 1 && transfer_plan_mode(plan) & PROACT_MODE_LAUNCH;
}

bool transfer_counts(const struct transfer_binding *b)
{
    return b->devices->count > 1 && transfer_plan_mode(&b->plan) & PROACT_MODE_COUNT;
}

/* Whether kernels of the device send anything. */
static bool sends_anything(const struct transfer_binding *b, unsigned device)
{
    for (uint32_t s = 0; s < b->slot_count; s++)
        if (b->slot[s].tables->table[device].piece_count)
            return true;
    return false;
}

uint32_t transfer_reach(const struct transfer_binding *b, unsigned device, uint32_t slot,
                        enum transfer_lane lane)
{
    const struct transfer_devices *t = b->devices;
    uint32_t peers = 0, devices = 0;

    for (const struct transfer_binding *of = b; of; of = of->next)
        if (lane == TRANSFER_LANES || of->plan.method->lane == lane)
            peers |= of->peers[device];
    peers &= b->slot[slot].tables->table[device].peers;
    for (unsigned i = 0; i + 1 < t->count; i++)
        devices |= peers >> i & 1 ? 1u << transfer_peer(t, device, i) : 0;
    return devices;
}

void transfer_silent_range(const struct transfer_binding *b, unsigned device, uint32_t *out,
                           uint32_t *count)
{
    uint32_t first = 0, end = UINT32_MAX;

    for (uint32_t s = 0; s < b->slot_count; s++) {
        const struct transfer_table *t = &b->slot[s].tables->table[device];
        uint32_t last = t->silent_first + t->silent_count;

        first = t->silent_first > first ? t->silent_first : first;
        end = last < end ? last : end;
    }
    *out = first;
    *count = end > first ? end - first : 0;
}

/* Whether a kernel, an agent or a copy uses the counters of the device. */
static bool counts_are_used(const struct transfer_binding *b, unsigned device)
{
    bool are = sends_anything(b, device);

    for (const struct transfer_binding *of = b->next; of; of = of->next)
        are |= of->is_copied && part_works(of, device) &&
               of->plan.method->partition_mode & PROACT_MODE_COUNT;
    return are;
}

/* Sets the range of CTAs without a chunk in any slot; all CTAs if none need to count. */
static void binding_set_silent(const struct transfer_binding *b, unsigned device,
                               struct proact_partition *partition)
{
    partition->silent_first = 0;
    partition->silent_count = UINT32_MAX;
    if (partition->mode & PROACT_MODE_COUNT && counts_are_used(b, device))
        transfer_silent_range(b, device, &partition->silent_first,
                              &partition->silent_count);
}

void transfer_partition_part(struct proact_partition *partition, uint32_t first,
                             bool is_silent)
{
    assert(!(partition->mode & PROACT_MODE_STORE)); /* no such method divides */
    partition->cta_first += first;
    partition->silent_first = 0;
    partition->silent_count = is_silent ? UINT32_MAX : 0;
    for (uint32_t s = 0; s < partition->slot_count; s++) {
        partition->slot[s].list_start += first;
        partition->slot[s].cta_bias += first;
    }
}

/* Divisor by multiplication, with the smallest factor that is large enough; the shift is 31
   plus the bits of d - 1. */
static struct proact_divisor divisor(uint32_t d)
{
    uint32_t bits = 0;

    while (bits < 31 && (1u << bits) < d)
        bits++;
    return (struct proact_divisor){(uint32_t)((((uint64_t)1 << (31 + bits)) + d - 1) / d),
                                   31 + bits};
}

void transfer_partition_grid(struct proact_partition *partition, const uint32_t grid[3])
{
    memcpy(partition->grid, grid, sizeof partition->grid);
    for (int i = 0; i < 2; i++)
        partition->grid_divisor[i] = divisor(grid[i]);
}

/* Slot whose tables say which peers need the stores to the slot's array. If a kernel gets
   an array twice, the tables of the first slot may contain the writes through both. */
static uint32_t slot_of_stores(const struct transfer_binding *b, unsigned device,
                               uint32_t slot)
{
    const struct transfer_tables *t = b->slot[slot].tables;

    if (!t->by_store || t->table[device].owned.count)
        return slot;
    for (uint32_t s = 0; s < slot; s++)
        if (b->slot[s].base[device] == b->slot[slot].base[device])
            return s;
    return slot;
}

void transfer_partition(const struct transfer_binding *b, unsigned device, uint32_t epoch,
                        struct proact_partition *partition)
{
    const struct transfer_devices *t = b->devices;
    const bool elides = b->plan.elide;
    const uint32_t mode = transfer_plan_mode(&b->plan);
    /* Where transfers are skipped, kernels are launched, and stores look for their peers.
       The tables then have no receivers. */
    const bool sends = sends_anything(b, device) &&
                       (!elides || mode & (PROACT_MODE_LAUNCH | PROACT_MODE_STORE));

    partition->mode = t->count > 1 && b->slot_count ? mode : 0;
    partition->peer_count = sends ? t->count - 1 : 0;
    partition->epoch = epoch;
    partition->slot_count = b->slot_count;
    binding_set_silent(b, device, partition);
    partition->child_launch = (const void *)(uintptr_t)b->children[device];
    if (!sends)
        partition->mode &= ~(uint32_t)PROACT_MODE_STORE;
    for (uint32_t s = 0; s < b->slot_count; s++) {
        const struct transfer_slot *slot = &b->slot[s];

        partition->slot[s] = b->slot[slot_of_stores(b, device, s)].tables->resident[device];
        if (!slot->tables->by_store)
            partition->slot[s].table_epoch = slot->tables->table_epoch;
        partition->slot[s].base = (unsigned char *)(uintptr_t)slot->base[device];
        partition->slot[s].device0_offset = (long long)(slot->base[0] - slot->base[device]);
        if (b->mixed)
            partition->slot[s].sent_by_cta =
                (const void *)(uintptr_t)b->mixed->sends[device][s];
        for (unsigned i = 0; i + 1 < t->count; i++)
            partition->slot[s].peer_offset[i] =
                elides ? 0
                       : (long long)(slot->base[transfer_peer(t, device, i)] -
                                     slot->base[device]);
    }
}

uint64_t transfer_sent_bytes(const struct transfer_binding *b, unsigned device,
                             uint32_t slot)
{
    const struct transfer_tables *tables = b->slot[slot].tables;
    const struct transfer_table *t = &tables->table[device];

    if (b->plan.elide)
        return 0;
    return tables->by_store ? t->store_bytes + t->copied_bytes : t->bytes;
}

uint64_t transfer_sent_chunks(const struct transfer_binding *b, unsigned device,
                              uint32_t slot)
{
    const struct transfer_table *t = &b->slot[slot].tables->table[device];
    uint64_t chunks = 0;

    for (const struct transfer_binding *of = b; of; of = of->next)
        if (of->plan.method->takes_chunks && !of->is_tail)
            chunks += of->is_copied ? t->copied_chunks : t->chunks - t->copied_chunks;
    return b->plan.elide ? 0 : chunks;
}
