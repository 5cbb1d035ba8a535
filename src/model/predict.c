/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict.h"

#include <math.h>

#include "model/repeated_stores.h"

enum {
    KEPT_OPERATIONS = 256, /* of a device's thread: device/emulator/stream/host_time.c */
    RELAY_LATENCIES = 4,   /* of a link: arrival, event, and two acknowledgements */
    CHUNK_BYTES = 64 << 10,
    CHUNK_BYTES_MAX = 64 << 20, /* as runtime/kernel/runtime_binding.c */
    SLICE_BYTES = 256 << 10,    /* transfer/methods/slices.h */
    STORE_CHUNKS = 256,         /* resolution of stores that leave continuously */
    KERNEL_THREADS = 256,
    WARP = 32,
    AGENT_THREADS = 1024,    /* of a CTA, at most (transfer/methods/polling.c) */
    CHILD_THREADS = 256,     /* kernels/child.cu */
    SLEEP_CAPABILITY = 70,   /* nanosleep */
    SPIN_CHECKS = 32,        /* AGENT_SPIN_CHECKS: of a pass */
    CHECK_INSTRUCTIONS = 16, /* device/emulator/kernel/spin.c */
};

/* Part of the copies on two streams that follow each other. The engine alternates between
   the streams, whose copies overlap where they use different links. */
static const double streams_serial = 0.65;

/* The parameters of a problem with its defaults. */
struct predicted {
    const struct topology *t;
    struct model_problem p;
    const struct model_plan *plan;
    double wave;
};

double model_wave(const struct topology_device *d, unsigned threads)
{
    const unsigned rounded = threads ? (threads + 31) / 32 * 32 : KERNEL_THREADS;

    return d->sm_count *
           fmax(1, fmin(d->ctas_per_sm, floor((double)d->threads_per_sm / rounded)));
}

/* Time of the host for the launches of all senders, which a part of each delays. A graph
   needs none. */
static double launches_ns(const struct predicted *s)
{
    const struct topology_device *d = &s->t->device;

    return s->p.is_recorded
               ? 0
               : 1000 * (d->launch_host_us + (s->p.senders - 1) * d->launch_turn_us);
}

static double known_key(double first, double second, double third)
{
    return first > 0 ? first : second > 0 ? second : third;
}

/* From the last condition of a launch to its first CTA. */
static double launch_begin_ns(const struct predicted *s)
{
    const struct topology_device *d = &s->t->device;

    return 1000 * (s->p.is_recorded
                       ? known_key(d->launch_graph_us, d->launch_next_us, d->launch_us)
                       : d->launch_us);
}

/* Time of the kernel in times of a full wave. A last wave with few CTAs is limited by the
   dependences of its warps. */
static double wave_length(const struct predicted *s, double waves)
{
    const struct topology_device *d = &s->t->device;
    const double warps = s->wave / d->sm_count * ceil(s->p.threads / (double)WARP);
    const double least = fmin(d->dependent_cycles * d->issue_width / warps, 1);
    const double part = waves - floor(waves);

    if (s->p.in_waves || waves <= 1)
        return ceil(waves);
    return floor(waves) + (part > 0 ? fmax(part, least) : 0);
}

static struct model_candidate base_candidate(const struct predicted *s)
{
    const double host = launches_ns(s);
    const double launched = launch_begin_ns(s) + (s->p.is_queued ? 0 : host);
    const double begin = s->p.is_kernel_only ? launched : fmin(launched, s->p.kernel_ns);
    const double waves = s->p.ctas ? (double)s->p.ctas / s->wave : 0;

    return (struct model_candidate){.kernel_ns =
                                        s->p.kernel_ns - (s->p.is_kernel_only ? 0 : begin),
                                    .begin_ns = begin,
                                    .waves = waves,
                                    .length = wave_length(s, waves),
                                    .in_waves = s->p.in_waves,
                                    .bytes = s->p.bytes,
                                    .receivers = s->p.receivers,
                                    .fetch_ns = s->p.fetch_ns,
                                    .host_ns = s->p.is_queued ? host : 0,
                                    .lanes = 1};
}

/* CTAs of the agent or of a child, the last one with fewer threads; 0: the default. */
static unsigned plan_agent_ctas(const struct model_plan *plan)
{
    const unsigned threads = plan->who == MODEL_SEND_CHILD ? CHILD_THREADS : AGENT_THREADS;

    return (plan->threads + threads - 1) / threads;
}

