/* SPDX-License-Identifier: Apache-2.0 */
#include "model/initiator.h"

#include <math.h>

#include "model/model.h"
#include "model/send_loop.h"
#include "model/streams.h"

/* Constants of the mechanisms, which no machine file states. */
enum {
    KERNEL_THREADS = 256,    /* of a CTA of the kernel, unless the path states them */
    AGENT_THREADS = 1024,    /* of a CTA of the agent (transfer/methods/polling.c) */
    AGENT_CTAS_MAX = 8,      /* without a given number (runtime/program/session_open.c) */
    AGENT_SLICE = 256 << 10, /* least bytes of a CTA (transfer/methods/slices.h) */
    AGENT_SLEEP_NS = 256,    /* between two checks (kernels/agent.cu) */
    RELAY_LATENCIES = 4,     /* of a link: acknowledgement, event, and the same again */
    PART_BYTES = 256 << 10,  /* of a copy (device/emulator/stream/copy.c) */
    DESCRIPTOR_NS = 100,     /* of the unit (device/emulator/kernel/unit.c) */
    VECTOR_BYTES = 16,
    WARP = 32,
    VECTOR_INSTRUCTIONS = 8, /* of a load, and of a store to a receiver */
    SLEEP_CAPABILITY = 70,   /* nanosleep */
    SPIN_CHECKS = 32,        /* AGENT_SPIN_CHECKS: of a pass */
    CHECK_INSTRUCTIONS = 16,
    NOTICE_INSTRUCTIONS = 26, /* of the leader until an agent can see its count */
    POLL_INSTRUCTIONS = 24,   /* of a check of an agent that sleeps */
    BATCH_INSTRUCTIONS = 42,  /* of a spinning agent that takes the next slices */
    FIRST_INSTRUCTIONS = 98,  /* of the agent before its first store */
    PIECE_INSTRUCTIONS = 100, /* between two pieces */
    SLICE_INSTRUCTIONS = 98,  /* of all warps, between two slices */
    SEND_INSTRUCTIONS = 29,   /* of a warp that sends, and 40 for each further receiver */
    COUNT_INSTRUCTIONS = 60,  /* of the leader's epilogue */
    FUSED_INSTRUCTIONS = 141, /* from the count to the first vector */
    FUSED_LOADS = 3,          /* of tables, meanwhile */
    FUSED_END_INSTRUCTIONS = 48,
    CHILD_INSTRUCTIONS = 235, /* from the count to the first vector */
    CHILD_LOADS = 6,          /* of a child before its first vector */
    BASE_INSTRUCTIONS = 29,   /* of a CTA that stores, to its end (bench/micro.cu) */
    STORE_INSTRUCTIONS = 31,  /* until it has stored to a peer, in addition */
    START_NS = 300, /* in which CTAs start (device/emulator/kernel/kernel_run.c) */
    BULK_CAPABILITY = 90,
    CHILD_CAPABILITY = 35
};

static const char *const sender_names[MODEL_SENDERS] = {
    [MODEL_SEND_STORE] = "store",         [MODEL_SEND_BULK_STORE] = "bulk-store",
    [MODEL_SEND_FUSED] = "fused",         [MODEL_SEND_AGENT] = "agent",
    [MODEL_SEND_CHILD] = "child",         [MODEL_SEND_COPY] = "copy",
    [MODEL_SEND_COPY_WAIT] = "copy-wait", [MODEL_SEND_RELAY] = "relay",
    [MODEL_SEND_UNIT] = "unit",
};

const char *model_sender_name(enum model_sender who)
{
    return sender_names[who];
}

bool model_sender_exists(const struct topology *t, enum model_sender who)
{
    const bool is_copy =
        who == MODEL_SEND_COPY || who == MODEL_SEND_COPY_WAIT || who == MODEL_SEND_RELAY;

    if (t->device_count < 2)
        return false;
    for (unsigned from = 0; from < t->device_count && !is_copy; from++)
        for (unsigned to = 0; to < t->device_count; to++)
            if (from != to && t->link_gbps[from][to] <= 0)
                return false;
    return (who != MODEL_SEND_BULK_STORE || t->device.capability >= BULK_CAPABILITY) &&
           (who != MODEL_SEND_CHILD || t->device.capability >= CHILD_CAPABILITY);
}

