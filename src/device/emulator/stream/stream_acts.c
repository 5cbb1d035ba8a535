/* SPDX-License-Identifier: Apache-2.0 */
/* Simple stream operations. */
#include <inttypes.h>
#include <string.h>

#include "device/emulator/check/checked.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/traffic/message.h"

enum { PART_BYTES = 256 << 10 }; /* per message to a peer */

static void done_later(struct emulated *d, void *subject, uint64_t detail)
{
    (void)detail;
    operation_done(d, subject);
}

/* Performs a write or fill at its end. */
static void put_here(struct operation *o)
{
    void *to = (void *)(uintptr_t)o->to;

    if (o->image)
        write_image_put(o->image, o->to);
    else if (o->data)
        memcpy(to, o->data, o->bytes);
    else
        memset(to, o->value, o->bytes);
}

/* Sends a write or fill to the peer that owns the memory, in parts. */
static void put_far(struct emulated *d, const struct operation *o, unsigned owner)
{
    const unsigned char *data = o->image ? write_image_data(o->image) : o->data;

    for (uint64_t at = 0; at < o->bytes; at += PART_BYTES) {
        uint64_t bytes = o->bytes - at < PART_BYTES ? o->bytes - at : PART_BYTES;
        struct message *m = message_create(d, owner, store_pieces, 1, bytes);

        m->pieces[0] = (struct piece){.address = o->to + at, .bytes = (uint32_t)bytes};
        if (data)
            memcpy(m->data, data + at, bytes);
        else
            memset(m->data, o->value, bytes);
        message_send(d, m, d->now_ps, 0);
    }
}

static void put(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;
    unsigned owner = memory_device(&d->set->memory, o->to);

    if (owner == d->number) {
        put_here(o);
        done_later(d, o, detail);
    } else {
        put_far(d, o, owner);
        when_acknowledged(d, done_later, o, 0);
    }
}

static uint64_t host_link_ps(struct emulated *d, const struct operation *o)
{
    return serve(&d->host_free_ps[0], d->now_ps,
                 ps_of_bytes((double)o->bytes, d->set->topology->host_gbps));
}

void host_write_begin(struct emulated *d, struct operation *o)
{
    if (checked_copy(d, o, o->to, 0, o->bytes))
        later(d, host_link_ps(d, o), put, o, 0);
}

void fill_begin(struct emulated *d, struct operation *o)
{
    if (checked_copy(d, o, o->to, 0, o->bytes))
        later(d,
              serve(&d->memory_free_ps, d->now_ps,
                    ps_of_bytes((double)o->bytes, d->set->topology->device.memory_gbps)),
              put, o, 0);
}

static void get(const struct operation *o)
{
    memcpy(o->into, (const void *)(uintptr_t)o->from, o->bytes);
}

static void got_far(struct emulated *d, struct message *m)
{
    operation_done(d, m->subject);
}

static void get_far(struct emulated *d, struct message *m)
{
    struct message *answer = message_create(d, m->from, got_far, 0, 0);

    get(m->subject);
    answer->subject = m->subject;
    message_send(d, answer, d->now_ps, 0);
}

static void get_now(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;
    unsigned owner = memory_device(&d->set->memory, o->from);

    if (owner == d->number) {
        get(o);
        done_later(d, o, detail);
        return;
    }
    struct message *m = message_create(d, owner, get_far, 0, 0);

    m->subject = o;
    message_send(d, m, d->now_ps, 0);
}

void host_read_begin(struct emulated *d, struct operation *o)
{
    if (checked_copy(d, o, 0, o->from, o->bytes))
        later(d, host_link_ps(d, o), get_now, o, 0);
}

bool event_is_over(const struct device_event *e, unsigned device, uint64_t record)
{
    for (size_t i = 0; record > e->done[device] && i < e->early_count[device]; i++)
        if (e->early[device][i] == record)
            return true;
    return record <= e->done[device];
}

/* Notes a record that completes before an earlier record on another stream. */
static void note_early(struct device_event *e, unsigned device, uint64_t record)
{
    size_t *count = &e->early_count[device];

    e->early[device] = must_grow(e->early[device], *count, &e->early_capacity[device],
                                 sizeof *e->early[device]);
    e->early[device][(*count)++] = record;
}

static void note_over(struct device_event *e, unsigned device, uint64_t record)
{
    size_t *count = &e->early_count[device];

    if (record != e->done[device] + 1) {
        note_early(e, device, record);
        return;
    }
    e->done[device]++;
    for (size_t i = 0; i < *count;)
        if (e->early[device][i] == e->done[device] + 1) {
            e->done[device]++;
            e->early[device][i] = e->early[device][--*count];
            i = 0;
        } else {
            i++;
        }
}

static bool is_over(const struct emulated *d, const struct operation *o)
{
    return event_is_over(o->event, d->number, o->generation);
}

