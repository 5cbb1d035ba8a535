/* SPDX-License-Identifier: Apache-2.0 */
/* Copies. A copy within a device uses its memory. A copy to a peer uses the copy engine, in
   parts, so that links are shared fairly. A copy from a peer is a request to the owner,
   whose engine sends. */
#include <stdlib.h>
#include <string.h>

#include "device/emulator/check/checked.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/traffic/message.h"

enum { PART_BYTES = 256 << 10, PART_ROWS = 4096, SECTOR_BYTES = 32 };

static void copy_done(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;

    (void)detail;
    span_add(d, DEVICE_SPAN_COPY, o->stream->lane, "copy", o->begin_ps, d->now_ps,
             o->bytes);
    operation_done(d, o);
}

static void fetched(struct emulated *d, struct message *m)
{
    copy_done(d, m->subject, 0);
}

/* Informs the requester that the owner has sent everything. */
static void serve_done(struct emulated *d, void *subject, uint64_t asker)
{
    struct message *m = message_create(d, (unsigned)asker, fetched, 0, 0);

    m->subject = subject;
    message_send(d, m, d->now_ps, 0);
}

/* Whether the engine may start the stream's next copy while this one travels. Both take the
   same path, so an operation that waits for the next copy waits for this one as well. */
static bool next_follows(const struct emulated *d, const struct operation *o)
{
    const struct operation *next = o->next;
    const struct device_memory *memory = &d->set->memory;

    return next && next->begin == copy_begin &&
           memory_device(memory, next->from) == d->number &&
           memory_device(memory, next->to) != d->number;
}

static void parts_done(struct emulated *d, struct operation *o)
{
    unsigned asker = o->stream->device;

    if (asker == d->number && next_follows(d, o))
        copy_done(d, o, 0);
    else if (asker == d->number)
        when_acknowledged(d, copy_done, o, 0);
    else
        when_acknowledged(d, serve_done, o, asker);
}

/* Time of a copy without a direct link: through host memory, at its rate in both
   directions. */
static uint64_t staged_ps(const struct emulated *d, unsigned to, uint64_t bytes)
{
    const struct topology *t = d->set->topology;

    if (d->set->options.infinite_bandwidth || t->link_gbps[d->number][to] > 0)
        return 0;
    return ps_of_bytes(2 * (double)bytes, t->host_gbps);
}

static void send_part(struct emulated *d, void *subject, uint64_t detail);

/* Sends the next part when the receiver has acknowledged enough. */
static void part_next(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;
    unsigned to = memory_device(&d->set->memory, o->to);

    (void)detail;
    when_reached(d, to, d->part_marks[to][d->part_count[to] % COPY_PARTS], send_part, o);
}

static uint64_t part_bytes(const struct operation *o)
{
    uint64_t left = o->bytes - o->done_bytes;
    uint64_t most = o->row_bytes < PART_BYTES / PART_ROWS ? o->row_bytes * PART_ROWS
                                                          : (uint64_t)PART_BYTES;

    return left < most ? left : most;
}

/* Creates a message with the next bytes of the strided copy, one piece per range. */
static struct message *part_create(struct emulated *d, const struct operation *o,
                                   unsigned to, uint64_t *packets)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    uint64_t bytes = part_bytes(o), row = o->done_bytes / o->row_bytes;
    uint64_t in_row = o->done_bytes % o->row_bytes, at = 0;
    uint64_t rows = (in_row + bytes + o->row_bytes - 1) / o->row_bytes;
    struct message *m = message_create(d, to, store_pieces, (uint32_t)rows, bytes);

    m->bytes = bytes;
    m->is_part = true;
    for (uint32_t i = 0; i < m->piece_count; i++, row++, in_row = 0) {
        uint64_t rest = o->row_bytes - in_row, run = rest < bytes - at ? rest : bytes - at;

        m->pieces[i] =
            (struct piece){o->to + row * o->to_pitch + in_row, (uint32_t)run, (uint32_t)at};
        memcpy(m->data + at,
               (const void *)(uintptr_t)(o->from + row * o->from_pitch + in_row), run);
        m->wire_bytes += model_wire_bytes(f, MODEL_COPY_ENGINE, run, run);
        *packets += model_packets(f, MODEL_COPY_ENGINE, run, run);
        at += run;
    }
    return m;
}

/* Engine time of a part. Each range adds a time from the machine file; without that, a
   partial packet takes as long as a full one. */
static uint64_t engine_ps(const struct device_set *set, const struct message *m,
                          uint64_t packets)
{
    const struct topology_fabric *f = &set->topology->fabric;
    double rows = m->piece_count > 1 ? m->piece_count : 0;
    double whole = f->copy_payload_bytes + f->copy_header_bytes;
    double bytes =
        rows > 0 && f->copy_row_ns <= 0 ? (double)packets * whole : m->wire_bytes;

    if (set->options.infinite_bandwidth || m->wire_bytes <= 0)
        return 0;
    return ps_of_bytes(bytes, f->egress_gbps) + ps_of_ns(rows * f->copy_row_ns);
}

