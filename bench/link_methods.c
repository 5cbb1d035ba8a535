/* SPDX-License-Identifier: Apache-2.0 */
#include "link_methods.h"

#include <stdio.h>
#include <string.h>

#include "link_machine.h"
#include "measured.h"
#include "micro_run.h"
#include "runtime/session/runtime_machine.h"

enum {
    KB = 1 << 10,
    MB = 1 << 20,
    CTA_THREADS = 1024,
    ROW = 16,                /* back-to-back launches on hardware */
    BYTES = 256 * MB,        /* default size of the array */
    BYTES_VIRTUAL = 64 * MB, /* smaller, because the sending kernels are emulated */
    PAIR_CHUNK = 4 * MB,     /* of two methods that divide the chunks */
    AGENT_CHUNK = 256 * KB
};

struct sending {
    const char *method;
    enum micro_kernel kernel; /* MICRO_MARKS, unless the kernel itself sends its stores */
    uint64_t chunk_bytes;     /* 0: no chunks */
    unsigned ctas;            /* of the agent; 0: no agent */
};

static const struct sending sendings[] = {
    {"bulk", MICRO_MARKS, 0, 0},
    {"inline", MICRO_STORES, 0, 0},
    {"inline", MICRO_BULK, 0, 0},
    {"fused", MICRO_MARKS, 64 * KB, 0},
    {"fused", MICRO_MARKS, MB, 0},
    {"polling", MICRO_MARKS, AGENT_CHUNK, 8},
    {"polling", MICRO_MARKS, AGENT_CHUNK, 16},
    {"polling", MICRO_MARKS, AGENT_CHUNK, 24},
    {"polling", MICRO_MARKS, AGENT_CHUNK, 32},
    {"polling", MICRO_MARKS, AGENT_CHUNK, 48},
    {"polling", MICRO_MARKS, 4 * MB, 8},
    {"polling", MICRO_MARKS, 4 * MB, 16},
    {"polling", MICRO_MARKS, 4 * MB, 48},
    {"dynamic", MICRO_MARKS, 64 * KB, 0},
    {"copy-engine", MICRO_MARKS, MB, 0},
    {"copy-engine", MICRO_MARKS, 4 * MB, 0},
    {"copy-engine", MICRO_MARKS, 16 * MB, 0},
    {"copy-engine", MICRO_MARKS, 64 * MB, 0},
    {"copy-engine", MICRO_MARKS, 256 * MB, 0},
    {"relay", MICRO_MARKS, 4 * MB, 0},
    {"hardware", MICRO_MARKS, 64 * KB, 0},
};
enum { SENDINGS = sizeof sendings / sizeof *sendings };

struct sender {
    const struct bench_request *request;
    struct bench_report *report;
    struct micro *micro;
    const char *where;
    unsigned producers;
    struct bench_row best; /* over the agents */
    unsigned best_ctas;
};

static void name_row(const struct sender *s, const struct sending *what,
                     struct bench_row *row)
{
    char chunk[24] = "", agent[24] = "";

    if (what->chunk_bytes >= MB)
        snprintf(chunk, sizeof chunk, ", %u MB", (unsigned)(what->chunk_bytes / MB));
    else if (what->chunk_bytes)
        snprintf(chunk, sizeof chunk, ", %u KB", (unsigned)(what->chunk_bytes / KB));
    if (what->ctas)
        snprintf(agent, sizeof agent, ", %u CTAs", what->ctas);
    snprintf(row->what, sizeof row->what, "%s %s%s%s%s", what->method, s->where,
             what->kernel == MICRO_BULK ? ", bulk stores" : "", chunk, agent);
}

/* With a file of measurements, only its rows are measured. */
static bool is_selected(const struct sender *s, const struct bench_row *row)
{
    struct bench_row beside = *row;

    measured_fill(s->report->before, &beside);
    return !s->report->before || beside.measured > 0;
}

static void keep_best(struct sender *s, const struct bench_row *row, unsigned ctas)
{
    if (!ctas || row->value.median <= s->best.value.median)
        return;
    s->best = *row;
    s->best_ctas = ctas;
}

