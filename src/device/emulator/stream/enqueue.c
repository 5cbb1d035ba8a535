/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream/enqueue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/cluster_launch.h"
#include "device/emulator/kernel/sm_places.h"
#include "device/emulator/quanta/quanta_run.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/stream/windows.h"

/* Returns the stored failure of a broken set. */
static enum proact_status enqueue_check_set(const struct device_set *set,
                                            struct proact_error *err)
{
    return set->broken ? fail(err, set->broken, "%s", set->sentence) : PROACT_OK;
}

static enum proact_status allocated(const struct device_set *set, const char *what,
                                    device_addr address, size_t bytes,
                                    struct proact_error *err)
{
    const struct allocation *nearest, *in = memory_find(&set->memory, address, &nearest);

    if (in && bytes <= in->end - address)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "%s: %zu bytes at 0x%" PRIx64 " are not in one allocation%s", what, bytes,
                address, nearest ? " (they pass its end)" : "");
}

/* Before an operation of the stream: it waits for the last launch of a graph, once. The
   wait is part of the graph and takes the host no time. */
static void enqueue_catch_up(struct device_stream *s)
{
    struct device_set *set = s->set;
    const uint64_t host_ps = set->host_ps;

    if (!s->is_behind || set->tape)
        return;
    s->is_behind = false;
    if (set->met)
        enqueue_wait_event(s, set->met, NULL);
    set->host_ps = host_ps;
}

static struct operation *operation_create(struct device_stream *s, operation_begin *begin)
{
    enqueue_catch_up(s);
    struct operation *o = must_calloc(1, sizeof *o);

    o->begin = begin;
    o->stream = s;
    return o;
}

static bool is_linked(const struct device_set *set, unsigned from, unsigned to)
{
    return from == to || (to < set->count && set->topology->link_gbps[from][to] > 0);
}

/* Number of ranges within the allocation of the first one. */
static size_t rows_inside(const struct device_set *set, device_addr first, size_t pitch,
                          const struct device_rows *r)
{
    const struct allocation *in = memory_find(&set->memory, first, NULL);

    if (!in || in->end - first < r->bytes)
        return 0;
    uint64_t inside = pitch ? (in->end - first - r->bytes) / pitch + 1 : 1;

    return inside < r->count ? inside : r->count;
}

static enum proact_status rows_allocated(const struct device_set *set, const char *what,
                                         device_addr first, size_t pitch,
                                         const struct device_rows *r,
                                         struct proact_error *err)
{
    size_t inside = rows_inside(set, first, pitch, r);

    if (inside == r->count)
        return PROACT_OK;
    if (r->count == 1)
        return allocated(set, what, first, r->bytes, err);
    return fail(err, PROACT_EINVAL,
                "%s: %zu rows of %zu bytes, %zu apart from 0x%" PRIx64
                " on, are not in one allocation: row %zu is not",
                what, r->count, r->bytes, pitch, first, inside);
}

static void enqueue_rows(struct device_stream *s, const struct device_rows *r)
{
    const struct topology_device *d = &s->set->topology->device;
    struct operation *o = operation_create(s, copy_begin);

    host_take_for(o, d->copy_host_us, d->copy_lock_us);
    o->to = r->to;
    o->from = r->from;
    o->bytes = r->count * r->bytes;
    o->row_bytes = r->bytes;
    o->to_pitch = r->to_pitch;
    o->from_pitch = r->from_pitch;
    stream_enqueue(s, o);
}

enum proact_status enqueue_copy_rows(struct device_stream *s,
                                     const struct device_rows *rows,
                                     struct proact_error *err)
{
    const struct device_memory *memory = &s->set->memory;
    struct device_rows one = *rows;
    enum proact_status status;

    if ((status = enqueue_check_set(s->set, err)) || !rows->bytes || !rows->count ||
        (status = device_rows_check(rows, err)) ||
        (status = rows_allocated(s->set, "copy to", rows->to, rows->to_pitch, rows, err)) ||
        (status =
             rows_allocated(s->set, "copy from", rows->from, rows->from_pitch, rows, err)))
        return status;
    if (is_linked(s->set, memory_device(memory, rows->from),
                  memory_device(memory, rows->to))) {
        enqueue_rows(s, rows);
        return PROACT_OK;
    }
    one.count = 1;
    for (size_t i = 0; i < rows->count; i++) {
        enqueue_rows(s, &one);
        one.to += rows->to_pitch;
        one.from += rows->from_pitch;
    }
    return PROACT_OK;
}

enum proact_status enqueue_copy(struct device_stream *s, device_addr to, device_addr from,
                                size_t bytes, struct proact_error *err)
{
    return enqueue_copy_rows(s, &(struct device_rows){to, from, bytes, 1, bytes, bytes},
                             err);
}

/* Keeps the source of a write, which may change after the call. */
static void write_keep(struct operation *o, const void *from)
{
    o->image = write_image_take(o->stream->set->written, o->to, from, o->bytes);
    if (o->image)
        return;
    o->data = must_calloc(o->bytes, 1);
    o->data_bytes = o->bytes;
    memcpy(o->data, from, o->bytes);
}