/* Parameters towards all receivers: G is that of a message when all receive. */
static void derive_both(const struct predicted *s, enum model_initiator who, double serial,
                        uint64_t run_bytes, uint64_t message, struct model_candidate *c)
{
    const struct model_path path = {.from = 0,
                                    .to = 1,
                                    .run_bytes = run_bytes,
                                    .bytes = message,
                                    .threads = s->p.threads,
                                    .piece_bytes = s->p.piece_bytes,
                                    .receivers = s->p.receivers,
                                    .is_cached = s->p.bytes <= s->t->device.l2_bytes,
                                    .agent_threads = s->plan->threads,
                                    .ctas = plan_agent_ctas(s->plan)};
    const double gap =
        model_gap_to_all(s->t, &s->p, who, serial, run_bytes) / s->p.receivers;

    c->single = model_derive_path(s->t, s->plan->who, false, &path);
    c->pipelined = model_derive_path(s->t, s->plan->who, true, &path);
    c->single.G = c->pipelined.G = gap;
}

static uint64_t chunk_bytes(const struct predicted *s, struct model_candidate *c)
{
    c->chunks = s->plan->chunks;
    if (!c->chunks.first_bytes)
        c->chunks.first_bytes = CHUNK_BYTES;
    return c->chunks.first_bytes < s->p.bytes ? c->chunks.first_bytes : s->p.bytes;
}

/* The same for initiators whose CTAs send chunks of several arrays at the same time. */
static uint64_t array_chunk_bytes(const struct predicted *s, struct model_candidate *c)
{
    const uint64_t message = chunk_bytes(s, c),
                   most = (s->p.bytes + s->p.arrays - 1) / s->p.arrays;

    if (message <= most)
        return message;
    return c->chunks.first_bytes = most;
}

/* The kernel's stores leave with each wave, and its end waits for their arrival. */
static void predict_stores(const struct predicted *s, struct model_candidate *c)
{
    c->sends_inside = true;
    c->kernel_ns += model_repeated_stores_ns(&s->t->device, &s->p, s->wave, c);
    derive_both(s, MODEL_SM, 0, s->p.run_bytes, 0, c);
    c->chunks.first_bytes = s->p.bytes / STORE_CHUNKS + 1;
}

/* Chunks of an array in which a CTA counts, beyond the first, at most one per range. */
static double more_counts(const struct predicted *s)
{
    const uint64_t given = s->plan->chunks.first_bytes, chunk = given ? given : CHUNK_BYTES;
    const uint64_t chunks = s->p.extent_bytes / chunk;

    return fmin((double)chunks, fmax(s->p.extent_ranges - 1, 0));
}

/* Each wave counts. The time of the last counts belongs to the kernel then. A CTA loads
   what it needs for the first chunk before its barrier. A chunk is complete when all CTAs
   have ended that write into it. */
static double add_counts(const struct predicted *s, bool has_result,
                         struct model_candidate *c)
{
    enum { LIST_LOADS = 2, COUNT_INSTRUCTIONS = 60 };
    const struct topology_device *d = &s->t->device;
    const double more = more_counts(s);
    const double ns = model_count_ns(d), others = (1 + more) * s->p.slots - 1;
    const double loads = 1 + has_result + (s->p.has_lists ? LIST_LOADS : 0);
    const double other_ns =
        others * (loads * d->l2_latency_ns +
                  COUNT_INSTRUCTIONS * d->dependent_cycles / d->clock_ghz);

    c->kernel_ns += fmax(ceil(c->waves * s->p.chunk_share), 1) * (ns + other_ns);
    c->single.o = fmax(c->single.o - ns, 0);
    c->complete_share = s->p.extent_share;
    return ns + other_ns;
}

/* Counts for an initiator that waits for the sums. The CTA does not wait for its counts,
   and does not end with them: its fence and the next arrays follow. */
static void add_notices(const struct predicted *s, struct model_candidate *c)
{
    const double ns = add_counts(s, false, c);

    if (s->p.slots > 1)
        c->wait_ns -= ns;
}

/* Every CTA may complete chunks, and sends them alone. CTAs that write ranges of several
   chunks complete them together. */
