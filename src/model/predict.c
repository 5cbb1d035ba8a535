/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict.h"

#include <math.h>

enum {
    KEPT_OPERATIONS = 256, /* of a device's thread: device/emulator/stream/host_time.c */
    COPY_STREAMS = 2,      /* TRANSFER_COPY_STREAMS */
    RELAY_LATENCIES = 4,   /* of a link: arrival, event, and two acknowledgements */
    CHUNK_BYTES = 64 << 10,
    CHUNK_BYTES_MAX = 64 << 20, /* as runtime/kernel/runtime_binding.c */
    SLICE_BYTES = 256 << 10,    /* transfer/methods/slices.h */
    STORE_CHUNKS = 256,         /* resolution of stores that leave continuously */
    RUN_BYTES = 512,            /* a warp that stores 16 bytes per lane */
    KERNEL_THREADS = 256,
    WARP = 32,
    AGENT_WARPS = 32,        /* of a CTA */
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

static struct model_problem problem_complete(const struct topology *t,
                                             const struct model_problem *given)
{
    struct model_problem p = *given;

    p.devices = p.devices ? p.devices : t->device_count;
    p.senders = p.senders ? p.senders : p.devices;
    p.receivers = p.receivers ? p.receivers : p.devices - 1;
    p.run_bytes = p.run_bytes ? p.run_bytes : RUN_BYTES;
    p.threads = p.threads ? p.threads : KERNEL_THREADS;
    return p;
}

/* Senders of one group to receivers of another: flows over the busiest bridge. */
static double bridge_flows(const struct topology *t, const struct model_problem *p)
{
    double flows[TOPOLOGY_DEVICES_MAX] = {0}, most = 0;
    const double share = (double)p->receivers / (p->devices - 1);

    for (unsigned g = 0; g < p->devices; g++) {
        for (unsigned i = 0; i < TOPOLOGY_DEVICES_MAX; i++)
            flows[i] = 0;
        for (unsigned from = 0; from < p->senders; from++)
            for (unsigned to = 0; to < p->devices && t->groups.of[from] == g; to++)
                if (t->groups.of[to] != g)
                    flows[t->groups.of[to]] += share;
        for (unsigned i = 0; i < TOPOLOGY_DEVICES_MAX; i++)
            most = fmax(most, flows[i]);
    }
    return most;
}

double model_gap_to_all(const struct topology *t, const struct model_problem *given,
                        enum model_initiator who, double serial, uint64_t run_bytes)
{
    const struct model_problem p = problem_complete(t, given);
    const struct topology_fabric *f = &t->fabric;
    const double share = (double)p.receivers / (p.devices - 1);
    const double wire = model_wire_bytes(f, who, run_bytes, run_bytes) / (double)run_bytes;
    double sum = 0, longest = 0, most;

