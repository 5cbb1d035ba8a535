/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/cost.h"

#include <math.h>

#include "model/model.h"

enum { THREADS_PER_AGENT_CTA = 1024 };

/* Load of the busiest link, in ns: a device's egress, its ingress, a pair's link, the
   bridge between groups, or the shared bus. */
struct plan_links {
    double out[PLAN_DEVICES_MAX], in[PLAN_DEVICES_MAX];
    double pair, bridge[2], all;
};

static double plan_rate(double bytes, double gbps)
{
    return bytes > 0 && gbps > 0 ? bytes / gbps : 0;
}

static void plan_links_add(struct plan_links *l, const struct topology *t, unsigned from,
                           unsigned to, double wire, double *pair_bytes)
{
    const struct topology_groups *g = &t->groups;
    const double link = t->link_gbps[from][to] > 0 ? t->link_gbps[from][to] : t->host_gbps;

    l->out[from] += wire;
    l->in[to] += wire;
    l->all += wire;
    *pair_bytes += wire;
    l->pair = fmax(l->pair, plan_rate(*pair_bytes, link));
    if (g->bridge_gbps > 0 && g->of[from] != g->of[to])
        l->bridge[g->of[from] > g->of[to]] += wire;
}

/* Time of the bytes on the links, if they are never idle. */
static double plan_wire_ns(const struct plan_problem *p, enum model_initiator who,
                           bool by_store)
{
    const struct topology *t = p->topology;
    const struct topology_fabric *f = &t->fabric;
    struct plan_links l = {0};
    double pair[PLAN_DEVICES_MAX][PLAN_DEVICES_MAX] = {{0}}, ns = 0;

    for (unsigned a = 0; a < p->array_count; a++) {
        const struct plan_array *one = &p->arrays[a];
        uint64_t run = one->run_bytes;

        if (by_store && one->store_bytes < run)
            run = one->store_bytes ? one->store_bytes : sizeof(uint32_t);
        for (unsigned from = 0; from < p->device_count; from++)
            for (unsigned to = 0; to < p->device_count; to++)
                if (one->sent[from][to])
                    plan_links_add(&l, t, from, to,
                                   model_wire_bytes(f, who, one->sent[from][to], run),
                                   &pair[from][to]);
    }
    for (unsigned d = 0; d < p->device_count; d++)
        ns = fmax(ns, fmax(plan_rate(l.out[d], f->egress_gbps),
                           plan_rate(l.in[d], f->ingress_gbps)));
    ns = fmax(ns, l.pair);
    for (int way = 0; way < 2; way++)
        ns = fmax(ns, plan_rate(l.bridge[way], t->groups.bridge_gbps));
    return f->shared_bus ? fmax(ns, plan_rate(l.all, f->egress_gbps)) : ns;
}

/* What the device that sends most sends. */
struct plan_sent {
    double bytes;  /* to all peers */
    double chunks; /* complete chunks with bytes for a peer */
    double copies;
    double per_cta; /* chunks in which a CTA counts */
    double arrays;  /* with bytes for a peer */
};

/* Most bytes that a device sends of an array, to all peers and to one. */
static void plan_array_most(const struct plan_problem *p, const struct plan_array *a,
                            uint64_t *all, uint64_t *one)
{
    *all = *one = 0;
    for (unsigned from = 0; from < p->device_count; from++) {
        uint64_t sum = 0;

        for (unsigned to = 0; to < p->device_count; to++) {
            sum += a->sent[from][to];
            *one = a->sent[from][to] > *one ? a->sent[from][to] : *one;
        }
        *all = sum > *all ? sum : *all;
    }
}

static struct plan_sent plan_sent_of(const struct plan_problem *p, uint64_t chunk)
{
    struct plan_sent s = {0};

