/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of counting for a kernel that its author or the compiler annotates, compared
   with the plain kernel on one device. Nothing is sent. */
#include <stdio.h>

#include "measured.h"
#include "tracking.h"

static const uint32_t threads[] = {64, 128, 256, 512, 1024};
/* Of the counting methods, fused uses the counter's value and copy-engine does not. inline
   sends the stores, which leaves nothing here. */
static const char *const methods[] = {"inline", "fused", "copy-engine"};
enum {
    SIZES = sizeof threads / sizeof *threads,
    KERNELS = 64,        /* back-to-back, so that the launch cost does not matter */
    KERNELS_VIRTUAL = 1, /* launches have a constant cost */
    CHUNK = 1 << 20,
    ARRAY_BYTES = 32 << 20
};

/* Per thread: CTAs of about 10 us, and of about 50 us, as in a kernel that takes as long as
   its copies to three peers. */
static const uint32_t works[] = {1024, 4096};
enum { WORKS = sizeof works / sizeof *works };

static const char *const tracked_names[TRACKED] = {"plain", "annotated", "compiled"};

static double once(void *context)
{
    struct tracking *t = context;
    const int kernels = t->backend->is_virtual ? KERNELS_VIRTUAL : KERNELS;

    t->kernel_ns = 0;
    for (int i = 0; i < kernels; i++)
        tracking_launch(t, t->work);
    tracking_wait(t);
    return t->kernel_ns / kernels / 1000;
}

static struct bench_sample run(struct tracking *t, const char *method, enum tracked which)
{
    tracking_load(t, which, method);
    tracking_launch(t, 0); /* excludes the cost of a first launch */
    tracking_wait(t);
    struct bench_sample us = bench_repeat(once, t, t->backend->is_virtual);

    tracking_check(t);
    return us;
}

/* `plain`: the row of the plain kernel; NULL: this is it. */
static void add(const struct tracking *t, struct bench_report *r, const char *what,
                struct bench_sample us, const struct bench_row *plain)
{
    struct bench_row row = {.unit = "us",
                            .value = us,
                            .base = plain ? plain->value.median : 0,
                            .base_measured = plain ? plain->measured : 0};

    snprintf(row.what, sizeof row.what, "work %u, %u threads per CTA, %s", t->work,
             t->threads, what);
    bench_add(r, &row);
}

static void run_threads(struct tracking *t, struct bench_report *r)
{
    tracking_tables(t, CHUNK);

    add(t, r, tracked_names[PLAIN], run(t, "bulk", PLAIN), NULL);
    const struct bench_row plain = r->rows[r->count - 1];

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = ANNOTATED; k < TRACKED; k++) {
            struct bench_sample us = run(t, methods[i], (enum tracked)k);
            char what[64];

            snprintf(what, sizeof what, "%s, %s: %+.2f %%", tracked_names[k], methods[i],
                     100 * (us.median / plain.value.median - 1));
            add(t, r, what, us, &plain);
        }
}

void bench_tracking(const struct bench_request *request, struct bench_report *r)
{
    struct tracking t = {.bytes = ARRAY_BYTES};
    struct measured before;
    struct bench_request effective, *q = &effective;

    measured_beside(request, &before, &effective, r);
    tracking_open(&t, q);
    snprintf(r->machine, sizeof r->machine, "%s", t.topology.name);
    snprintf(r->device, sizeof r->device, "%s", t.topology.device.name);
    r->devices = 1;
    r->is_virtual = t.backend->is_virtual;
    for (int w = 0; w < (r->is_virtual ? 1 : WORKS); w++)
        for (int i = 0; i < SIZES; i++) {
            t.work = works[w];
            t.threads = threads[i];
            run_threads(&t, r);
        }
    tracking_close(&t);
    measured_end(&before, r);
}