/* A path with its defaults, and the values that all initiators use. */
struct sender_path {
    const struct topology *t;
    struct model_path p;
    double link_gbps, load_ns;
    bool is_pipelined;
};

static double link_rate(const struct topology *t, unsigned from, unsigned to)
{
    const struct topology_fabric *f = &t->fabric;
    double gbps = t->link_gbps[from][to];

    return gbps > 0 ? fmin(gbps, fmin(f->egress_gbps, f->ingress_gbps)) : t->host_gbps / 2;
}

/* ns per payload byte on the link, in packets of SMs or of copy engines. */
static double gap_per_byte(const struct sender_path *s, enum model_initiator who)
{
    const uint64_t run = s->p.run_bytes;

    return model_wire_bytes(&s->t->fabric, who, run, run) / (double)run / s->link_gbps;
}

/* ns per byte and receiver of CTAs that load vectors, wait for them, and store them to all
   receivers. A CTA sends at its rate of the machine file, or as its loads and its
   instructions allow; for a single message, once_ns is added to these. Each piece needs
   its description, and single bytes at its ends. A short one has vectors for some threads
   only. */
static double stores_per_byte(const struct sender_path *s, const struct model_loop *l,
                              double ctas, double once_ns)
{
    const struct topology_device *d = &s->t->device;
    const double flight = model_loop_bytes(l);
    const bool has_pieces = s->p.piece_bytes && (double)s->p.piece_bytes < flight;
    const double part =
        s->is_pipelined || !s->p.bytes ? HUGE_VAL : (double)s->p.bytes / ctas;
    const double bytes = has_pieces ? (double)s->p.piece_bytes : fmin(part, flight);
    const double piece_ns =
        has_pieces ? s->load_ns + d->l2_latency_ns +
                         PIECE_INSTRUCTIONS * d->dependent_cycles / d->clock_ghz
                   : 0;

    return fmax(1 / s->t->fabric.sm_gbps_per_cta,
                ((model_loop_ns(l, d, s->p.receivers, s->load_ns, bytes) + piece_ns) /
                     bytes +
                 once_ns / part) /
                    s->p.receivers) /
           ctas;
}

/* CTAs of the kernel that are resident on a device at once. */
static double resident_ctas(const struct sender_path *s)
{
    const struct topology_device *d = &s->t->device;

    if (s->p.ctas)
        return s->p.ctas;
    return d->sm_count *
           fmax(1, fmin(d->ctas_per_sm, floor((double)d->threads_per_sm / s->p.threads)));
}

/* Difference of the starts of the first and the last of `ctas` CTAs, on average
   (device/emulator/kernel/kernel_run.c). The first bytes leave meanwhile. */
static double start_spread_ns(double ctas)
{
    return START_NS * (ctas - 1) / (ctas + 1);
}

/* Adds to L + S the time from the end of a kernel that sends nothing to the last byte: the
   last CTA sends `late_ns` after the others would have ended; the bytes of all begin to
   leave `first_ns` after that, and occupy the link while the CTAs start. */
static void spread_stores(const struct sender_path *s, double late_ns, double first_ns,
                          struct model_loggop *p)
{
    const double ctas = s->p.ctas ? s->p.ctas : 1, bytes = (double)s->p.bytes;
    const double last = late_ns + p->G * bytes / ctas;
    const double all = first_ns - start_spread_ns(ctas);

    p->o = all;
    p->g = fmax(last - all, 0);
}

/* The link sends the bytes of a turn from its start; the receiver's port passes them after
   the first store. */
