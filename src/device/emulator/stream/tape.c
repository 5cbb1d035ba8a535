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

static void mark_streams(const struct device_graph *g, bool is_of_tape)
{
    for (const struct operation *o = g->first; o; o = o->next)
        o->stream->is_of_tape = is_of_tape;
}

/* Joins the streams that `joins` selects in the first one, on which those of the graph then
   wait. */
static enum proact_status streams_meet(struct device_set *set,
                                       bool (*joins)(const struct device_stream *s),
                                       struct proact_error *err)
{
    struct device_stream *middle = set->streams;
    enum proact_status status = PROACT_OK;

    for (struct device_stream *s = middle; s && !status; s = s->next)
        if (s != middle && joins(s) && !(status = enqueue_record(s, join_of(s), err)))
            status = enqueue_wait_event(middle, join_of(s), err);
    if (middle && !status)
        status = enqueue_record(middle, join_of(middle), err);
    return status;
}

static bool stream_is_ahead(const struct device_stream *s)
{
    return s->is_ahead;
}

static bool stream_is_of_tape(const struct device_stream *s)
{
    return s->is_of_tape;
}

/* The graph follows all earlier operations. Streams without work since the last launch need
   no event. */
static enum proact_status tape_meet_before(struct device_set *set, struct proact_error *err)
{
    struct device_stream *middle = set->streams;
    enum proact_status status = streams_meet(set, stream_is_ahead, err);

    for (struct device_stream *s = middle; s && !status; s = s->next) {
        if (s == middle || !s->is_of_tape)
            continue;
        s->is_behind = false;
        status = enqueue_wait_event(s, join_of(middle), err);
    }
    return status;
}

/* All later operations follow the graph. */
static enum proact_status tape_meet_after(struct device_set *set, struct proact_error *err)
{
    struct device_stream *middle = set->streams;
    const enum proact_status status = streams_meet(set, stream_is_of_tape, err);

    for (struct device_stream *s = middle; s && !status; s = s->next) {
        s->is_behind = s != middle;
        s->is_ahead = false;
    }
    set->met = middle ? join_of(middle) : NULL;
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
    mark_streams(g, true);
    enum proact_status status = tape_meet_before(set, err);

    if (status) {
        mark_streams(g, false);
        return status;
    }
    set->host_ps = host_ps + ps_of_ns(set->topology->device.launch_host_us * 1000);
    host_ps = set->host_ps;
    uint32_t shift = g->first ? set->issued + 1 - g->first->number : 0;

    for (const struct operation *o = g->first; o; o = o->next)
        play(set, o, shift);
    status = tape_meet_after(set, err);
    mark_streams(g, false);
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
