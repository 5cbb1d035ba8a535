/* SPDX-License-Identifier: Apache-2.0 */
/* Launch of a kernel over the devices: per device a wait for the arrays, the kernel, and
   the work of the mechanism before and after it. The host does not wait. */
#include "runtime/launch/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/annotated_stores.h"
#include "runtime/access_sets/direct.h"
#include "runtime/arrays/launch_textures.h"
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/launch_flags.h"
#include "runtime/coherence/launch_pages.h"
#include "runtime/footprint/derive.h"
#include "runtime/kernel/launch_plan.h"
#include "runtime/kernel/problem_timer.h"
#include "runtime/kernel/recorded_plan.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/launch/launch_partition.h"
#include "runtime/launch/launch_quanta.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/partition/launch_divide.h"
#include "runtime/request/launch_cluster.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/recording.h"
#include "runtime/version/launch_stage.h"
#include "runtime/version/runtime_child.h"
#include "runtime/version/runtime_clone.h"

static uint64_t product(const uint32_t n[3])
{
    uint64_t xy = (uint64_t)n[0] * n[1], xyz;

    return __builtin_mul_overflow(xy, (uint64_t)n[2], &xyz) ? UINT64_MAX : xyz;
}

enum proact_status launch_check_grid(struct launching *l, const struct proact_grid *g,
                                     struct proact_error *err)
{
    const struct proact *p = l->kernel->session;
    const char *name = l->kernel->name;

    for (int i = 0; i < 3; i++) {
        l->grid[i] = g->ctas[i] ? g->ctas[i] : 1;
        l->threads[i] = g->threads[i] ? g->threads[i] : 1;
    }
    launch_take_clusters(l, g);
    l->shared_bytes = g->dynamic_shared_bytes;
    l->over = g->device_count ? g->device_count : p->devices.count;
    if (product(l->grid) > INT32_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a grid of %u x %u x %u CTAs, %d possible", name,
                    l->grid[0], l->grid[1], l->grid[2], INT32_MAX);
    if (product(l->threads) > p->topology.device.threads_per_cta)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %u x %u x %u threads a CTA, %u possible", name,
                    l->threads[0], l->threads[1], l->threads[2],
                    p->topology.device.threads_per_cta);
    if (l->over > p->devices.count)
        return fail(err, PROACT_EINVAL, "kernel '%s': split over %u devices, there are %u",
                    name, l->over, p->devices.count);
    return PROACT_OK;
}

static enum proact_status queue_kernels(const struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    unsigned devices = p->devices.count;
    enum proact_status status =
        order_flush(&p->order, (struct order_place){0, TRANSFER_MAIN}, err);

    for (unsigned d = 0; d < devices && !status; d++)
        if (!partition_is_idle(l, d))
            status = partition_launch(l, d, err);
    for (unsigned d = 0; d < devices && !status; d++)
        if (!partition_is_idle(l, d))
            status = partition_done(l, d, err);
    return status;
}

static enum proact_status queue_sends(const struct launching *l, struct proact_error *err)
{
    const unsigned devices = l->kernel->session->devices.count;
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < devices && !status; d++)
        if (!partition_is_idle(l, d))
            status = partition_send(l, d, err);
    return status;
}

/* Issues the queue operations for all devices in parallel if the backend has batches. */
static enum proact_status together(const struct launching *l,
                                   enum proact_status (*queue)(const struct launching *l,
                                                               struct proact_error *err),
                                   struct proact_error *err)
{
    struct proact *p = l->kernel->session;

    if (!p->backend->batch_begin)
        return queue(l, err);
    p->backend->batch_begin(p->set);
    enum proact_status status = queue(l, err);
    enum proact_status queued = p->backend->batch_end(p->set, status ? NULL : err);

    return status ? status : queued;
}

/* Queues all kernels before any send, so that host work for one device delays no kernel.
   Sends of devices that wait for each other are queued sequentially: a parallel submission
   splits into many parts and takes `relay` half as long again. */
static enum proact_status launch_partitions(const struct launching *l,
                                            struct proact_error *err)
{
    const struct transfer_binding *b = &l->binding->transfer;
    const unsigned devices = l->kernel->session->devices.count;
    bool sends = false;
    enum proact_status status = problem_timer_hold(l, err);