static struct model_loggop derive_store(const struct sender_path *s)
{
    const struct topology_device *d = &s->t->device;
    const double ctas = s->p.ctas ? s->p.ctas : s->is_pipelined ? resident_ctas(s) : 1;
    const double cycle_ns = d->dependent_cycles / d->clock_ghz;
    const double port = s->link_gbps / s->t->fabric.ingress_gbps;
    struct model_loggop p = {.o = s->is_pipelined ? 0 : cycle_ns,
                             .O = 1 / s->t->fabric.sm_gbps_per_cta / ctas,
                             .G = gap_per_byte(s, MODEL_SM)};

    if (s->is_pipelined || !s->p.bytes)
        return p;
    const double hidden = fmin((BASE_INSTRUCTIONS + STORE_INSTRUCTIONS) * cycle_ns,
                               (1 - port) * p.G * (double)s->p.bytes);

    spread_stores(s, STORE_INSTRUCTIONS * cycle_ns, STORE_INSTRUCTIONS * cycle_ns - hidden,
                  &p);
    return p;
}

/* The copy unit of an SM sends one bulk store after another, and the thread waits until it
   has read the source. */
static struct model_loggop derive_bulk_store(const struct sender_path *s)
{
    const struct topology_fabric *f = &s->t->fabric;
    const struct topology_device *d = &s->t->device;
    const double rate =
        f->bulk_gbps_per_cta > 0 ? f->bulk_gbps_per_cta : f->sm_gbps_per_cta;
    const double ctas = s->p.ctas ? s->p.ctas : s->is_pipelined ? d->sm_count : 1;
    struct model_loggop p = {.o = s->is_pipelined ? 0 : 3 * d->l2_latency_ns,
                             .O = 1 / rate / fmin(ctas, d->sm_count),
                             .G = gap_per_byte(s, MODEL_SM)};

    if (!s->is_pipelined && s->p.bytes)
        spread_stores(s, 3 * d->l2_latency_ns, 2 * d->l2_latency_ns, &p);
    return p;
}

static double fence_ns(const struct topology_device *d)
{
    return d->fence_gpu_ns > 0 ? d->fence_gpu_ns : d->l2_latency_ns;
}

double model_count_ns(const struct topology_device *d)
{
    return fence_ns(d) + 2 * d->l2_latency_ns +
           COUNT_INSTRUCTIONS * d->dependent_cycles / d->clock_ghz;
}

/* The last writer counts, acquires, loads the tables, and sends alone. Last writers of
   several chunks send at the same time. Stores leave while the CTA executes the next
   instructions, and its waits delay only its own end. */
static struct model_loggop derive_fused(const struct sender_path *s)
{
    const struct topology_device *d = &s->t->device;
    const struct model_loop loop = model_loop_fused(s->p.threads);
    const double cycle_ns = d->dependent_cycles / d->clock_ghz;
    const double ctas = s->is_pipelined ? resident_ctas(s) : 1;
    const double waits_ns =
        fence_ns(d) + FUSED_LOADS * d->l2_latency_ns + FUSED_END_INSTRUCTIONS * cycle_ns;

    return (struct model_loggop){
        .o = s->is_pipelined ? 0 : model_count_ns(d) + FUSED_INSTRUCTIONS * cycle_ns,
        .O = stores_per_byte(s, &loop, ctas, waits_ns),
        .G = gap_per_byte(s, MODEL_SM)};
}

/* CTAs of 1024 threads that fill the links, as in runtime/program/session_open.c. */
static double default_ctas(const struct sender_path *s)
{
    const struct topology_fabric *f = &s->t->fabric;

    return fmin(ceil(f->egress_gbps / f->sm_gbps_per_cta), AGENT_CTAS_MAX);
}

/* CTAs of the agent that send a chunk together: one per slice. */
static double sender_agent_ctas(const struct sender_path *s)
{
    const double most = s->p.ctas ? s->p.ctas : default_ctas(s);

    if (s->is_pipelined || !s->p.bytes)
        return most;
    return fmax(1, fmin(most, floor((double)s->p.bytes / AGENT_SLICE)));
}