static void predict_fused(const struct predicted *s, struct model_candidate *c)
{
    uint64_t message = chunk_bytes(s, c);

    if (message < s->p.extent_bytes)
        message = c->chunks.first_bytes =
            s->p.extent_bytes < s->p.bytes ? s->p.extent_bytes : s->p.bytes;

    derive_both(s, MODEL_SM, 0, message, message, c);
    add_counts(s, true, c);
    c->single.o *= s->p.arrays; /* the last CTA may complete a chunk of each */
    c->sends_inside = true;
    c->lanes = (unsigned)fmin(s->wave, MODEL_LANES_MAX);
}

/* Devices before sm_70 cannot sleep: each thread of the agent checks flags in passes, and
   takes issue slots of its SM while it waits (device/emulator/kernel/spin.h). */
static void add_spinning(const struct predicted *s, double ctas, struct model_candidate *c)
{
    const struct topology_device *d = &s->t->device;
    const double check = model_spin_ns(d) / SPIN_CHECKS;
    const double warps = (double)AGENT_THREADS / WARP;
    const double issue =
        fmin(warps * CHECK_INSTRUCTIONS / (d->issue_width * d->clock_ghz * check),
             warps * WARP / d->threads_per_sm);

    c->kernel_ns /= 1 - fmin(ctas / d->sm_count, 1) * issue;
}

/* The agent takes CTA slots from the kernel. A CTA per chunk, or all for a large one. */
static void predict_agent(const struct predicted *s, struct model_candidate *c)
{
    const struct topology_fabric *f = &s->t->fabric;
    const uint64_t message = array_chunk_bytes(s, c);
    const double ctas = s->plan->threads
                            ? plan_agent_ctas(s->plan)
                            : fmin(ceil(f->egress_gbps / f->sm_gbps_per_cta), 8);
    const double lost = ctas * AGENT_THREADS / s->p.threads;
    const double calls = s->p.is_recorded ? 0 : 2 * s->t->device.call_host_us;
    const double host = launches_ns(s) + 1000 * calls;

    *(s->p.is_queued ? &c->host_ns : &c->begin_ns) += host;
    c->begin_ns += 1000 * s->t->device.event_here_us;
    if (c->waves > 0 && lost < s->wave) {
        const double waves = (double)s->p.ctas / (s->wave - lost);

        if (c->in_waves)
            c->kernel_ns *= ceil(waves) / ceil(c->waves);
        c->waves = waves;
        c->length = wave_length(s, waves);
    }
    if (s->t->device.capability < SLEEP_CAPABILITY)
        add_spinning(s, ctas, c);
    derive_both(s, MODEL_SM, 0, message, message * s->p.receivers, c);
    add_notices(s, c);
    if (s->t->device.capability < SLEEP_CAPABILITY) { /* on average, chunk by chunk */
        c->wait_ns += model_spin_ns(&s->t->device);
        c->single.o -= 1.5 * model_spin_ns(&s->t->device);
    }
    c->parts = (unsigned)fmax(
        1, fmin(ctas, floor((double)message * s->p.receivers / SLICE_BYTES)));
    c->single.O *= c->parts; /* of one CTA, from that of all that share a chunk */
    c->lanes = (unsigned)fmax(ctas, 2);
    c->single.g = c->pipelined.g * ctas;
    c->pipelined.o = c->single.g / 3; /* the rest overlaps with the bytes */
}

/* Without priority, children run when no CTA of the parent waits. */
static void predict_child(const struct predicted *s, struct model_candidate *c)
{
    const struct topology_device *d = &s->t->device;
    const uint64_t message = chunk_bytes(s, c);

    derive_both(s, MODEL_SM, 0, message, message, c);
    add_counts(s, true, c);
    c->sends_inside = true;
    c->lanes = d->child_concurrency ? d->child_concurrency : MODEL_LANES_MAX;
    if (!d->child_priority && c->waves > 1)
        c->earliest_share = (ceil(c->waves) - 1) / c->length;
}

/* Start of a copy in a graph, where a kernel makes small ones; 0: as outside of one. */
static double copy_graph_ns(const struct predicted *s, uint64_t bytes)
{
    const struct topology_fabric *f = &s->t->fabric;

    if (!s->p.is_recorded)
        return 0;
    return 1000 * (f->carry_us > 0 && bytes <= TOPOLOGY_CARRY_BYTES ? f->carry_us
                                                                    : f->copy_graph_us);
}

