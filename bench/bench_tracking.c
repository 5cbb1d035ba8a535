/* SPDX-License-Identifier: Apache-2.0 */
/* What counting costs a kernel: marked and counted, nothing sent, beside the same kernel
   unmarked, on one device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kit.h"
#include "micro.h"
#include "runtime/runtime_machine.h"

static const uint32_t threads[] = {64, 128, 256, 512, 1024};
static const uint64_t chunks[] = {64 << 10, 1 << 20};
enum {
    SIZES = sizeof threads / sizeof *threads,
    KERNELS = 16, /* a replay of so many, so that starting them does not count */
    ARRAY_BYTES = 32 << 20,
    ARRAY_BYTES_VIRTUAL = 4 << 20,
    MULTIPLY_ADDS = 400
};

extern const char kernel_micro[];

struct tracking {
    struct proact *session;
    struct proact_array *array;
    struct proact_kernel *marked, *plain;
    struct proact_recording *recording;
    uint64_t bytes;
    bool is_virtual;
};

static void open_tracking(struct tracking *t, const struct bench_request *q)
{
    struct proact_error err = {""};
    const struct proact_options options = {.machine = q->machine,
                                           .device_count = 2,
                                           .seed = 1,
                                           .threads = q->host_threads,
                                           .plan = {.method = "bulk", .elide = true}};
    const struct proact_image image = {.name = "micro.cu", .text = kernel_micro};

    bench_must(proact_open(&options, &t->session, &err), &err);
    t->is_virtual = proact_is_emulated(t->session);
    t->bytes = t->is_virtual ? ARRAY_BYTES_VIRTUAL : ARRAY_BYTES;
    const struct proact_shape shape = {"made", t->bytes / MICRO_VECTOR_BYTES,
                                       MICRO_VECTOR_BYTES};

    bench_must(proact_array_create(t->session, &shape, &t->array, &err), &err);
    bench_must(proact_kernel_load(t->session, &image, "micro", &t->marked, &err), &err);
    bench_must(proact_kernel_load(t->session, &image, "micro_plain", &t->plain, &err),
               &err);
}

static enum proact_status launch(struct tracking *t, bool marked, uint32_t cta_threads,
                                 struct proact_error *err)
{
    const uint32_t work = MULTIPLY_ADDS, none = 0;
    const struct proact_grid grid = {
        .ctas = {(uint32_t)(t->bytes / MICRO_VECTOR_BYTES / cta_threads)},
        .threads = {cta_threads},
        .device_count = 1};
    const struct proact_arg counted[] = {PROACT_ARRAY(t->array), PROACT_VALUE(work),
                                         PROACT_VALUE(none), PROACT_VALUE(none)};
    const struct proact_arg plain[] = {PROACT_ARRAY(t->array), PROACT_VALUE(work),
                                       PROACT_VALUE(none)};

    return marked ? proact_launch(t->marked, &grid, counted, 4, err)
                  : proact_launch(t->plain, &grid, plain, 3, err);
}

static double once(void *context)
{
    struct tracking *t = context;
    struct proact_error err = {""};
    uint64_t from = proact_now_ns(t->session);

    bench_must(proact_replay(t->recording, &err), &err);
    bench_must(proact_wait(t->session, &err), &err);
    return (double)(proact_now_ns(t->session) - from) / KERNELS / 1000;
}

static struct bench_sample run(struct tracking *t, const struct proact_plan *plan,
                               bool marked, uint32_t cta_threads)
{
    struct proact_error err = {""};

    bench_must(proact_plan_set(t->session, plan, &err), &err);
    bench_must(launch(t, marked, cta_threads, &err), &err); /* sends tables */
    bench_must(proact_record_begin(t->session, &err), &err);
    for (int i = 0; i < KERNELS; i++)
        bench_must(launch(t, marked, cta_threads, &err), &err);
    bench_must(proact_record_end(t->session, &t->recording, &err), &err);
    struct bench_sample us = bench_repeat(once, t, t->is_virtual);

    proact_recording_destroy(t->recording);
    return us;
}

static void add(struct bench_report *r, const char *what, uint32_t cta_threads,
                struct bench_sample us)
{
    struct bench_row row = {.unit = "us", .value = us};

    snprintf(row.what, sizeof row.what, "%u threads a CTA, %s", cta_threads, what);
    bench_add(r, &row);
}

static void run_threads(struct tracking *t, uint32_t n, struct bench_report *r)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .run_bytes = n * MICRO_VECTOR_BYTES};
    const struct proact_plan bulk = {.method = "bulk", .elide = true};
    struct proact_error err = {""};

    bench_must(proact_kernel_map(t->marked, 0, &map, &err), &err);
    struct bench_sample plain = run(t, &bulk, false, n);

    add(r, "unmarked", n, plain);
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        const struct proact_plan counted = {
            .method = "fused", .elide = true, .chunk_bytes = chunks[c]};
        struct bench_sample us = run(t, &counted, true, n);
        char what[64];

        snprintf(what, sizeof what, "counted, chunks of %llu KB: %+.2f %%",
                 (unsigned long long)chunks[c] >> 10, 100 * (us.median / plain.median - 1));
        add(r, what, n, us);
    }
}

void bench_tracking(const struct bench_request *q, struct bench_report *r)
{
    struct tracking t = {.bytes = 0};
    const struct device_backend *backend;
    struct proact_error err = {""};
    struct topology machine;

    bench_must(runtime_machine(q->machine, &machine, &backend, &err), &err);
    open_tracking(&t, q);
    snprintf(r->machine, sizeof r->machine, "%s", machine.name);
    snprintf(r->device, sizeof r->device, "%s", machine.device.name);
    r->devices = 1;
    r->is_virtual = t.is_virtual;
    for (int i = 0; i < SIZES; i++)
        run_threads(&t, threads[i], r);
    proact_close(t.session);
}