/* Pass of an agent that cannot sleep (before sm_70): each thread checks the flags of its
   slices one after another (device/emulator/kernel/spin.c). */
double model_spin_ns(const struct topology_device *d)
{
    return SPIN_CHECKS *
           (d->l2_latency_ns + CHECK_INSTRUCTIONS * d->dependent_cycles / d->clock_ghz);
}

/* Time from one slice of a busy agent to its next. All warps execute the loop over slices;
   those with bytes of a part round, which has fewer vectors than are in flight, load and
   send one vector after another. */
struct agent_round {
    double vectors, slice_ns; /* of a thread in the part round; 0: none */
};

static struct agent_round agent_round(const struct sender_path *s, double threads)
{
    const struct topology_device *d = &s->t->device;
    const struct model_loop loop = model_loop_agent(threads);
    const double flight = model_loop_bytes(&loop);
    const double rest = fmod((double)s->p.bytes / s->p.receivers, flight);
    const double vectors = ceil(rest / (threads * VECTOR_BYTES));
    const double busy = rest > 0 ? ceil(rest / (vectors * VECTOR_BYTES * WARP)) : 0;
    const double own = SEND_INSTRUCTIONS + 40 * (s->p.receivers - 1.0) +
                       VECTOR_INSTRUCTIONS * vectors * (s->p.receivers + 1);
    const double cycles =
        fmax((SLICE_INSTRUCTIONS + own) * d->dependent_cycles,
             (threads / WARP * SLICE_INSTRUCTIONS + busy * own) / d->issue_width);

    return (struct agent_round){vectors,
                                fmax(vectors, 1) * s->load_ns + cycles / d->clock_ghz};
}

/* The agent sees the count while the CTA that made it still waits for its fence: an idle
   one after half of a sleep and a check, or one and a half passes. Stores leave while its
   warps wait for the next loads. A busy CTA needs g from one slice to the next. */
static struct model_loggop derive_agent(const struct sender_path *s)
{
    const struct topology_device *d = &s->t->device;
    const double cycle_ns = d->dependent_cycles / d->clock_ghz;
    const double notice_ns = d->l2_latency_ns + NOTICE_INSTRUCTIONS * cycle_ns;
    const double check_ns =
        d->capability < SLEEP_CAPABILITY
            ? 1.5 * model_spin_ns(d) + 2 * d->l2_latency_ns + BATCH_INSTRUCTIONS * cycle_ns
            : (AGENT_SLEEP_NS + d->l2_latency_ns + POLL_INSTRUCTIONS * cycle_ns) / 2;
    const double threads = s->p.agent_threads && s->p.agent_threads < AGENT_THREADS
                               ? s->p.agent_threads
                               : AGENT_THREADS;
    const struct model_loop loop = model_loop_agent(threads);
    const struct agent_round round = agent_round(s, threads);
    const double first_ns =
        (FIRST_INSTRUCTIONS + 2 * VECTOR_INSTRUCTIONS * fmax(round.vectors - 1, 0)) *
        cycle_ns;

    return (struct model_loggop){
        .o = s->is_pipelined ? 0 : notice_ns + check_ns + first_ns,
        .g = s->is_pipelined ? round.slice_ns / sender_agent_ctas(s) : 0,
        .O = stores_per_byte(s, &loop, sender_agent_ctas(s), 0),
        .G = gap_per_byte(s, MODEL_SM)};
}

/* CTAs that send at once, of a child a piece, of many children anything. There is one per
   vectors in flight, up to a limit. The part of each is rounded up to more than a whole
   number of them (kernels/child.cu). */
