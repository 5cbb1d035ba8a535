/* SPDX-License-Identifier: Apache-2.0 */
/* What counting costs a kernel: marked by its author or by the compiler, and counted,
   nothing sent, beside the same kernel unmarked, on one device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kit.h"
#include "measured.h"
#include "micro.h"
#include "runtime/runtime_machine.h"

static const uint32_t threads[] = {64, 128, 256, 512, 1024};
/* Of the counting ones, one that looks at the sum and one that does not; the first sends
   what is stored, of which nothing is left here. */
static const char *const methods[] = {"inline", "fused", "copy-engine"};
enum {
    SIZES = sizeof threads / sizeof *threads,
    KERNELS = 64,        /* so many in a row, so that starting them does not count: */
    KERNELS_VIRTUAL = 1, /* where that costs the same each time */
    CHUNK = 1 << 20,
    ARRAY_BYTES = 32 << 20
};

/* Of each thread: CTAs that end after some ten microseconds, and after some fifty, as those
   of a kernel that takes as long as its copies to three peers. */
static const uint32_t works[] = {1024, 4096};
enum { WORKS = sizeof works / sizeof *works };

extern const char kernel_micro[];

/* COMPILED: the unmarked text, of which a map is known. */
enum tracked { PLAIN, MARKED, COMPILED, TRACKED };
static const char *const tracked_names[TRACKED] = {"unmarked", "for", "compiled for"};

struct tracking {
    struct proact *session;
    struct proact_array *array;
    struct proact_kernel *kernel[TRACKED];
    enum tracked which;
    uint64_t bytes;
    uint32_t work, threads; /* multiply-adds of a thread; threads of a CTA */
    bool is_virtual;
};

/* Kernel time is told to whoever asks for spans. */
static void ignore(void *context, const struct proact_span *span)
{
    (void)context;
    (void)span;
}

static void open_tracking(struct tracking *t, const struct bench_request *q)
{
    struct proact_error err = {""};
    const struct proact_options options = {
        .machine = q->machine,
        .device_count = 2,
        .seed = 1,
        .threads = q->host_threads,
        .plan = {.method = "bulk", .everywhere = true, .elide = true}};
    const struct proact_image image = {.name = "micro.cu", .text = kernel_micro};

    bench_must(proact_open(&options, &t->session, &err), &err);
    t->is_virtual = proact_is_emulated(t->session);
    t->bytes = ARRAY_BYTES;
    const struct proact_shape shape = {"made", t->bytes / MICRO_VECTOR_BYTES,
                                       MICRO_VECTOR_BYTES};

    proact_observe(t->session, ignore, NULL);
    bench_must(proact_array_create(t->session, &shape, &t->array, &err), &err);
    for (int i = 0; i < TRACKED; i++)
        bench_must(proact_kernel_load(t->session, &image,
                                      i == MARKED ? "micro" : "micro_plain", &t->kernel[i],
                                      &err),
                   &err);
}

static enum proact_status launch(const struct tracking *t, struct proact_error *err)
{
    const uint32_t none = 0;
    const struct proact_grid grid = {
        .ctas = {(uint32_t)(t->bytes / MICRO_VECTOR_BYTES / t->threads)},
        .threads = {t->threads},
        .device_count = 1};
    const struct proact_arg marked[] = {PROACT_ARRAY(t->array), PROACT_VALUE(t->work),
                                        PROACT_VALUE(none), PROACT_VALUE(none)};
    const struct proact_arg plain[] = {PROACT_ARRAY(t->array), PROACT_VALUE(t->work),
                                       PROACT_VALUE(none)};

    return t->which == MARKED ? proact_launch(t->kernel[MARKED], &grid, marked, 4, err)
                              : proact_launch(t->kernel[t->which], &grid, plain, 3, err);
}

static double once(void *context)
{
    struct tracking *t = context;
    struct proact_error err = {""};
    struct proact_statistics s;
    const int kernels = t->is_virtual ? KERNELS_VIRTUAL : KERNELS;

    proact_statistics_reset(t->session);
    for (int i = 0; i < kernels; i++)
        bench_must(launch(t, &err), &err);
    bench_must(proact_wait(t->session, &err), &err);
    bench_must(proact_statistics_get(t->session, 0, NULL, &s, &err), &err);
    return s.kernel_ns / kernels / 1000;
}

static struct bench_sample run(struct tracking *t, const char *method, enum tracked which)
{
    const struct proact_plan plan = {
        .method = method, .everywhere = true, .elide = true, .chunk_bytes = CHUNK};
    struct proact_error err = {""};

    t->which = which;
    const uint32_t work = t->work;

    bench_must(proact_plan_set(t->session, &plan, &err), &err);
    t->work = 0;
    bench_must(launch(t, &err), &err); /* sends tables */
    bench_must(proact_wait(t->session, &err), &err);
    t->work = work;
    return bench_repeat(once, t, t->is_virtual);
}

static void add(const struct tracking *t, struct bench_report *r, const char *what,
                struct bench_sample us)
{
    struct bench_row row = {.unit = "us", .value = us};

    snprintf(row.what, sizeof row.what, "work %u, %u threads a CTA, %s", t->work,
             t->threads, what);
    bench_add(r, &row);
}

static void run_threads(struct tracking *t, struct bench_report *r)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .run_bytes = t->threads * MICRO_VECTOR_BYTES};
    struct proact_error err = {""};

    for (int k = MARKED; k < TRACKED; k++)
        bench_must(proact_kernel_map(t->kernel[k], 0, &map, &err), &err);
    struct bench_sample plain = run(t, "bulk", PLAIN);

    add(t, r, tracked_names[PLAIN], plain);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = MARKED; k < TRACKED; k++) {
            struct bench_sample us = run(t, methods[i], (enum tracked)k);
            char what[64];

            snprintf(what, sizeof what, "%s %s: %+.2f %%", tracked_names[k], methods[i],
                     100 * (us.median / plain.median - 1));
            add(t, r, what, us);
        }
}

void bench_tracking(const struct bench_request *request, struct bench_report *r)
{
    struct tracking t = {.bytes = 0};
    struct measured before;
    struct bench_request asked, *q = &asked;
    const struct device_backend *backend;
    struct proact_error err = {""};
    struct topology machine;

    measured_beside(request, &before, &asked, r);
    bench_must(runtime_machine(q->machine, &machine, &backend, &err), &err);
    open_tracking(&t, q);
    snprintf(r->machine, sizeof r->machine, "%s", machine.name);
    snprintf(r->device, sizeof r->device, "%s", machine.device.name);
    r->devices = 1;
    r->is_virtual = t.is_virtual;
    for (int w = 0; w < (t.is_virtual ? 1 : WORKS); w++)
        for (int i = 0; i < SIZES; i++) {
            t.work = works[w];
            t.threads = threads[i];
            run_threads(&t, r);
        }
    proact_close(t.session);
    r->before = NULL;
    measured_clear(&before);
}
