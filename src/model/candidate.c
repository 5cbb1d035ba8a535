/* SPDX-License-Identifier: Apache-2.0 */
#include "model/candidate.h"

#include <math.h>

static const char *const term_names[MODEL_TERMS] = {
    [MODEL_TERM_KERNEL] = "kernel", [MODEL_TERM_READINESS] = "readiness",
    [MODEL_TERM_WIRE] = "wire",     [MODEL_TERM_START] = "start",
    [MODEL_TERM_WAIT] = "wait",     [MODEL_TERM_TAIL] = "tail",
    [MODEL_TERM_FETCH] = "fetch",   [MODEL_TERM_HOST] = "host",
};

const char *model_term_name(enum model_term term)
{
    return term_names[term];
}

double model_kernel_ns(double single_ns, uint64_t own, uint64_t ctas, double wave)
{
    if (!ctas || wave <= 0)
        return 0;
    return single_ns * ceil((double)own / wave) / ceil((double)ctas / wave);
}

double model_fetch_ns(const struct model_loggop *copy, uint64_t copies, uint64_t missing)
{
    return (double)copies * copy->o + (double)missing * fmax(copy->O, copy->G);
}

double model_host_ns(const struct topology_device *d, double footprint_ns,
                     uint64_t launches, uint64_t copies)
{
    return footprint_ns +
           1000 * ((double)launches * d->launch_host_us + (double)copies * d->copy_host_us);
}

struct model_time model_single_time(double kernel_ns, double fetch_ns, double host_ns)
{
    struct model_time t = {.ns = fetch_ns + kernel_ns};

    t.kernel_ns = t.term[MODEL_TERM_KERNEL] = kernel_ns;
    t.term[MODEL_TERM_FETCH] = fetch_ns;
    t.term[MODEL_TERM_HOST] = fmax(host_ns - t.ns, 0);
    t.ns += t.term[MODEL_TERM_HOST];
    return t;
}

/* Part of the critical path: when it began, and what it contains since then. */
struct path {
    double end, ready, host, wire, start, wait;
};

/* Time at which the chunks up to `done` bytes are complete. CTAs of one wave end together
   if they only wait. CTAs that compete for the device drift apart after the first wave: the
   time is between that of the wave and that of a constant rate. */
static double ready_ns(const struct model_candidate *c, double done)
{
    const double length = c->length > 0 ? c->length : c->waves;
    double share = done / (double)c->bytes;

    if (c->waves > 0) {
        const double wave = fmin(ceil(share * c->waves - 1e-9) / length, 1);

        share = c->in_waves ? wave : fmax((wave + share) / 2, fmin(1 / length, 1));
    }
    return c->kernel_ns * fmax(share, c->complete_share);
}

/* A send of an idle initiator: its chunk is complete, and the host has queued it. */
static struct path path_begin(const struct model_candidate *c, double done, uint64_t queued)
{
    const double ready = ready_ns(c, done), host = (double)queued * c->queue_ns;
    struct path p = {.start = c->single.o, .wait = c->wait_ns};

    p.ready = host > ready ? 0 : ready;
    p.host = host > ready ? host : 0;
    p.end = fmax(ready, host) + p.wait + p.start;
    return p;
}

static struct path path_extend(struct path p, double start, double wire)
{
    p.end += start + wire;
    p.start += start;
    p.wire += wire;
    return p;
}

/* Chunk sizes in order. */
struct chunk_walk {
    const struct model_candidate *c;
    uint64_t count, k;
    double size, done, bytes; /* bytes: of the current chunk; done: with it */
};

static struct chunk_walk chunk_walk_begin(const struct model_candidate *c)
{
    const struct model_schedule one = {c->bytes, 0};
    const struct model_schedule *s = c->chunks.first_bytes ? &c->chunks : &one;

    return (struct chunk_walk){.c = c,
                               .count = (uint64_t)model_schedule_chunks(s, c->bytes),
                               .size = (double)s->first_bytes};
}

static bool chunk_walk_next(struct chunk_walk *w)
{
    const double total = (double)w->c->bytes;

    if (w->k == w->count)
        return false;
    w->bytes = ++w->k < w->count ? w->size : total - w->done;
    w->done += w->bytes;
    w->size += (double)w->c->chunks.step_bytes;
    return true;
}

/* One initiator: o' is serial to the bytes. */
static struct path send_alone(const struct model_candidate *c)
{
    const struct model_loggop *p = &c->pipelined;
    struct path last = {0};
    struct chunk_walk w = chunk_walk_begin(c);

