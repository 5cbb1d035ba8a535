/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune_candidates.h"

#include <math.h>
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model_command.h"
#include "plan/cost.h"
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

/* An iteration as a problem of the planner: one launch in numbers, as that of `proact model
   predict --bytes`. Each device sends to all others. */
struct tune_problem {
    struct plan_method methods[PLAN_METHODS_MAX];
    struct plan_array array;
    struct plan_problem problem;
};

/* Initiator of a method, by the model's names. Others send by copies after the kernel. */
static enum model_sender method_initiator(const char *method)
{
    for (int who = 0; who < MODEL_SENDERS; who++)
        if (strcmp(model_method_name((enum model_sender)who), method) == 0)
            return (enum model_sender)who;
    return MODEL_SEND_COPY;
}

static void tune_problem_methods(struct tune_problem *out)
{
    struct plan_problem *p = &out->problem;

    for (const char *const *name = proact_method_names();
         *name && p->method_count < PLAN_METHODS_MAX; name++)
        out->methods[p->method_count++] =
            (struct plan_method){.name = *name, .initiator = method_initiator(*name)};
    p->methods = out->methods;
}

/* The time of the kernel alone: E(bulk) contains the launches of all devices. */
static double tune_problem_kernel_ns(const struct topology *t,
                                     const struct tune_facts *facts)
{
    const struct topology_device *d = &t->device;
    const double launch_us =
        d->launch_us + d->launch_host_us + (t->device_count - 1) * d->launch_turn_us;

    return fmax(facts->kernel_ns - 1000 * launch_us, 0);
}

static void tune_problem_fill(const struct topology *t, const struct tune_facts *facts,
                              struct tune_problem *out)
{
    const unsigned devices = t->device_count;
    const uint64_t ctas = (facts->bytes + MODEL_CTA_BYTES - 1) / MODEL_CTA_BYTES;

    *out = (struct tune_problem){.array = {.bytes = devices * facts->bytes,
                                           .range_bytes = MODEL_CTA_BYTES,
                                           .run_bytes = facts->bytes,
                                           .store_bytes = MODEL_RUN_BYTES,
                                           .copies = devices - 1,
                                           .chunk_share = 1},
                                 .problem = {.topology = t,
                                             .device_count = devices,
                                             .ctas = devices * ctas,
                                             .ctas_most = ctas,
                                             .cta_threads = MODEL_CTA_THREADS,
                                             .kernel_ns = tune_problem_kernel_ns(t, facts),
                                             .array_count = 1}};
    out->problem.arrays = &out->array;
    for (unsigned from = 0; from < devices; from++)
        for (unsigned to = 0; to < devices; to++)
            out->array.sent[from][to] = from == to ? 0 : facts->bytes;
    tune_problem_methods(out);
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
    struct tune_problem by;

    tune_problem_fill(t, facts, &by);
    for (size_t i = 0; i < c->count && t->fabric.egress_gbps > 0; i++)
        c->all[i].predicted_ns = floor(plan_cost_of(&by.problem, &c->all[i].plan).ns + 0.5);
    qsort(c->all, c->count, sizeof *c->all, compare_predictions);
}
