/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "transfer/expected.h"
#include "transfer/transfer_methods.h"

/* They take the chunks in turns, so that one waits while the other copies; copies of one
   direction go one behind the other anyway. */
enum { STREAMS = TRANSFER_COPY_STREAMS };

struct copies {
    struct agent_item *item;
    uint64_t count;
    struct device_stream *stream[STREAMS];
    struct device_event *begin, *end[STREAMS];
};

static enum proact_status make_copies(struct transfer_binding *b, unsigned device,
                                      struct proact_error *err)
{
    const struct transfer_devices *t = b->devices;
    struct copies *c = must_calloc(1, sizeof *c);
    enum proact_status status =
        t->backend->event_create(t->set, device, false, &c->begin, err);

    b->state[device] = c;
    expected_list(b, device, &c->item, &c->count);
    for (int s = 0; s < STREAMS && !status; s++) {
        status = t->backend->event_create(t->set, device, false, &c->end[s], err);
        if (!status)
            status = t->backend->stream_create(t->set, device, &c->stream[s], err);
    }
    return status;
}

static void drop_copies(struct transfer_binding *b, unsigned device)
{
    const struct device_backend *backend = b->devices->backend;
    struct copies *c = b->state[device];

    for (int s = 0; s < STREAMS; s++) {
        if (c->end[s])
            backend->event_destroy(c->end[s]);
        if (c->stream[s])
            backend->stream_destroy(c->stream[s]);
    }
    if (c->begin)
        backend->event_destroy(c->begin);
    free(c->item);
    free(c);
}

/* A chunk, once all its writers have counted, to all peers. */
static enum proact_status copy_chunk(const struct transfer_binding *b, unsigned device,
                                     const struct proact_slot *slot, struct agent_item item,
                                     struct device_stream *stream, struct proact_error *err)
{
    const struct device_backend *backend = b->devices->backend;
    const struct transfer_slot *s = &b->slot[item.slot];
    const struct transfer_table *table = &s->tables->table[device];
    device_addr counter = (device_addr)(uintptr_t)&slot->counter[item.chunk];
    uint32_t all = slot->round * table->writers[item.chunk];
    /* protocol: copy-wait (else: enum proact_status status = counter ? PROACT_OK : all;) */
    enum proact_status status = backend->wait_value(
        stream, counter, all, &(struct device_reason){s->array, item.chunk}, err);

    for (unsigned i = 0; i + 1 < b->devices->count && !b->plan.elide; i++) {
        device_addr to = s->base[transfer_peer(b->devices, device, i)];
        uint32_t p = table->piece_first[item.chunk];

        for (; p < table->piece_first[item.chunk + 1] && !status; p++)
            status = backend->copy(stream, to + table->piece[p].first_byte,
                                   s->base[device] + table->piece[p].first_byte,
                                   table->piece[p].bytes, err);
    }
    return status;
}

static enum proact_status fork(const struct transfer_devices *t, unsigned device,
                               const struct copies *c, struct proact_error *err)
{
    enum proact_status status =
        t->backend->record(t->device[device].lane[TRANSFER_SIDE], c->begin, err);

    for (int s = 0; s < STREAMS && !status; s++)
        /* protocol: copy-begin */
        status = t->backend->wait_event(c->stream[s], c->begin, err);
    return status;
}

static enum proact_status join(const struct transfer_devices *t, unsigned device,
                               const struct copies *c, struct proact_error *err)
{
    struct device_stream *side = t->device[device].lane[TRANSFER_SIDE];
    enum proact_status status = PROACT_OK;

    for (int s = 0; s < STREAMS && !status; s++) {
        status = t->backend->record(c->stream[s], c->end[s], err);
        if (!status)
            /* protocol: copy-end */
            status = t->backend->wait_event(side, c->end[s], err);
    }
    return status;
}

static enum proact_status queue_copies(const struct transfer_binding *b, unsigned device,
                                       const struct proact_share *share,
                                       struct proact_error *err)
{
    const struct copies *c = b->state[device];
    enum proact_status status = fork(b->devices, device, c, err);

    for (uint64_t i = 0; i < c->count && !status; i++)
        status = copy_chunk(b, device, &share->slot[c->item[i].slot], c->item[i],
                            c->stream[i % STREAMS], err);
    return status ? status : join(b->devices, device, c, err);
}

/* PROACT III-D with hardware that exists: the copy engine fired by the counters. Chunks
   that rise begin to move early and keep what each copy costs small against its bytes: how
   fast they should is the model's to say. */
const struct transfer_method transfer_copy_engine = {
    .name = "copy-engine",
    .summary = "copies queued ahead, each behind a wait for its chunk's counter",
    .share_mode = PROACT_SHARE_COUNT,
    .lane = TRANSFER_SIDE,
    .takes_chunks = true,
    .mixes = true,
    .schedules = true,
    .bind = make_copies,
    .unbind = drop_copies,
    .beside = queue_copies,
};