    while (chunk_walk_next(&w))
        for (unsigned r = 0; r < c->receivers; r++) {
            const struct path begun = path_begin(c, w.done, w.k);
            const bool is_busy = last.end > 0 && last.end + p->o >= begun.end;

            last = path_extend(is_busy ? last : begun, is_busy ? p->o : 0,
                               fmax(p->g, fmax(p->O, p->G) * w.bytes));
        }
    return last;
}

/* Lanes that send at the same time. All have the same rate: that of a lane, or their part
   of the link. `served` counts the bytes of a lane that has sent since the start. */
struct lanes {
    const struct model_candidate *c;
    double now, served;
    double until[MODEL_LANES_MAX]; /* of the sends in progress, by `served` */
    double entered[MODEL_LANES_MAX], left[MODEL_LANES_MAX]; /* by number of the send */
    uint64_t first, next; /* numbers of the sends in progress */
    unsigned count;       /* lanes */
    double paced;         /* earliest start of the last send */
    struct path idle;     /* path of the last send that found no other one */
};

/* Advances to a time, or to the end of send `until`. */
static void lanes_advance(struct lanes *l, double to, uint64_t until)
{
    while (l->first < l->next && l->first <= until) {
        const unsigned at = (unsigned)(l->first % l->count);
        const double per_byte =
            fmax(l->c->single.O, l->c->pipelined.G * (double)(l->next - l->first));
        const double end = l->now + fmax(l->until[at] - l->served, 0) * per_byte;

        if (end > to) {
            l->served += (to - l->now) / per_byte;
            l->now = to;
            return;
        }
        l->served = fmax(l->until[at], l->served);
        l->now = l->left[at] = end;
        l->first++;
    }
    if (l->now < to && isfinite(to))
        l->now = to;
}

/* A send starts when its chunk is complete, a gap after the previous one, when the lane is
   free, and not before the earliest time of all. */
static void lanes_send(struct lanes *l, const struct path *begun, double bytes)
{
    const struct model_candidate *c = l->c;
    const unsigned at = (unsigned)(l->next % l->count);
    const double earliest = c->kernel_ns * c->earliest_share + c->wait_ns + c->single.o;
    double start = begun->end;

    if (l->next)
        start = fmax(start, l->paced + c->pipelined.g);
    l->paced = start;
    start = fmax(start, earliest);
    if (l->next >= l->count) {
        lanes_advance(l, INFINITY, l->next - l->count);
        start =
            fmax(start, fmax(l->left[at] + c->pipelined.o, l->entered[at] + c->single.g));
    }
    lanes_advance(l, start, UINT64_MAX);
    if (l->first == l->next && start <= fmax(begun->end, earliest)) {
        l->idle = *begun;
        l->idle.ready += start - begun->end;
        l->idle.end = start;
    }
    l->until[at] = l->served + bytes;
    if (l->first < l->next)
        l->until[at] = fmax(l->until[at], l->until[(l->next - 1) % l->count]);
    l->entered[at] = start;
    l->next++;
}

static struct path send_in_lanes(const struct model_candidate *c)
{
    struct lanes l = {.c = c,
                      .count = c->lanes < MODEL_LANES_MAX ? c->lanes : MODEL_LANES_MAX};
    const unsigned parts = c->parts ? c->parts : 1;
    struct chunk_walk w = chunk_walk_begin(c);

    while (chunk_walk_next(&w)) {
        const struct path begun = path_begin(c, w.done, w.k);

        for (unsigned i = 0; i < parts; i++)
            lanes_send(&l, &begun, w.bytes * c->receivers / parts);
    }
    lanes_advance(&l, INFINITY, UINT64_MAX);
    return path_extend(l.idle, 0, l.now - l.idle.end);
}

/* Groups of many equal chunks: the time to compute does not grow with their number. Lanes
   send the chunks of a group in parallel, each lane its part in sequence. A group is ready
   with its last chunk, which adds less than a group's share of the kernel. */
static struct model_candidate candidate_in_groups(const struct model_candidate *c)
{
    enum { GROUPS = 256, LANES_LEAST = 4 }; /* lanes hide each other's o */
    struct model_candidate g = *c;
    const uint64_t count =
        c->chunks.first_bytes ? (uint64_t)model_schedule_chunks(&c->chunks, c->bytes) : 1;
    const uint64_t merged = count / GROUPS, parts = c->parts ? c->parts : 1;

    if (c->chunks.step_bytes || merged < 2)
        return g;
    const uint64_t lanes = c->lanes > parts ? c->lanes / parts : 1,
                   most = lanes > LANES_LEAST ? lanes / LANES_LEAST : 1;
    uint64_t parallel = merged < most ? merged : most;

