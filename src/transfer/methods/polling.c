/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/transfer_methods.h"

#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/slices.h"

enum { AGENT_CTA_WARPS = 32, WARP = 32 };

/* Work of the agent of one device. */
struct agenda {
    device_addr slice;
    uint64_t count;
    struct device_event *ahead; /* event that the agent waits for */
};

static uint32_t agent_warps(const struct transfer_plan *plan)
{
    return plan->threads / WARP;
}

static uint32_t agent_ctas(const struct transfer_plan *plan)
{
    return (agent_warps(plan) + AGENT_CTA_WARPS - 1) / AGENT_CTA_WARPS;
}

static enum proact_status upload(const struct transfer_devices *t, unsigned device,
                                 struct agenda *agenda, const struct agent_slice *slices,
                                 struct proact_error *err)
{
    size_t bytes = agenda->count * sizeof *slices;
    enum proact_status status =
        t->backend->alloc(t->set, device, bytes, &agenda->slice, err);

    if (status)
        return status;
    return t->backend->write(t->device[device].lane[TRANSFER_MAIN], agenda->slice, slices,
                             bytes, err);
}

static enum proact_status make_agenda(struct transfer_binding *b, unsigned device,
                                      struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct agenda *agenda = must_calloc(1, sizeof *agenda);
    struct agent_slice *slices;
    enum proact_status status;

    b->state[device] = agenda;
    if ((status = t->backend->event_create(t->set, device, false, &agenda->ahead, err)))
        return status;
    slices_list(b, device, agent_ctas(&b->plan), &slices, &agenda->count);
    if (agenda->count)
        status = upload(t, device, agenda, slices, err);
    free(slices);
    return status;
}

static void drop_agenda(struct transfer_binding *b, unsigned device)
{
    struct agenda *agenda = b->state[device];

    if (agenda->ahead)
        b->devices->backend->event_destroy(agenda->ahead);
    if (agenda->slice)
        b->devices->backend->free(b->devices->set, device, agenda->slice);
    free(agenda);
}

/* Delays the kernel until the agent may start. A running kernel leaves no space for the
   agent, and the agent is urgent: if both may start, the device could select either. */
static enum proact_status hold_kernel(const struct transfer_devices *t, unsigned device,
                                      struct device_event *ahead, struct proact_error *err)
{
    struct device_stream *const *lane = t->device[device].lane;
    /* protocol: hold-record (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = t->backend->record(lane[TRANSFER_SIDE], ahead, err);

    if (!status)
        /* protocol: hold-wait */
        status = t->backend->wait_event(lane[TRANSFER_MAIN], ahead, err);
    return status;
}

/* Launches the agent before the kernel, so that it becomes resident next to it. */
static enum proact_status launch_agent(const struct transfer_binding *b, unsigned device,
                                       const struct proact_partition *partition,
                                       struct device_launch *launch,
                                       struct proact_error *err)
{
    const struct transfer_device *here = &b->devices->device[device];
    const struct agenda *agenda = b->state[device];
    const uint32_t ctas = agent_ctas(&b->plan);

    (void)launch;
    if (agenda->count == 0)
        return PROACT_OK;
    struct agent_work work = {
        .partition = *partition,
        .slice = (const void *)(uintptr_t)agenda->slice,
        .slice_count = agenda->count,
        .limit_ns = b->devices->wait_limit_ns,
        .status = (void *)(uintptr_t)here->status,
    };
    struct device_launch agent = {
        .is_blocking = true,
        .is_urgent = true,
        .grid = {ctas, 1, 1},
        .block = {(agent_warps(&b->plan) + ctas - 1) / ctas * WARP, 1, 1},
        .parameters = &work,
        .parameter_bytes = sizeof work,
        .label = TRANSFER_AGENT_LABEL,
        .spin_checks = b->plan.spins ? AGENT_SPIN_CHECKS : 0,
    };
    struct device_function *kernel = b->plan.spins ? here->spinning : here->agent;
    enum proact_status status = hold_kernel(b->devices, device, agenda->ahead, err);

    if (status)
        return status;
    return b->devices->backend->launch(here->lane[TRANSFER_SIDE], kernel, &agent, err);
}

/* PROACT III-C, "Polling": by CTA, and by slice for large chunks (slices.h). */
const struct transfer_method transfer_polling = {
    .name = "polling",
    .summary = "a concurrent small agent kernel sends each chunk once it is complete",
    .initiator = TRANSFER_BY_AGENT,
    .partition_mode = PROACT_MODE_COUNT,
    .lane = TRANSFER_SIDE,
    .takes_chunks = true,
    .mixes = true,
    .takes_threads = true,
    .needs_peers = true,
    .may_give_up = true,
    .bind = make_agenda,
    .unbind = drop_agenda,
    .before = launch_agent,
};
