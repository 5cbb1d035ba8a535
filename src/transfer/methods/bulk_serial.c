/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/bulk_copies.h"
#include "transfer/methods/transfer_methods.h"

static enum proact_status make_copy_event(struct transfer_binding *b, unsigned device,
                                          struct proact_error *err)
{
    struct device_event *event = NULL;
    enum proact_status status =
        b->devices->backend->event_create(b->devices->set, device, false, &event, err);

    b->state[device] = event;
    return status;
}

static void drop_copy_event(struct transfer_binding *b, unsigned device)
{
    b->devices->backend->event_destroy(b->state[device]);
}

/* The host waits for the copies so far, as a program does after cudaMemcpy(). */
static enum proact_status await_copies(const struct transfer_binding *b, unsigned device,
                                       struct proact_error *err)
{
    const struct device_backend *backend = b->devices->backend;
    struct device_event *event = b->state[device];
    enum proact_status status =
        backend->record(b->devices->device[device].lane[TRANSFER_SIDE], event, err);

    if (status)
        return status;
    return backend->await_event ? backend->await_event(event, err)
                                : backend->synchronize(b->devices->set, err);
}

/* Devices are called in order. The kernels of all devices are queued before. */
static enum proact_status copy_in_turn(const struct transfer_binding *b, unsigned device,
                                       struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned peer = 0; peer < b->devices->count && !status; peer++) {
        if (peer == device)
            continue;
        for (uint32_t slot = 0; slot < b->slot_count && !status && !b->plan.elide; slot++)
            status = bulk_copy_slot(b, device, peer, slot, err);
        if (!status)
            status = await_copies(b, device, err);
    }
    return status;
}

/* PROACT IV-B, "cudaMemcpy", as the paper's figures imply it: their copies grow with the
   number of devices, so one copy follows another (docs/measuring.md). */
const struct transfer_method transfer_bulk_serial = {
    .name = "bulk-serial",
    .summary = "copies after the kernel, one pair of devices after another: the paper's "
               "baseline",
    .lane = TRANSFER_SIDE,
    .passes_on = true,
    .host_driven = true,
    .bind = make_copy_event,
    .unbind = drop_copy_event,
    .after = copy_in_turn,
};