    while (lanes % parallel)
        parallel--;
    const double serial = (double)merged / (double)parallel;

    g.chunks.first_bytes *= merged;
    g.queue_ns *= (double)merged;
    g.pipelined.g *= (double)merged;
    g.pipelined.o *= serial;
    g.single.g *= serial;
    g.single.O /= (double)parallel;
    if (c->lanes > 1)
        g.lanes = (unsigned)(c->lanes > parallel ? c->lanes / parallel : 1);
    return g;
}

enum { ENGINE_CHUNKS = 256 }; /* copied one by one, at most */

/* Chunks of each stream of an engine: every n-th one. */
struct engine_chunks {
    const struct model_candidate *c;
    struct chunk_walk walk[MODEL_STREAMS_MAX];
    struct path idle; /* path of the last chunk for which its stream waited */
};

static double engine_chunk_next(void *context, unsigned stream, double free_ns,
                                double *bytes)
{
    struct engine_chunks *e = context;
    struct chunk_walk *w = &e->walk[stream];

    do {
        if (!chunk_walk_next(w))
            return HUGE_VAL;
    } while ((w->k - 1) % e->c->engine.streams != stream);
    struct path begun = path_begin(e->c, w->done, w->k);

    *bytes = w->bytes;
    begun.end -= begun.start;
    begun.start = 0;
    if (begun.end >= free_ns && begun.end >= e->idle.end)
        e->idle = begun;
    return fmax(begun.end, free_ns);
}

/* Many chunks: each takes the period of its size. */
static struct path send_by_period(const struct model_candidate *c)
{
    const struct model_candidate groups = candidate_in_groups(c);
    const double mean = (double)c->bytes / (double)chunk_walk_begin(c).count;
    const double per_byte = model_engine_period_ns(&c->engine, mean) / mean;
    struct path last = {0};
    struct chunk_walk w = chunk_walk_begin(&groups);

    while (chunk_walk_next(&w)) {
        const struct path begun = path_begin(&groups, w.done, w.k);

        last = path_extend(last.end >= begun.end ? last : begun, 0, per_byte * w.bytes);
    }
    return last;
}

/* The first copy of a chunk starts an idle engine. */
static struct path send_by_engine(const struct model_candidate *c)
{
    struct engine_chunks e = {.c = c};

    for (unsigned i = 0; i < c->engine.streams; i++)
        e.walk[i] = chunk_walk_begin(c);
    const double end =
        model_engine_end_ns(&c->engine, engine_chunk_next, &e) - c->single.L - c->single.S;
    const double start = fmin(c->single.o, end - e.idle.end);

    return path_extend(e.idle, start, end - e.idle.end - start);
}

static struct path path_of_sends(const struct model_candidate *c)
{
    if (c->engine.streams)
        return chunk_walk_begin(c).count > ENGINE_CHUNKS ? send_by_period(c)
                                                         : send_by_engine(c);
    const struct model_candidate groups = candidate_in_groups(c);

    return c->lanes > 1 ? send_in_lanes(&groups) : send_alone(&groups);
}

struct model_time model_candidate_time(const struct model_candidate *c)
{
    struct model_time t = {.ns = c->kernel_ns};
    double *term = t.term;

    term[MODEL_TERM_KERNEL] = c->kernel_ns;
    if (c->receivers && c->bytes) {
        const struct path p = path_of_sends(c);
        const double visible = c->single.L + c->single.S;

        t.chunks = chunk_walk_begin(c).count;
        if (p.end + visible > c->kernel_ns) {
            term[MODEL_TERM_KERNEL] = 0;
            term[MODEL_TERM_READINESS] = p.ready;
            term[MODEL_TERM_HOST] = p.host;
            term[MODEL_TERM_WIRE] = p.wire;
            term[MODEL_TERM_START] = p.start;
            term[MODEL_TERM_WAIT] = p.wait;
            term[MODEL_TERM_TAIL] = visible;
            t.ns = p.end + visible;
        }
    }
    t.kernel_ns = c->sends_inside ? t.ns : c->kernel_ns;
    term[MODEL_TERM_TAIL] += c->tail_ns;
    term[MODEL_TERM_START] += c->begin_ns;
    term[MODEL_TERM_FETCH] = c->fetch_ns;
    t.ns += c->tail_ns + c->begin_ns + c->fetch_ns;
    term[MODEL_TERM_HOST] += fmax(c->host_ns - t.ns, 0);
    t.ns = fmax(t.ns, c->host_ns);
    return t;
}
