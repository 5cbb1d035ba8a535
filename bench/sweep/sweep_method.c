/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of the mechanisms, through the public API: an array of `depth` chunks that device
   0 produces without computing. */
#include <math.h>
#include <stdlib.h>

#include "micro.h"
#include "micro_run.h"
#include "sweep/sweep_parts.h"

enum {
    CHUNK_LEAST = 4 << 10,
    ARRAYS_MAX = 40,
    DEPTH_STEP = 4,
    RUNS = 3,
    METHOD_TIMES = 4 * RUNS, /* four depths */
    STORED_BYTES = 32 << 20
};

/* What a launch takes without messages: that of the kernel alone, if the kernel or an agent
   next to it starts messages, as counting and starting are then overhead of the initiator;
   otherwise that of the same launch which sends nothing. */
static const struct {
    enum model_sender who;
    const char *method, *base;
} method_senders[] = {
    {MODEL_SEND_FUSED, "fused", "bulk"},
    {MODEL_SEND_AGENT, "polling", "bulk"},
    {MODEL_SEND_CHILD, "dynamic", "bulk"},
    {MODEL_SEND_COPY_WAIT, "copy-engine", "copy-engine"},
    {MODEL_SEND_RELAY, "relay", "relay"},
    {MODEL_SEND_UNIT, "hardware", "hardware"},
};
enum { METHOD_SENDERS = sizeof method_senders / sizeof *method_senders };

struct method_sweep {
    struct sweep_run *run;
    struct micro *micro; /* NULL: only the plan */
    uint64_t array_bytes;
};

/* Nanoseconds of a launch whose array has messages of that size; NAN: refused. Chunks are
   powers of two; a single message may fill a part of one. A kernel that stores
   everything makes them; one that only marks its output makes long arrays. */
static double method_ns(const struct method_sweep *s, const char *method, uint64_t bytes,
                        bool skips)
{
    uint64_t chunk = CHUNK_LEAST;

    while (chunk < bytes)
        chunk *= 2;
    const struct proact_plan plan = {
        .method = method, .broadcast = true, .chunk_bytes = chunk, .skip_transfers = skips};
    const struct micro_launch launch = {
        .kernel = s->array_bytes > STORED_BYTES ? MICRO_MARKS : MICRO_STORES, .devices = 1};
    struct bench_sample ns = {.median = NAN};
    struct proact_error err = {""};
    const enum proact_status status = micro_run(s->micro, &plan, &launch, &ns, &err);

    if (status == PROACT_EREFUSED)
        return NAN;
    bench_must(status, &err);
    return ns.median;
}

/* Time of a launch without messages that has the whole array as its only chunk. */
static double method_base_ns(const struct method_sweep *s, int row)
{
    return method_ns(s, method_senders[row].base, s->array_bytes, true);
}

/* Times of an array, without messages and with them. */
struct method_times {
    double base_ns[METHOD_TIMES], ns[METHOD_TIMES];
    unsigned depth[METHOD_TIMES], count;
};

/* On GPUs, whose clocks change, a launch without messages precedes each one with them. */
static void method_measure(struct method_sweep *s, int row, unsigned depth,
                           struct method_times *t)
{
    const uint64_t chunk = s->array_bytes / depth;
    const bool is_virtual = s->run->out->is_virtual,
               is_long = is_virtual && s->array_bytes > SWEEP_REPEATED_BYTES;

    if (!s->micro) {
        sweep_plan(s->run, s->array_bytes);
        return;
    }
    if (!sweep_next(s->run, method_senders[row].who, s->array_bytes))
        return;
    for (int i = 0; i < (is_long ? 1 : RUNS); i++) {
        const unsigned n = t->count;

        t->base_ns[n] = is_virtual && n ? t->base_ns[0] : method_base_ns(s, row);
        t->ns[n] = method_ns(s, method_senders[row].method, chunk, false);
        t->depth[n] = depth;
        if (isnan(t->ns[n]) || isnan(t->base_ns[n])) /* the machine does not support it */
            return;
        t->count++;
    }
}

/* One median of all launches without messages: single ones have two speeds. */
static void method_add(const struct method_sweep *s, int row, struct method_times *t)
{
    qsort(t->base_ns, t->count, sizeof *t->base_ns, sweep_order);
    for (unsigned i = 0; i < t->count; i++)
        sweep_add(s->run, method_senders[row].who, s->array_bytes / t->depth[i],
                  t->depth[i], t->ns[i] - t->base_ns[t->count / 2]);
}

static bool method_is_selected(const struct method_sweep *s, int row)
{
    const struct sweep_run *r = s->run;
    const enum model_sender who = method_senders[row].who;

    return r->q->senders >> who & 1 && model_sender_exists(&r->out->topology, who) &&
           s->array_bytes <= sweep_limit(r, who);
}

/* 4, 6, 8, 12, 16 KB, .. */
static uint64_t method_size(unsigned i)
{
    return (uint64_t)(i % 2 ? CHUNK_LEAST / 2 * 3 : CHUNK_LEAST) << i / 2;
}

/* All initiators and depths of array number `array`. Those that are no power of two have
   one message. */
static void method_array(struct method_sweep *s, unsigned array)
{
    const unsigned depths = array % 2 ? 1 : SWEEP_DEPTH_MAX;

    for (int row = 0; row < METHOD_SENDERS; row++) {
        struct method_times times = {.count = 0};

        if (!method_is_selected(s, row))
            continue;
        for (unsigned depth = 1; depth <= depths && s->array_bytes / depth >= CHUNK_LEAST;
             depth *= DEPTH_STEP)
            method_measure(s, row, depth, &times);
        method_add(s, row, &times);
    }
}

static void method_all(struct sweep_run *r, bool is_plan)
{
    const uint64_t most = 256 << 20; /* largest chunk */
    struct method_sweep s = {.run = r};
    struct bench_report unused = {.bench = ""};

    for (unsigned array = 0; array < ARRAYS_MAX && r->out->is_complete; array++) {
        bool is_selected = false;

        s.array_bytes = method_size(array);
        if (s.array_bytes % MICRO_CTA_BYTES)
            continue;
        for (int row = 0; row < METHOD_SENDERS; row++)
            is_selected |= method_is_selected(&s, row);
        if (!is_selected || s.array_bytes > most)
            break;
        const struct bench_request request = {.machine = r->q->machine,
                                              .devices = 2,
                                              .bytes = s.array_bytes,
                                              .host_threads = r->q->host_threads};

        if (!is_plan)
            s.micro = micro_open(&request, &unused);
        method_array(&s, array);
        if (!is_plan)
            micro_close(s.micro);
    }
}

void sweep_method_plan(struct sweep_run *r)
{
    method_all(r, true);
}

void sweep_method(struct sweep_run *r)
{
    method_all(r, false);
}
