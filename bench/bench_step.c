/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration over all devices with almost no computation, which measures the cost of
   synchronization. It runs as a replayed recording and as single launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/session/runtime_machine.h"

#include "kit.h"
#include "measured.h"

enum { THREADS = 256, STEPS = 64, REPLAYS = 4 };

extern const char kernel_micro[];

struct step_bench {
    struct proact *session;
    struct proact_array *array[2];
    struct proact_kernel *kernel;
    struct proact_recording *recording; /* NULL: single launches */
    uint32_t count, done;               /* elements; steps */
    bool is_virtual;
};

/* PROACT_EREFUSED if the machine does not support the method. */
static enum proact_status open_step(struct step_bench *b, const struct bench_request *q,
                                    const char *method)
{
    struct proact_error err = {""};
    const struct proact_options options = {.machine = q->machine,
                                           .device_count = q->devices,
                                           .seed = 1,
                                           .host_threads = q->host_threads,
                                           .plan = {.method = method, .broadcast = true}};
    const struct proact_image image = {.name = "micro.cu", .text = kernel_micro};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .range_bytes = THREADS * 4};

    *b = (struct step_bench){.count = 0};
    enum proact_status status = proact_open(&options, &b->session, &err);

    if (status == PROACT_EREFUSED)
        return status;
    bench_must(status, &err);
    b->count = proact_device_count(b->session) * THREADS;
    b->is_virtual = proact_is_emulated(b->session);
    uint32_t *zeros = must_calloc(b->count, sizeof *zeros);

    for (int i = 0; i < 2; i++) {
        const struct proact_shape shape = {i ? "b" : "a", b->count, 4};

        bench_must(proact_array_create(b->session, &shape, &b->array[i], &err), &err);
        bench_must(proact_array_write(b->array[i], 0, zeros, b->count, &err), &err);
    }
    free(zeros);
    bench_must(proact_kernel_load(b->session, &image, "micro_step", &b->kernel, &err),
               &err);
    bench_must(proact_kernel_map(b->kernel, 1, &map, &err), &err);
    return PROACT_OK;
}

static enum proact_status launch_steps(struct step_bench *b, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (int i = 0; i < STEPS && !status; i++) {
        const struct proact_grid grid = {.ctas = {b->count / THREADS},
                                         .threads = {THREADS}};
        const struct proact_arg args[] = {PROACT_ARRAY(b->array[i % 2]),
                                          PROACT_ARRAY(b->array[1 - i % 2]),
                                          PROACT_VALUE(b->count)};

        status = proact_launch(b->kernel, &grid, args, 3, err);
    }
    return status;
}

static double once(void *context)
{
    struct step_bench *b = context;
    struct proact_error err = {""};
    int rounds = b->is_virtual ? 1 : REPLAYS;
    uint64_t from = proact_now_ns(b->session);

    for (int i = 0; i < rounds; i++) {
        if (b->recording)
            bench_must(proact_replay(b->recording, &err), &err);
        else
            bench_must(launch_steps(b, &err), &err);
        b->done += STEPS;
    }
    bench_must(proact_wait(b->session, &err), &err);
    return (double)(proact_now_ns(b->session) - from) / rounds / STEPS / 1000;
}

static void verify(const struct step_bench *b, const char *method)
{
    uint32_t *got = must_calloc(b->count, sizeof *got);
    struct proact_error err = {""};

    for (unsigned d = 0; d < proact_device_count(b->session); d++) {
        bench_must(proact_array_read_replica(b->array[0], d, 0, got, b->count, &err), &err);
        for (uint32_t i = 0; i < b->count; i++)
            if (got[i] != b->done)
                bench_die("%s: element %u of device %u is %u after %u steps", method, i, d,
                          got[i], b->done);
    }
    free(got);
}

static void add(struct step_bench *b, const char *method, const char *how,
                struct bench_report *r)
{
    struct bench_row row = {.unit = "us", .value = bench_repeat(once, b, b->is_virtual)};

    verify(b, method);
    snprintf(row.what, sizeof row.what, "empty step, %s, %s", method, how);
    bench_add(r, &row);
}

struct step_list {
    const struct bench_request *request;
    struct bench_report *report;
};

static void run_method(void *context, const char *method)
{
    const struct step_list *list = context;
    const struct bench_request *q = list->request;
    struct bench_report *r = list->report;
    struct step_bench b;
    struct proact_error err = {""};

    if (open_step(&b, q, method))
        return;
    r->devices = proact_device_count(b.session);
    r->is_virtual = b.is_virtual;
    enum proact_status status = launch_steps(&b, &err);

    bench_must(status, &err);
    bench_must(proact_wait(b.session, &err), &err); /* otherwise it would count as part of
                                                       the first launch */
    b.done = STEPS;
    add(&b, method, "launched one by one", r);
    if (!(status = proact_record_begin(b.session, &err))) {
        bench_must(launch_steps(&b, &err), &err);
        status = proact_record_end(b.session, &b.recording, &err);
    }
    if (status != PROACT_EREFUSED) { /* some methods cannot be recorded on some machines */
        bench_must(status, &err);
        add(&b, method, "replayed", r);
    }
    proact_close(b.session);
}

void bench_step(const struct bench_request *request, struct bench_report *r)
{
    const struct device_backend *backend;
    struct measured before;
    struct bench_request effective, *q = &effective;
    struct proact_error err = {""};
    struct topology t;

    measured_beside(request, &before, &effective, r);
    bench_must(runtime_machine(q->machine, &t, &backend, &err), &err);
    snprintf(r->machine, sizeof r->machine, "%s", t.name);
    snprintf(r->device, sizeof r->device, "%s", t.device.name);
    bench_each_method(q->method, run_method, &(struct step_list){q, r});
    measured_end(&before, r);
}