    if (!status)
        status = together(l, queue_kernels, err);
    problem_timer_let_go(l);
    for (unsigned d = 0; d < devices; d++)
        sends |= transfer_works_beside(b, d);

    if (status || !sends)
        return status;
    return transfer_passes_on(b) ? queue_sends(l, err) : together(l, queue_sends, err);
}

/* Whether the launch is split. An annotated kernel always is. A plain kernel is split if
   its writes are known and a version for the plan, or for copies after the kernel,
   exists. */
static enum proact_status can_split(struct launching *l, bool *split,
                                    struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;

    *split = k->is_annotated;
    l->plan = k->session->constraint;
    if (k->session->devices.count == 1)
        return PROACT_OK;
    if (k->is_annotated)
        return launch_textures_ready(l)
                   ? launch_plan_select(l, err)
                   : fail(err, PROACT_EREFUSED, "%s", k->with_textures.text);
    if (!k->has_maps)
        derive_slots(l);
    if (launch_is_in_clusters(l) || (!k->has_maps && l->over == 1))
        return PROACT_OK;
    if (!k->has_maps)
        derive_maps(l);
    if (k->has_maps ? !direct_allows_maps(l) : !l->found.set)
        return PROACT_OK;
    if (!launch_textures_ready(l))
        return PROACT_OK;
    const enum proact_status status = launch_plan_select(l, err);

    return status ? status : launch_is_cloned(l, split, err);
}

void launch_unblock(const struct launching *l)
{
    kernel_clone_unblock(l->kernel);
}

enum proact_status launch_bind(struct launching *l, struct proact_error *err)
{
    bool split;
    const struct transfer_devices *devices = &l->kernel->session->devices;
    enum proact_status status = launch_textures_check_recorded(l, err);

    if (status || (status = can_split(l, &split, err)) || !split ||
        (status = launch_check_slots(l, err)))
        return status;
    if (transfer_launches(devices, &l->plan) &&
        (status = kernel_children_ready(l->kernel, err)))
        return status;
    if ((status = kernel_binding_find(l, err)))
        return status;
    l->is_staged = launch_stages(l) && launch_may_stage(l);
    if (l->is_staged)
        return launch_stage_ready(l, err);
    return launch_may_divide(l) ? launch_inside_ready(l, err) : PROACT_OK;
}

static unsigned first_of(const struct launching *l)
{
    unsigned device = 0;

    while (l->binding && device + 1 < l->over &&
           l->binding->cta_first[device] == l->binding->cta_first[device + 1])
        device++;
    return device;
}

unsigned proact_last_launch_device(const struct proact *p)
{
    return p->launched_on;
}

enum proact_status launch_queue(struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = launch_fetch(l, err);

    if (status || (status = idempotent_fetch(l, err)) ||
        (p->quanta && (status = launch_quanta_choose(l, err))))
        return status;
    /* protocol: streams-split (else: status = PROACT_OK;) */
    status = streams_join(p, err);
    if (status || (status = launch_textures_fetch(l, err)) ||
        (status = launch_pages(l, err)))
        return status;
    /* The rewind precedes the sequence number of the launch: a wait for a later number
       covers it. */
    if (l->binding && p->recording && transfer_counts(&l->binding->transfer) &&
        (status = recording_rewind(p, l->binding, err)))
        return status;
    /* An interior/boundary split takes two numbers; its boundary waits for the first
       one. */
    l->sequence = p->sequence += l->is_divided ? 2 : 1;
    if (l->binding) {
        l->binding->launched = l->sequence;
        l->binding->is_divided = l->is_divided;
    }
    l->parameters = must_calloc(launch_parameter_bytes(l), 1);
    for (unsigned s = 0; l->binding && s < l->binding->transfer.slot_count; s++)
        if (transfer_counts(&l->binding->transfer))
            l->binding->transfer.slot[s].tables->table_epoch++;
    status = l->binding ? launch_partitions(l, err) : launch_whole(l, err);
    free(l->parameters);
    if (status) /* some devices may not have counted */
        p->generation++;
    launch_account(l, !status);
    if (p->recording)
        recorded_plan_note(l);
    launch_textures_used(l);
    p->launched_on = first_of(l);
    return status;
}
