/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream/tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/emulator/stream/enqueue.h"
#include "device/emulator/stream/windows.h"

enum proact_status tape_begin(struct device_set *set, struct proact_error *err)
{
    if (set->broken)
        return fail(err, set->broken, "%s", set->sentence);
    if (set->tape)
        return fail(err, PROACT_EINVAL, "a capture is under way already");
    set->tape = must_calloc(1, sizeof *set->tape);
    set->tape->set = set;
    return PROACT_OK;
}

enum proact_status tape_end(struct device_set *set, struct device_graph **out,
                            struct proact_error *err)
{
    if (!set->tape)
        return fail(err, PROACT_EINVAL, "no capture is under way");
    *out = set->tape;
    set->tape = NULL;
    return PROACT_OK;
}

void tape_pause(struct device_set *set)
{
    set->paused = set->tape;
    set->tape = NULL;
}

void tape_resume(struct device_set *set)
{
    set->tape = set->paused;
    set->paused = NULL;
}

static struct device_event *join_of(struct device_stream *s)
{
    struct device_event *e = s->join;

    if (e)
        return e;
    e = must_calloc(1, sizeof *e);
    e->set = s->set;
    e->device = s->device;
    e->next = s->set->events; /* destroyed with its stream */
    s->set->events = e;
    s->join = e;
    return e;
}

/* Orders all later operations after all earlier ones, on all streams. */
static enum proact_status all_meet(struct device_set *set, struct proact_error *err)
{
    struct device_stream *middle = set->streams;
    enum proact_status status = PROACT_OK;

    for (struct device_stream *s = middle; s && !status; s = s->next)
        if (s != middle && !(status = enqueue_record(s, join_of(s), err)))
            status = enqueue_wait_event(middle, join_of(s), err);
    if (middle && !status)
        status = enqueue_record(middle, join_of(middle), err);
    for (struct device_stream *s = middle; s && !status; s = s->next)
        if (s != middle)
            status = enqueue_wait_event(s, join_of(middle), err);
    return status;
}

/* Queues a copy of a captured operation; number distances are kept. */
static void play(struct device_set *set, const struct operation *captured, uint32_t shift)
{
    struct operation *o = must_calloc(1, sizeof *o);

    *o = *captured;
    o->next = NULL;
    o->is_played = true;
    o->number = set->issued = captured->number + shift;
    if (captured->data) {
        o->data = must_calloc(captured->data_bytes, 1);
        memcpy(o->data, captured->data, captured->data_bytes);
    }
    if (o->begin == launch_begin) {
        o->launch.parameters = o->data;
        o->grid_id = ++set->grid_ids;
    }
    if (o->begin == record_begin)
        o->event->recorded++;
    if (o->event)
        o->generation = o->event->recorded;
    stream_enqueue(o->stream, o);
}

enum proact_status tape_play(struct device_graph *g, struct proact_error *err)
{
    struct device_set *set = g->set;
    uint64_t host_ps = set->host_ps; /* the joins are part of the graph and take no host
                                        time */
    enum proact_status status = all_meet(set, err);

    if (status)
        return status;
    set->host_ps = host_ps + ps_of_ns(set->topology->device.launch_host_us * 1000);
    host_ps = set->host_ps;
    uint32_t shift = g->first ? set->issued + 1 - g->first->number : 0;

    for (const struct operation *o = g->first; o; o = o->next)
        play(set, o, shift);
    status = all_meet(set, err);
    set->host_ps = host_ps;
    return status;
}

void tape_destroy(struct device_graph *g)
{
    if (!g)
        return;
    if (!g->set->broken && !streams_idle(g->set))
        machine_run(g->set, NULL, NULL);
    operations_free(g->first);
    free(g);
}
