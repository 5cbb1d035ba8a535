/* SPDX-License-Identifier: Apache-2.0 */
#include "micro_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "micro.h"
#include "runtime/session/runtime_machine.h"
#include "transfer/transfer.h"

enum {
    BULK_CAPABILITY = 90,
    SLEEP_CAPABILITY = 70,
    AUTO_LAUNCHES = 4, /* after which the planner has measured and selected */
    LOOKS = 64,        /* compared pieces of each replica */
    LOOK_VECTORS = 256
};

extern const char kernel_micro[], kernel_micro_bulk_90[];

struct micro {
    struct proact *session;
    struct proact_array *array;
    struct proact_kernel *kernel[MICRO_KERNELS]; /* NULL: the devices cannot run it */
    uint64_t bytes;
    uint32_t salt, filled; /* of the latest launch; of the fill under the marks */
    unsigned launches;     /* back-to-back, before the host waits */
    bool is_virtual;
    bool times_copies; /* times are of copies during which no kernel runs */
    struct bench_request request;
};

static uint32_t cta_bytes(enum micro_kernel kernel)
{
    static const uint32_t bytes[MICRO_KERNELS] = {MICRO_CTA_BYTES, MICRO_CTA_BYTES,
                                                  MICRO_ANNOTATED_BYTES, MICRO_RUNS_BYTES};

    return bytes[kernel];
}

enum micro_kernel micro_stores(const struct micro *m)
{
    return m->request.run_bytes ? MICRO_RUNS : MICRO_STORES;
}

static void load(struct micro *m, enum micro_kernel kernel, const char *name,
                 const char *text)
{
    const struct proact_image image = {.name = name, .text = text};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .range_bytes = cta_bytes(kernel)};
    struct proact_kernel **k = &m->kernel[kernel];
    struct proact_error err = {""};

    bench_must(proact_kernel_load(m->session, &image, name, k, &err), &err);
    bench_must(proact_kernel_map(*k, 0, &map, &err), &err);
}

/* Writes the machine into the report; returns the compute capability of the devices. */
static unsigned describe(const struct bench_request *q, struct micro *m,
                         struct bench_report *r)
{
    struct proact_error err = {""};
    const struct device_backend *backend;
    struct topology t;

    bench_must(runtime_machine(q->machine, &t, &backend, &err), &err);
    snprintf(r->machine, sizeof r->machine, "%s", t.name);
    snprintf(r->device, sizeof r->device, "%s", t.device.name);
    r->devices = proact_device_count(m->session);
    r->is_virtual = m->is_virtual;
    return t.device.capability;
}

static struct micro *micro_session(const struct bench_request *q, bool is_free,
                                   struct bench_report *r)
{
    struct micro *m = must_calloc(1, sizeof *m);
    struct proact_error err = {""};
    const struct proact_options options = {.machine = q->machine,
                                           .device_count = q->devices,
                                           .seed = 1,
                                           .infinite_bandwidth = is_free,
                                           .host_threads = q->host_threads};
    const struct proact_shape shape = {.name = "made",
                                       .count = q->bytes / MICRO_VECTOR_BYTES,
                                       .element_bytes = MICRO_VECTOR_BYTES};

    m->request = *q;
    m->bytes = q->bytes;
    m->launches = q->launches ? q->launches : 1;
    bench_must(proact_open(&options, &m->session, &err), &err);
    bench_must(proact_array_create(m->session, &shape, &m->array, &err), &err);
    m->is_virtual = proact_is_emulated(m->session);
    const unsigned capability = describe(q, m, r);
    const bool can_sleep = capability >= SLEEP_CAPABILITY;

    if ((q->sleeps || q->run_bytes) && !can_sleep)
        bench_refuse(
            "--sleep, --run: nanosleep requires compute capability 7.0, machine %s has "
            "%u.%u",
            r->machine, capability / 10, capability % 10);
    load(m, MICRO_STORES, can_sleep ? "micro" : "micro_awake", kernel_micro);
    load(m, MICRO_MARKS, can_sleep ? "micro_marks" : "micro_marks_awake", kernel_micro);
    if (q->run_bytes && can_sleep)
        load(m, MICRO_RUNS,
             q->store_bytes == 4   ? "micro_runs_4"
             : q->store_bytes == 8 ? "micro_runs_8"
                                   : "micro_runs_16",
             kernel_micro);
    if (capability >= BULK_CAPABILITY)
        load(m, MICRO_BULK, "micro_bulk", kernel_micro_bulk_90);
    return m;
}