enum proact_status enqueue_write(struct device_stream *s, device_addr to, const void *from,
                                 size_t bytes, struct proact_error *err)
{
    enum proact_status status;

    if ((status = enqueue_check_set(s->set, err)) || !bytes ||
        (status = allocated(s->set, "write", to, bytes, err)))
        return status;
    struct operation *o = operation_create(s, host_write_begin);

    host_take(s->set, s->set->topology->device.call_host_us);
    o->to = to;
    o->bytes = bytes;
    write_keep(o, from);
    stream_enqueue(s, o);
    return PROACT_OK;
}

enum proact_status enqueue_read(struct device_stream *s, void *into, device_addr from,
                                size_t bytes, struct proact_error *err)
{
    bool finished = false;
    enum proact_status status;

    if ((status = enqueue_check_set(s->set, err)) || !bytes ||
        (status = allocated(s->set, "read", from, bytes, err)))
        return status;
    struct operation *o = operation_create(s, host_read_begin);

    o->from = from;
    o->bytes = bytes;
    o->into = into;
    o->finished = &finished;
    stream_enqueue(s, o);
    return machine_run(s->set, &finished, err);
}

enum proact_status enqueue_fill(struct device_stream *s, device_addr to,
                                unsigned char value, size_t bytes, struct proact_error *err)
{
    enum proact_status status;

    if ((status = enqueue_check_set(s->set, err)) || !bytes ||
        (status = allocated(s->set, "fill", to, bytes, err)))
        return status;
    struct operation *o = operation_create(s, fill_begin);

    host_take_for(o, s->set->topology->device.call_host_us, 0);
    o->to = to;
    o->value = value;
    o->bytes = bytes;
    stream_enqueue(s, o);
    return PROACT_OK;
}

static enum proact_status enqueue_event(struct device_stream *s, struct device_event *event,
                                        operation_begin *begin, struct proact_error *err)
{
    enum proact_status status = enqueue_check_set(s->set, err);

    if (status)
        return status;
    struct operation *o = operation_create(s, begin);

    host_take_for(o, s->set->topology->device.call_host_us, 0);
    o->event = event;
    o->generation = event->recorded;
    stream_enqueue(s, o);
    return PROACT_OK;
}

enum proact_status enqueue_record(struct device_stream *s, struct device_event *event,
                                  struct proact_error *err)
{
    if (event->device != s->device)
        return fail(err, PROACT_EINVAL,
                    "an event of device %u cannot be recorded on a stream of device %u",
                    event->device, s->device);
    if (!s->set->tape) /* counted when the graph is launched */
        event->recorded++;
    return enqueue_event(s, event, record_begin, err);
}

enum proact_status enqueue_wait_event(struct device_stream *s, struct device_event *event,
                                      struct proact_error *err)
{
    return enqueue_event(s, event, wait_event_begin, err);
}

static enum proact_status enqueue_word(struct device_stream *s, operation_begin *begin,
                                       device_addr word, uint32_t value,
                                       const struct device_reason *reason,
                                       struct proact_error *err)
{
    enum proact_status status;

    if ((status = enqueue_check_set(s->set, err)) ||
        (status = allocated(s->set, "word", word, sizeof value, err)))
        return status;
    if (word % sizeof value)
        return fail(err, PROACT_EINVAL, "word at 0x%" PRIx64 " is not aligned to 4 bytes",
                    word);
    struct operation *o = operation_create(s, begin);

    /* The driver accepts several words per call: words that are written add no call. */
    if (begin == wait_value_begin)
        host_take_for(o, s->set->topology->device.call_host_us, 0);
    o->to = word;
    o->word = value;
    if (reason)
        o->reason = *reason;
    stream_enqueue(s, o);
    return PROACT_OK;
}

enum proact_status enqueue_wait_value(struct device_stream *s, device_addr word,
                                      uint32_t value, const struct device_reason *reason,
                                      struct proact_error *err)
{
    if (memory_device(&s->set->memory, word) != s->device)
        return fail(err, PROACT_EINVAL,
                    "a stream of device %u cannot wait for a word of device %u", s->device,
                    memory_device(&s->set->memory, word));
    return enqueue_word(s, wait_value_begin, word, value, reason, err);
}

static enum proact_status linked(const struct device_set *set, unsigned from, unsigned to,
                                 const char *what, struct proact_error *err)
{
    if (is_linked(set, from, to))
        return PROACT_OK;
    return fail(err, PROACT_EINVAL, "%s: device %u has no direct link to device %u", what,
                from, to);
}

enum proact_status enqueue_write_value(struct device_stream *s, device_addr word,
                                       uint32_t value, struct proact_error *err)
{
    unsigned owner = memory_device(&s->set->memory, word);
    enum proact_status status;

    if (owner < s->set->count && (status = linked(s->set, s->device, owner, "word", err)))
        return status;
    return enqueue_word(s, write_value_begin, word, value, NULL, err);
}

