/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs of the producer of micro.cu on the public API, and what each took. */

#include <proact/proact.h>

struct micro;

/* Ends the program with the sentence unless `status` is PROACT_OK. */
void micro_must(enum proact_status status, const struct proact_error *err);

struct micro *micro_open(const char *machine, uint64_t bytes, unsigned host_threads);
void micro_close(struct micro *m);

/* What every CTA does before it stores. */
struct micro_work {
    uint32_t multiply_adds, sleep_ns;
};

/* Nanoseconds from the first kernel's begin until all replicas agree. `devices` produce,
   all receive. */
double micro_run(struct micro *m, const struct proact_plan *plan, unsigned devices,
                 struct micro_work work);

/* A bulk launch, and the kernel in it. */
struct micro_bulk {
    struct micro_work work;
    double total_ns, kernel_ns;
};

/* The work with which the kernel alone takes `ratio` times the copies behind it: by
   multiply-adds, or by a sleep. */
struct micro_bulk micro_tune(struct micro *m, unsigned devices, double ratio, bool sleeps);
