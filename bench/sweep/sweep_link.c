/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of 8 bytes and more: copies of one stream, and kernels with a CTA for each
   message. */
#include <stdlib.h>

#include "base/memory.h"
#include "link.h"
#include "link_probe.h"
#include "sweep/sweep_parts.h"

enum {
    RUNS = 5,
    ROW_RUNS = 9,         /* on GPUs; the row is their median */
    ROW_BYTES = 16 << 20, /* of a run; a row of a longer one is a single run */
    THREADS_MAX = 1024,
    THREAD_BYTES = 16 * LINK_UNROLL, /* that a thread of link_copy sends at once */
    COPY_LEAST = 2 << 10,            /* message of link_copy; a multiple of THREAD_BYTES */
    RUN_SHIFT = 20,                  /* link_runs without gaps */
    BULK_THREADS = 32,
    BULK_BYTES = 16 /* least message, and its granularity */
};

/* Messages of one run. */
struct link_sweep {
    enum model_sender who;
    uint64_t bytes;
    unsigned depth;
    bool is_empty; /* the same launch without messages */
};

static void sweep_copies(struct link_machine *m, const struct link_sweep *w)
{
    struct link_device *d = &m->device[0];
    struct proact_error err = {""};

    for (unsigned i = 0; i < w->depth && !w->is_empty; i++)
        bench_must(
            m->backend->copy(d->stream[0], m->device[1].target, d->source, w->bytes, &err),
            &err);
}

/* Number of threads; each sends the same number of vectors. */
static uint32_t sweep_threads(uint64_t bytes)
{
    uint64_t threads = bytes / THREAD_BYTES;

    while (threads > THREADS_MAX)
        threads /= 2;
    return (uint32_t)threads;
}

static void sweep_stores(struct link_machine *m, const struct link_sweep *w)
{
    struct link_device *d = &m->device[0];
    const uint64_t all = w->bytes * w->depth;
    struct link_copy c = {.from = d->source,
                          .to = {m->device[1].target},
                          .vectors = w->is_empty ? 0 : all / 16,
                          .targets = 1};
    struct link_runs r = {.to = m->device[1].target,
                          .words = w->is_empty ? 0 : all / 4,
                          .run_shift = RUN_SHIFT,
                          .stride = 1 << RUN_SHIFT};

    if (w->bytes >= COPY_LEAST)
        link_launch(d->stream[0], m, d->copy, w->depth, sweep_threads(w->bytes), &c,
                    sizeof c);
    else
        link_launch(d->stream[0], m, d->runs, w->depth, (uint32_t)(w->bytes / 4), &r,
                    sizeof r);
}

static void sweep_bulk_stores(struct link_machine *m, const struct link_sweep *w)
{
    struct link_device *d = &m->device[0];
    const struct link_message message = {
        .from = d->source, .to = m->device[1].target, .bytes = w->is_empty ? 0 : w->bytes};

    link_launch(d->stream[0], m, d->bulk_message, w->depth, BULK_THREADS, &message,
                sizeof message);
}

static void queue_sweep(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_sweep *w = context;

    (void)device;
    (void)s;
    if (w->who == MODEL_SEND_COPY)
        sweep_copies(m, w);
    else if (w->who == MODEL_SEND_STORE)
        sweep_stores(m, w);
    else
        sweep_bulk_stores(m, w);
}

static double sweep_once(struct link_machine *m, struct link_sweep w)
{
    const double all = link_time(m, 1, 1, queue_sweep, &w);

    w.is_empty = true;
    return all - link_time(m, 1, 1, queue_sweep, &w);
}

static const enum model_sender link_senders[] = {MODEL_SEND_COPY, MODEL_SEND_STORE,
                                                 MODEL_SEND_BULK_STORE};
enum { LINK_SENDERS = sizeof link_senders / sizeof *link_senders };

/* Largest sum of messages of a run. Only stores need as much memory. */
static uint64_t link_limit(const struct sweep_run *r, enum model_sender who,
                           uint64_t buffer_bytes)
{
    const uint64_t limit = sweep_limit(r, who);

    return who == MODEL_SEND_STORE && limit > buffer_bytes ? buffer_bytes : limit;
}

