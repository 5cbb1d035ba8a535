/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/mixed.h"

#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/expected.h"

static bool cta_sends(const struct transfer_method *m)
{
    return m->partition_mode & PROACT_MODE_SEND;
}

bool mixed_is_active(const struct transfer_plan *plan)
{
    return plan->tail && cta_sends(plan->method) != cta_sends(plan->tail);
}

static uint64_t sent_bytes(const struct transfer_binding *b, unsigned device,
                           struct agent_item item)
{
    const struct transfer_table *t = &b->slot[item.slot].tables->table[device];
    uint64_t bytes = 0;

    for (uint32_t p = t->piece_first[item.chunk]; p < t->piece_first[item.chunk + 1]; p++)
        bytes += t->piece[p].bytes;
    return bytes;
}

/* Moves chunks to the tail, from the last expected one backwards, until the tail has its
   size. */
static void split(const struct transfer_binding *b, unsigned device,
                  struct transfer_mixed *mixed)
{
    struct agent_item *item;
    uint64_t count, bytes = 0;

    expected_list(b, device, &item, &count);
    for (uint32_t s = 0; s < b->slot_count; s++)
        mixed->in_tail[device][s] =
            must_calloc(b->slot[s].tables->table[device].chunk_count, sizeof(bool));
    for (uint64_t i = count; i-- > 0 && bytes < b->plan.tail_bytes;) {
        mixed->in_tail[device][item[i].slot][item[i].chunk] = true;
        bytes += sent_bytes(b, device, item[i]);
    }
    free(item);
}

static enum proact_status mixed_create_table(const struct transfer_binding *b,
                                             unsigned device, uint32_t slot,
                                             struct transfer_mixed *mixed,
                                             struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    uint32_t count = b->slot[slot].tables->table[device].chunk_count;
    uint32_t *sends = must_calloc(count, sizeof *sends);
    enum proact_status status = t->backend->alloc(t->set, device, count * sizeof *sends,
                                                  &mixed->sends[device][slot], err);

    for (uint32_t c = 0; c < count; c++)
        sends[c] =
            cta_sends(mixed->in_tail[device][slot][c] ? b->plan.tail : b->plan.method);
    if (!status)
        status = t->backend->write(t->device[device].lane[TRANSFER_MAIN],
                                   mixed->sends[device][slot], sends, count * sizeof *sends,
                                   err);
    free(sends);
    return status;
}

enum proact_status mixed_open(struct transfer_binding *b, struct proact_error *err)
{
    struct transfer_mixed *mixed = must_calloc(1, sizeof *mixed);
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < b->devices->count; d++) {
        split(b, d, mixed);
        for (uint32_t s = 0; s < b->slot_count && mixed_is_active(&b->plan) && !status; s++)
            status = mixed_create_table(b, d, s, mixed, err);
    }
    b->mixed = mixed;
    struct transfer_binding *tail = must_calloc(1, sizeof *tail);

    *tail = *b; /* also b->next */
    tail->plan.method = b->plan.tail;
    tail->is_tail = true;
    b->next = tail;
    return status;
}

void mixed_close(struct transfer_binding *b)
{
    const struct transfer_devices *t = b->devices;

    for (unsigned d = 0; d < t->count && b->mixed; d++)
        for (uint32_t s = 0; s < PROACT_SLOTS_MAX; s++) {
            free(b->mixed->in_tail[d][s]);
            if (b->mixed->sends[d][s])
                t->backend->free(t->set, d, b->mixed->sends[d][s]);
        }
    free(b->mixed);
    b->mixed = NULL;
}