static void signal_event(struct emulated *d, struct device_event *e, uint64_t generation)
{
    note_over(e, d->number, generation);
    if (e->awaited[d->number] == 0)
        return;
    for (struct device_stream *s = d->set->streams; s; s = s->next)
        if (s->device == d->number && s->busy && s->first->begin == wait_event_begin &&
            is_over(d, s->first)) {
            s->first->event->awaited[d->number]--;
            checked_wait_event(d, s, s->first->event);
            span_add(d, DEVICE_SPAN_WAIT, s->lane, "wait", s->first->begin_ps, d->now_ps,
                     0);
            operation_done(d, s->first);
        }
}

static void signal_later(struct emulated *d, void *subject, uint64_t generation)
{
    signal_event(d, subject, generation);
}

static void signal_arrived(struct emulated *d, struct message *m)
{
    signal_event(d, m->subject, m->detail);
}

/* Records an event. Devices signal events by words of the driver; within a graph by words
   of the graph. */
void record_begin(struct emulated *d, struct operation *o)
{
    struct device_event *e = o->event;
    const struct topology_device *t = &d->set->topology->device;
    double event_us = o->is_played ? 0 : t->event_us;

    if (o->generation == e->recorded) /* an earlier record on another stream may complete
                                         later */
        e->time_ps = d->now_ps;
    checked_record(d, o->stream, e);
    if (t->event_here_us > 0)
        later(d, d->now_ps + ps_of_ns(1000 * t->event_here_us), signal_later, e,
              o->generation);
    else
        signal_event(d, e, o->generation);
    for (unsigned i = 0; i < d->set->count; i++)
        if (i != d->number) {
            struct message *m = message_create(d, i, signal_arrived, 0, 0);

            m->subject = e;
            m->detail = o->generation;
            message_send(d, m, d->now_ps + ps_of_ns(1000 * event_us), 0);
        }
    operation_done(d, o);
}

void wait_event_begin(struct emulated *d, struct operation *o)
{
    if (!is_over(d, o)) {
        o->event->awaited[d->number]++;
        return; /* signal_event() resumes it */
    }
    checked_wait_event(d, o->stream, o->event);
    operation_done(d, o);
}

static void fault_late(struct emulated *d, const struct operation *o, uint32_t holds)
{
    const double limit_ms = d->set->options.wait_limit_ms;
    char reason[DEVICE_REASON_BYTES], who[DEVICE_LATE_BYTES], late[DEVICE_LATE_BYTES];

    if (o->reason.missing) {
        o->reason.missing(&o->reason, holds, who, sizeof who);
        device_late_print(&o->reason, d->number, limit_ms, who, late);
        device_fault(d, PROACT_ETIMEOUT, "%s", late);
        return;
    }
    device_reason_print(&o->reason, reason);
    device_fault(
        d, PROACT_ETIMEOUT,
        "stream %u of device %u waited %.0f ms for %sword 0x%llx to reach %u: it is %u",
        o->stream->lane, d->number, limit_ms, reason, (unsigned long long)o->to, o->word,
        holds);
}

static void poll_word(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *o = subject;
    const struct device_set *set = d->set;
    uint32_t now = __atomic_load_n((const uint32_t *)(uintptr_t)o->to, __ATOMIC_ACQUIRE);
    uint64_t step_ps = ps_of_ns(set->topology->device.wait_value_us * 1000);

    (void)detail;
    if ((int32_t)(now - o->word) >= 0) {
        checked_wait_value(d, o->stream, o->to);
        span_add(d, DEVICE_SPAN_WAIT, o->stream->lane, "wait", o->begin_ps, d->now_ps, 0);
        operation_done(d, o);
        return;
    }
    if (d->now_ps - o->begin_ps > ps_of_ns(set->options.wait_limit_ms * 1e6)) {
        fault_late(d, o, now);
        return;
    }
    later(d, d->now_ps + step_ps, poll_word, o, 0);
}

void write_value_begin(struct emulated *d, struct operation *o)
{
    unsigned owner = memory_device(&d->set->memory, o->to);

    checked_write_value(d, o->stream, o->to);
    if (owner == d->number) {
        __atomic_store_n((uint32_t *)(uintptr_t)o->to, o->word, __ATOMIC_RELEASE);
        operation_done(d, o);
        return;
    }
    struct message *m = message_create(d, owner, store_pieces, 1, sizeof o->word);

    m->pieces[0] = (struct piece){.address = o->to, .bytes = sizeof o->word};
    memcpy(m->data, &o->word, sizeof o->word);
    m->bytes = sizeof o->word;
    m->wire_bytes = model_wire_bytes(&d->set->topology->fabric, MODEL_COPY_ENGINE, 4, 4);
    message_send(d, m, d->now_ps, 1);
    when_acknowledged(d, done_later, o, 0);
}

void wait_value_begin(struct emulated *d, struct operation *o)
{
    poll_word(d, o, 0);
}