static bool link_has(const struct sweep_run *r, enum model_sender who)
{
    return r->q->senders >> who & 1 && model_sender_exists(&r->out->topology, who);
}

/* 8, 12, 16, 24, 32, .. bytes: the powers of two and the sizes between them. */
static uint64_t link_size(unsigned i)
{
    return (i % 2 ? 12ull : 8ull) << i / 2;
}

typedef void link_visit(struct sweep_run *r, const struct link_sweep *w, void *context);

/* Visits each size and depth of an initiator. */
static void link_each(struct sweep_run *r, enum model_sender who, uint64_t buffer_bytes,
                      link_visit *visit, void *context)
{
    const uint64_t limit = link_limit(r, who, buffer_bytes);
    struct link_sweep w = {.who = who};

    for (unsigned i = 0; (w.bytes = link_size(i)) <= buffer_bytes; i++) {
        if (who == MODEL_SEND_BULK_STORE && w.bytes % BULK_BYTES)
            continue;
        for (w.depth = 1; w.depth <= SWEEP_DEPTH_MAX && w.depth * w.bytes <= limit;
             w.depth *= 2)
            visit(r, &w, context);
    }
}

static void link_plan_one(struct sweep_run *r, const struct link_sweep *w, void *context)
{
    (void)context;
    sweep_plan(r, w->bytes * w->depth);
}

static double sweep_median(struct link_machine *m, struct link_sweep w, unsigned runs)
{
    double ns[ROW_RUNS];

    for (unsigned i = 0; i < runs; i++)
        ns[i] = sweep_once(m, w);
    qsort(ns, runs, sizeof *ns, sweep_order);
    return ns[runs / 2];
}

/* After a warm-up on GPUs. */
static void link_measure_one(struct sweep_run *r, const struct link_sweep *w, void *context)
{
    struct link_machine *m = context;
    const uint64_t all = w->bytes * w->depth;
    const bool is_virtual = r->out->is_virtual,
               is_long = is_virtual && all > SWEEP_REPEATED_BYTES;

    if (!sweep_next(r, w->who, all))
        return;
    if (!is_virtual)
        sweep_once(m, *w);
    for (unsigned i = 0; i < (is_long ? 1 : RUNS); i++)
        sweep_add(r, w->who, w->bytes, w->depth,
                  sweep_median(m, *w, is_virtual || all > ROW_BYTES ? 1 : ROW_RUNS));
    const uint64_t sent = w->who == MODEL_SEND_BULK_STORE && w->bytes > LINK_LINE_BYTES
                              ? (uint64_t)LINK_LINE_BYTES
                              : w->bytes;

    /* link_runs sends no source. */
    const bool has_source = w->who != MODEL_SEND_STORE || w->bytes >= COPY_LEAST;

    if (w->depth == 1 && has_source && w->bytes % THREAD_BYTES == 0)
        link_verify(m, 1, sent);
}

enum { BUFFER_BYTES = 256 << 20 /* of link_machine.c with two devices */ };

void sweep_link_plan(struct sweep_run *r)
{
    for (int i = 0; i < LINK_SENDERS; i++)
        if (link_has(r, link_senders[i]))
            link_each(r, link_senders[i], BUFFER_BYTES, link_plan_one, NULL);
}

void sweep_link(struct sweep_run *r)
{
    const struct bench_request request = {
        .machine = r->q->machine, .devices = 2, .host_threads = r->q->host_threads};
    const struct link_question ping = {.peers = 1};
    struct link_machine *m = must_calloc(1, sizeof *m);
    struct bench_report unused = {.bench = ""};

    link_open(m, &request, &unused);
    r->out->round_trip_ns = 1e3 * link_probe_find("ping-pong")->measure(m, &ping).median;
    for (int i = 0; i < LINK_SENDERS; i++)
        if (link_has(r, link_senders[i]))
            link_each(r, link_senders[i], m->buffer_bytes, link_measure_one, m);
    link_close(m);
    free(m);
}