static double copy_first_ns(const struct predicted *s, uint64_t bytes)
{
    return known_key(copy_graph_ns(s, bytes), 1000 * s->t->fabric.copy_first_us, 0);
}

static double copy_start_ns(const struct predicted *s, uint64_t bytes)
{
    const struct topology_fabric *f = &s->t->fabric;
    const double turn_us = s->p.receivers > 1 ? f->copy_turn_us : 0;

    return known_key(copy_graph_ns(s, bytes), 1000 * fmax(f->copy_start_us, turn_us), 0);
}

/* Host time of a launch and of copies after it, which all senders queue at once. Events
   order the copies of a device: two records and a wait. */
static double copies_host_ns(const struct predicted *s)
{
    enum { EVENT_CALLS = 3 };
    const struct topology_device *d = &s->t->device;
    const double copies = s->p.copies;

    return s->p.is_recorded ? 0
                            : s->p.footprint_ns + launches_ns(s) +
                                  1000 * (s->p.senders * EVENT_CALLS * d->call_host_us +
                                          fmax(copies * d->copy_host_us,
                                               s->p.senders * copies * d->copy_lock_us));
}

/* Copies after the kernel, to one receiver after another. */
static void predict_bulk(const struct predicted *s, struct model_candidate *c)
{
    const struct topology_device *d = &s->t->device;
    const double first = copy_first_ns(s, s->p.bytes), next = copy_start_ns(s, s->p.bytes);

    derive_both(s, MODEL_COPY_ENGINE, 1, s->p.bytes, s->p.bytes, c);
    c->single.o = first + (s->p.copies - s->p.receivers) * next;
    c->pipelined.o = next;
    c->wait_ns = s->p.is_kernel_only ? 1000 * d->event_here_us : 0;
    c->host_ns = copies_host_ns(s);
    if (s->p.is_recorded || s->p.is_queued)
        return;
    c->host_ns += first + c->single.L + c->single.S; /* of the copy that is queued last */
    c->queue_ns = 1000 * fmax(d->copy_host_us, s->p.senders * d->copy_lock_us);
}

/* Host time of a chunk's operations. Few operations per device are queued by a thread each,
   whose serial parts add up; many are queued for one device after another. */
static double queue_ns(const struct predicted *s, const struct model_candidate *c,
                       unsigned calls, bool is_serial)
{
    const struct topology_device *d = &s->t->device;
    const double copies = s->p.receivers;
    const double own = calls * d->call_host_us + copies * d->copy_host_us;
    const double count = model_schedule_chunks(&c->chunks, s->p.bytes) * (calls + copies);

    if (s->p.is_recorded)
        return 0;
    return 1000 * (is_serial || count >= KEPT_OPERATIONS
                       ? s->p.senders * own
                       : fmax(own, s->p.senders * copies * d->copy_lock_us));
}

/* The wait for the counter precedes the copy's own start. */
static void split_wait(const struct predicted *s, uint64_t bytes, struct model_candidate *c)
{
    add_notices(s, c);
    c->wait_ns += c->single.o - s->t->fabric.copy_first_us * 1000;
    c->single.o = copy_first_ns(s, bytes);
}

static void predict_copy_wait(const struct predicted *s, struct model_candidate *c)
{
    const double kernel_to_copies = s->p.kernel_ns / fmax(model_copies_ns(s->t, &s->p), 1);
    struct model_copies copies = model_copies_of(s->t, MODEL_COPY_STREAMS, s->p.senders,
                                                 s->p.bytes, kernel_to_copies);

    c->chunks = s->plan->chunks;
    if (!c->chunks.first_bytes)
        c->chunks = model_schedule_best(&copies, CHUNK_BYTES, CHUNK_BYTES_MAX);
    const uint64_t message = c->chunks.first_bytes;

    derive_both(s, MODEL_COPY_ENGINE, 1, message, message, c);
    split_wait(s, message, c);
    c->engine = model_engine_to_all(s->t, &s->p, message);
    if (copy_graph_ns(s, message) > 0) {
        c->engine.first_ns = c->engine.start_ns = copy_graph_ns(s, message);
        c->engine.turn_ns = 0;
    }
    c->queue_ns = queue_ns(s, c, 1, false);
}