static void send_part(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;
    unsigned to = memory_device(&d->set->memory, o->to);
    uint64_t packets = 0;
    struct message *m = part_create(d, o, to, &packets);
    uint64_t bytes = m->bytes, staged = staged_ps(d, to, bytes);

    (void)detail;
    if (staged)
        m->wire_bytes = 0;
    uint64_t through =
        serve(&d->engine_free_ps, d->now_ps, staged + engine_ps(d->set, m, packets));
    uint64_t next = message_send(d, m, through, packets);

    d->part_marks[to][d->part_count[to]++ % COPY_PARTS] = d->sent.to[to];
    span_link(d, to, d->now_ps, next, bytes);
    o->done_bytes += bytes;
    if (o->done_bytes < o->bytes) {
        later(d, next, part_next, o, 0);
        return;
    }
    if (next > d->engine_free_ps)
        d->engine_free_ps = next;
    parts_done(d, o);
}

/* Start time of a copy. The engine executes copies in order. A copy to an idle engine adds
   its wake-up time, a copy to another peer than the stream's previous copy a switch
   time. */
static uint64_t start_ps(const struct emulated *d, const struct operation *o, unsigned to)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    double start_us = d->engine_free_ps > d->now_ps ? f->copy_start_us : f->copy_first_us;

    if (o->stream->copied_to != to && f->copy_turn_us > start_us)
        start_us = f->copy_turn_us;
    if (o->is_played && f->copy_graph_us > 0)
        start_us = f->copy_graph_us;
    if (o->is_played && f->carry_us > 0 && o->bytes <= TOPOLOGY_CARRY_BYTES)
        start_us = f->carry_us;
    return d->set->options.infinite_bandwidth ? 0 : ps_of_ns(1000 * start_us);
}

static void engine_begin(struct emulated *d, struct operation *o)
{
    unsigned to = memory_device(&d->set->memory, o->to);
    uint64_t start = start_ps(d, o, to);

    o->stream->copied_to = to;
    later(d, serve(&d->engine_free_ps, d->now_ps, start), part_next, o, 0);
}

static void local_done(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;

    for (uint64_t i = 0; i < o->bytes / o->row_bytes; i++)
        memmove((void *)(uintptr_t)(o->to + i * o->to_pitch),
                (const void *)(uintptr_t)(o->from + i * o->from_pitch), o->row_bytes);
    copy_done(d, subject, detail);
}

/* Memory time of a copy within a device; short ranges count as complete sectors. */
static double local_ns(const struct emulated *d, const struct operation *o)
{
    uint64_t bytes = o->bytes, rows = bytes / o->row_bytes;

    if (rows > 1)
        bytes = rows * ((o->row_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES);
    return 2 * (double)bytes / d->set->topology->device.memory_gbps;
}

/* Completion of a copy over the host link or within the device's memory. */
static uint64_t local_ps(struct emulated *d, const struct operation *o, uint64_t ready)
{
    const struct device_memory *memory = &d->set->memory;
    const bool from_host = memory_is_hosts(memory, o->from);

    if (from_host || memory_is_hosts(memory, o->to))
        return serve(&d->host_free_ps[!from_host], ready,
                     ps_of_bytes((double)o->bytes, d->set->topology->host_gbps));
    return serve(&d->memory_free_ps, ready, ps_of_ns(local_ns(d, o)));
}

static bool check_rows(struct emulated *d, const struct operation *o)
{
    bool is_fine = true;

    for (uint64_t i = 0; d->set->check && i < o->bytes / o->row_bytes && is_fine; i++)
        is_fine = checked_copy(d, o, o->to + i * o->to_pitch, o->from + i * o->from_pitch,
                               o->row_bytes);
    return is_fine;
}

static void fetch(struct emulated *d, struct message *m)
{
    engine_begin(d, m->subject);
}

void copy_begin(struct emulated *d, struct operation *o)
{
    unsigned from = memory_device(&d->set->memory, o->from);
    unsigned to = memory_device(&d->set->memory, o->to);

    if (!check_rows(d, o))
        return;
    if (from == to && from == d->number) {
        uint64_t ready = d->now_ps + start_ps(d, o, o->stream->copied_to);

        later(d, local_ps(d, o, ready), local_done, o, 0);
    } else if (from == d->number) {
        engine_begin(d, o);
    } else {
        struct message *m = message_create(d, from, fetch, 0, 0);

        m->subject = o;
        message_send(d, m, d->now_ps, 0);
    }
}