    for (unsigned n = 0; n < p->array_count; n++) {
        const struct plan_array *a = &p->arrays[n];
        uint64_t all, one;

        plan_array_most(p, a, &all, &one);
        if (!all)
            continue;
        s.bytes += (double)all;
        s.copies += a->copies;
        s.arrays++;
        if (!chunk)
            continue;
        s.chunks += fmax(ceil((double)one / (double)chunk), 1);
        s.per_cta += 1 + (double)a->range_bytes / (double)chunk;
    }
    return s;
}

/* Time of dependent instructions, which a CTA near its end does not hide. */
static double plan_instructions_ns(const struct plan_problem *p, double count)
{
    const struct topology_device *t = &p->topology->device;

    return t->clock_ghz > 0 ? count * t->dependent_cycles / t->clock_ghz : 0;
}

/* One wave of CTAs after another counts: a fence, then an atomic for each chunk. The number
   of instructions is that of kernels/epilogue.cu in the emulator. */
static double plan_counting_ns(const struct plan_problem *p, double per_cta)
{
    enum { INSTRUCTIONS = 480 };
    const struct topology_device *t = &p->topology->device;
    const double waves = ceil((double)p->ctas_most / (double)plan_wave(p));
    const double fence = t->fence_gpu_ns > 0 ? t->fence_gpu_ns : t->memory_latency_ns;

    if (per_cta <= 0)
        return 0;
    return plan_instructions_ns(p, INSTRUCTIONS) +
           waves * (fence + per_cta * (t->l2_latency_ns + t->memory_latency_ns / 4));
}

/* A fence of system scope waits for the acknowledgement of all earlier stores. */
static double plan_system_fence_ns(const struct topology *t)
{
    return fmax(t->device.fence_system_ns, 2 * t->fabric.latency_ns);
}

/* A CTA whose stores have peers executes them once for each peer. */
static double plan_stores_ns(const struct plan_problem *p)
{
    enum { INSTRUCTIONS = 80 };
    double stores = 0;

    for (unsigned n = 0; n < p->array_count; n++) {
        const struct plan_array *a = &p->arrays[n];
        const unsigned width = a->store_width ? a->store_width : sizeof(uint32_t);
        uint64_t all, one;

        plan_array_most(p, a, &all, &one);
        if (all)
            stores += ceil((double)a->range_bytes / width / fmax(p->cta_threads, 1));
    }
    return plan_instructions_ns(p, INSTRUCTIONS * stores);
}

static void plan_cost_store(const struct plan_problem *p, const struct plan *plan,
                            struct plan_cost *c)
{
    const struct plan_sent s = plan_sent_of(p, 0);

    (void)plan;
    if (s.bytes <= 0)
        return;
    c->term[PLAN_KERNEL] += plan_stores_ns(p);
    c->term[PLAN_WIRE] = fmax(plan_wire_ns(p, MODEL_SM, true) - p->kernel_ns, 0);
    c->term[PLAN_TAIL] = p->topology->fabric.latency_ns + plan_system_fence_ns(p->topology);
}

static double plan_chunk_bytes(const struct plan_sent *s)
{
    return s->chunks > 0 ? s->bytes / s->chunks : 0;
}

/* Sends hold the CTAs that make them, and the last one of each array starts at the end of
   the kernel. */
static void plan_cost_fused(const struct plan_problem *p, const struct plan *plan,
                            struct plan_cost *c)
{
    const struct topology_fabric *f = &p->topology->fabric;
    const struct plan_sent s = plan_sent_of(p, plan->chunk_first);
    const double one_ns = plan_rate(plan_chunk_bytes(&s), f->sm_gbps_per_cta) +
                          plan_system_fence_ns(p->topology);
    const double at_once = fmin((double)p->ctas_most, (double)plan_wave(p));

    if (s.bytes <= 0)
        return;
    c->term[PLAN_TRACKING] = plan_counting_ns(p, s.per_cta);
    c->term[PLAN_KERNEL] += (s.chunks - s.arrays) * one_ns / fmax(at_once, 1);
    c->term[PLAN_START] = s.arrays * one_ns;
    c->term[PLAN_WIRE] = fmax(plan_wire_ns(p, MODEL_SM, false) - p->kernel_ns, 0);
    c->term[PLAN_TAIL] = f->latency_ns;
}

