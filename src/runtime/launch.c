/* SPDX-License-Identifier: Apache-2.0 */
/* A launch, on every device: wait for what its arrays need, the kernel, and whatever the
   method does before and behind it. The host waits for nobody. */
#include <proact/device.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/bring.h"
#include "runtime/derive.h"
#include "runtime/first_device.h"
#include "runtime/launch_flags.h"
#include "runtime/recording.h"
#include "runtime/runtime_child.h"
#include "runtime/runtime_clone.h"

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
    l->shared_bytes = g->shared_bytes;
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

static enum proact_status check_args(const struct proact_kernel *k,
                                     const struct proact_arg *args, size_t count,
                                     struct proact_error *err)
{
    if (count != k->parameter_count)
        return fail(err, PROACT_EINVAL, "kernel '%s': %zu arguments given, it takes %u%s",
                    k->name, count, k->parameter_count,
                    k->is_marked ? " before its share" : "");
    for (size_t i = 0; i < count; i++) {
        const struct proact_arg *a = &args[i];
        size_t bytes = a->value ? a->bytes : sizeof(uint64_t);

        if (!a->array && !a->value)
            return fail(err, PROACT_EINVAL, "kernel '%s': argument %zu is empty", k->name,
                        i);
        if (a->array && a->array->session != k->session)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %zu is an array of another session", k->name,
                        i);
        if (bytes != k->parameter[i].bytes)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %zu has %zu bytes, its parameter %u",
                        k->name, i, bytes, k->parameter[i].bytes);
    }
    return PROACT_OK;
}

static size_t block_bytes(const struct proact_kernel *k)
{
    return k->is_marked ? k->share_offset : k->parameter_bytes;
}

/* An array is passed as its replica's address. */
static void fill_parameters(const struct launching *l, unsigned device)
{
    memcpy(l->parameters, l->block, block_bytes(l->kernel));
    for (size_t i = 0; i < l->place_count; i++) {
        uint64_t address = l->places[i].array->base[device] + l->places[i].byte;

        memcpy(l->parameters + l->places[i].offset, &address, sizeof address);
    }
}

/* Of arrays that are passed twice, only the first place counts. */
static struct proact_array *array_at(const struct launching *l, size_t place)
{
    return launching_is_again(l, place) ? NULL : l->places[place].array;
}

static bool is_written(const struct launching *l, const struct proact_array *a)
{
    if (!l->binding)
        return l->kernel->may_write;
    for (unsigned s = 0; s < l->binding->transfer.slot_count; s++)
        if (l->binding->array[s] == a)
            return true;
    return false;
}

static bool sends_on(const struct launching *l, enum transfer_lane lane)
{
    return l->binding && transfer_sends_on(&l->binding->transfer, lane);
}

/* To whom it sends what it writes of an array. */
static uint32_t receivers_of(const struct launching *l, unsigned device,
                             const struct proact_array *a)
{
    uint32_t devices = 0;

    for (unsigned s = 0; l->binding && s < l->binding->transfer.slot_count; s++)
        if (l->binding->array[s] == a)
            devices |= transfer_reach(&l->binding->transfer, device, s);
    return devices;
}

/* Where the stores to the peers happen, comes after all that peers still do with theirs. */
static enum proact_status await_arrays(const struct launching *l, unsigned device,
                                       struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < l->place_count && !status; i++) {
        const struct proact_array *a = array_at(l, i);

        if (!a)
            continue;
        bool written = is_written(l, a);
        uint32_t to = receivers_of(l, device, a);

        /* protocol: launch-wait */
        status =
            array_await(p, a, (struct order_place){device, TRANSFER_MAIN}, written, err);
        for (int lane = 0; lane < TRANSFER_LANES && written && !status; lane++)
            if (sends_on(l, (enum transfer_lane)lane))
                /* protocol: launch-peers-wait */
                status = array_await_peers(
                    p, a, (struct order_place){device, (enum transfer_lane)lane}, to, err);
    }
    return status;
}

static enum proact_status record(const struct launching *l, unsigned device,
                                 enum transfer_lane lane, struct proact_error *err)
{
    return order_record(&l->kernel->session->order, (struct order_place){device, lane},
                        l->sequence, err);
}

/* Lane SIDE goes on when the kernel has ended. */
static enum proact_status side_follows(const struct launching *l, unsigned device,
                                       struct proact_error *err)
{
    /* protocol: side-follows (else: return PROACT_OK;) */
    return order_wait(&l->kernel->session->order,
                      (struct order_place){device, TRANSFER_SIDE},
                      (struct order_place){device, TRANSFER_MAIN}, l->sequence, err);
}

static bool launches(const struct launching *l)
{
    const struct proact *p = l->kernel->session;

    return l->binding && transfer_launches(&p->devices, &l->binding->transfer.plan);
}

