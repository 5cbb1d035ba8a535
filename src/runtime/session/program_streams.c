/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/program_streams.h"

#include <stdlib.h>

#include "base/memory.h"
#include "runtime/objects/session.h"

typedef uint64_t waits[PROACT_DEVICES_MAX][TRANSFER_LANES];

struct program_stream {
    struct device_stream *stream; /* NULL: never used */
    struct device_event *end;     /* end of its work at the last query */
    waits waited_for;             /* operations of other streams that it has waited for */
    uint64_t awaited;             /* transfers that it has waited for, like
                                     proact.first_awaited */
    uint64_t followed;            /* turn of the session's stream that it has waited for */
    bool is_ahead;                /* has work since the last join */
};

/* Activity of recent launches, or of the preceding interval. */
struct lately {
    uint32_t at_work;  /* set of active streams */
    uint64_t bytes[2]; /* to the device, and from it */
    unsigned launches;
};

enum { LATELY = 64 }; /* launches per interval */

struct program_streams {
    struct lately now, before;
    struct program_stream of[PROACT_STREAMS_MAX];
    unsigned used;             /* current stream from 1; 0: none */
    bool is_entered;           /* the current stream replaces the kernel stream */
    struct device_stream *own; /* the session's stream, for all other work */
    uint64_t own_awaited;
    uint64_t turn, marked;     /* turns of the session's stream, and the turn of the last
                                  event */
    struct device_event *mark; /* event of that turn */
};

static struct device_stream **lane(struct proact *p)
{
    return &p->devices.device[0].lane[TRANSFER_MAIN];
}

static struct order_lane *order_of(struct proact *p)
{
    return &p->order.lane[0][TRANSFER_MAIN];
}

/* Orders the session's stream after all work of the program streams. */
static enum proact_status follow_streams(struct proact *p, struct proact_error *err)
{
    struct program_streams *all = p->streams;
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < PROACT_STREAMS_MAX && !status; i++) {
        struct program_stream *s = &all->of[i];

        if (!s->is_ahead)
            continue;
        status = p->backend->record(s->stream, s->end, err);
        if (!status)
            /* protocol: streams-join */
            status = p->backend->wait_event(all->own, s->end, err);
        s->is_ahead = status != PROACT_OK;
    }
    return status;
}

static enum proact_status gather(void *context, struct device_stream **out,
                                 struct proact_error *err)
{
    struct proact *p = context;

    *out = p->streams->own;
    return follow_streams(p, err);
}

enum proact_status streams_join(struct proact *p, struct proact_error *err)
{
    if (!p->streams)
        return PROACT_OK;
    p->streams->turn++;
    return follow_streams(p, err);
}

static enum proact_status open_all(struct proact *p, struct proact_error *err)
{
    struct program_streams *all = must_calloc(1, sizeof *all);
    enum proact_status status = p->backend->event_create(p->set, 0, false, &all->mark, err);

    if (status) {
        free(all);
        return status;
    }
    all->own = *lane(p);
    all->turn = 1;
    p->streams = all;
    p->order.gather = gather;
    p->order.gather_context = p;
    return PROACT_OK;
}

static enum proact_status open_one(struct proact *p, struct program_stream *s,
                                   struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (!s->end)
        status = p->backend->event_create(p->set, 0, false, &s->end, err);
    return status ? status : p->backend->stream_create(p->set, 0, &s->stream, err);
}

/* A stream that follows another one inherits its waits. */
static void take_over(waits to, uint64_t (*from)[TRANSFER_LANES])
{
    for (unsigned d = 0; d < PROACT_DEVICES_MAX; d++)
        for (int n = 0; n < TRANSFER_LANES; n++)
            to[d][n] = to[d][n] > from[d][n] ? to[d][n] : from[d][n];
}

/* Orders a program stream after the session's stream. */
static enum proact_status follow_own(struct proact *p, struct program_stream *s,
                                     struct proact_error *err)
{
    struct program_streams *all = p->streams;
    enum proact_status status = PROACT_OK;

    if (s->followed == all->turn)
        return status;
    if (all->marked != all->turn)
        status = p->backend->record(all->own, all->mark, err);
    if (!status)
        /* protocol: streams-follow */
        status = p->backend->wait_event(s->stream, all->mark, err);
    if (status)
        return status;
    all->marked = s->followed = all->turn;
    take_over(s->waited_for, order_of(p)->waited);
    s->awaited = s->awaited > p->first_awaited ? s->awaited : p->first_awaited;
    return status;
}

