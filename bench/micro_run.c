/* SPDX-License-Identifier: Apache-2.0 */
#include "micro_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MICRO_RUNS = 7,
    THREADS = 256,
    VECTOR_BYTES = 16,
    CTA_BYTES = THREADS * VECTOR_BYTES
};

extern const char kernel_micro[];

struct micro {
    struct proact *session;
    struct proact_array *array;
    struct proact_kernel *kernel;
    uint32_t ctas;
    uint64_t begin_ns; /* of the first kernel since the last launch */
};

void micro_must(enum proact_status status, const struct proact_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "proact_bench_micro: %s\n", err->text);
    exit(1);
}

static void see(void *context, const struct proact_span *span)
{
    struct micro *m = context;

    if (span->kind == PROACT_SPAN_KERNEL && span->start_ns < m->begin_ns)
        m->begin_ns = span->start_ns;
}

struct micro *micro_open(const char *machine, uint64_t bytes, unsigned host_threads)
{
    struct micro *m = calloc(1, sizeof *m);
    struct proact_error err = {""};
    const struct proact_options options = {
        .machine = machine, .seed = 1, .threads = host_threads};
    const struct proact_shape shape = {
        .name = "made", .count = bytes / VECTOR_BYTES, .element_bytes = VECTOR_BYTES};
    const struct proact_image image = {.name = "micro.cu", .text = kernel_micro};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .run_bytes = CTA_BYTES};

    if (!m)
        abort();
    m->ctas = (uint32_t)(bytes / CTA_BYTES);
    micro_must(proact_open(&options, &m->session, &err), &err);
    micro_must(proact_array_create(m->session, &shape, &m->array, &err), &err);
    micro_must(proact_kernel_load(m->session, &image, "micro", &m->kernel, &err), &err);
    micro_must(proact_kernel_map(m->kernel, 0, &map, &err), &err);
    if (proact_is_emulated(m->session))
        proact_observe(m->session, see, m);
    return m;
}

void micro_close(struct micro *m)
{
    proact_close(m->session);
    free(m);
}

static double run_once(struct micro *m, const struct proact_plan *plan, unsigned devices,
                       struct micro_work work)
{
    struct proact_error err = {""};
    const struct proact_grid grid = {
        .ctas = {m->ctas}, .threads = {THREADS}, .device_count = devices};
    const struct proact_arg args[] = {PROACT_ARRAY(m->array),
                                      PROACT_VALUE(work.multiply_adds),
                                      PROACT_VALUE(work.sleep_ns)};

    micro_must(proact_plan_set(m->session, plan, &err), &err);
    micro_must(proact_wait(m->session, &err), &err);
    /* On hardware being observed costs time: there, from the launch on. */
    m->begin_ns = proact_is_emulated(m->session) ? UINT64_MAX : proact_now_ns(m->session);
    micro_must(proact_launch(m->kernel, &grid, args, 3, &err), &err);
    micro_must(proact_wait(m->session, &err), &err);
    return (double)(proact_now_ns(m->session) - m->begin_ns);
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The first launch of a shape sends tables to the devices, which is not what is measured,
   and lets the kernel take the room of an agent. */
double micro_run(struct micro *m, const struct proact_plan *plan, unsigned devices,
                 struct micro_work work)
{
    double ns[MICRO_RUNS];
    int count = proact_is_emulated(m->session) ? 1 : MICRO_RUNS;

    run_once(m, plan, devices, (struct micro_work){0});
    for (int i = 0; i < count; i++)
        ns[i] = run_once(m, plan, devices, work);
    qsort(ns, (size_t)count, sizeof *ns, compare);
    return ns[count / 2];
}

static double kernel_alone(struct micro *m, unsigned devices, struct micro_work work)
{
    const struct proact_plan plan = {.method = "bulk", .elide = true};

    return micro_run(m, &plan, devices, work);
}

static struct micro_work work_of(bool sleeps, double amount)
{
    uint32_t n = amount > 0 ? (uint32_t)lround(amount) : 0;

    return sleeps ? (struct micro_work){.sleep_ns = n}
                  : (struct micro_work){.multiply_adds = n};
}

/* The kernel's time is a line over its work once there is enough of it to wait for. */
struct micro_bulk micro_tune(struct micro *m, unsigned devices, double ratio, bool sleeps)
{
    const struct proact_plan plan = {.method = "bulk"};
    double low = sleeps ? 5000 : 100;
    struct micro_bulk b;
    double copies_ns = micro_run(m, &plan, devices, work_of(sleeps, low));
    double at_low = kernel_alone(m, devices, work_of(sleeps, low));
    double slope = (kernel_alone(m, devices, work_of(sleeps, 2 * low)) - at_low) / low;

    copies_ns -= at_low;
    b.work = work_of(sleeps, low + (ratio * copies_ns - at_low) / slope);
    b.kernel_ns = kernel_alone(m, devices, b.work);
    b.total_ns = b.kernel_ns + copies_ns;
    return b;
}