enum { GRID_MAX = 65535, BLOCK_Z_MAX = 64 }; /* as in CUDA */

/* Checks the launch against the limits of the device; a CTA that fits nowhere would never
   start. */
static enum proact_status launch_fits(const struct device_set *set,
                                      const struct device_function *f,
                                      const struct device_launch *l,
                                      struct proact_error *err)
{
    const struct topology_device *t = &set->topology->device;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t shared = (uint64_t)f->info.shared_bytes + l->shared_bytes;
    const char *name = f->info.name;

    if (l->grid[1] > GRID_MAX || l->grid[2] > GRID_MAX || l->block[2] > BLOCK_Z_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': grid %u x %u x %u of %u x %u x %u threads: %d rows and "
                    "layers of CTAs, %d layers of threads are possible",
                    name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                    l->block[2], GRID_MAX, BLOCK_Z_MAX);
    if (!ctas || ctas > INT32_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %" PRIu64 " CTAs requested, 1 to %d possible", name, ctas,
                    INT32_MAX);
    if (!threads || threads > t->threads_per_cta)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %" PRIu64 " threads a CTA requested, 1 to %u possible",
                    name, threads, t->threads_per_cta);
    if (f->info.max_threads && threads > f->info.max_threads)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %" PRIu64 " threads a CTA requested, it was built for %u",
                    name, threads, f->info.max_threads);
    if (shared > t->shared_bytes_per_cta)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %" PRIu64 " bytes of shared memory a CTA, %" PRIu64
                    " possible",
                    name, shared, t->shared_bytes_per_cta);
    if (l->parameter_bytes != f->info.parameter_bytes)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %zu bytes of parameters given, %u declared", name,
                    l->parameter_bytes, f->info.parameter_bytes);
    return PROACT_OK;
}

static enum proact_status unit_fits(const struct device_stream *s,
                                    const struct device_unit *u, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (; u && !status; u = u->next)
        for (uint32_t i = 0; i < u->peer_count && !status; i++)
            status = linked(s->set, s->device, u->peers[i], "device unit", err);
    return status;
}

/* Checks that all CTAs can be resident at once; otherwise resident CTAs would wait for
   others forever. */
static enum proact_status all_fit(const struct device_stream *s,
                                  const struct device_function *f,
                                  const struct device_launch *l, struct proact_error *err)
{
    const struct topology_device *t = &s->set->topology->device;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t shared = (uint64_t)f->info.shared_bytes + l->shared_bytes;
    uint64_t places = sm_places(t, threads, shared);

    if ((uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > places)
        return fail(
            err, PROACT_EINVAL,
            "kernel '%s': %u x %u x %u CTAs, launched cooperatively, do not all fit on "
            "device %u at once: it has room for %" PRIu64,
            f->info.name, l->grid[0], l->grid[1], l->grid[2], s->device, places);
    return PROACT_OK;
}

/* Allocates the barrier workspace of cooperative launches, a struct of CUDA's cooperative
   groups. Cooperative launches are serial, and each barrier leaves it ready for the
   next. */
static enum proact_status meeting_made(const struct device_stream *s,
                                       struct proact_error *err)
{
    enum { WORKSPACE_BYTES = 8 };
    struct emulated *d = &s->set->devices[s->device];
    enum proact_status status = PROACT_OK;

    if (d->meeting || (status = memory_allocate(&s->set->memory, s->device, WORKSPACE_BYTES,
                                                &d->meeting, err)))
        return status;
    memset((void *)(uintptr_t)d->meeting, 0, WORKSPACE_BYTES);
    checked_ready(s->set, d->meeting, WORKSPACE_BYTES);
    return PROACT_OK;
}

enum proact_status enqueue_launch(struct device_stream *s, struct device_function *f,
                                  const struct device_launch *launch,
                                  struct proact_error *err)
{
    struct device_set *set = s->set;
    enum proact_status status;

    if ((status = enqueue_check_set(set, err)) ||
        (status = launch_fits(set, f, launch, err)) ||
        (status = cluster_check(set, &f->info, launch, err)) ||
        (status = unit_fits(s, launch->unit, err)) ||
        (launch->is_cooperative &&
         ((status = all_fit(s, f, launch, err)) || (status = meeting_made(s, err)))))
        return status;
    struct operation *o = operation_create(s, launch_begin);

    o->launch = *launch;
    o->function = f;
    o->grid_id = ++set->grid_ids;
    o->quanta = quanta_use_find(set, &launch->quanta);
    o->data = must_calloc(launch->parameter_bytes, 1);
    o->data_bytes = launch->parameter_bytes;
    if (launch->parameter_bytes)
        memcpy(o->data, launch->parameters, launch->parameter_bytes);
    o->launch.parameters = o->data;
    host_take_for(o, set->topology->device.launch_host_us,
                  set->topology->device.launch_turn_us);
    stream_enqueue(s, o);
    return PROACT_OK;
}
