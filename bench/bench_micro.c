/* SPDX-License-Identifier: Apache-2.0 */
/* The microbenchmark (PROACT V-A, Figure 6): an array that one device or all devices make
   and all need, and the speedup of each mechanism over bulk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"
#include "micro_run.h"
#include "peers.h"
#include "transfer/transfer.h"

/* Two producers are measured by name only. */
const char *const bench_patterns[] = {"one-to-all", "all-to-all", "two-to-all", NULL};
const double bench_ratios[BENCH_RATIOS] = {0.5, 1, 1.25, 2};
static const uint64_t chunks[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20,
                                  4 << 20, 16 << 20, 64 << 20, 256 << 20};
static const unsigned agents[] = {16384, 32768}; /* thread counts in addition to the
                                                    default */
enum {
    PATTERNS = 2,
    AGENTS = sizeof agents / sizeof *agents,
    CHUNKS = sizeof chunks / sizeof *chunks,
    QUEUED_MAX = 1 << 16, /* copies in flight, about one second */
    QUEUED_EMULATED_MAX = 1 << 12
};

struct micro_bench {
    const struct bench_request *request;
    struct bench_report *report;
    struct micro *micro;
    struct micro_bulk bulk; /* for this pattern and ratio */
    char pattern[16];
    double ratio;
};

static unsigned producers(const struct micro_bench *b)
{
    return *b->pattern == 'o' ? 1 : *b->pattern == 't' ? 2 : micro_devices(b->micro);
}

static void tune(struct micro_bench *b, const char *pattern, double ratio)
{
    snprintf(b->pattern, sizeof b->pattern, "%s", pattern);
    b->ratio = ratio;
    b->bulk = micro_tune(b->micro, producers(b), ratio, b->request->sleeps);
    const struct terms_base *t = &b->bulk.terms;

    printf("%s, compute / copy %g: bulk %.1f us, without its copies %.1f us, without "
           "transfers %.1f us, ideal %.2f\n",
           pattern, ratio, t->bulk / 1e3, t->uncopied / 1e3, t->skipped / 1e3,
           terms_ideal(t));
}

static void add(struct micro_bench *b, struct bench_row *row, struct bench_sample ns)
{
    snprintf(row->pattern, sizeof row->pattern, "%s", b->pattern);
    snprintf(row->unit, sizeof row->unit, "x");
    row->ratio = b->ratio;
    row->took_ns = ns.median;
    row->uncopied_ns = b->bulk.terms.uncopied;
    row->skipped_ns = b->bulk.terms.skipped;
    row->ideal = terms_ideal(&b->bulk.terms);
    row->value = bench_rate(ns, b->bulk.terms.bulk);
    bench_add(b->report, row);
}

/* A row is omitted if the machine does not support its method, or a large agent that no
   measurement requires. */
static void run(struct micro_bench *b, struct bench_row *row)
{
    const struct proact_plan plan = {.method = row->method,
                                     .broadcast = true,
                                     .chunk_bytes = row->chunk_bytes,
                                     .compute_to_copy_ratio = b->ratio,
                                     .transfer_threads = (unsigned)row->threads,
                                     .agent = b->request->agent};
    struct bench_sample ns = {.median = 0};
    struct proact_error err = {""};
    const struct micro_launch what = {.kernel = row->note[0] ? MICRO_BULK
                                                             : micro_stores(b->micro),
                                      .devices = producers(b),
                                      .work = b->bulk.work};

    if (!micro_has(b->micro, what.kernel))
        return;
    enum proact_status status = micro_run(b->micro, &plan, &what, &ns, &err);

    if (status == PROACT_EREFUSED && row->measured == 0)
        return;
    if (status == PROACT_EINVAL && row->threads && row->measured == 0)
        return;
    bench_must(status, &err);
    add(b, row, ns);
}

static void run_auto(struct micro_bench *b)
{
    struct bench_row row = {.method = BENCH_AUTO};
    const struct micro_launch what = {
        .kernel = micro_stores(b->micro), .devices = producers(b), .work = b->bulk.work};
    const struct bench_sample ns = micro_auto(b->micro, &what, row.plan);

    add(b, &row, ns);
}

/* True if the queued copies of a row stay within the limit. */
static bool may_queue(const struct micro_bench *b, uint64_t chunk_bytes)
{
    const struct bench_request *q = b->request;
    const uint64_t copies = q->bytes / chunk_bytes;

    return b->report->is_virtual ? copies <= QUEUED_EMULATED_MAX
                                 : copies * (q->launches ? q->launches : 1) <= QUEUED_MAX;
}

/* One row with the method's own chunk size, or one row per chunk size that fits the
   array. */
