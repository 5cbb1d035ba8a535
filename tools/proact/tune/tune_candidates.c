/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune_candidates.h"

#include <math.h>
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "transfer/transfer.h"

enum { KB = 1 << 10, MB = 1 << 20 };

/* The sweep of Table II, and that of Figure 4. */
static const struct tune_sweep {
    uint64_t chunk_first, chunk_last;
    unsigned chunk_factor, threads_first, threads_last, threads_factor;
} sweeps[] = {{16 * KB, 4 * MB, 4, 256, 8192, 8}, {4 * KB, 16 * MB, 2, 32, 8192, 2}};

static void candidate_add(struct tune_candidates *c, const char *method, uint64_t chunk,
                          unsigned threads)
{
    struct profile_candidate one = {.reason = PROFILE_BUDGET};
    struct transfer_plan parts = {0};

    if (transfer_methods_read(method, &parts, NULL))
        return;
    snprintf(one.plan.method, sizeof one.plan.method, "%s", parts.method->name);
    if (parts.tail) {
        snprintf(one.plan.tail, sizeof one.plan.tail, "%s", parts.tail->name);
        one.plan.tail_bytes = parts.tail_bytes;
    }
    one.plan.chunk_first = chunk;
    one.plan.threads = threads;
    c->all = must_grow(c->all, c->count, &c->capacity, sizeof *c->all);
    c->all[c->count++] = one;
}

static void add_threads(struct tune_candidates *c, const struct run_request *r,
                        const struct tune_sweep *s, const char *method, bool takes,
                        uint64_t chunk)
{
    if (!takes || r->threads) {
        candidate_add(c, method, chunk, r->threads);
        return;
    }
    for (unsigned n = s->threads_first; n <= s->threads_last; n *= s->threads_factor)
        candidate_add(c, method, chunk, n);
}

static void add_method(struct tune_candidates *c, const struct run_request *r,
                       const struct tune_sweep *s, const char *method, uint64_t bytes)
{
    struct transfer_plan p = {0};

    if (transfer_methods_read(method, &p, NULL))
        return;
    const bool takes_threads = p.method->takes_threads || (p.tail && p.tail->takes_threads);

    if (r->chunk_bytes || !(p.method->takes_chunks || p.tail)) {
        add_threads(c, r, s, method, takes_threads, r->chunk_bytes);
        return;
    }
    for (uint64_t chunk = s->chunk_first; chunk <= s->chunk_last; chunk *= s->chunk_factor)
        if (chunk == s->chunk_first || chunk <= bytes)
            add_threads(c, r, s, method, takes_threads, chunk);
    if (p.method->schedules) /* the model's own chunk sizes */
        add_threads(c, r, s, method, takes_threads, 0);
}

void tune_candidates_list(const struct run_request *request, bool is_exhaustive,
                          uint64_t bytes, struct tune_candidates *out)
{
    const struct tune_sweep *s = &sweeps[is_exhaustive];
    const struct transfer_method *m;

    if (request->method) {
        add_method(out, request, s, request->method, bytes);
        return;
    }
    for (const char *const *name = proact_method_names(); *name; name++)
        if (!transfer_method_find(*name, &m, NULL) && !m->needs_unit)
            add_method(out, request, s, *name, bytes);
}

/* Sending rate in bytes per ns, with the packets of the initiator. */
static double send_rate(const struct topology *t, const struct plan *plan,
                        const struct transfer_method *m)
{
    const struct topology_fabric *f = &t->fabric;
    const bool is_copied = !m->needs_peers;
    const uint64_t run = (uint64_t)(is_copied ? MB : f->payload_bytes);
    double rate =
        model_goodput_gbps(f, is_copied ? MODEL_COPY_ENGINE : MODEL_SM, run ? run : 1);

    if (m->takes_threads && plan->threads && f->sm_gbps_per_cta > 0)
        rate = fmin(rate, plan->threads / 1024.0 * f->sm_gbps_per_cta);
    return rate;
}

double tune_predict(const struct topology *t, const struct tune_facts *facts,
                    const struct plan *plan)
{
    const struct topology_device *d = &t->device;
    const double peers = t->device_count > 1 ? t->device_count - 1 : 1;
    const struct transfer_method *m;

    if (!(t->fabric.egress_gbps > 0) || transfer_method_find(plan->method, &m, NULL))
        return 0;
    const double send_ns = facts->bytes / send_rate(t, plan, m);
    const double latency_ns = t->fabric.latency_ns;

    if (!m->takes_chunks && m->needs_peers) /* stores travel while the kernel runs */
        return fmax(facts->kernel_ns, send_ns) + latency_ns;
    if (!m->takes_chunks)
        return facts->kernel_ns + send_ns + latency_ns +
               1e3 * (t->fabric.copy_first_us + (peers - 1) * t->fabric.copy_start_us);
    const double chunk = plan->chunk_first ? (double)plan->chunk_first : 64.0 * KB;
    const double chunks = fmax(1, ceil(facts->bytes / peers / chunk));
    const double start_ns = m->needs_children
                                ? 1e3 * fmax(d->child_launch_latency_us, d->launch_us)
                            : !m->needs_peers ? 1e3 * t->fabric.copy_start_us * peers
                                              : d->memory_latency_ns;
    /* The first chunk is ready after its part of the kernel; the last one is sent after the
       kernel's end. Starts of the chunks are serial. */
    const double busy_ns = facts->kernel_ns / chunks + fmax(send_ns, chunks * start_ns);

    return fmax(facts->kernel_ns, busy_ns) + send_ns / chunks + start_ns + latency_ns;
}

static int compare_predictions(const void *left, const void *right)
{
    const struct profile_candidate *a = left, *b = right;

    if (a->predicted_ns < b->predicted_ns || a->predicted_ns > b->predicted_ns)
        return a->predicted_ns < b->predicted_ns ? -1 : 1;
    const int methods = strcmp(a->plan.method, b->plan.method);

    if (methods)
        return methods;
    if (a->plan.chunk_first != b->plan.chunk_first)
        return a->plan.chunk_first < b->plan.chunk_first ? -1 : 1;
    return (a->plan.threads > b->plan.threads) - (a->plan.threads < b->plan.threads);
}

void tune_candidates_rank(struct tune_candidates *c, const struct topology *t,
                          const struct tune_facts *facts)
{
    for (size_t i = 0; i < c->count; i++)
        c->all[i].predicted_ns = floor(tune_predict(t, facts, &c->all[i].plan) + 0.5);
    qsort(c->all, c->count, sizeof *c->all, compare_predictions);
}