struct micro *micro_open(const struct bench_request *q, struct bench_report *r)
{
    return micro_session(q, false, r);
}

void micro_close(struct micro *m)
{
    proact_close(m->session);
    free(m);
}

unsigned micro_devices(const struct micro *m)
{
    return proact_device_count(m->session);
}

bool micro_has(const struct micro *m, enum micro_kernel kernel)
{
    return m->kernel[kernel] != NULL;
}

struct runs {
    struct micro *m;
    struct micro_launch what;
    struct proact_recording *recording; /* of all back-to-back launches; NULL: single
                                           launches */
};

static enum proact_status launch(const struct runs *r, struct proact_error *err)
{
    struct micro *m = r->m;
    const struct proact_grid grid = {
        .ctas = {(uint32_t)(m->bytes / cta_bytes(r->what.kernel))},
        .threads = {MICRO_THREADS},
        .device_count = r->what.devices};
    const uint32_t salt = ++m->salt;
    const struct proact_arg args[] = {
        PROACT_ARRAY(m->array), PROACT_VALUE(r->what.work.multiply_adds),
        PROACT_VALUE(r->what.work.sleep_ns), PROACT_VALUE(salt),
        PROACT_VALUE(m->request.run_bytes)};

    return proact_launch(m->kernel[r->what.kernel], &grid, args,
                         r->what.kernel == MICRO_RUNS ? 5 : 4, err);
}

static void launch_all(const struct runs *r)
{
    struct proact_error err = {""};

    for (unsigned i = 0; i < r->m->launches; i++)
        bench_must(launch(r, &err), &err);
}

/* Back-to-back launches are recorded only if the kernels themselves send. In recordings,
   copies are slower than single ones. */
static void record(struct runs *r, const struct proact_plan *plan)
{
    struct transfer_plan read = {.method = NULL};
    struct proact_error err = {""};

    bench_must(transfer_methods_read(plan->method, &read, &err), &err);
    const uint32_t mode = read.method->partition_mode;
    const bool sends = mode & (PROACT_MODE_STORE | PROACT_MODE_SEND);

    if (r->m->launches == 1 || !sends || read.tail || mode & PROACT_MODE_LAUNCH)
        return;
    bench_must(proact_record_begin(r->m->session, &err), &err);
    launch_all(r);
    bench_must(proact_record_end(r->m->session, &r->recording, &err), &err);
}

/* Time since the last reset in which a copy was in flight and no kernel ran. */
static double exposed_ns(const struct micro *m)
{
    struct proact_statistics s = {0};
    struct proact_error err = {""};

    bench_must(proact_statistics_get(m->session, PROACT_ALL_DEVICES, NULL, &s, &err), &err);
    return s.exposed_ns;
}

static double once(void *context)
{
    struct runs *r = context;
    struct micro *m = r->m;
    struct proact_error err = {""};

    bench_must(proact_wait(m->session, &err), &err);
    proact_statistics_reset(m->session);
    uint64_t begin_ns = proact_now_ns(m->session);

    if (r->recording)
        bench_must(proact_replay(r->recording, &err), &err);
    else
        launch_all(r);
    bench_must(proact_wait(m->session, &err), &err);
    const double took_ns = (double)(proact_now_ns(m->session) - begin_ns);

    return (m->times_copies ? exposed_ns(m) : took_ns) / m->launches;
}

/* A replay makes equal data each time, so one more launch overwrites it first. */
static void forget_recording(struct runs *r)
{
    struct proact_error err = {""};
    const uint32_t salt = r->m->salt;

    if (!r->recording)
        return;
    bench_must(launch(r, &err), &err);
    once(r);
    r->m->salt = salt;
    proact_recording_destroy(r->recording);
}

