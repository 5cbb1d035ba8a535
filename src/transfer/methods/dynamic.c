/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"
#include "transfer/methods/transfer_methods.h"

/* Writes the argument of the child kernels, once per binding. */
static enum proact_status dynamic_set_child_launch(struct transfer_binding *b,
                                                   unsigned device,
                                                   struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct child_work work = {.threads = b->plan.threads};
    enum proact_status status =
        t->backend->alloc(t->set, device, sizeof work, &b->children[device], err);

    if (status)
        return status;
    transfer_partition(b, device, 0, &work.partition);
    if (b->plan.elide)
        work.partition.peer_count = 0;
    return t->backend->write(t->device[device].lane[TRANSFER_MAIN], b->children[device],
                             &work, sizeof work, err);
}

static void forget_children(struct transfer_binding *b, unsigned device)
{
    if (b->children[device])
        b->devices->backend->free(b->devices->set, device, b->children[device]);
    b->children[device] = 0;
}

/* PROACT III-C, dynamic: kernels/child.cu. A kernel ends after its children, so whatever
   waits for the kernel waits for them. */
const struct transfer_method transfer_dynamic = {
    .name = "dynamic",
    .summary = "the CTA that completes a chunk launches a kernel that sends it",
    .initiator = TRANSFER_BY_CHILD,
    .partition_mode = PROACT_MODE_COUNT | PROACT_MODE_SEND | PROACT_MODE_LAUNCH,
    .lane = TRANSFER_MAIN,
    .takes_chunks = true,
    .takes_threads = true,
    .needs_peers = true,
    .needs_children = true,
    .bind = dynamic_set_child_launch,
    .unbind = forget_children,
};