static void run_chunks(struct micro_bench *b, const struct transfer_plan *plan,
                       struct bench_row *row)
{
    const struct bench_request *q = b->request;
    const struct transfer_method *method = plan->method;
    const bool queues = method->beside || (plan->tail && plan->tail->beside);

    row->chunk_bytes = q->chunk_bytes;
    if (!method->takes_chunks || q->chunk_bytes || method->schedules) {
        row->chunk_bytes = method->takes_chunks ? q->chunk_bytes : 0;
        run(b, row);
    }
    for (int i = 0; i < CHUNKS && method->takes_chunks && !q->chunk_bytes; i++) {
        row->chunk_bytes = chunks[i];
        if (chunks[i] <= q->bytes && (!queues || may_queue(b, chunks[i])))
            run(b, row);
    }
}

static void run_method(void *context, const char *name)
{
    struct micro_bench *b = context;
    const struct bench_request *q = b->request;
    struct transfer_plan plan = {.method = NULL};
    struct bench_row row = {.measured = 0};
    struct proact_error err = {""};

    if (strcmp(name, "bulk") == 0)
        return;
    bench_must(transfer_methods_read(name, &plan, &err), &err);
    const bool takes_threads =
        plan.method->takes_threads || (plan.tail && plan.tail->takes_threads);

    snprintf(row.method, sizeof row.method, "%s", name);
    row.threads = takes_threads ? q->threads : 0;
    run_chunks(b, &plan, &row);
    if (plan.method->partition_mode & PROACT_MODE_STORE && !q->run_bytes) {
        snprintf(row.note, sizeof row.note, "bulk stores");
        run(b, &row);
    }
    if (q->threads || q->chunk_bytes || plan.tail || !plan.method->takes_threads ||
        plan.method->needs_children)
        return;
    for (int i = 0; i < AGENTS; i++) {
        row.threads = agents[i];
        run_chunks(b, &plan, &row);
    }
}

static void add_peer(void *context, const char *method, uint64_t chunk_bytes,
                     struct bench_sample ns)
{
    struct bench_row row = {.chunk_bytes = chunk_bytes};

    snprintf(row.method, sizeof row.method, "%s", method);
    add(context, &row, ns);
}

static void run_setting(struct micro_bench *b)
{
    const struct bench_request *q = b->request;

    bench_each_method(q->method, run_method, b);
    if (bench_list_contains(q->method, BENCH_AUTO))
        run_auto(b);
    if (q->peers && !b->report->is_virtual)
        peers_run(&(struct peers_request){.devices = micro_devices(b->micro),
                                          .bytes = q->bytes,
                                          .multiply_adds = b->bulk.work.multiply_adds,
                                          .all_to_all = producers(b) > 1,
                                          .launches = q->launches ? q->launches : 1,
                                          .method = q->method},
                  add_peer, b);
}

static void run_all(struct micro_bench *b)
{
    const struct bench_request *q = b->request;

    for (int p = 0; q->pattern ? p < 1 : p < PATTERNS; p++)
        for (int r = 0; r < BENCH_RATIOS; r++) {
            if (q->ratio > 0 && fabs(q->ratio - bench_ratios[r]) > 1e-9)
                continue;
            tune(b, q->pattern ? q->pattern : bench_patterns[p], bench_ratios[r]);
            run_setting(b);
        }
}

/* Rows with equal pattern and ratio are adjacent, so that bulk is tuned once for them. */
static void run_measured(struct micro_bench *b, const struct measured *before)
{
    for (size_t i = 0; i < before->count; i++) {
        struct bench_row row = before->rows[i].row;

        if (strcmp(b->pattern, row.pattern) != 0 || fabs(b->ratio - row.ratio) > 1e-9)
            tune(b, row.pattern, row.ratio);
        if (strcmp(row.method, BENCH_AUTO) == 0)
            run_auto(b);
        else
            run(b, &row);
    }
}

void bench_micro(const struct bench_request *q, struct bench_report *r)
{
    struct measured before = {.count = 0};
    struct bench_request effective = *q;
    struct micro_bench b = {.request = q, .report = r};
    struct proact_error err = {""};

    if (q->against) {
        measured_read(q->against, "pattern", &before);
        effective.machine = q->machine ? q->machine : before.machine;
        measured_name(&before, r);
    }
    b.micro = micro_open(&effective, r);
    if (micro_check(b.micro, q->threads, &err))
        bench_refuse("--threads: %s", err.text);
    if (q->peers)
        peers_look(q->method, r->is_virtual);
    if (q->against)
        run_measured(&b, &before);
    else
        run_all(&b);
    micro_close(b.micro);
    measured_end(&before, r);
}