static enum proact_status queue_kernel(const struct launching *l, unsigned device,
                                       uint32_t ctas_x, struct device_launch *launch,
                                       struct proact_error *err)
{
    struct proact *p = l->kernel->session;

    if (l->binding) {
        launch->grid[0] = ctas_x;
        launch->grid[1] = launch->grid[2] = 1;
    }
    struct device_function *f = launches(l) ? kernel_children_function(l->kernel, device)
                                            : launch_function(l, device);
    enum proact_status status =
        p->backend->launch(p->devices.device[device].lane[TRANSFER_MAIN], f, launch, err);

    if (!status && p->recording)
        recording_add_kernel(p, l->kernel, device, l->sequence);
    else if (!status)
        span_book_launched(&p->book, device, l->sequence);
    return status;
}

static uint32_t parameter_bytes(const struct launching *l)
{
    return l->binding ? l->kernel->share_offset + (uint32_t)sizeof(struct proact_share)
                      : l->kernel->parameter_bytes;
}

static struct device_launch launch_of(const struct launching *l)
{
    return (struct device_launch){
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->threads[0], l->threads[1], l->threads[2]},
        .shared_bytes = l->shared_bytes,
        .parameters = l->parameters,
        .parameter_bytes = parameter_bytes(l),
        .label = l->kernel->name,
    };
}

static enum proact_status launch_share(const struct launching *l, unsigned device,
                                       struct proact_error *err)
{
    const struct transfer_binding *b = &l->binding->transfer;
    bool alone = l->kernel->session->devices.count == 1;
    uint32_t first = l->binding->cta_first[device];
    uint32_t ctas = l->binding->cta_first[device + 1] - first;
    struct device_launch launch = launch_of(l);
    struct proact_share share = {.cta_first = first};
    enum proact_status status = await_arrays(l, device, err);

    if (status || (status = flags_await(l, device, err)))
        return status;
    transfer_share_grid(&share, l->grid);
    transfer_share(b, device, (uint32_t)l->sequence, &share);
    fill_parameters(l, device);
    memcpy(l->parameters + l->kernel->share_offset, &share, sizeof share);
    if (ctas && !alone)
        status = transfer_before(b, device, &share, &launch, err);
    if (ctas && !status)
        status = queue_kernel(l, device, ctas, &launch, err);
    return status;
}

static enum proact_status send_share(const struct launching *l, unsigned device,
                                     struct proact_error *err)
{
    const struct transfer_binding *b = &l->binding->transfer;
    uint32_t ctas = l->binding->cta_first[device + 1] - l->binding->cta_first[device];
    struct proact_share share = {.cta_first = 0};
    enum proact_status status = PROACT_OK;

    if (ctas) {
        transfer_share(b, device, (uint32_t)l->sequence, &share);
        status = transfer_beside(b, device, &share, err);
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

static enum proact_status queue_kernels(const struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    unsigned devices = p->devices.count;
    enum proact_status status =
        order_flush(&p->order, (struct order_place){0, TRANSFER_MAIN}, err);

    for (unsigned d = 0; d < devices && !status; d++)
        status = launch_share(l, d, err);
    for (unsigned d = 0; d < devices && !status; d++)
        /* protocol: kernel-done */
        status = record(l, d, TRANSFER_MAIN, err);
    return status;
}

static enum proact_status queue_sends(const struct launching *l, struct proact_error *err)
{
    const unsigned devices = l->kernel->session->devices.count;
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < devices && !status; d++)
        status = send_share(l, d, err);
    return status;
}

/* On all devices at once, where the device can do that. */
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

/* All kernels first, so that none begins later for what the host queues behind or beside
   another. Devices that wait for each other are given what they send one behind another: at
   once they would have to be given it in many parts (`relay` took half as long again). */
static enum proact_status launch_shares(const struct launching *l, struct proact_error *err)
{
    const struct transfer_binding *b = &l->binding->transfer;
    const bool sends = l->kernel->session->devices.count > 1 && transfer_works_beside(b);
    enum proact_status status = together(l, queue_kernels, err);

