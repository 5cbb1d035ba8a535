/* SPDX-License-Identifier: Apache-2.0 */
/* Work of one device in a launch. */
#include "runtime/launch/launch_partition.h"

#include <string.h>

#include "runtime/arrays/distributed.h"
#include "runtime/arrays/first_device.h"
#include "runtime/arrays/launch_textures.h"
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/launch_flags.h"
#include "runtime/kernel/problem_timer.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/partition/launch_divide.h"
#include "runtime/session/array_order.h"
#include "runtime/session/recording.h"
#include "runtime/session/unified.h"
#include "runtime/version/launch_stage.h"
#include "runtime/version/runtime_child.h"
#include "runtime/version/runtime_clone.h"

static size_t block_bytes(const struct proact_kernel *k)
{
    return k->is_annotated ? k->partition_offset : k->parameter_bytes;
}

/* Writes array addresses of the device's replicas, and texture objects of the device. */
static void fill_parameters(const struct launching *l, unsigned device)
{
    memcpy(l->parameters, l->block, block_bytes(l->kernel));
    for (size_t i = 0; i < l->relocation_count; i++) {
        uint64_t address = l->relocations[i].array->base[device] + l->relocations[i].addend;

        memcpy(l->parameters + l->relocations[i].offset, &address, sizeof address);
    }
    launch_textures_fill(l, device, l->parameters);
}

struct proact_array *launch_array_at(const struct launching *l, size_t relocation)
{
    return launching_is_again(l, relocation) ? NULL : l->relocations[relocation].array;
}

bool launch_writes(const struct launching *l, const struct proact_array *a)
{
    if (!l->binding)
        return l->kernel->may_write;
    for (unsigned s = 0; s < l->binding->transfer.slot_count; s++)
        if (l->binding->array[s] == a)
            return true;
    return false;
}

uint32_t launch_receivers(const struct launching *l, unsigned device,
                          enum transfer_lane lane, unsigned slot)
{
    if (!l->binding)
        return 0;
    if (!launch_is_divided(l, device))
        return transfer_reach(&l->binding->transfer, device, slot, lane);
    return lane == TRANSFER_SIDE
               ? transfer_reach(&l->binding->transfer, device, slot, TRANSFER_LANES)
               : 0;
}

static uint32_t receivers_of(const struct launching *l, unsigned device,
                             enum transfer_lane lane, const struct proact_array *a)
{
    uint32_t devices = 0;

    for (unsigned s = 0; l->binding && s < l->binding->transfer.slot_count; s++)
        if (l->binding->array[s] == a)
            devices |= launch_receivers(l, device, lane, s);
    return devices;
}

/* The stream that stores to the peers also waits for the peers' uses of their replicas.
   `at` is the stream of the CTAs that send, or of all CTAs. */
static enum proact_status await_array(const struct launching *l, struct order_place at,
                                      const struct proact_array *a,
                                      struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    if (a->part)
        return distributed_await(l, at, a, err);
    const bool written = launch_writes(l, a);
    /* protocol: launch-wait (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = array_await(p, a, at, written, err);

    for (int n = 0; n < TRANSFER_LANES && written && !status; n++) {
        const struct order_place lane = {at.device, (enum transfer_lane)n};
        const uint32_t to = receivers_of(l, at.device, lane.lane, a);

        /* protocol: launch-peers-wait */
        status = array_await_peers(p, a, lane, to, err);
    }
    return status;
}

static enum proact_status await_arrays(const struct launching *l, struct order_place at,
                                       struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < l->relocation_count && !status; i++) {
        const struct proact_array *a = launch_array_at(l, i);

        if (a)
            status = await_array(l, at, a, err);
    }
    return status;
}

/* The interior touches no range with an incoming transfer (launch_divide.h), so it waits
   only for outgoing transfers of the ranges it overwrites. */
static enum proact_status await_departures(const struct launching *l, unsigned device,
                                           struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < l->relocation_count && !status; i++) {
        const struct proact_array *a = launch_array_at(l, i);

        if (a && launch_writes(l, a))
            /* protocol: interior-wait */
            status = array_await_departures(
                l->kernel->session, a, (struct order_place){device, TRANSFER_MAIN}, err);
    }
    return status;
}

static enum proact_status record(const struct launching *l, unsigned device,
                                 enum transfer_lane lane, struct proact_error *err)
{
    return order_record(&l->kernel->session->order, (struct order_place){device, lane},
                        l->sequence, err);
}

/* Orders the transfer stream after the kernel. With an interior, the boundary runs on the
   transfer stream itself, and the interior sends nothing. */
static enum proact_status side_follows(const struct launching *l, unsigned device,
                                       struct proact_error *err)
{
    if (launch_is_divided(l, device))
        return PROACT_OK;
    /* protocol: send-follows (else: return PROACT_OK;) */
    return order_wait(&l->kernel->session->order,
                      (struct order_place){device, TRANSFER_SIDE},
                      (struct order_place){device, TRANSFER_MAIN}, l->sequence, err);
}