static void plan_cost_agent(const struct plan_problem *p, const struct plan *plan,
                            struct plan_cost *c)
{
    const struct topology *t = p->topology;
    const struct topology_fabric *f = &t->fabric;
    const struct plan_sent s = plan_sent_of(p, plan->chunk_first);
    const double places = (double)t->device.sm_count * t->device.threads_per_sm;
    const double ctas = fmax((double)plan->threads / THREADS_PER_AGENT_CTA, 1);
    const double rate = ctas * f->sm_gbps_per_cta;
    const bool is_full = p->ctas_most >= plan_wave(p);

    if (s.bytes <= 0)
        return;
    c->term[PLAN_TRACKING] = plan_counting_ns(p, s.per_cta);
    c->term[PLAN_KERNEL] *= 1 + (is_full ? (double)plan->threads / places : 0);
    c->term[PLAN_START] = 2 * t->device.memory_latency_ns +
                          plan_rate(plan_chunk_bytes(&s), fmin(rate, f->egress_gbps));
    c->term[PLAN_WIRE] = fmax(
        fmax(plan_wire_ns(p, MODEL_SM, false), plan_rate(s.bytes, rate)) - p->kernel_ns, 0);
    c->term[PLAN_TAIL] = f->latency_ns + plan_system_fence_ns(t);
}

static void plan_cost_child(const struct plan_problem *p, const struct plan *plan,
                            struct plan_cost *c)
{
    const struct topology *t = p->topology;
    const struct topology_device *d = &t->device;
    const struct plan_sent s = plan_sent_of(p, plan->chunk_first);
    const double ctas = fmax((double)plan->threads / THREADS_PER_AGENT_CTA, 1);
    const double latency =
        1000 * (d->child_launch_latency_us > 0 ? d->child_launch_latency_us : d->launch_us);

    if (s.bytes <= 0)
        return;
    c->term[PLAN_TRACKING] = plan_counting_ns(p, s.per_cta);
    c->term[PLAN_START] = latency + s.chunks * 1000 * d->child_launch_interval_us +
                          plan_rate(plan_chunk_bytes(&s), ctas * t->fabric.sm_gbps_per_cta);
    c->term[PLAN_WIRE] = fmax(plan_wire_ns(p, MODEL_SM, false) - p->kernel_ns, 0);
    c->term[PLAN_TAIL] = t->fabric.latency_ns + plan_system_fence_ns(t);
}

static double plan_copy_next_ns(const struct topology_fabric *f)
{
    return 1000 * fmax(f->copy_start_us, f->copy_turn_us);
}

static void plan_cost_copy(const struct plan_problem *p, const struct plan *plan,
                           struct plan_cost *c)
{
    (void)plan;
    const struct topology *t = p->topology;
    const struct plan_sent s = plan_sent_of(p, 0);

    c->term[PLAN_START] = s.copies > 0
                              ? 1000 * (t->fabric.copy_first_us + t->device.event_here_us) +
                                    (s.copies - 1) * plan_copy_next_ns(&t->fabric)
                              : 0;
    c->term[PLAN_WIRE] = plan_wire_ns(p, MODEL_COPY_ENGINE, false);
    c->term[PLAN_TAIL] =
        s.copies > 0 ? t->fabric.latency_ns + 1000 * t->device.event_us : 0;
}

static void plan_cost_copy_wait(const struct plan_problem *p, const struct plan *plan,
                                struct plan_cost *c)
{
    enum { STREAMS = 2, CHUNK_LEAST = 64 << 10, CHUNK_MOST = 64 << 20 };
    const struct topology *t = p->topology;
    const struct plan_sent s = plan_sent_of(p, plan->chunk_first);
    struct model_copies copies =
        model_copies_of(t, STREAMS, p->device_count, (uint64_t)s.bytes, 1);