/* Goodput of one device. A method that the machine does not support, or an agent that is
   too large for it, has no row. */
static void send(struct sender *s, const struct sending *what)
{
    const struct proact_plan plan = {.method = what->method,
                                     .broadcast = true,
                                     .chunk_bytes = what->chunk_bytes,
                                     .transfer_threads = what->ctas * CTA_THREADS};
    const struct micro_launch launch = {.kernel = what->kernel, .devices = s->producers};
    const uint64_t share = s->request->bytes / s->producers;
    struct bench_row row = {.unit = "GB/s"};
    struct bench_sample ns = {.median = 0};
    struct proact_error err = {""};

    name_row(s, what, &row);
    if (what->chunk_bytes > share || !micro_has(s->micro, what->kernel) ||
        !is_selected(s, &row))
        return;
    enum proact_status status = micro_run(s->micro, &plan, &launch, &ns, &err);

    if (status == PROACT_EREFUSED || (status == PROACT_EINVAL && what->ctas))
        return;
    bench_must(status, &err);
    row.value = bench_rate(ns, (double)share * (micro_devices(s->micro) - 1));
    bench_add(s->report, &row);
    keep_best(s, &row, what->ctas);
}

static void print_best(struct sender *s)
{
    struct bench_row row = s->best;

    snprintf(row.what, sizeof row.what, "polling %s, best: %u CTAs", s->where,
             s->best_ctas);
    if (s->best_ctas && is_selected(s, &row))
        bench_add(s->report, &row);
}

/* A baseline: the time of a launch without its transfers. */
static void send_nothing(struct sender *s, enum micro_kernel kernel, const char *does)
{
    const struct proact_plan plan = {
        .method = "bulk", .broadcast = true, .skip_transfers = true};
    const struct micro_launch launch = {.kernel = kernel, .devices = s->producers};
    struct bench_row row = {.unit = "us"};
    struct bench_sample ns = {.median = 0};
    struct proact_error err = {""};

    snprintf(row.what, sizeof row.what, "no transfer %s, %s kernel", s->where, does);
    if (!is_selected(s, &row))
        return;
    bench_must(micro_run(s->micro, &plan, &launch, &ns, &err), &err);
    row.value = (struct bench_sample){.median = ns.median / 1e3,
                                      .lowest = ns.lowest / 1e3,
                                      .highest = ns.highest / 1e3,
                                      .runs = ns.runs};
    bench_add(s->report, &row);
}

static void send_by(void *context, const char *method)
{
    struct sender *s = context;

    if (strchr(method, '+'))
        send(s, &(struct sending){method, MICRO_MARKS, PAIR_CHUNK, 0});
    for (int i = 0; i < SENDINGS; i++)
        if (strcmp(sendings[i].method, method) == 0)
            send(s, &sendings[i]);
    if (strcmp(method, "polling") == 0)
        print_best(s);
}

static void run(const struct bench_request *q, const char *where, unsigned devices,
                unsigned producers, struct bench_report *r)
{
    struct bench_request effective = *q;
    struct sender s = {.request = q, .report = r, .where = where, .producers = producers};

    effective.devices = devices;
    s.micro = micro_open(&effective, r);
    send_nothing(&s, MICRO_MARKS, "sparse-store");
    send_nothing(&s, MICRO_STORES, "full-store");
    bench_each_method(q->method, send_by, &s);
    micro_close(s.micro);
}

void link_methods(const struct bench_request *q, struct bench_report *r)
{
    const struct device_backend *backend;
    struct bench_request effective = *q;
    struct proact_error err = {""};
    struct topology t;

    bench_must(runtime_machine(q->machine, &t, &backend, &err), &err);
    if (q->devices)
        bench_must(topology_restrict(&t, q->devices, &err), &err);
    link_need_two(t.name, t.device_count);
    if (!q->launches && !backend->is_virtual)
        effective.launches = ROW;
    if (!q->bytes)
        effective.bytes = backend->is_virtual ? BYTES_VIRTUAL : BYTES;
    run(&effective, "to one peer", 2, 1, r);
    run(&effective, "all to all", t.device_count, t.device_count, r);
}