static double sender_child_ctas(const struct sender_path *s)
{
    const struct topology_device *d = &s->t->device;
    const struct model_loop loop = model_loop_child();
    const double flight = model_loop_bytes(&loop);
    const double most =
        s->p.ctas ? s->p.ctas : default_ctas(s) * AGENT_THREADS / loop.threads;
    const double resident = floor(d->threads_per_sm / loop.threads) * d->sm_count;
    const double concurrent = d->child_concurrency ? d->child_concurrency : resident;
    const double piece =
        (double)(s->p.piece_bytes ? s->p.piece_bytes : s->p.bytes); /* of all CTAs */

    if (s->is_pipelined && !s->p.piece_bytes)
        return fmax(most, fmin(most * concurrent, resident));
    if (piece <= 0)
        return most;
    const double grid = fmax(1, fmin(most, ceil(fmax(piece, (double)s->p.bytes) / flight)));
    const double part = (floor(piece / grid / flight) + 1) * flight;

    return piece / fmin(piece, part);
}

/* The child starts while the launching CTA still waits for its fence and its loads. A
   device starts one child per interval. */
static struct model_loggop derive_child(const struct sender_path *s)
{
    const struct topology_device *d = &s->t->device;
    const struct model_loop loop = model_loop_child();
    const double launch_us =
        d->child_launch_latency_us > 0 ? d->child_launch_latency_us : d->launch_us;
    const double cycle_ns = d->dependent_cycles / d->clock_ghz;
    const double begin_ns =
        launch_us * 1000 + CHILD_INSTRUCTIONS * cycle_ns + START_NS / 2.0;

    return (struct model_loggop){
        .o = s->is_pipelined ? 0 : model_count_ns(d) + begin_ns,
        .O =
            stores_per_byte(s, &loop, sender_child_ctas(s), CHILD_LOADS * d->l2_latency_ns),
        .g = s->is_pipelined ? d->child_launch_interval_us * 1000 : 0,
        .G = gap_per_byte(s, MODEL_SM)};
}

static double copy_part_bytes(const struct sender_path *s)
{
    return fmin(s->p.bytes ? (double)s->p.bytes : PART_BYTES, PART_BYTES);
}

static double part_wire(const struct sender_path *s)
{
    const uint64_t bytes = (uint64_t)copy_part_bytes(s);

    return model_wire_bytes(&s->t->fabric, MODEL_COPY_ENGINE, bytes, bytes);
}

/* Acknowledgement of a message in parts: the receiver's port passes the last one first. */
static double part_ns(const struct sender_path *s)
{
    return fmax(part_wire(s) / s->t->fabric.ingress_gbps - 2 * s->t->fabric.latency_ns, 0);
}

/* A bridge between groups passes a part after the link. */
static double bridge_ns(const struct sender_path *s, unsigned from, unsigned to)
{
    const struct topology_groups *g = &s->t->groups;

    return g->bridge_gbps > 0 && g->of[from] != g->of[to] ? part_wire(s) / g->bridge_gbps
                                                          : 0;
}

/* The engine starts a copy after the end of the one before. */
static struct model_loggop derive_copy(const struct sender_path *s)
{
    const struct topology_fabric *f = &s->t->fabric;
    const double start_us = s->is_pipelined ? f->copy_start_us : f->copy_first_us;

    return (struct model_loggop){.L = bridge_ns(s, s->p.from, s->p.to),
                                 .o = start_us * 1000,
                                 .G = gap_per_byte(s, MODEL_COPY_ENGINE),
                                 .S = part_ns(s)};
}

/* The stream checks the counter at intervals: on average half of one passes. In a row, two
   streams take turns. */
static struct model_loggop derive_copy_wait(const struct sender_path *s)
{
    const struct topology_fabric *f = &s->t->fabric;
    struct model_loggop p = derive_copy(s);
    const struct model_engine engine = {
        .streams = MODEL_COPY_STREAMS,
        .first_ns = 1000 * f->copy_first_us,
        .start_ns = 1000 * f->copy_start_us,
        .latency_ns = f->latency_ns,
        .engine_ns = p.G * s->link_gbps / f->egress_gbps,
        .port_ns = p.G * s->link_gbps / f->ingress_gbps,
        .receivers = 1,
        .to = {{1, p.G, bridge_ns(s, s->p.from, s->p.to) / copy_part_bytes(s), 0}}};

