/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs of the producer of micro.cu on the public API, and what each took. */

#include "kit.h"

struct micro;

/* A session, and its array of `q->bytes`. Tells the report what machine it is. */
struct micro *micro_open(const struct bench_request *q, struct bench_report *r);
void micro_close(struct micro *m);
unsigned micro_devices(const struct micro *m);

/* What every CTA does before it stores. */
struct micro_work {
    uint32_t multiply_adds, sleep_ns;
};

/* Two kernels make the same: each thread stores its vector, or the CTA sends what it has
   staged in shared memory. A third makes next to nothing, and all of the array is sent as
   if it had made it: what was there before, and marks. */
enum micro_kernel { MICRO_STORES, MICRO_BULK, MICRO_MARKS, MICRO_KERNELS };
/* Devices before sm_90 lack MICRO_BULK. */
bool micro_has(const struct micro *m, enum micro_kernel kernel);

/* Nanoseconds from the first kernel's begin until all replicas agree; on hardware, where to
   be observed costs time, from the launch; of several in a row, a launch's share. `devices`
   produce, all receive. Every run's data is new, and each replica is looked at afterwards.
   Fails where the machine cannot run the plan's method. */
struct micro_launch {
    enum micro_kernel kernel;
    unsigned devices;
    struct micro_work work;
};
enum proact_status micro_run(struct micro *m, const struct proact_plan *plan,
                             const struct micro_launch *what, struct bench_sample *out,
                             struct proact_error *err);

/* Whether the machine's agent may have so many threads. */
enum proact_status micro_check(struct micro *m, unsigned threads, struct proact_error *err);

/* A bulk launch, and the kernel in it. */
struct micro_bulk {
    struct micro_work work;
    double total_ns, kernel_ns;
};

/* The work with which the kernel alone takes `ratio` times the copies behind it: by
   multiply-adds, or by a sleep. */
struct micro_bulk micro_tune(struct micro *m, unsigned devices, double ratio, bool sleeps);
