/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream/stream.h"

#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/check/checked.h"

static void step(struct emulated *d, void *subject, uint64_t detail);

void stream_enqueue(struct device_stream *s, struct operation *o)
{
    s->is_ahead |= !o->is_played && !s->set->tape;
    struct device_graph *tape = s->set->tape;
    struct operation **first = tape ? &tape->first : &s->first;
    struct operation **last = tape ? &tape->last : &s->last;

    o->stream = s;
    host_stamp(o);
    if (!o->number)
        o->number = s->set->batch.is_open ? s->set->issued : ++s->set->issued;
    if (*last)
        (*last)->next = o;
    else
        *first = o;
    *last = o;
}

static void operation_free(struct operation *o)
{
    free(o->data);
    write_image_release(o->image);
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

struct quanta_use *operation_quanta(const struct operation *o)
{
    return o->quanta;
}

void stream_ran(struct emulated *d, const struct operation *kernel)
{
    kernel->stream->kernel_end_ps = d->now_ps;
}

bool stream_runs_on(const struct emulated *d, const struct operation *kernel)
{
    return kernel->is_played || kernel->stream->kernel_end_ps == d->now_ps;
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
    s->first->begin(d, s->first);
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

void operations_free(struct operation *first)
{
    while (first) {
        struct operation *next = first->next;

        operation_free(first);
        first = next;
    }
}

void stream_clear(struct device_stream *s)
{
    host_settle(s->set);
    operations_free(s->first);
    s->first = s->last = NULL;
}