    if (!s->is_pipelined) {
        p.o += model_count_ns(&s->t->device) + s->t->device.wait_value_us * 1000 / 2;
        return p;
    }
    p.o = f->copy_start_us * 1000 / 2;
    p.g = model_engine_period_ns(&engine, (double)s->p.bytes) - p.o;
    return p;
}

/* The second copy starts when the receiver has seen the event of the first, on an engine
   that may be idle. In a row, the receivers take turns. */
static struct model_loggop derive_relay(const struct sender_path *s)
{
    const struct topology *t = s->t;
    struct model_loggop p = derive_copy_wait(s);

    if (t->device_count < 3 || s->is_pipelined)
        return p;
    const unsigned last = s->p.to + 1 < t->device_count ? s->p.to + 1 : s->p.to - 1;

    p.L += RELAY_LATENCIES * t->fabric.latency_ns + bridge_ns(s, s->p.to, last) +
           1000 * (t->device.event_us + t->fabric.copy_first_us);
    p.S *= 2;
    p.G *= 1 + s->link_gbps / link_rate(t, s->p.to, last);
    return p;
}

static struct model_loggop derive_unit(const struct sender_path *s)
{
    return (struct model_loggop){.L = bridge_ns(s, s->p.from, s->p.to),
                                 .o = s->is_pipelined ? 0 : DESCRIPTOR_NS,
                                 .G = gap_per_byte(s, MODEL_COPY_ENGINE),
                                 .S = part_ns(s)};
}

typedef struct model_loggop sender_derive(const struct sender_path *s);
static sender_derive *const sender_rows[MODEL_SENDERS] = {
    [MODEL_SEND_STORE] = derive_store,         [MODEL_SEND_BULK_STORE] = derive_bulk_store,
    [MODEL_SEND_FUSED] = derive_fused,         [MODEL_SEND_AGENT] = derive_agent,
    [MODEL_SEND_CHILD] = derive_child,         [MODEL_SEND_COPY] = derive_copy,
    [MODEL_SEND_COPY_WAIT] = derive_copy_wait, [MODEL_SEND_RELAY] = derive_relay,
    [MODEL_SEND_UNIT] = derive_unit,
};

struct model_loggop model_derive_path(const struct topology *t, enum model_sender who,
                                      bool is_pipelined, const struct model_path *path)
{
    struct sender_path s = {.t = t,
                            .p = *path,
                            .link_gbps = link_rate(t, path->from, path->to),
                            .is_pipelined = is_pipelined};

    if (!s.p.run_bytes)
        s.p.run_bytes = s.p.bytes ? s.p.bytes : 1 << 20;
    if (!s.p.threads)
        s.p.threads = KERNEL_THREADS;
    if (!s.p.receivers)
        s.p.receivers = 1;
    s.load_ns = path->is_cached ? t->device.l2_latency_ns : t->device.memory_latency_ns;
    struct model_loggop p = sender_rows[who](&s);

    p.L += t->fabric.latency_ns;
    p.S += t->fabric.latency_ns; /* the acknowledgement */
    return p;
}

struct model_loggop model_derive(const struct topology *t, enum model_sender who,
                                 bool is_pipelined, unsigned from, unsigned to,
                                 uint64_t run_bytes)
{
    return model_derive_path(
        t, who, is_pipelined,
        &(struct model_path){.from = from, .to = to, .run_bytes = run_bytes});
}

double model_period_ns(const struct model_loggop *p, uint64_t bytes)
{
    return p->o + fmax(p->g, fmax(p->O, p->G) * (double)bytes);
}

double model_message_ns(const struct model_loggop *p, uint64_t bytes)
{
    const double m = (double)bytes;

    return p->o + fmax(p->O * m, fmax(p->g, p->G * m) + p->L + p->S);
}
