/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/transfer_methods.h"

#include <stdlib.h>

#include "agent.h"
#include "base/memory.h"

enum { AGENT_CTA_WARPS = 32, WARP = 32 };

/* The chunks of one device in the order in which they are expected. */
struct agenda {
    device_addr item;
    uint64_t count;
};

struct expected {
    struct agent_item item;
    uint32_t last_cta; /* the device starts its CTAs in order: the last writer decides */
};

static int compare_expected(const void *left, const void *right)
{
    const struct expected *a = left, *b = right;

    if (a->last_cta != b->last_cta)
        return a->last_cta < b->last_cta ? -1 : 1;
    if (a->item.slot != b->item.slot)
        return a->item.slot < b->item.slot ? -1 : 1;
    return a->item.chunk < b->item.chunk ? -1 : a->item.chunk > b->item.chunk;
}

/* Adds the chunks of a slot that have something to send. */
static uint64_t list_slot(const struct transfer_table *t, uint32_t slot,
                          struct expected *out)
{
    uint32_t *last = must_calloc(t->chunk_count, sizeof *last);
    uint64_t count = 0;

    for (uint32_t cta = 0; cta < t->cta_count; cta++)
        for (uint32_t row = t->first[cta]; row < t->first[cta + 1]; row++)
            last[t->chunk[row]] = cta;
    for (uint32_t c = 0; c < t->chunk_count; c++)
        if (t->piece_first[c + 1] > t->piece_first[c])
            out[count++] = (struct expected){{slot, c}, last[c]};
    free(last);
    return count;
}

static enum proact_status upload(struct transfer_binding *b, unsigned device,
                                 struct agenda *agenda, const struct expected *expected,
                                 struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct agent_item *items = must_calloc(agenda->count, sizeof *items);
    size_t bytes = agenda->count * sizeof *items;

    for (uint64_t i = 0; i < agenda->count; i++)
        items[i] = expected[i].item;
    enum proact_status status =
        t->backend->alloc(t->set, device, bytes, &agenda->item, err);

    if (!status)
        status = t->backend->write(t->device[device].lane[TRANSFER_MAIN], agenda->item,
                                   items, bytes, err);
    free(items);
    return status;
}

static enum proact_status make_agenda(struct transfer_binding *b, unsigned device,
                                      struct proact_error *err)
{
    struct agenda *agenda = must_calloc(1, sizeof *agenda);
    uint64_t room = 0;

    b->state[device] = agenda;
    for (uint32_t s = 0; s < b->slot_count; s++)
        room += b->slot[s].tables->table[device].sent_chunks;
    if (room == 0)
        return PROACT_OK;
    struct expected *expected = must_calloc(room, sizeof *expected);

    for (uint32_t s = 0; s < b->slot_count; s++)
        agenda->count +=
            list_slot(&b->slot[s].tables->table[device], s, expected + agenda->count);
    qsort(expected, agenda->count, sizeof *expected, compare_expected);
    enum proact_status status = upload(b, device, agenda, expected, err);

    free(expected);
    return status;
}

static void drop_agenda(struct transfer_binding *b, unsigned device)
{
    struct agenda *agenda = b->state[device];

    if (agenda->item)
        b->devices->backend->free(b->devices->set, device, agenda->item);
    free(agenda);
}

/* The agent is queued before the kernel, so that it finds room beside it. */
static enum proact_status launch_agent(const struct transfer_binding *b, unsigned device,
                                       const struct proact_share *share,
                                       struct device_launch *launch,
                                       struct proact_error *err)
{
    const struct transfer_device *here = &b->devices->device[device];
    const struct agenda *agenda = b->state[device];
    uint32_t warps = b->plan.threads / WARP;
    uint32_t ctas = (warps + AGENT_CTA_WARPS - 1) / AGENT_CTA_WARPS;

    (void)launch;
    if (agenda->count == 0)
        return PROACT_OK;
    struct agent_work work = {
        .share = *share,
        .item = (const void *)(uintptr_t)agenda->item,
        .item_count = agenda->count,
        .limit_ns = b->devices->wait_limit_ns,
        .status = (void *)(uintptr_t)here->status,
    };
    struct device_launch agent = {
        .grid = {ctas, 1, 1},
        .block = {(warps + ctas - 1) / ctas * WARP, 1, 1},
        .parameters = &work,
        .parameter_bytes = sizeof work,
        .label = TRANSFER_AGENT_LABEL,
    };
    return b->devices->backend->launch(here->lane[TRANSFER_SIDE], here->agent, &agent, err);
}

/* PROACT III-C, "Polling". */
const struct transfer_method transfer_polling = {
    .name = "polling",
    .summary =
        "a small agent kernel beside the kernel sends each chunk once it is complete",
    .share_mode = PROACT_SHARE_COUNT,
    .lane = TRANSFER_SIDE,
    .takes_chunks = true,
    .takes_threads = true,
    .needs_peers = true,
    .may_give_up = true,
    .bind = make_agenda,
    .unbind = drop_agenda,
    .before = launch_agent,
};