/* The salt of the launch that made a vector. */
static uint32_t salt_of(const struct micro *m, enum micro_kernel kernel, uint64_t vector)
{
    return kernel == MICRO_MARKS && vector % MICRO_MARK_VECTORS ? m->filled : m->salt;
}

/* Comparison of evenly distributed pieces of every replica; the last one is at its end.
   Each piece contains a mark. */
static void verify(const struct micro *m, const char *method, enum micro_kernel kernel)
{
    const uint64_t count = m->bytes / MICRO_VECTOR_BYTES;
    struct micro_vector piece[LOOK_VECTORS];
    struct proact_error err = {""};

    for (unsigned d = 0; d < micro_devices(m); d++)
        for (uint64_t look = 0; look < LOOKS; look++) {
            uint64_t first = (count - LOOK_VECTORS) * look / (LOOKS - 1);

            bench_must(
                proact_array_read_replica(m->array, d, first, piece, LOOK_VECTORS, &err),
                &err);
            for (uint32_t i = 0; i < LOOK_VECTORS; i++)
                if (piece[i].word[0] != (uint32_t)(first + i) ||
                    piece[i].word[1] != salt_of(m, kernel, first + i) ||
                    piece[i].word[2] != ~(uint32_t)(first + i))
                    bench_die("%s: vector %" PRIu64
                              " of device %u is not that of this launch",
                              method, first + i, d);
        }
}

/* The fill under the marks. Only the producers have it, because nothing is sent. */
static enum proact_status fill(struct micro *m, unsigned devices, struct proact_error *err)
{
    const struct proact_plan plan = {
        .method = "bulk", .broadcast = true, .skip_transfers = true};
    const struct runs r = {.m = m, .what = {.kernel = MICRO_STORES, .devices = devices}};
    enum proact_status status = proact_plan_set(m->session, &plan, err);

    if (!status)
        status = launch(&r, err);
    m->filled = m->salt;
    return status;
}

/* An untimed launch precedes the runs: the first launch of a shape sends tables, and lets
   the kernel use the space of an agent. */
enum proact_status micro_run(struct micro *m, const struct proact_plan *plan,
                             const struct micro_launch *what, struct bench_sample *out,
                             struct proact_error *err)
{
    struct runs r = {.m = m, .what = {.kernel = what->kernel, .devices = what->devices}};
    enum proact_status status;

    if (what->kernel == MICRO_MARKS && (status = fill(m, what->devices, err)))
        return status;
    if ((status = proact_plan_set(m->session, plan, err)) || (status = launch(&r, err)) ||
        (status = proact_wait(m->session, err)))
        return status;
    r.what.work = what->work;
    record(&r, plan);
    *out = bench_repeat(once, &r, m->is_virtual);
    forget_recording(&r);
    if (!plan->skip_transfers)
        verify(m, plan->method, what->kernel);
    return PROACT_OK;
}

struct micro_turns {
    struct runs runs;
    const char *method; /* of the plan, or BENCH_AUTO */
};

struct micro_turns *micro_turns_open(struct micro *m, const struct proact_plan *plan,
                                     const struct micro_launch *what)
{
    struct bench_report unused = {.bench = ""};
    struct micro_turns *t = must_calloc(1, sizeof *t);
    struct proact_error err = {""};

    t->runs = (struct runs){.m = micro_session(&m->request, false, &unused), .what = *what};
    t->method = plan->method ? plan->method : BENCH_AUTO;
    bench_must(proact_plan_set(t->runs.m->session, plan, &err), &err);
    for (int i = 0; i < AUTO_LAUNCHES; i++) {
        bench_must(launch(&t->runs, &err), &err);
        bench_must(proact_wait(t->runs.m->session, &err), &err);
    }
    return t;
}

struct bench_sample micro_turns_run(struct micro_turns *t)
{
    return bench_repeat(once, &t->runs, t->runs.m->is_virtual);
}

double micro_turns_once(struct micro_turns *t)
{
    return once(&t->runs);
}

const char *micro_turns_plan(const struct micro_turns *t)
{
    return proact_kernel_plan(t->runs.m->kernel[t->runs.what.kernel]);
}

void micro_turns_close(struct micro_turns *t)
{
    if (!t)
        return;
    verify(t->runs.m, t->method, t->runs.what.kernel);
    micro_close(t->runs.m);
    free(t);
}

