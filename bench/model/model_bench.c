/* SPDX-License-Identifier: Apache-2.0 */
/* Error of the derived LogGOP parameters on emulated machines: one message of each
   initiator, and many in a row, by size. Prints the errors by initiator and decade; fails
   if a median or a 95th percentile over the machines exceeds its limit.

       model_bench [--all] [MEDIAN_PERCENT P95_PERCENT [MACHINE]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "micro_run.h"
#include "model/predict.h"

enum {
    LEAST_BYTES = 4 << 10,
    MOST_BYTES = 4 << 20,
    ROW_BYTES = 4 << 20, /* of all messages in a row, at least */
    MESSAGES = 16,       /* least number of messages in a row */
    SLEEP_NS = 30000,
    DECADES = 3,
    SIZES = 11, /* 4 KB, 8 KB .. 4 MB */
    ERRORS_MAX = 256,
    CTA_BYTES = 4096 /* MICRO_CTA_BYTES */
};

static const char *const model_machines[] = {"h200x2", "v100x4", "p100x4", "k40x4"};
enum { MACHINES = sizeof model_machines / sizeof *model_machines };

/* Errors of an initiator in a decade of sizes. */
struct model_errors {
    double error[ERRORS_MAX];
    unsigned count;
};

struct model_check {
    struct topology t;
    bool prints;
    double base_ns[SIZES]; /* launches that send nothing, by size; NAN: not timed yet */
    struct model_errors errors[MODEL_SENDERS][DECADES];
};

/* Virtual time of a launch that writes `bytes`, in chunks of `chunk`. method NULL: nothing
   is sent. `sleeps`: the kernel lasts until the host has queued everything. NAN: the
   machine does not support it. */
static double launch_ns(const struct model_check *c, enum model_sender who,
                        const char *method, uint64_t bytes, uint64_t chunk, bool sleeps)
{
    const struct bench_request q = {.machine = c->t.name,
                                    .devices = who == MODEL_SEND_RELAY ? 3 : 2,
                                    .bytes = bytes,
                                    .host_threads = 1};
    struct bench_report r = {.bench = ""};
    struct micro *m = micro_open(&q, &r);
    const struct proact_plan plan = {.method = method ? method : "bulk",
                                     .broadcast = true,
                                     .chunk_bytes = method ? chunk : 0,
                                     .skip_transfers = !method};
    const struct micro_launch launch = {
        .kernel = who == MODEL_SEND_BULK_STORE ? MICRO_BULK : MICRO_STORES,
        .devices = 1,
        .work = {.sleep_ns = sleeps && c->t.device.capability >= 70 ? SLEEP_NS : 0}};
    struct bench_sample ns = {.median = NAN};
    struct proact_error err = {""};

    if (!micro_has(m, launch.kernel) || micro_run(m, &plan, &launch, &ns, &err))
        ns.median = NAN;
    micro_close(m);
    return ns.median;
}

static double launch_base_ns(struct model_check *c, uint64_t bytes)
{
    double *known = &c->base_ns[(unsigned)(log2((double)bytes / LEAST_BYTES) + 0.5)];

    if (isnan(*known))
        *known = launch_ns(c, MODEL_SEND_COPY, NULL, bytes, 0, true);
    return *known;
}

static void note_error(struct model_check *c, enum model_sender who, bool is_pipelined,
                       uint64_t bytes, double measured, double derived)
{
    struct model_errors *e =
        &c->errors[who][(unsigned)fmin(log10((double)bytes / LEAST_BYTES), DECADES - 1)];
    const double error = fabs(derived / measured - 1);

    if (!isfinite(error))
        return;
    if (e->count < ERRORS_MAX)
        e->error[e->count++] = error;
    if (c->prints)
        printf("%-8s %-11s %-9s %10llu %12.2f %12.2f %+7.1f%%\n", c->t.name,
               model_sender_name(who), is_pipelined ? "pipelined" : "single",
               (unsigned long long)bytes, measured / 1e3, derived / 1e3,
               100 * (derived / measured - 1));
}

static struct model_path message_path(const struct model_check *c, uint64_t bytes)
{
    return (struct model_path){.to = 1,
                               .run_bytes = bytes,
                               .bytes = bytes,
                               .is_cached = bytes <= c->t.device.l2_bytes};
}

/* Time that the transfer of one chunk adds to a launch. */
static void check_single(struct model_check *c, enum model_sender who, uint64_t bytes)
{
    const char *method = model_method_name(who);
    const struct topology_device *d = &c->t.device;
    double base_ns = launch_base_ns(c, bytes);
    const double sent_ns = launch_ns(c, who, method, bytes, bytes, true);
    struct model_path path = message_path(c, bytes);

    /* Without the event to the stream of the copies, where the kernel sends; with the
       launch of the agent, whose event precedes it instead of following the kernel. */
    if (who != MODEL_SEND_COPY && who != MODEL_SEND_COPY_WAIT && who != MODEL_SEND_RELAY)
        base_ns -= 1000 * d->event_here_us;
    if (who == MODEL_SEND_AGENT)
        base_ns += 1000 * (d->launch_host_us + 2 * d->call_host_us);

    if (who == MODEL_SEND_STORE || who == MODEL_SEND_BULK_STORE) {
        path.run_bytes = 512;
        path.ctas = (unsigned)(bytes / CTA_BYTES);
    }
    const struct model_loggop p = model_derive_path(&c->t, who, false, &path);
    double ns = model_message_ns(&p, bytes);

    if (who == MODEL_SEND_AGENT) /* two events follow the kernel's last count */
        ns = fmax(ns, model_count_ns(d) + 2000 * d->event_here_us);
    note_error(c, who, false, bytes, sent_ns - base_ns, ns);
}

