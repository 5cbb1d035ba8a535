/* SPDX-License-Identifier: Apache-2.0 */
/* Device contract on GPUs, by the CUDA driver: opening, closing, and the function table. It
   uses primary contexts, so that a program's own CUDA runtime accesses the same memory. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"
#include "device/cuda/cuda_lazy_devices.h"
#include "device/cuda/graph/cuda_repeat.h"
#include "device/cuda/module/cuda_compile.h"

enum { WAIT_LIMIT_MS = 10000 };

/* Reads the properties of a device that need no context. */
static enum proact_status describe(struct device_set *set, unsigned number,
                                   struct proact_error *err)
{
    struct cuda_device *d = &set->devices[number];
    const struct driver *v = &set->driver;
    int major, minor;
    cu_result result = v->device_get(&d->device, (int)number);

    if (!result)
        result = v->device_name(d->name, sizeof d->name, d->device);
    if (result)
        return fail(err, PROACT_ENODEV, "device %u: cuDeviceGet: %s", number,
                    driver_words(v, result).text);
    if (!v->device_attribute(&major, CU_CAPABILITY_MAJOR, d->device) &&
        !v->device_attribute(&minor, CU_CAPABILITY_MINOR, d->device))
        d->capability = (unsigned)(major * 10 + minor);
    if (v->device_attribute(&d->pitch_max, CU_PITCH_MAX, d->device))
        d->pitch_max = 0; /* strided copies then use one copy per range */
    return PROACT_OK;
}

static void find_peers(struct device_set *set, unsigned device)
{
    struct cuda_device *d = &set->devices[device];
    const struct driver *v = &set->driver;

    for (unsigned p = 0; p < set->count; p++) {
        const cu_device peer = set->devices[p].device;
        int can = 0;

        d->reaches[p] = p != device && !v->can_access_peer(&can, d->device, peer) && can;
        d->joins[p] = d->reaches[p] &&
                      !v->peer_attribute(&can, CU_PEER_ATOMICS, d->device, peer) && can;
    }
}

/* Closes a device; nothing is in flight, or the contexts are lost. */
static void close_device(struct device_set *set, unsigned number)
{
    struct cuda_device *d = &set->devices[number];
    const struct driver *v = &set->driver;

    if (!d->context || set->is_stuck)
        return;
    cuda_context_push(v, d->context);
    cuda_memory_clear(set, number);
    cuda_marks_clear(set, number);
    if (d->origin)
        v->event_destroy(d->origin);
    if (d->rescue)
        v->stream_destroy(d->rescue);
    cuda_resident_unload(set, number);
    cuda_context_pop(v);
    if (set->is_lost)
        v->primary_reset(d->device);
    v->primary_release(d->device);
}

static void cuda_close(struct device_set *set)
{
    if (!set)
        return;
    cuda_compile_close(set);
    cuda_lazy_devices_close(set);
    cuda_synchronize(set, NULL);
    cuda_batch_close(set);
    cuda_waits_forget(set, NULL);
    cuda_spans_forget(set);
    cuda_graphs_clear(set);
    while (set->modules)
        cuda_module_unload(set->modules);
    while (set->streams)
        cuda_stream_destroy(set->streams);
    while (set->events)
        cuda_event_destroy(set->events);
    cuda_staging_clear(set);
    for (unsigned d = 0; set->devices && d < set->count; d++)
        close_device(set, d);
    free(set->devices);
    free(set->waits);
    free(set->spans);
    free(set);
}

static enum proact_status count_devices(struct device_set *set,
                                        const struct device_options *o,
                                        struct proact_error *err)
{
    const char *cannot = o->check                ? "check"
                         : o->infinite_bandwidth ? "infinite_bandwidth"
                                                 : NULL;
    unsigned wanted = o->topology ? o->topology->device_count : 0;
    int count = 0;
    cu_result result = set->driver.device_count(&count);

    if (cannot)
        return fail(err, PROACT_EINVAL, "%s: only an emulated machine supports it", cannot);
    if (result || count <= 0)
        return fail(err, PROACT_ENODEV, "the CUDA driver finds no device%s%s",
                    result ? ": " : "",
                    result ? driver_words(&set->driver, result).text : "");
    if (wanted > (unsigned)count)
        return fail(err, PROACT_ENODEV, "%u devices requested, there are %d", wanted,
                    count);
    set->count = wanted ? wanted : (unsigned)count;
    if (set->count > TOPOLOGY_DEVICES_MAX)
        set->count = TOPOLOGY_DEVICES_MAX;
    return PROACT_OK;
}

static enum proact_status cuda_open(const struct device_options *options,
                                    struct device_set **out, struct proact_error *err)
{
    struct device_set *set = must_calloc(1, sizeof *set);
    double limit = options->wait_limit_ms > 0 ? options->wait_limit_ms : WAIT_LIMIT_MS;
    enum proact_status status;