/* The sender copies each chunk once, to a receiver that passes it on to the others. The
   receivers take turns: each has the time of several chunks for its copies. A sender passes
   on chunks of the other senders between its own. */
static void predict_relay(const struct predicted *s, struct model_candidate *c)
{
    const struct topology_fabric *f = &s->t->fabric;
    const uint64_t message = chunk_bytes(s, c);
    const double receivers = s->p.receivers, others = receivers - 1;
    const double senders = s->p.senders;
    const double bytes_ns = model_gap_to_all(s->t, &s->p, MODEL_COPY_ENGINE, 1, message) /
                            receivers * (double)message;
    const double start = copy_start_ns(s, message);
    const double first = 1000 * fmax(f->copy_first_us, f->copy_turn_us);
    const double passed =
        1000 * s->t->device.event_us + first + (others - 1) * start + others * bytes_ns;
    const double copy_ns = fmax(start, bytes_ns); /* many streams hide the other one */
    const double own = (senders - 1) / receivers * others * copy_ns;

    derive_both(s, MODEL_COPY_ENGINE, streams_serial, message, message, c);
    split_wait(s, message, c);
    c->queue_ns = queue_ns(s, c, others > 0 ? 3 : 1, true);
    if (others <= 0)
        return;
    c->single.L = f->latency_ns;
    c->receivers = 1;
    c->tail_ns += fmax(passed - own, 0);
    if (senders > 1) { /* the engine is busy with what it passes on */
        c->pipelined.o = 0;
        c->pipelined.g = copy_ns + own;
    }
    if (senders < s->p.devices)
        c->pipelined.g =
            fmax(c->pipelined.g,
                 (senders * passed + RELAY_LATENCIES * f->latency_ns) / receivers -
                     c->pipelined.o);
}

/* The unit counts without cost to the kernel. */
static void predict_unit(const struct predicted *s, struct model_candidate *c)
{
    const uint64_t message = chunk_bytes(s, c);

    derive_both(s, MODEL_COPY_ENGINE, 0, message, message, c);
}

static const struct {
    const char *method;
    bool sends_chunks;
    void (*predict)(const struct predicted *s, struct model_candidate *c);
} mechanism_rows[MODEL_SENDERS] = {
    [MODEL_SEND_STORE] = {"inline", false, predict_stores},
    [MODEL_SEND_BULK_STORE] = {"inline", false, predict_stores},
    [MODEL_SEND_FUSED] = {"fused", true, predict_fused},
    [MODEL_SEND_AGENT] = {"polling", true, predict_agent},
    [MODEL_SEND_CHILD] = {"dynamic", true, predict_child},
    [MODEL_SEND_COPY] = {"bulk", false, predict_bulk},
    [MODEL_SEND_COPY_WAIT] = {"copy-engine", true, predict_copy_wait},
    [MODEL_SEND_RELAY] = {"relay", true, predict_relay},
    [MODEL_SEND_UNIT] = {"hardware", true, predict_unit},
};

const char *model_method_name(enum model_sender who)
{
    return mechanism_rows[who].method;
}

bool model_sends_chunks(enum model_sender who)
{
    return mechanism_rows[who].sends_chunks;
}

struct model_candidate model_candidate_of(const struct topology *t,
                                          const struct model_problem *p,
                                          const struct model_plan *plan)
{
    struct predicted s = {.t = t, .p = model_problem_complete(t, p), .plan = plan};

    s.wave = model_wave(&t->device, s.p.threads);
    struct model_candidate c = base_candidate(&s);

    mechanism_rows[plan->who].predict(&s, &c);
    if (p->is_queued && c.queue_ns > 0) {
        c.host_ns += c.queue_ns * model_schedule_chunks(&c.chunks, s.p.bytes);
        c.queue_ns = 0;
    }
    return c;
}

double model_copies_ns(const struct topology *t, const struct model_problem *given)
{
    const struct model_problem p = model_problem_complete(t, given);
    const struct topology_fabric *f = &t->fabric;
    const double start = 1000 * (p.receivers > 1 ? fmax(f->copy_start_us, f->copy_turn_us)
                                                 : f->copy_start_us);

    return 1000 * f->copy_first_us + (p.receivers - 1) * start +
           (double)p.bytes * model_gap_to_all(t, &p, MODEL_COPY_ENGINE, 1, p.bytes) +
           2 * f->latency_ns;
}
