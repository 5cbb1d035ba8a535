/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/coherence/own_parts.h"

#include <stdlib.h>

#include "runtime/coherence/fetch.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/session/array_order.h"
#include "runtime/session/program_streams.h"
#include "runtime/validity/array_validity.h"
#include "transfer/methods/stretches.h"

enum { PIECES_MAX = 1 << 15 }; /* limit of validity entries in the copied range */
enum { EDGE_BYTES_MAX = 64 << 10, EDGES = 8, SMALL_PART = 16 };

/* Whether a split launch wrote the array last and each device has a replica. A recorded
   operation stays on one device, because a replay may find other validity maps. */
static bool is_split(struct proact_array *a)
{
    const struct proact *p = a->session;

    if (p->devices.count == 1 || p->recording || a->part || a->is_pinned || a->is_shared)
        return false;
    array_catch_up(a);
    return a->writer;
}

/* Emits the copied parts of `from` with their current devices. */
typedef void piece_emit(void *sink, uint64_t first, uint64_t end, uint32_t devices);

static void each_piece(const struct proact_array *from, const struct device_rows *rows,
                       piece_emit *emit, void *sink)
{
    const struct validity_map *h = &from->validity_map;

    for (size_t i = 0; i < rows->count; i++) {
        uint64_t at = rows->from - from->base[0] + i * rows->from_pitch;
        const uint64_t end = at + rows->bytes;

        for (size_t n = validity_find(h, at); at < end; n++) {
            const uint64_t stop = h->piece[n].end < end ? h->piece[n].end : end;

            emit(sink, at, stop, h->piece[n].devices);
            at = stop;
        }
    }
}

struct tally {
    size_t pieces;
    uint32_t devices;
};

static void count(void *sink, uint64_t first, uint64_t end, uint32_t devices)
{
    struct tally *t = sink;

    (void)first;
    (void)end;
    t->pieces++;
    t->devices |= devices;
}

bool own_parts_copies(struct proact_array *to, struct proact_array *from,
                      const struct device_rows *rows)
{
    struct tally t = {0};

    if (!to || !from || to == from || to->part || to->is_pinned || to->is_shared ||
        !is_split(from) || rows->count > PIECES_MAX ||
        (rows->count > 1 && rows->to_pitch != rows->from_pitch))
        return false;
    each_piece(from, rows, count, &t);
    return t.devices & ~(uint32_t)FIRST && t.pieces <= PIECES_MAX;
}

struct own_copy {
    struct stretches owned[PROACT_DEVICES_MAX]; /* per device: current ranges */
    struct stretches of[PROACT_DEVICES_MAX];    /* per device: ranges that it copies */
    size_t at[PROACT_DEVICES_MAX];              /* position in `owned` during the
                                                   traversal */
    struct proact_array *to;
    uint64_t shift; /* from source offsets to target offsets */
};

static void add_to(struct stretches *s, uint64_t first, uint64_t end)
{
    struct stretch *last = s->count ? &s->at[s->count - 1] : NULL;

    if (last && last->first + last->bytes == first)
        last->bytes += end - first;
    else
        stretches_add(s, first, end - first);
}

static void hold(void *sink, uint64_t first, uint64_t end, uint32_t devices)
{
    struct own_copy *c = sink;

    for (unsigned d = 0; devices >> d; d++)
        if (devices >> d & 1)
            add_to(&c->owned[d], first, end);
}

/* Length of the device's current range that contains the piece. Pieces ascend. */
static uint64_t stretch_of(struct own_copy *c, unsigned device, uint64_t first)
{
    const struct stretches *s = &c->owned[device];
    size_t *n = &c->at[device];

    while (s->at[*n].first + s->at[*n].bytes <= first)
        ++*n;
    return s->at[*n].bytes;
}

/* Devices with a long current range copy the piece. Short remainders of earlier broadcasts
   are dropped, since a copy costs more than they are worth. */
static void take(void *sink, uint64_t first, uint64_t end, uint32_t devices)
{
    struct own_copy *c = sink;
    uint64_t bytes[PROACT_DEVICES_MAX], most = 0;

    for (unsigned d = 0; devices >> d; d++) {
        bytes[d] = devices >> d & 1 ? stretch_of(c, d, first) : 0;
        most = bytes[d] > most ? bytes[d] : most;
    }
    for (unsigned d = 0; devices >> d; d++) {
        if (!(devices >> d & 1))
            continue;
        if (bytes[d] < most / SMALL_PART)
            devices &= ~(1u << d);
        else
            add_to(&c->of[d], first, end);
    }
    array_written(c->to, first + c->shift, end + c->shift, devices);
}

/* Orders the copy after the device's own work and after transfers into and out of its
   replica. */
static enum proact_status begin(struct proact_array *to, const struct proact_array *from,
                                unsigned device, struct proact_error *err)
{
    const struct order_place main = {device, TRANSFER_MAIN};
    /* protocol: own-target-wait (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = array_await(to->session, to, main, true, err);

    if (!status && from)
        /* protocol: own-source-wait */
        status = array_await(to->session, from, main, false, err);
    return status;
}