    if (status || !sends)
        return status;
    return transfer_passes_on(b) ? queue_sends(l, err) : together(l, queue_sends, err);
}

/* A kernel that is not split: the first device runs it, and what it may have written is
   brought to the others when they read it. */
static enum proact_status launch_whole(const struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct device_launch launch = launch_of(l);
    enum proact_status status = await_arrays(l, 0, err);

    if (status)
        return status;
    fill_parameters(l, 0);
    if (l->kernel->may_write)
        session_variables_used(p);
    status = queue_kernel(l, 0, 0, &launch, err);
    launch_written_whole(l);
    /* protocol: whole-kernel-done */
    return status ? status : first_done(p, l->sequence, err);
}

/* Agents that may give up are asked about at the next wait. */
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

static void account_sent(const struct launching *l, struct proact_array *a)
{
    for (unsigned d = 0; d < a->session->devices.count; d++) {
        const uint32_t to = receivers_of(l, d, a);

        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            if (sends_on(l, (enum transfer_lane)lane))
                array_account_sent(a, d, to, (enum transfer_lane)lane, l->sequence);
    }
}

static void account(const struct launching *l)
{
    struct proact *p = l->kernel->session;
    const struct kernel_binding *b = l->binding;

    for (size_t i = 0; i < l->place_count; i++) {
        struct proact_array *a = array_at(l, i);

        if (!a)
            continue;
        if (p->recording)
            recording_add_array(p, a);
        a->used = l->sequence;
        account_sent(l, a);
    }
    flags_sent(l);
    for (unsigned d = 0; b && d < p->devices.count; d++)
        for (unsigned s = 0; s < b->transfer.slot_count; s++)
            array_account(b->array[s], d, transfer_sent_bytes(&b->transfer, d, s),
                          transfer_sent_chunks(&b->transfer, d, s));
    if (!b)
        return;
    launch_written(l);
    flags_written(l);
    account_launch(l);
}

/* A marked kernel is always split; another where its writes are known and there is a
   clone of it for the plan, or for copies at its end. */
static enum proact_status can_split(struct launching *l, bool *split,
                                    struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;

    *split = k->is_marked;
    if (k->is_marked || k->session->devices.count == 1)
        return PROACT_OK;
    if (!k->has_maps)
        derive_slots(l);
    if (!k->has_maps && l->over == 1)
        return PROACT_OK;
    if (!k->has_maps)
        derive_maps(l);
    if (!k->has_maps && !l->found.set)
        return PROACT_OK;
    return launch_is_cloned(l, split, err);
}

enum proact_status launch_bind(struct launching *l, struct proact_error *err)
{
    bool split;
    const struct transfer_devices *devices = &l->kernel->session->devices;
    enum proact_status status = can_split(l, &split, err);

    if (status || !split)
        return status;
    if (transfer_launches(devices, kernel_plan(l->kernel)) &&
        (status = kernel_children_ready(l->kernel, err)))
        return status;
    return kernel_binding_find(l, err);
}

enum proact_status launch_queue(struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = launch_bring(l, err);

    if (status || (status = flags_bring(l, err)))
        return status;
    /* Ahead of the launch's number: whoever has seen a later one counts it as seen, too. */
    if (l->binding && p->recording && transfer_counts(&l->binding->transfer) &&
        (status = recording_rewind(p, l->binding, err)))
        return status;
    l->sequence = ++p->sequence;
    l->parameters = must_calloc(parameter_bytes(l), 1);
    for (unsigned s = 0; l->binding && s < l->binding->transfer.slot_count; s++)
        if (transfer_counts(&l->binding->transfer))
            l->binding->transfer.slot[s].tables->round++;
    status = l->binding ? launch_shares(l, err) : launch_whole(l, err);
    free(l->parameters);
    if (status) /* not every device may have counted */
        p->generation++;
    account(l);
    return status;
}

/* Arguments as a block. With an array and a value, the array's address is the value's first
   eight bytes. */
static size_t lay_out(const struct proact_kernel *k, const struct proact_arg *args,
                      unsigned char *block, struct proact_place *places)
{
    size_t count = 0;

    for (unsigned i = 0; i < k->parameter_count; i++) {
        if (args[i].value)
            memcpy(block + k->parameter[i].offset, args[i].value, args[i].bytes);
        if (args[i].array)
            places[count++] =
                (struct proact_place){k->parameter[i].offset, args[i].array, 0};
    }
    return count;
}

enum proact_status proact_launch(struct proact_kernel *k, const struct proact_grid *grid,
                                 const struct proact_arg *args, size_t arg_count,
                                 struct proact_error *err)
{
    struct launching l = {.kernel = k};
    enum proact_status status;

    if (grid->is_cooperative)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': a cooperative launch runs on one device: launch a block "
                    "of parameters, of an unmarked kernel",
                    k->name);
    if ((status = launch_check_grid(&l, grid, err)) ||
        (status = check_args(k, args, arg_count, err)))
        return status;
    unsigned char *block = must_calloc(k->parameter_bytes + 1, 1);
    struct proact_place *places = must_calloc(arg_count + 1, sizeof *places);

    l.block = block;
    l.places = places;
    l.place_count = lay_out(k, args, block, places);
    if (!(status = launch_bind(&l, err)))
        status = launch_queue(&l, err);
    free(places);
    free(block);
    return status;
}