/* CTAs of the kernel send slowly, so a row of them has more messages. */
static uint64_t least_row_bytes(enum model_sender who, uint64_t bytes)
{
    return bytes * (who == MODEL_SEND_FUSED ? 4 * MESSAGES : MESSAGES);
}

/* Bytes of the first of two rows: the L2 contains both, or neither. */
static uint64_t row_bytes(const struct model_check *c, enum model_sender who,
                          uint64_t bytes)
{
    const double l2_bytes = (double)c->t.device.l2_bytes;
    uint64_t row = least_row_bytes(who, bytes);

    row = row > ROW_BYTES ? row : ROW_BYTES;
    if (2 * (double)row >= l2_bytes)
        while ((double)row < 2 * l2_bytes)
            row *= 2;
    return row;
}

/* Difference of two rows of messages; the second row has twice as many. The host queues the
   copies one after another. */
static void check_pipelined(struct model_check *c, enum model_sender who, uint64_t bytes)
{
    const struct topology_device *d = &c->t.device;
    const char *method = model_method_name(who);
    const uint64_t row = row_bytes(c, who, bytes);
    const double less_ns = launch_ns(c, who, method, row, bytes, false);
    const double more_ns = launch_ns(c, who, method, 2 * row, bytes, false);
    struct model_path path = message_path(c, bytes);

    path.is_cached = 2 * (double)row < (double)c->t.device.l2_bytes;
    const struct model_loggop p = model_derive_path(&c->t, who, true, &path);
    double ns = model_period_ns(&p, bytes);

    if (who == MODEL_SEND_COPY_WAIT || who == MODEL_SEND_RELAY)
        ns = fmax(ns, 1000 * (d->copy_host_us + d->call_host_us));
    const uint64_t count = row / bytes;

    note_error(c, who, true, bytes, (more_ns - less_ns) / (double)count, ns);
}

static int compare_model_errors(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Prints a row; true if it is within the limits. */
static bool summarize(struct model_errors *e, enum model_sender who, int decade,
                      double median_most, double p95_most)
{
    if (!e->count)
        return true;
    qsort(e->error, e->count, sizeof *e->error, compare_model_errors);
    const double median = 100 * e->error[e->count / 2];
    const double p95 = 100 * e->error[(unsigned)((e->count - 1) * 0.95 + 0.5)];
    const bool is_within = median <= median_most && p95 <= p95_most;

    printf("%-11s from %5.0f KB %6u %9.1f %% %9.1f %%%s\n", model_sender_name(who),
           LEAST_BYTES / 1024.0 * pow(10, decade), e->count, median, p95,
           is_within ? "" : "  *");
    return is_within;
}

/* Rows keep the link busy. */
static bool is_row(enum model_sender who, uint64_t bytes)
{
    return model_sends_chunks(who) && who != MODEL_SEND_RELAY &&
           (who != MODEL_SEND_FUSED || least_row_bytes(who, bytes) <= ROW_BYTES);
}

/* Stores leave after the kernel only if all of its CTAs run at once. */
static bool is_single(const struct model_check *c, enum model_sender who, uint64_t bytes)
{
    return (who != MODEL_SEND_STORE && who != MODEL_SEND_BULK_STORE) ||
           (double)bytes / CTA_BYTES <= model_wave(&c->t.device, 0);
}

static void check_machine_errors(struct model_check *c)
{
    for (int i = 0; i < SIZES; i++)
        c->base_ns[i] = NAN;
    for (int w = 0; w < MODEL_SENDERS; w++) {
        const enum model_sender who = (enum model_sender)w;

        if (!model_sender_exists(&c->t, who) ||
            (who == MODEL_SEND_RELAY && c->t.device_count < 3))
            continue;
        for (uint64_t bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 2) {
            if (is_single(c, who, bytes))
                check_single(c, who, bytes);
            if (is_row(who, bytes))
                check_pipelined(c, who, bytes);
        }
    }
}

int main(int argc, char **argv)
{
    struct model_check *c = must_calloc(1, sizeof *c);
    const bool prints = argc > 1 && strcmp(argv[1], "--all") == 0;
    const int first = prints ? 2 : 1;
    const double median = argc > first ? strtod(argv[first], NULL) : INFINITY;
    const double p95 = argc > first + 1 ? strtod(argv[first + 1], NULL) : INFINITY;
    bool is_within = true;

    setvbuf(stdout, NULL, _IOLBF, 0);
    c->prints = prints;
    for (int m = 0; m < MACHINES; m++) {
        struct proact_error err = {""};

        if (argc > first + 2 && strcmp(argv[first + 2], model_machines[m]) != 0)
            continue;
        if (topology_load(model_machines[m], &c->t, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        check_machine_errors(c);
    }
    printf("%-11s %14s %6s %11s %11s\n", "initiator", "bytes", "points", "median", "p95");
    for (int who = 0; who < MODEL_SENDERS; who++)
        for (int decade = 0; decade < DECADES; decade++)
            is_within &= summarize(&c->errors[who][decade], (enum model_sender)who, decade,
                                   median, p95);
    free(c);
    return is_within ? 0 : 1;
}
