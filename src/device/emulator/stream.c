/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/checked.h"
#include "device/emulator/message.h"
#include "device/emulator/span_log.h"

static void step(struct emulated *d, void *subject, uint64_t detail);

void stream_enqueue(struct device_stream *s, struct operation *o)
{
    o->stream = s;
    o->stamp_ps = s->set->host_ps;
    if (s->last)
        s->last->next = o;
    else
        s->first = o;
    s->last = o;
}

static void operation_free(struct operation *o)
{
    free(o->data);
    free(o);
}

unsigned stream_lane(const struct operation *o)
{
    return o->stream->lane;
}

uint32_t operation_actor(const struct operation *o)
{
    return o->stream->actor;
}

const struct device_launch *operation_launch(const struct operation *o)
{
    return &o->launch;
}

const struct device_function *operation_function(const struct operation *o)
{
    return o->function;
}

uint64_t operation_grid_id(const struct operation *o)
{
    return o->grid_id;
}

void operation_done(struct emulated *d, struct operation *o)
{
    struct device_stream *s = o->stream;

    d->changes++;
    if (o->finished)
        *o->finished = true;
    s->first = o->next;
    if (!s->first)
        s->last = NULL;
    s->busy = false;
    operation_free(o);
    if (s->first)
        later(d, d->now_ps, step, s, 0);
}

static void done_later(struct emulated *d, void *subject, uint64_t detail)
{
    (void)detail;
    operation_done(d, subject);
}

/* Between host memory and this device's, over the host's link. */
static void host_copy(struct emulated *d, struct operation *o)
{
    uint64_t end = serve(&d->engine_free_ps, d->now_ps,
                         ps_of_bytes((double)o->bytes, d->set->topology->host_gbps));

    if (!checked_copy(d, o, o->kind == OPERATION_WRITE ? o->to : 0,
                      o->kind == OPERATION_READ ? o->from : 0, o->bytes))
        return;
    if (o->kind == OPERATION_WRITE)
        memcpy((void *)(uintptr_t)o->to, o->data, o->bytes);
    else
        memcpy(o->into, (const void *)(uintptr_t)o->from, o->bytes);
    later(d, end, done_later, o, 0);
}

static void fill(struct emulated *d, struct operation *o)
{
    if (!checked_copy(d, o, o->to, 0, o->bytes))
        return;
    memset((void *)(uintptr_t)o->to, o->value, o->bytes);
    later(d,
          serve(&d->memory_free_ps, d->now_ps,
                ps_of_bytes((double)o->bytes, d->set->topology->device.memory_gbps)),
          done_later, o, 0);
}

static bool event_is_over(const struct emulated *d, const struct operation *o)
{
    return o->event->done[d->number] >= o->generation;
}

void event_signalled(struct emulated *d, void *event, uint64_t generation)
{
    struct device_event *e = event;

    if (generation > e->done[d->number])
        e->done[d->number] = generation;
    for (struct device_stream *s = d->set->streams; s; s = s->next)
        if (s->device == d->number && s->busy && s->first->kind == OPERATION_WAIT_EVENT &&
            event_is_over(d, s->first)) {
            checked_wait_event(d, s, s->first->event);
            span_add(d, DEVICE_SPAN_WAIT, s->lane, "wait", s->first->begin_ps, d->now_ps,
                     0);
            operation_done(d, s->first);
        }
}

static void record(struct emulated *d, struct operation *o)
{
    struct device_event *e = o->event;

    e->time_ps = d->now_ps;
    checked_record(d, o->stream, e);
    event_signalled(d, e, o->generation);
    for (unsigned i = 0; i < d->set->count; i++)
        if (i != d->number) {
            struct message *m = message_create(d, i, MESSAGE_SIGNAL, 0, 0);

            m->subject = e;
            m->detail = o->generation;
            message_send(d, m, d->now_ps, 0);
        }
    operation_done(d, o);
}

static void wait_event(struct emulated *d, struct operation *o)
{
    if (!event_is_over(d, o))
        return; /* event_signalled() goes on */
    checked_wait_event(d, o->stream, o->event);
    operation_done(d, o);
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
        device_fault(
            d, PROACT_ETIMEOUT,
            "stream %u of device %u waited %.0f ms for word 0x%llx to reach %u: it is %u",
            o->stream->lane, d->number, set->options.wait_limit_ms,
            (unsigned long long)o->to, o->word, now);
        return;
    }
    later(d, d->now_ps + step_ps, poll_word, o, 0);
}

static void write_word(struct emulated *d, struct operation *o)
{
    unsigned owner = memory_device(&d->set->memory, o->to);

    checked_write_value(d, o->stream, o->to);
    if (owner == d->number) {
        __atomic_store_n((uint32_t *)(uintptr_t)o->to, o->word, __ATOMIC_RELEASE);
        operation_done(d, o);
        return;
    }
    struct message *m = message_create(d, owner, MESSAGE_STORE, 1, sizeof o->word);

    m->pieces[0] = (struct piece){.address = o->to, .bytes = sizeof o->word};
    memcpy(m->data, &o->word, sizeof o->word);
    m->bytes = sizeof o->word;
    m->wire_bytes = model_wire_bytes(&d->set->topology->fabric, MODEL_COPY_ENGINE, 4, 4);
    message_send(d, m, d->now_ps, 1);
    when_acknowledged(d, done_later, o, 0);
}

static void begin_launch(struct emulated *d, void *subject, uint64_t detail)
{
    (void)detail;
    kernel_begin(d, subject);
}

static void begin(struct emulated *d, struct operation *o)
{
    switch (o->kind) {
    case OPERATION_LAUNCH:
        later(d, d->now_ps + ps_of_ns(d->set->topology->device.launch_us * 1000),
              begin_launch, o, 0);
        break;
    case OPERATION_COPY:
        copy_begin(d, o);
        break;
    case OPERATION_WRITE:
    case OPERATION_READ:
        host_copy(d, o);
        break;
    case OPERATION_FILL:
        fill(d, o);
        break;
    case OPERATION_RECORD:
        record(d, o);
        break;
    case OPERATION_WAIT_EVENT:
        wait_event(d, o);
        break;
    case OPERATION_WAIT_VALUE:
        poll_word(d, o, 0);
        break;
    case OPERATION_WRITE_VALUE:
        write_word(d, o);
        break;
    }
}

static void step(struct emulated *d, void *subject, uint64_t detail)
{
    struct device_stream *s = subject;

    (void)detail;
    if (s->busy || !s->first)
        return;
    if (s->first->stamp_ps > d->now_ps) {
        later(d, s->first->stamp_ps, step, s, 0);
        return;
    }
    s->busy = true;
    s->first->begin_ps = d->now_ps;
    checked_stream(d, s);
    begin(d, s->first);
}

void streams_start(struct device_set *set)
{
    for (struct device_stream *s = set->streams; s; s = s->next)
        if (s->first && !s->busy)
            later(&set->devices[s->device], s->first->stamp_ps, step, s, 0);
}

bool streams_idle(const struct device_set *set)
{
    for (const struct device_stream *s = set->streams; s; s = s->next)
        if (s->first)
            return false;
    return true;
}

void stream_clear(struct device_stream *s)
{
    while (s->first) {
        struct operation *next = s->first->next;

        operation_free(s->first);
        s->first = next;
    }
    s->last = NULL;
}