    if (s.bytes <= 0)
        return;
    c->term[PLAN_TRACKING] = plan_counting_ns(p, fmax(s.per_cta, 1));
    copies.compute_ns = p->kernel_ns + c->term[PLAN_TRACKING];
    copies.start_ns = fmax(s.copies, 1) * plan_copy_next_ns(&t->fabric);
    if (s.bytes > 0)
        copies.ns_per_byte = plan_wire_ns(p, MODEL_COPY_ENGINE, false) / s.bytes;
    const struct model_schedule schedule =
        plan->chunk_first ? (struct model_schedule){plan->chunk_first, plan->chunk_step}
                          : model_schedule_best(&copies, CHUNK_LEAST, CHUNK_MOST);

    if (s.bytes > 0)
        c->term[PLAN_START] =
            fmax(model_schedule_ns(&copies, &schedule) - copies.compute_ns, 0);
    c->term[PLAN_TAIL] = t->fabric.latency_ns + 1000 * t->device.event_us;
}

/* One row per initiator: its terms after the kernel, and the share of them by which the
   model may be wrong. */
static const struct {
    void (*add)(const struct plan_problem *p, const struct plan *plan, struct plan_cost *c);
    double error;
} plan_models[PLAN_INITIATORS] = {
    [PLAN_STORE] = {plan_cost_store, 0.15}, [PLAN_FUSED] = {plan_cost_fused, 0.15},
    [PLAN_AGENT] = {plan_cost_agent, 0.5},  [PLAN_CHILD] = {plan_cost_child, 0.5},
    [PLAN_COPY] = {plan_cost_copy, 0.2},    [PLAN_COPY_WAIT] = {plan_cost_copy_wait, 0.3},
};

struct plan_cost plan_cost_of(const struct plan_problem *p, const struct plan *plan)
{
    const struct plan_method *m = plan_method_find(p, plan->method);
    const enum plan_initiator who = m ? m->initiator : PLAN_COPY;
    struct plan_cost c = {.term = {[PLAN_KERNEL] = p->kernel_ns}};

    plan_models[who].add(p, plan, &c);
    for (int t = 0; t < PLAN_TERMS; t++)
        c.ns += c.term[t];
    c.error_ns = plan_models[who].error * (c.ns - p->kernel_ns);
    return c;
}

/* Terms that lie within the measured kernel: all but the latency of the last send. */
double plan_kernel_ns(const struct plan_problem *p, const struct plan *plan,
                      double measured_ns)
{
    enum { ROUNDS = 8 };
    static const double part_least = 0.25;
    struct plan_problem q = *p;
    const double least = part_least * measured_ns;

    q.kernel_ns = measured_ns;
    for (int i = 0; i < ROUNDS; i++) {
        const struct plan_cost c = plan_cost_of(&q, plan);
        const double inside = c.ns - c.term[PLAN_TAIL] - q.kernel_ns;

        q.kernel_ns = fmax(least, (q.kernel_ns + fmax(measured_ns - inside, least)) / 2);
    }
    return q.kernel_ns;
}

double plan_copy_ratio(const struct plan_problem *p)
{
    const double wire = plan_wire_ns(p, MODEL_COPY_ENGINE, false);

    return wire > 0 ? p->kernel_ns / wire : 0;
}

const char *plan_term_name(enum plan_term term)
{
    static const char *const names[PLAN_TERMS] = {"kernel", "tracking", "start", "wire",
                                                  "tail"};

    return names[term];
}

double plan_split_least_ns(const struct topology *t, struct plan_grid grid,
                           double single_ns)
{
    enum { SMS_PER_CTA = 4 };

    if (SMS_PER_CTA * grid.ctas <= t->device.sm_count || !grid.ctas)
        return single_ns;
    return single_ns * (double)grid.ctas_most / (double)grid.ctas;
}