static bool launches(const struct launching *l)
{
    const struct proact *p = l->kernel->session;

    return l->binding && transfer_launches(&p->devices, &l->binding->transfer.plan);
}

static enum proact_status queue_kernel(const struct launching *l, struct order_place at,
                                       struct device_function *f,
                                       const struct device_launch *launch,
                                       struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct device_stream *stream = p->devices.device[at.device].lane[at.lane];
    enum proact_status status = p->backend->launch(stream, f, launch, err);

    if (!status && p->recording)
        recording_add_kernel(p, l->kernel, at.device, l->sequence);
    else if (!status)
        span_book_launched(&p->book, at.device, l->sequence);
    return status;
}

uint32_t launch_parameter_bytes(const struct launching *l)
{
    return l->binding ? l->kernel->partition_offset + launch_partition_bytes(l)
                      : l->kernel->parameter_bytes;
}

/* Whole partitions only: interiors and edges do not exist with unified memory. */
static void await_pages(const struct launching *l, unsigned device,
                        struct device_launch *launch)
{
    const struct unified *u = l->kernel->session->unified;

    launch->pages_ns = u ? u->wait_ns[device] : 0;
}

static struct device_launch launch_of(const struct launching *l)
{
    return (struct device_launch){
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .whole = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->threads[0], l->threads[1], l->threads[2]},
        .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
        .shared_bytes = launch_shared_bytes(l),
        .parameters = l->parameters,
        .parameter_bytes = launch_parameter_bytes(l),
        .label = l->kernel->name,
        .quanta = l->quanta,
    };
}

static enum proact_status queue_part(const struct launching *l, struct order_place at,
                                     struct device_function *f,
                                     const struct device_launch *launch,
                                     const struct proact_partition *partition,
                                     struct proact_error *err)
{
    memcpy(l->parameters + l->kernel->partition_offset, partition,
           launch_partition_bytes(l));
    return queue_kernel(l, at, f, launch, err);
}

/* The CTAs of a partition form a one-dimensional grid. */
static void line_up(struct device_launch *launch, uint32_t first, uint32_t ctas)
{
    launch->first = first;
    launch->grid[0] = ctas;
    launch->grid[1] = launch->grid[2] = 1;
}

/* The boundary has priority over the interior, because other devices wait for it. */
static enum proact_status queue_edge(const struct launching *l, unsigned device,
                                     struct cta_part edge,
                                     struct proact_partition partition,
                                     struct proact_error *err)
{
    struct device_launch launch = launch_of(l);

    if (!edge.count)
        return PROACT_OK;
    transfer_partition_part(&partition, edge.first, false);
    line_up(&launch, partition.cta_first, edge.count);
    launch.is_urgent = true;
    return queue_part(l, (struct order_place){device, TRANSFER_SIDE},
                      launch_function(l, device), &launch, &partition, err);
}

/* Uses the version for entire planes if the interior consists of planes and the version
   exists. */
static enum proact_status queue_inside(const struct launching *l, unsigned device,
                                       struct proact_partition partition,
                                       struct proact_error *err)
{
    const struct cta_part inside = l->inside[device];
    const uint32_t slice = grid_plane_ctas(l);
    struct device_function *f = launch_inside_function(l, device);
    struct device_launch launch = launch_of(l);

    transfer_partition_part(&partition, inside.first, true);
    if (f && partition.cta_first % slice == 0 && inside.count % slice == 0) {
        launch.first = partition.cta_first;
        launch.quanta.has_end = false;
        partition.cta_first /= slice;
        launch.grid[l->grid[2] > 1 ? 2 : l->grid[1] > 1] = inside.count / slice;
    } else {
        f = launch_function(l, device);
        line_up(&launch, partition.cta_first, inside.count);
    }
    return queue_part(l, (struct order_place){device, TRANSFER_MAIN}, f, &launch,
                      &partition, err);
}

/* The boundary, on the transfer stream, waits for everything that the entire partition
   would wait for. */
