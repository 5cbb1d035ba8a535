/* SPDX-License-Identifier: Apache-2.0 */
/* Device contract on the CPU: opening, memory and the function table. machine.h describes
   the machine. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/children.h"
#include "device/emulator/kernel/image.h"
#include "device/emulator/kernel/print_log.h"
#include "device/emulator/memory/allocate.h"
#include "device/emulator/memory/heap.h"
#include "device/emulator/memory/objects.h"
#include "device/emulator/opening.h"
#include "device/emulator/quanta/quanta_book.h"
#include "device/emulator/quanta/quanta_run.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream/emulator_workers.h"
#include "device/emulator/stream/enqueue.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/stream/tape.h"
#include "device/emulator/stream/windows.h"
#include "device/emulator/traffic/message.h"

enum { WAIT_LIMIT_MS = 10000, KERNEL_LIMIT_MS = 5000, FREE_LATENCY_NS = 50 };
enum { CHILDREN_LIMIT = 2048 }; /* as in CUDA */

static void set_destroy(struct device_set *set)
{
    objects_clear(set);
    quanta_uses_clear(set);
    tape_destroy(set->tape);
    emulator_workers_destroy(set->workers);
    while (set->modules)
        module_unload(set->modules);
    for (unsigned i = 0; set->devices && i < set->count; i++) {
        struct emulated *d = &set->devices[i];

        waiters_clear(d);
        agenda_clear(&d->agenda);
        span_log_clear(d);
        prints_clear(d);
        heap_clear(d);
        children_clear(d);
        free(d->atomics);
        free(d->sms);
        free(d->l2_lines);
        free(d->sample_lines);
        if (d->pool)
            execute_pool_destroy(d->pool);
    }
    free(set->devices);
    free(set->paths_free_ps);
    check_destroy(set->check);
    write_images_clear(&set->last_image);
    memory_release(&set->memory);
    free(set);
}

static void device_begin(struct device_set *set, unsigned number)
{
    struct emulated *d = &set->devices[number];
    uint64_t lines = set->topology->device.l2_bytes / L2_LINE_BYTES;
    uint64_t power = L2_LINES_MIN;

    while (power * 2 <= lines)
        power *= 2;
    d->set = set;
    d->number = number;
    d->base = memory_base(&set->memory, number);
    d->atomics = must_calloc(ATOMIC_PLACES, sizeof *d->atomics);
    d->sms = must_calloc(set->topology->device.sm_count, sizeof *d->sms);
    d->l2_lines = must_calloc(power, sizeof *d->l2_lines);
    d->l2_mask = power - 1;
    d->pool = execute_pool_create();
    d->chance = set->options.seed * 0x9e3779b97f4a7c15u + number;
    host_callbacks(d);
}

static enum proact_status emulator_open(const struct device_options *options,
                                        struct device_set **out, struct proact_error *err)
{
    struct device_set *set = must_calloc(1, sizeof *set);
    enum proact_status status;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    set->options = *options;
    set->topology = options->topology;
    set->count = options->topology->device_count;
    set->last_image.count = 1;
    set->written = options->quanta ? &options->quanta->images : &set->last_image;
    if (!set->options.threads)
        set->options.threads = cores > 0 ? (unsigned)cores : 1;
    if (options->check)
        set->options.threads = 1;
    if (set->options.wait_limit_ms <= 0)
        set->options.wait_limit_ms = WAIT_LIMIT_MS;
    if (!set->options.children_limit)
        set->options.children_limit = set->topology->device.child_launch_limit;
    if (!set->options.children_limit)
        set->options.children_limit = CHILDREN_LIMIT;
    if (set->options.kernel_limit_ms <= 0)
        set->options.kernel_limit_ms = KERNEL_LIMIT_MS;
    set->latency_ps = ps_of_ns(
        options->infinite_bandwidth ? FREE_LATENCY_NS : set->topology->fabric.latency_ns);
    if ((status = memory_reserve(&set->memory, set->count,
                                 set->topology->device.memory_bytes, err))) {
        set_destroy(set);
        return status;
    }
    if (options->check)
        set->check = check_create((uint64_t)(uintptr_t)set->memory.reserved,
                                  memory_span(&set->memory), set->count);
    set->devices = must_calloc(set->count, sizeof *set->devices);
    if (topology_is_pcie(set->topology))
        set->paths_free_ps =
            must_calloc(DEVICES_MAX * DEVICES_MAX, sizeof *set->paths_free_ps);
    for (unsigned i = 0; i < set->count; i++)
        device_begin(set, i);
    opening_begin(set);
    *out = set;
    return PROACT_OK;
}

