/* SPDX-License-Identifier: Apache-2.0 */
#include "model/streams.h"

#include <math.h>

enum {
    PART_BYTES = 256 << 10, /* of a copy (device/emulator/stream/copy.c) */
    PARTS_MAX = 16,         /* of a copy here: more have the same effect */
    ARRIVALS = 16,          /* of the last parts; more than arrive within a latency */
    PERIOD_BEGIN = 16,      /* chunks until the period is constant */
    PERIOD_CHUNKS = 32
};

enum stream_phase { STREAM_ACKNOWLEDGED, STREAM_CHUNK, STREAM_START, STREAM_PART };

struct copy_stream {
    enum stream_phase phase;
    double at;                /* time of its next step */
    double bytes, left, part; /* of a chunk; of a copy */
    unsigned to, previous;    /* receivers; previous: of its last copy, and 1 */
};

/* Resources, by the time until which they are busy. */
struct engine_run {
    const struct model_engine *e;
    double engine, link[TOPOLOGY_DEVICES_MAX], port[TOPOLOGY_DEVICES_MAX];
    double path[TOPOLOGY_DEVICES_MAX];
    double arrived[ARRIVALS], latest;
    unsigned arrivals;
    struct copy_stream stream[MODEL_STREAMS_MAX];
};

static double resource_serve(double *free_ns, double now, double ns)
{
    return *free_ns = fmax(*free_ns, now) + ns;
}

/* A receiver acknowledges once per latency: parts that arrive meanwhile delay it. */
static double acknowledged_ns(const struct engine_run *r, double at)
{
    const double latency = r->e->latency_ns, arrived = at - latency;
    double latest = arrived;

    for (unsigned i = 0; i < ARRIVALS; i++)
        if (r->arrived[i] < at && r->arrived[i] > latest)
            latest = r->arrived[i];
    return latest + latency;
}

static void copy_start(struct engine_run *r, struct copy_stream *s)
{
    const struct model_engine *e = r->e;
    double ns = r->engine > s->at ? e->start_ns : e->first_ns;

    if (s->previous != s->to + 1)
        ns = fmax(ns, e->turn_ns);
    s->previous = s->to + 1;
    s->left = s->bytes * e->to[s->to].share;
    s->part = fmax(PART_BYTES, s->left / PARTS_MAX);
    s->at = resource_serve(&r->engine, s->at, ns);
    s->phase = STREAM_PART;
}

/* The engine passes a part to the link. It does not start a copy before the last part of
   the previous one has left. The stream queues its next copy at once. */
static void copy_part(struct engine_run *r, struct copy_stream *s)
{
    const struct model_engine *e = r->e;
    const struct model_engine_to *to = &e->to[s->to];
    const double bytes = fmin(s->left, s->part), now = s->at;
    const double through = resource_serve(&r->engine, now, bytes * e->engine_ns);
    const double leaves =
        fmax(through, resource_serve(&r->link[s->to], now, bytes * to->link_ns));
    double arrives = leaves;

    if (to->path_ns > 0)
        arrives = resource_serve(&r->path[to->path], leaves, bytes * to->path_ns);
    arrives += e->latency_ns;
    const bool is_idle = r->port[s->to] <= arrives;
    const double passed = resource_serve(&r->port[s->to], arrives, bytes * e->port_ns);

    arrives = is_idle ? arrives : passed;
    r->arrived[r->arrivals++ % ARRIVALS] = arrives;
    r->latest = fmax(r->latest, arrives);
    s->left -= bytes;
    s->at = leaves;
    if (s->left > 0)
        return;
    r->engine = fmax(r->engine, leaves);
    s->phase = STREAM_START;
    s->at = now;
    if (++s->to < e->receivers)
        return;
    s->phase = STREAM_ACKNOWLEDGED;
    s->at = r->latest + e->latency_ns;
}

double model_engine_end_ns(const struct model_engine *e, model_engine_next *next,
                           void *context)
{
    struct engine_run r = {.e = e};
    double end = 0;

    for (unsigned i = 0; i < e->streams; i++)
        r.stream[i].phase = STREAM_CHUNK;
    for (;;) {
        unsigned first = 0;

        for (unsigned i = 1; i < e->streams; i++)
            if (r.stream[i].at < r.stream[first].at)
                first = i;
        struct copy_stream *s = &r.stream[first];

        if (!isfinite(s->at))
            return end;
        switch (s->phase) {
        case STREAM_ACKNOWLEDGED:
            s->at = acknowledged_ns(&r, s->at);
            end = fmax(end, s->at);
            s->phase = STREAM_CHUNK;
            break;
        case STREAM_CHUNK:
            s->at = next(context, first, s->at, &s->bytes);
            s->to = 0;
            s->phase = STREAM_START;
            break;
        case STREAM_START:
            copy_start(&r, s);
            break;
        case STREAM_PART:
            copy_part(&r, s);
            break;
        }
    }
}

struct equal_chunks {
    double bytes;
    unsigned left;
};

static double equal_chunks_next(void *context, unsigned stream, double free_ns,
                                double *bytes)
{
    struct equal_chunks *c = context;

    (void)stream;
    *bytes = c->bytes;
    return c->left && c->left-- ? free_ns : INFINITY;
}

double model_engine_period_ns(const struct model_engine *e, double bytes)
{
    struct equal_chunks few = {bytes, PERIOD_BEGIN},
                        many = {bytes, PERIOD_BEGIN + PERIOD_CHUNKS};

    return (model_engine_end_ns(e, equal_chunks_next, &many) -
            model_engine_end_ns(e, equal_chunks_next, &few)) /
           PERIOD_CHUNKS;
}