static enum proact_status launch_edges(const struct launching *l, unsigned device,
                                       const struct proact_partition *partition,
                                       struct proact_error *err)
{
    const uint32_t *first = &l->binding->cta_first[device];
    const struct cta_part inside = l->inside[device];
    const uint32_t end = inside.first + inside.count;
    const struct cta_part edge[] = {{0, inside.first}, {end, first[1] - first[0] - end}};
    const struct order_place main = {device, TRANSFER_MAIN}, side = {device, TRANSFER_SIDE};
    /* protocol: boundary-follow (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status =
        order_wait(&l->kernel->session->order, side, main, l->sequence - 1, err);

    if (!status)
        status = await_arrays(l, side, err);
    for (int n = 0; n < 2 && !status; n++)
        status = queue_edge(l, device, edge[n], *partition, err);
    return status;
}

static enum proact_status launch_divided(const struct launching *l, unsigned device,
                                         const struct proact_partition *partition,
                                         struct proact_error *err)
{
    const struct order_place main = {device, TRANSFER_MAIN};
    enum proact_status status =
        order_record(&l->kernel->session->order, main, l->sequence - 1, err);

    if (status || (status = await_departures(l, device, err)) ||
        (status = queue_inside(l, device, *partition, err)))
        return status;
    return launch_edges(l, device, partition, err);
}

static enum proact_status launch_undivided(const struct launching *l, unsigned device,
                                           struct proact_partition *partition,
                                           struct proact_error *err)
{
    const struct transfer_binding *b = &l->binding->transfer;
    const struct order_place main = {device, TRANSFER_MAIN};
    const uint32_t *first = &l->binding->cta_first[device];
    const bool alone = l->kernel->session->devices.count == 1;
    struct device_function *f = launches(l) ? kernel_children_function(l->kernel, device)
                                            : launch_function(l, device);
    struct device_launch launch = launch_of(l);
    enum proact_status status = await_arrays(l, main, err);

    if (status || (status = flags_await(l, device, err)))
        return status;
    line_up(&launch, first[0], first[1] - first[0]);
    await_pages(l, device, &launch);
    memcpy(l->parameters + l->kernel->partition_offset, partition,
           launch_partition_bytes(l));
    if (first[1] != first[0] && !alone)
        status = transfer_before(b, device, partition, &launch, err);
    if (first[1] != first[0] && !status &&
        !(status = problem_timer_begin(l, device, err)) &&
        !(status = queue_kernel(l, main, f, &launch, err)))
        status = problem_timer_end(l, device, err);
    return status ? status : flags_combine(l, device, err);
}

bool partition_is_idle(const struct launching *l, unsigned device)
{
    const uint32_t *first = &l->binding->cta_first[device];

    return first[0] == first[1] && !l->found.flags && !l->texture_count &&
           !l->kernel->session->recording;
}

enum proact_status partition_launch(const struct launching *l, unsigned device,
                                    struct proact_error *err)
{
    struct proact_partition partition = {.cta_first = l->binding->cta_first[device]};

    transfer_partition_grid(&partition, l->grid);
    transfer_partition(&l->binding->transfer, device, (uint32_t)l->sequence, &partition);
    if (l->is_staged)
        launch_stage_partition(l, device, &partition);
    flags_partition(l, device, &partition);
    fill_parameters(l, device);
    enum proact_status status = launch_textures_await(l, device, err);

    if (status)
        return status;
    return launch_is_divided(l, device) ? launch_divided(l, device, &partition, err)
                                        : launch_undivided(l, device, &partition, err);
}

/* The kernel stream also waits for the boundary. The boundary ends under the number before
   the launch's; the launch's number covers the sends that follow on the transfer stream. */
enum proact_status partition_done(const struct launching *l, unsigned device,
                                  struct proact_error *err)
{
    const struct order_place main = {device, TRANSFER_MAIN}, side = {device, TRANSFER_SIDE};
    enum proact_status status = PROACT_OK;

    if (launch_is_divided(l, device)) {
        /* protocol: boundary-done */
        status = order_record(&l->kernel->session->order, side, l->sequence - 1, err);
        if (!status)
            /* protocol: boundary-join */
            status =
                order_wait(&l->kernel->session->order, main, side, l->sequence - 1, err);
    }
    if (!status)
        /* protocol: kernel-done */
        status = record(l, device, TRANSFER_MAIN, err);
    return status;
}

enum proact_status partition_send(const struct launching *l, unsigned device,
                                  struct proact_error *err)
{
    const struct transfer_binding *b = &l->binding->transfer;
    uint32_t ctas = l->binding->cta_first[device + 1] - l->binding->cta_first[device];
    struct proact_partition partition = {.cta_first = 0};
    enum proact_status status = PROACT_OK;

    if (!transfer_works_beside(b, device))
        return PROACT_OK;
    if (ctas) {
        transfer_partition(b, device, (uint32_t)l->sequence, &partition);
        status = transfer_beside(b, device, &partition, err);
    }
    if (status || (status = side_follows(l, device, err)))
        return status;
    if (ctas)
        status = transfer_after(b, device, err);
    if (!status)
        /* protocol: sends-done */
        status = record(l, device, TRANSFER_SIDE, err);
    return status;
}

/* Single-device launch on device 0. Other devices fetch its output when they read it. */
enum proact_status launch_whole(const struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct device_launch launch = launch_of(l);
    const struct order_place first = {0, TRANSFER_MAIN};
    enum proact_status status = await_arrays(l, first, err);

    if (status)
        return status;
    fill_parameters(l, 0);
    await_pages(l, 0, &launch);
    if (l->kernel->may_write)
        session_variables_used(p);
    status = queue_kernel(l, first, launch_function(l, 0), &launch, err);
    launch_written_whole(l);
    /* protocol: single-device-done */
    return status ? status : first_done(p, l->sequence, err);
}