    for (unsigned to = 1; to < p.devices; to++) {
        const double gbps = t->link_gbps[0][to];
        const double ns = gbps > 0
                              ? wire / fmin(gbps, fmin(f->egress_gbps, f->ingress_gbps))
                              : 2 / t->host_gbps;

        sum += ns * share;
        longest = fmax(longest, ns);
    }
    most = fmax(fmax(serial * sum, longest), p.receivers * wire / f->egress_gbps);
    most = fmax(most, (p.senders > 1 ? p.senders - 1 : 1) * share * wire / f->ingress_gbps);
    if (t->groups.bridge_gbps > 0)
        most = fmax(most, bridge_flows(t, &p) * wire / t->groups.bridge_gbps);
    if (f->shared_bus)
        most = fmax(most, p.senders * p.receivers * wire / f->egress_gbps);
    return most;
}

/* Time of the host for the launches of all senders, which a part of each delays. */
static double launches_ns(const struct predicted *s)
{
    const struct topology_device *d = &s->t->device;

    return 1000 * (d->launch_host_us + (s->p.senders - 1) * d->launch_turn_us);
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
    const struct topology_device *d = &s->t->device;
    const double begin = fmin(d->launch_us * 1000 + launches_ns(s), s->p.kernel_ns);
    const double waves = s->p.ctas ? (double)s->p.ctas / s->wave : 0;

    return (struct model_candidate){.kernel_ns = s->p.kernel_ns - begin,
                                    .begin_ns = begin,
                                    .waves = waves,
                                    .length = wave_length(s, waves),
                                    .in_waves = s->p.in_waves,
                                    .bytes = s->p.bytes,
                                    .receivers = s->p.receivers,
                                    .fetch_ns = s->p.fetch_ns,
                                    .lanes = 1};
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
                                    .ctas = s->plan->threads / 1024};
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

/* The kernel's stores leave with each wave. */
static void predict_stores(const struct predicted *s, struct model_candidate *c)
{
    derive_both(s, MODEL_SM, 0, s->p.run_bytes, 0, c);
    c->chunks.first_bytes = s->p.bytes / STORE_CHUNKS + 1;
}

/* Each wave counts. The time of the last counts belongs to the kernel then. */
static void add_counts(const struct predicted *s, struct model_candidate *c)
{
    const double ns = model_count_ns(&s->t->device);

    c->kernel_ns += fmax(ceil(c->waves), 1) * ns;
    c->single.o -= ns;
}

/* Every CTA may complete chunks, and sends them alone. CTAs that write ranges of several
   chunks complete them together. */
static void predict_fused(const struct predicted *s, struct model_candidate *c)
{
    uint64_t message = chunk_bytes(s, c);

    if (message < s->p.extent_bytes && s->p.extent_bytes <= s->p.bytes)
        message = c->chunks.first_bytes = s->p.extent_bytes;

    derive_both(s, MODEL_SM, 0, message, message, c);
    add_counts(s, c);
    c->lanes = (unsigned)fmin(s->wave, MODEL_LANES_MAX);
}

/* Devices before sm_70 cannot sleep: each thread of the agent checks flags in passes, and
   takes issue slots of its SM while it waits (device/emulator/kernel/spin.h). */
static void add_spinning(const struct predicted *s, double ctas, struct model_candidate *c)
{
    const struct topology_device *d = &s->t->device;
    const double check = model_spin_ns(d) / SPIN_CHECKS;
    const double warps = AGENT_WARPS;
    const double issue =
        fmin(warps * CHECK_INSTRUCTIONS / (d->issue_width * d->clock_ghz * check),
             warps * WARP / d->threads_per_sm);

    c->kernel_ns /= 1 - fmin(ctas / d->sm_count, 1) * issue;
}

/* The agent takes CTA slots from the kernel. A CTA per chunk, or all for a large one. */
static void predict_agent(const struct predicted *s, struct model_candidate *c)
{
    const struct topology_fabric *f = &s->t->fabric;
    const uint64_t message = chunk_bytes(s, c);
    const double ctas = s->plan->threads
                            ? fmax(1, floor(s->plan->threads / 1024.0))
                            : fmin(ceil(f->egress_gbps / f->sm_gbps_per_cta), 8);
    const double lost = ctas * 1024 / s->p.threads;

    c->begin_ns += launches_ns(s) +
                   1000 * (s->t->device.event_here_us + 2 * s->t->device.call_host_us);
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
    add_counts(s, c);
    if (s->t->device.capability < SLEEP_CAPABILITY) { /* on average, chunk by chunk */
        c->wait_ns = model_spin_ns(&s->t->device);
        c->single.o -= 1.5 * c->wait_ns;
    }
    c->parts = (unsigned)fmax(
        1, fmin(ctas, floor((double)message * s->p.receivers / SLICE_BYTES)));
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
    add_counts(s, c);
    c->lanes = d->child_concurrency ? d->child_concurrency : MODEL_LANES_MAX;
    if (!d->child_priority && c->waves > 1)
        c->earliest_share = (ceil(c->waves) - 1) / c->length;
}

static double copy_start_ns(const struct predicted *s)
{
    const struct topology_fabric *f = &s->t->fabric;

    return 1000 * (s->p.receivers > 1 ? fmax(f->copy_start_us, f->copy_turn_us)
                                      : f->copy_start_us);
}

/* Copies after the kernel, to one receiver after another. */
static void predict_bulk(const struct predicted *s, struct model_candidate *c)
{
    derive_both(s, MODEL_COPY_ENGINE, 1, s->p.bytes, s->p.bytes, c);
    c->pipelined.o = copy_start_ns(s);
    c->queue_ns =
        1000 * fmax(s->t->device.copy_host_us, s->p.senders * s->t->device.copy_lock_us);
    c->host_ns = model_host_ns(&s->t->device, s->p.footprint_ns, 1, s->p.receivers);
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

    return 1000 * (is_serial || count >= KEPT_OPERATIONS
                       ? s->p.senders * own
                       : fmax(own, s->p.senders * copies * d->copy_lock_us));
}

static void predict_copy_wait(const struct predicted *s, struct model_candidate *c)
{
    const double kernel_to_copies = s->p.kernel_ns / fmax(model_copies_ns(s->t, &s->p), 1);
    struct model_copies copies =
        model_copies_of(s->t, COPY_STREAMS, s->p.senders, s->p.bytes, kernel_to_copies);

    c->chunks = s->plan->chunks;
    if (!c->chunks.first_bytes)
        c->chunks = model_schedule_best(&copies, CHUNK_BYTES, CHUNK_BYTES_MAX);
    derive_both(s, MODEL_COPY_ENGINE,
                c->chunks.first_bytes < s->p.bytes ? streams_serial : 1,
                c->chunks.first_bytes, c->chunks.first_bytes, c);
    add_counts(s, c);
    c->wait_ns = c->single.o - s->t->fabric.copy_first_us * 1000;
    c->single.o -= c->wait_ns;
    if (s->p.receivers > 1) { /* the copies of a chunk keep the engine busy */
        c->pipelined.o = copy_start_ns(s);
        c->pipelined.g = 0;
    }
    c->queue_ns = queue_ns(s, c, 1, false);
}

/* The sender copies each chunk once, to a receiver that passes it on to the others. The
   receivers take turns: each has the time of several chunks for its copies. */
static void predict_relay(const struct predicted *s, struct model_candidate *c)
{
    const struct topology_fabric *f = &s->t->fabric;
    const uint64_t message = chunk_bytes(s, c);
    const double others = s->p.receivers - 1;
    const double bytes_ns = model_gap_to_all(s->t, &s->p, MODEL_COPY_ENGINE, 1, message) /
                            s->p.receivers * (double)message;
    const double first = fmax(f->copy_first_us, f->copy_turn_us);
    const double passed = 1000 * (s->t->device.event_us + first) +
                          (others - 1) * copy_start_ns(s) + others * bytes_ns;

    derive_both(s, MODEL_COPY_ENGINE, streams_serial, message, message, c);
    add_counts(s, c);
    c->wait_ns = c->single.o - f->copy_first_us * 1000;
    c->single.o -= c->wait_ns;
    c->queue_ns = queue_ns(s, c, others > 0 ? 3 : 1, true);
    if (others <= 0)
        return;
    c->single.L = f->latency_ns;
    c->single.G = c->pipelined.G;
    if (s->p.senders > 1) { /* every engine passes on what the others send */
        c->pipelined.o = copy_start_ns(s);
        c->pipelined.g = 0;
        c->tail_ns += 1000 * s->t->device.event_us + f->latency_ns;
        return;
    }
    c->tail_ns += passed;
    c->receivers = 1;
    c->pipelined.g =
        fmax(c->pipelined.g,
             (passed + RELAY_LATENCIES * f->latency_ns) / s->p.receivers - c->pipelined.o);
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
    struct predicted s = {.t = t, .p = problem_complete(t, p), .plan = plan};

    s.wave = model_wave(&t->device, s.p.threads);
    struct model_candidate c = base_candidate(&s);

    mechanism_rows[plan->who].predict(&s, &c);
    return c;
}

double model_copies_ns(const struct topology *t, const struct model_problem *given)
{
    const struct model_problem p = problem_complete(t, given);
    const struct topology_fabric *f = &t->fabric;
    const double start = 1000 * (p.receivers > 1 ? fmax(f->copy_start_us, f->copy_turn_us)
                                                 : f->copy_start_us);

    return 1000 * f->copy_first_us + (p.receivers - 1) * start +
           (double)p.bytes * model_gap_to_all(t, &p, MODEL_COPY_ENGINE, 1, p.bytes) +
           2 * f->latency_ns;
}