static enum proact_status end(struct proact_array *to, struct proact_array *from,
                              unsigned device, uint64_t sequence, struct proact_error *err)
{
    const struct order_place main = {device, TRANSFER_MAIN};

    /* protocol: own-used */
    to->used = sequence;
    if (from)
        /* protocol: own-source-used */
        from->used = sequence;
    /* protocol: own-done (else: return PROACT_OK;) */
    return order_record(&to->session->order, main, sequence, err);
}

static struct device_stream *stream(const struct proact *p, unsigned device)
{
    return p->devices.device[device].lane[TRANSFER_MAIN];
}

static enum proact_status copy_on(struct own_copy *c, struct proact_array *from,
                                  unsigned device, uint64_t sequence,
                                  struct proact_error *err)
{
    struct proact *p = from->session;
    struct stretches *s = &c->of[device];
    enum proact_status status;

    if (!s->count)
        return PROACT_OK;
    s->backend = p->backend;
    s->stream = stream(p, device);
    s->to = c->to->base[device] + c->shift;
    s->from = from->base[device];
    if ((status = begin(c->to, from, device, err)) || (status = stretches_copy(s, err)))
        return status;
    return end(c->to, from, device, sequence, err);
}

static enum proact_status batch_ends(struct proact *p, enum proact_status status,
                                     struct proact_error *err)
{
    enum proact_status queued = PROACT_OK;

    if (p->backend->batch_end)
        queued = p->backend->batch_end(p->set, status ? NULL : err);
    return status ? status : queued;
}

static void forget(struct own_copy *c, unsigned device)
{
    free(c->owned[device].at);
    free(c->of[device].at); /* empty unless an error occurred */
}

/* Reads of the copy count as reads of the launch that wrote the original, so that launch
   can push its output. */
static void inherit(struct proact_array *to, const struct proact_array *from,
                    const struct device_rows *rows)
{
    const bool is_whole =
        rows->count == 1 && rows->bytes == from->bytes && to->bytes == from->bytes;

    to->writer = is_whole ? from->writer : NULL;
    to->writer_slot = from->writer_slot;
}

/* Devices of a piece that is much longer than its neighbour. */
static uint32_t beside(const struct validity_map *h, size_t piece, uint64_t bytes)
{
    const uint64_t first = piece && piece < h->count ? h->piece[piece - 1].end : 0;

    return piece < h->count && (h->piece[piece].end - first) / EDGES >= bytes
               ? h->piece[piece].devices
               : 0;
}

/* Extends current ranges by small boundary ranges that only device 0 has, such as the edges
   of rows and planes. The adjacent devices fetch them, and their ranges become
   contiguous. */
static enum proact_status own_parts_fetch_boundary(struct proact_array *from,
                                                   struct proact_error *err)
{
    const struct validity_map *is = &from->validity_map;
    struct validity_map h = {0};
    bool is_any = false;

    validity_copy(&h, is);
    for (size_t n = 0; n < h.count; n++) {
        const uint64_t bytes = h.piece[n].end - (n ? h.piece[n - 1].end : 0);

        if (bytes <= EDGE_BYTES_MAX)
            h.piece[n].devices |= beside(is, n - 1, bytes) | beside(is, n + 1, bytes);
        is_any |= h.piece[n].devices != is->piece[n].devices;
    }
    enum proact_status status = is_any ? array_fetch_identical(from, &h, err) : PROACT_OK;

    validity_clear(&h);
    return status;
}

enum proact_status own_parts_copy(struct proact_array *to, struct proact_array *from,
                                  const struct device_rows *rows, struct proact_error *err)
{
    struct proact *p = to->session;
    struct own_copy c = {.to = to,
                         .shift = rows->to - to->base[0] - (rows->from - from->base[0])};
    enum proact_status status = own_parts_fetch_boundary(from, err);

    if (!status)
        /* protocol: streams-own-copy */
        status = streams_join(p, err);
    if (status)
        return status;
    const uint64_t sequence = ++p->sequence;

    each_piece(from, rows, hold, &c);
    each_piece(from, rows, take, &c);
    if (p->backend->batch_begin)
        p->backend->batch_begin(p->set);
    for (unsigned d = 0; d < p->devices.count && !status; d++)
        status = copy_on(&c, from, d, sequence, err);
    status = batch_ends(p, status, err);
    for (unsigned d = 0; d < p->devices.count; d++)
        forget(&c, d);
    inherit(to, from, rows);
    p->device0_is_stale |= !validity_everywhere(&to->validity_map, FIRST);
    return status;
}

bool own_parts_fills(struct proact_array *a)
{
    return a && is_split(a);
}

enum proact_status own_parts_fill(struct proact_array *a, uint64_t first,
                                  unsigned char value, size_t bytes,
                                  struct proact_error *err)
{
    struct proact *p = a->session;
    /* protocol: streams-own-fill (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = streams_join(p, err);
    const uint64_t sequence = ++p->sequence;

    if (p->backend->batch_begin)
        p->backend->batch_begin(p->set);
    for (unsigned d = 0; d < p->devices.count && !status; d++)
        if (!(status = begin(a, NULL, d, err)) &&
            !(status =
                  p->backend->fill(stream(p, d), a->base[d] + first, value, bytes, err)))
            status = end(a, NULL, d, sequence, err);
    status = batch_ends(p, status, err);
    if (!status)
        array_written(a, first, first + bytes, all_devices(p));
    return status;
}