    set->wait_limit_ns = limit * 1e6;
    set->opened_ns = clock_host_ns();
    status = driver_open(&set->driver, err);
    if (!status)
        status = count_devices(set, options, err);
    if (status) {
        free(set);
        return status;
    }
    if (!(set->queues = driver_queues()))
        set->queues = DRIVER_QUEUES;
    set->devices = must_calloc(set->count, sizeof *set->devices);
    for (unsigned d = 0; d < set->count && !status; d++)
        status = describe(set, d, err);
    for (unsigned d = 0; d < set->count && !status; d++)
        find_peers(set, d);
    if (!status)
        status = cuda_lazy_devices_open(set, options->lazy_devices && set->count > 1, err);
    if (status) {
        cuda_close(set);
        return status;
    }
    set->nvtx = cuda_nvtx_open();
    set->threads = options->threads;
    if (set->here == set->count)
        cuda_batch_open(set, set->threads);
    *out = set;
    return PROACT_OK;
}

static unsigned cuda_count(const struct device_set *set)
{
    return set->count;
}

static bool cuda_peer_access(const struct device_set *set, unsigned from, unsigned to)
{
    return from == to || set->devices[from].reaches[to];
}

static bool cuda_peer_atomics(const struct device_set *set, unsigned from, unsigned to)
{
    return from == to || set->devices[from].joins[to];
}

static uint64_t cuda_now_ns(struct device_set *set)
{
    return set->now_ns;
}

static void cuda_replicas(struct device_set *set, const struct device_replicas *replicas)
{
    (void)set;
    (void)replicas;
}

static unsigned cuda_driver_version(const struct device_set *set)
{
    int version = 0;

    return set->driver.version(&version) || version < 0 ? 0 : (unsigned)version;
}

const struct device_backend device_cuda = {
    .name = "cuda",
    .find = cuda_find,
    .open = cuda_open,
    .close = cuda_close,
    .open_ns = cuda_open_ns,
    .open_remaining = cuda_open_remaining,
    .count = cuda_count,
    .driver_version = cuda_driver_version,
    .peer_access = cuda_peer_access,
    .peer_atomics = cuda_peer_atomics,
    .alloc = cuda_alloc,
    .alloc_shared = cuda_alloc_shared,
    .alloc_parts = cuda_alloc_parts,
    .host_lock = cuda_host_lock,
    .host_unlock = cuda_host_unlock,
    .free = cuda_free,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .copy = cuda_copy,
    .copy_rows = cuda_copy_rows,
    .write = cuda_write,
    .read = cuda_read,
    .write_rows = cuda_write_rows,
    .read_rows = cuda_read_rows,
    .fill = cuda_fill,
    .fill_rows = cuda_fill_rows,
    .record = cuda_record,
    .wait_event = cuda_wait_event,
    .hold = cuda_hold,
    .let_go = cuda_let_go,
    .wait_value = cuda_wait_value,
    .write_value = cuda_write_value,
    .module_load = cuda_module_load,
    .module_load_binary = cuda_module_load_binary,
    .module_compile = cuda_module_compile,
    .is_compiling = cuda_is_compiling,
    .module_unload = cuda_module_unload,
    .launches = cuda_launches,
    .function = cuda_function,
    .function_info = cuda_function_info,
    .residency = cuda_residency,
    .variable = cuda_variable,
    .launch = cuda_launch,
    .batch_begin = cuda_batch_begin,
    .batch_end = cuda_batch_end,
    .capture_begin = cuda_capture_begin,
    .capture_end = cuda_capture_end,
    .capture_pause = cuda_capture_pause,
    .capture_resume = cuda_capture_resume,
    .graph_launch = cuda_graph_launch,
    .graph_destroy = cuda_graph_destroy,
    .repeat_create = cuda_repeat_create,
    .repeat_begin = cuda_repeat_begin,
    .repeat_end = cuda_repeat_end,
    .repeat_destroy = cuda_repeat_destroy,
    .synchronize = cuda_synchronize,
    .try_quiesce = cuda_try_quiesce,
    .check_timeouts = cuda_resident_timeout,
    .await_event = cuda_await_event,
    .progress = cuda_progress,
    .elapsed = cuda_elapsed,
    .now_ns = cuda_now_ns,
    .carry_begin = cuda_carry_begin,
    .carry_end = cuda_carry_end,
    .observe = cuda_observe,
    .replicas = cuda_replicas,
    .limit = cuda_limit,
    .texels_create = cuda_texels_create,
    .texels_destroy = cuda_texels_destroy,
    .copy_box = cuda_copy_box,
    .texture_create = cuda_texture_create,
    .texture_destroy = cuda_texture_destroy,
    .surface_create = cuda_surface_create,
    .surface_destroy = cuda_surface_destroy,
    .interop_attach_thread = cuda_interop_attach_thread,
    .interop_begin = cuda_interop_begin,
    .interop_end = cuda_interop_end,
    .interop_stream_create = cuda_interop_stream_create,
    .interop_stream_destroy = cuda_interop_stream_destroy,
};