static void event_destroy(struct device_event *e)
{
    struct device_event **link;

    if (!e)
        return;
    if (!e->set->broken && !streams_idle(e->set))
        machine_run(e->set, NULL, NULL);
    for (link = &e->set->events; *link != e;)
        link = &(*link)->next;
    *link = e->next;
    checked_event_end(e);
    for (unsigned d = 0; d < DEVICES_MAX; d++)
        free(e->early[d]);
    free(e);
}

static void stream_destroy(struct device_stream *s)
{
    struct device_stream **link;

    if (!s)
        return;
    if (s->first && !s->set->broken)
        machine_run(s->set, NULL, NULL);
    if (s->set->met == s->join)
        s->set->met = NULL; /* complete */
    event_destroy(s->join);
    for (link = &s->set->streams; *link != s;)
        link = &(*link)->next;
    *link = s->next;
    stream_clear(s);
    free(s);
}

static void emulator_close(struct device_set *set)
{
    if (!set)
        return;
    if (!set->broken && !streams_idle(set))
        machine_run(set, NULL, NULL);
    for (unsigned i = 0; i < set->count; i++)
        runs_clear(&set->devices[i]);
    while (set->streams) {
        struct device_stream *next = set->streams->next;

        stream_clear(set->streams);
        free(set->streams);
        set->streams = next;
    }
    while (set->events) {
        struct device_event *next = set->events->next;

        free(set->events);
        set->events = next;
    }
    set_destroy(set);
}

static unsigned emulator_count(const struct device_set *set)
{
    return set->count;
}

static bool emulator_peer_access(const struct device_set *set, unsigned from, unsigned to)
{
    return from == to || set->topology->link_gbps[from][to] > 0;
}

/* Whether links support atomics: NVLink does, PCIe between devices does not. */
static bool emulator_peer_atomics(const struct device_set *set, unsigned from, unsigned to)
{
    return from == to ||
           (emulator_peer_access(set, from, to) && !topology_is_pcie(set->topology));
}

static enum proact_status emulator_alloc_parts(struct device_set *set, size_t bytes,
                                               device_addr *out, size_t *part,
                                               struct proact_error *err)
{
    uint64_t each = 0;

    for (unsigned from = 0; from < set->count; from++)
        for (unsigned to = 0; to < set->count; to++)
            if (!emulator_peer_access(set, from, to))
                return fail(err, PROACT_EREFUSED,
                            "memory of all devices: device %u does not reach device %u",
                            from, to);
    enum proact_status status = memory_allocate_parts(&set->memory, bytes, out, &each, err);

    *part = each;
    if (!status && set->check)
        check_allocated(set->check, *out, bytes);
    return status;
}

/* Allocates device memory, which the host can access in any case; the checker treats it as
   initialized. */
static enum proact_status emulator_alloc_shared(struct device_set *set, unsigned device,
                                                size_t bytes, bool is_pinned,
                                                device_addr *out, struct proact_error *err)
{
    enum proact_status status = allocate_memory(set, device, bytes, out, err);
    char fault[8];

    if (!status && is_pinned)
        memory_give_host(&set->memory, *out);
    if (!status && set->check)
        check_write(set->check, CHECK_HOST, *out, bytes, false, NULL, fault, sizeof fault);
    return status;
}

static enum proact_status stream_create(struct device_set *set, unsigned device,
                                        struct device_stream **out,
                                        struct proact_error *err)
{
    enum proact_status status = opening_check(set, device, err);

    if (status)
        return status;
    struct device_stream *s = must_calloc(1, sizeof *s), **end = &set->streams;

    s->set = set;
    s->device = device;
    s->lane = set->stream_count++;
    while (*end)
        end = &(*end)->next;
    *end = s;
    *out = s;
    return PROACT_OK;
}