enum proact_status streams_enter(struct proact *p, struct proact_error *err)
{
    struct program_streams *all = p->streams;
    enum proact_status status = PROACT_OK;

    if (!all || !all->used)
        return streams_join(p, err);
    struct program_stream *s = &all->of[all->used - 1];

    if (!s->stream)
        status = open_one(p, s, err);
    if (status || (status = follow_own(p, s, err)))
        return status;
    *lane(p) = s->stream;
    /* protocol: streams-seen */
    order_of(p)->waited_for = s->waited_for;
    all->own_awaited = p->first_awaited;
    p->first_awaited = s->awaited;
    all->is_entered = true;
    return PROACT_OK;
}

void streams_leave(struct proact *p)
{
    struct program_streams *all = p->streams;

    if (!all || !all->is_entered)
        return;
    struct program_stream *s = &all->of[all->used - 1];

    *lane(p) = all->own;
    order_of(p)->waited_for = order_of(p)->waited;
    s->awaited = p->first_awaited;
    /* protocol: streams-own-awaited */
    p->first_awaited = all->own_awaited;
    s->is_ahead = true;
    all->is_entered = false;
}

bool streams_are_used(const struct proact *p)
{
    return p->streams && p->streams->used;
}

bool streams_in_use(const struct proact *p, struct device_stream **out)
{
    *out = p->streams->of[p->streams->used - 1].stream;
    return *out != NULL;
}

void streams_quiesced(struct proact *p)
{
    for (unsigned i = 0; p->streams && i < PROACT_STREAMS_MAX; i++)
        p->streams->of[i].is_ahead = false;
}

void streams_close(struct proact *p)
{
    struct program_streams *all = p->streams;

    for (unsigned i = 0; all && i < PROACT_STREAMS_MAX; i++) {
        if (all->of[i].stream)
            p->backend->stream_destroy(all->of[i].stream);
        if (all->of[i].end)
            p->backend->event_destroy(all->of[i].end);
    }
    if (all)
        p->backend->event_destroy(all->mark);
    free(all);
    p->streams = NULL;
}

enum proact_status streams_use(struct proact *p, unsigned number, struct proact_error *err)
{
    enum proact_status status = !p->streams && number ? open_all(p, err) : PROACT_OK;

    if (p->streams)
        p->streams->used = status ? 0 : number;
    return status;
}

enum proact_status streams_end(struct proact *p, struct device_event **out,
                               struct proact_error *err)
{
    enum proact_status status = streams_enter(p, err);

    if (!status) {
        *out = p->streams->of[p->streams->used - 1].end;
        status = p->backend->record(*lane(p), *out, err);
    }
    streams_leave(p);
    return status;
}

void streams_copied(struct proact *p, bool to_device, uint64_t bytes)
{
    struct program_streams *all = p->streams;

    if (!all || !all->used)
        return;
    all->now.at_work |= 1u << (all->used - 1);
    all->now.bytes[!to_device] += bytes;
}

void streams_launched(struct proact *p)
{
    struct program_streams *all = p->streams;

    if (!all || !all->used)
        return;
    if (all->now.launches == LATELY) {
        all->before = all->now;
        all->now = (struct lately){0};
    }
    all->now.at_work |= 1u << (all->used - 1);
    all->now.launches++;
}

/* PCI Express bandwidth, estimated by the GPU generation. */
static double host_gbps(const struct topology *t)
{
    const unsigned capability = t->device.capability;

    return t->host_gbps > 0  ? t->host_gbps
           : capability < 80 ? 12
           : capability < 90 ? 25
                             : 50;
}

struct streams_beside streams_beside(const struct proact *p)
{
    const struct program_streams *all = p->streams;
    struct streams_beside b = {0, 0};

    if (!all || !all->used)
        return b;
    const uint32_t at_work = all->now.at_work | all->before.at_work;
    const double launches = all->now.launches + all->before.launches;
    double ns[2];

    if (!(at_work & (at_work - 1)) || launches < 1)
        return b;
    for (int i = 0; i < 2; i++)
        ns[i] = (double)(all->now.bytes[i] + all->before.bytes[i]) /
                host_gbps(&p->topology) / launches;
    return (struct streams_beside){(uint64_t)ns[0], (uint64_t)ns[1]};
}
