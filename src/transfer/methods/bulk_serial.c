/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/bulk_copies.h"
#include "transfer/methods/transfer_methods.h"

/* Of one device: the end of its kernel, and of its last copy. */
struct serial {
    struct device_event *kernel_done, *sent;
};

static enum proact_status make_serial(struct transfer_binding *b, unsigned device,
                                      struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct serial *s = must_calloc(1, sizeof *s);
    enum proact_status status =
        t->backend->event_create(t->set, device, false, &s->kernel_done, err);

    b->state[device] = s;
    return status ? status : t->backend->event_create(t->set, device, false, &s->sent, err);
}

static void drop_serial(struct transfer_binding *b, unsigned device)
{
    struct serial *s = b->state[device];

    if (s->kernel_done)
        b->devices->backend->event_destroy(s->kernel_done);
    if (s->sent)
        b->devices->backend->event_destroy(s->sent);
    free(s);
}

/* The copies of `device` begin after all kernels, and after the copies of the devices
   before it. An event that was not recorded in this launch does not block. */
static enum proact_status await_turn(const struct transfer_binding *b, unsigned device,
                                     struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct device_stream *side = t->device[device].lane[TRANSFER_SIDE];
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < t->count && !status; d++) {
        const struct serial *s = b->state[d];

        if (d == device)
            continue;
        /* protocol: serial-kernel-done */
        status = t->backend->record(t->device[d].lane[TRANSFER_MAIN], s->kernel_done, err);
        if (!status)
            /* protocol: serial-kernel-wait */
            status = t->backend->wait_event(side, s->kernel_done, err);
        if (!status && d < device)
            /* protocol: serial-turn-wait */
            status = t->backend->wait_event(side, s->sent, err);
    }
    return status;
}

/* Devices are called in order, after the kernels of all devices are queued. The copies of
   one device are in order on its stream. */
static enum proact_status copy_in_turn(const struct transfer_binding *b, unsigned device,
                                       struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    const struct serial *s = b->state[device];
    enum proact_status status = await_turn(b, device, err);

    for (unsigned peer = 0; peer < t->count && !status && !b->plan.elide; peer++)
        for (uint32_t slot = 0; slot < b->slot_count && peer != device && !status; slot++)
            status = bulk_copy_slot(b, device, peer, slot, err);
    if (!status)
        /* protocol: serial-turn-done */
        status = t->backend->record(t->device[device].lane[TRANSFER_SIDE], s->sent, err);
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
    .bind = make_serial,
    .unbind = drop_serial,
    .after = copy_in_turn,
};