static enum proact_status event_create(struct device_set *set, unsigned device,
                                       bool has_time, struct device_event **out,
                                       struct proact_error *err)
{
    enum proact_status status = opening_check(set, device, err);

    (void)has_time;
    if (status)
        return status;
    struct device_event *e = must_calloc(1, sizeof *e);

    e->set = set;
    e->device = device;
    e->next = set->events;
    set->events = e;
    *out = e;
    return PROACT_OK;
}

static enum proact_status synchronize(struct device_set *set, struct proact_error *err)
{
    return machine_run(set, NULL, err);
}

static bool emulator_try_quiesce(struct device_set *set, uint64_t limit_ns)
{
    return limit_ns ? machine_is_idle(set) : set->broken || streams_idle(set);
}

static enum proact_status current(const struct device_set *set, device_addr first,
                                  uint64_t bytes, struct proact_error *err)
{
    char fault[sizeof set->sentence];

    if (!set->check || check_current(set->check, first, bytes, fault, sizeof fault))
        return PROACT_OK;
    return fail(err, PROACT_EFAULT, "%s", fault);
}

static uint64_t replica_stores(const struct device_set *set, device_addr base)
{
    return set->check ? check_stores(set->check, base) : 0;
}

static enum proact_status elapsed(struct device_event *from, struct device_event *to,
                                  double *ns, struct proact_error *err)
{
    if (!from->recorded || !to->recorded ||
        !event_is_over(from, from->device, from->recorded) ||
        !event_is_over(to, to->device, to->recorded))
        return fail(err, PROACT_EINVAL, "an event of device %u was not recorded yet",
                    from->recorded ? to->device : from->device);
    *ns = ((double)to->time_ps - (double)from->time_ps) / PS;
    return PROACT_OK;
}

static uint64_t now_ns(struct device_set *set)
{
    return set->host_ps / PS;
}

static struct device_traffic traffic(const struct device_set *set, unsigned from,
                                     unsigned to)
{
    return set->devices[from].traffic[to];
}

static void observe(struct device_set *set, device_observer *observer, void *context)
{
    set->observer = observer;
    set->observer_context = context;
}

static void replicas(struct device_set *set, const struct device_replicas *r)
{
    if (!set->check)
        return;
    check_replicas(set->check, r);
}

const struct device_backend device_emulator = {
    .name = "emulator",
    .is_virtual = true,
    .open = emulator_open,
    .close = emulator_close,
    .open_ns = opening_ns,
    .open_remaining = opening_remaining,
    .count = emulator_count,
    .peer_access = emulator_peer_access,
    .peer_atomics = emulator_peer_atomics,
    .alloc = allocate_memory,
    .alloc_shared = emulator_alloc_shared,
    .alloc_parts = emulator_alloc_parts,
    .free = allocate_free,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .copy = parts_copy,
    .copy_rows = parts_copy_rows,
    .write = parts_write,
    .read = parts_read,
    .fill = parts_fill,
    .record = enqueue_record,
    .wait_event = enqueue_wait_event,
    .wait_value = enqueue_wait_value,
    .write_value = enqueue_write_value,
    .module_load = module_load,
    .module_unload = module_unload,
    .function = module_function,
    .function_info = function_info,
    .residency = function_residency,
    .variable = module_variable,
    .launch = enqueue_launch,
    .batch_begin = host_batch_begin,
    .batch_end = host_batch_end,
    .capture_begin = tape_begin,
    .capture_end = tape_end,
    .capture_pause = tape_pause,
    .capture_resume = tape_resume,
    .graph_launch = tape_play,
    .graph_destroy = tape_destroy,
    .synchronize = synchronize,
    .try_quiesce = emulator_try_quiesce,
    .elapsed = elapsed,
    .now_ns = now_ns,
    .traffic = traffic,
    .observe = observe,
    .replicas = replicas,
    .current = current,
    .replica_stores = replica_stores,
    .limit = heap_limit,
    .texels_create = texels_create,
    .texels_destroy = texels_destroy,
    .copy_box = texels_copy_box,
    .texture_create = objects_create_texture,
    .texture_destroy = objects_destroy,
    .surface_create = objects_create_surface,
    .surface_destroy = objects_destroy,
    .has_unit = true,
};