struct bench_sample micro_auto(struct micro *m, const struct micro_launch *what,
                               char selected[MICRO_PLAN_BYTES])
{
    struct micro_turns *t =
        micro_turns_open(m, &(struct proact_plan){.broadcast = true}, what);
    const struct bench_sample s = micro_turns_run(t);
    const char *text = micro_turns_plan(t);

    snprintf(selected, MICRO_PLAN_BYTES, "%.*s", text ? (int)strcspn(text, ":") : 0,
             text ? text : "");
    micro_turns_close(t);
    return s;
}

enum proact_status micro_check(struct micro *m, unsigned threads, struct proact_error *err)
{
    const struct proact_plan plan = {.transfer_threads = threads};

    return proact_plan_set(m->session, &plan, err);
}

static struct bench_sample bulk_sample(struct micro *m, const struct micro_launch *what,
                                       bool skips)
{
    const struct proact_plan plan = {
        .method = "bulk", .broadcast = true, .skip_transfers = skips};
    struct bench_sample s = {.median = 0};
    struct proact_error err = {""};

    bench_must(micro_run(m, &plan, what, &s, &err), &err);
    return s;
}

static double bulk_ns(struct micro *m, unsigned devices, struct micro_work work, bool skips)
{
    const struct micro_launch what = {
        .kernel = micro_stores(m), .devices = devices, .work = work};

    return bulk_sample(m, &what, skips).median;
}

static void ignore_span(void *context, const struct proact_trace_span *span)
{
    (void)context;
    (void)span;
}

/* T(bulk) if transfers take no time, which an emulated machine offers. */
static double free_copies_ns(struct micro *m, const struct micro_launch *what)
{
    struct bench_report unused = {.bench = ""};
    struct micro *of = micro_session(&m->request, true, &unused);
    const double ns = bulk_sample(of, what, false).median;

    micro_close(of);
    return ns;
}

/* T(bulk) - C of docs/measuring.md. GPUs trace more launches for C. */
static double uncopied_ns(struct micro *m, const struct micro_launch *what, double bulk_ns)
{
    if (m->is_virtual)
        return free_copies_ns(m, what);
    proact_trace_set_callback(m->session, ignore_span, NULL);
    m->times_copies = true;
    const double copies_ns = bulk_sample(m, what, false).median;

    m->times_copies = false;
    proact_trace_set_callback(m->session, NULL, NULL);
    return fmax(bulk_ns - copies_ns, 0);
}

static struct micro_work work_of(bool sleeps, double amount)
{
    uint32_t n = amount > 0 ? (uint32_t)lround(amount) : 0;

    return sleeps ? (struct micro_work){.sleep_ns = n}
                  : (struct micro_work){.multiply_adds = n};
}

/* Beyond a minimum, the kernel's time is linear in its work: the result is on the line
   through two points near the target time. */
struct micro_bulk micro_tune(struct micro *m, unsigned devices, double ratio, bool sleeps)
{
    double low = sleeps ? 5000 : 1000, high;
    struct micro_bulk b;
    double copies_ns = bulk_ns(m, devices, work_of(sleeps, low), false);
    double at_low = bulk_ns(m, devices, work_of(sleeps, low), true);

    copies_ns -= at_low;
    const double wanted_ns = ratio * copies_ns;

    high = low * wanted_ns / at_low;
    if (fabs(high / low - 1) < 0.1)
        high = 1.5 * low;
    double slope =
        (bulk_ns(m, devices, work_of(sleeps, high), true) - at_low) / (high - low);

    b.work = work_of(sleeps, low + (wanted_ns - at_low) / slope);
    const struct micro_launch what = {
        .kernel = micro_stores(m), .devices = devices, .work = b.work};
    const struct bench_sample bulk = bulk_sample(m, &what, false);

    b.terms = (struct terms_base){.one = bulk.median,
                                  .bulk = bulk.median,
                                  .uncopied = uncopied_ns(m, &what, bulk.median),
                                  .skipped = bulk_sample(m, &what, true).median,
                                  .spread = bulk.highest - bulk.lowest};
    return b;
}
