/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Timed runs of the producer of micro.cu through the public API. */

#include "kit.h"
#include "terms.h"

struct micro;

/* A session and its array of `q->bytes`. Writes the machine into the report. */
struct micro *micro_open(const struct bench_request *q, struct bench_report *r);
void micro_close(struct micro *m);
unsigned micro_devices(const struct micro *m);

/* Work of every CTA before it stores. */
struct micro_work {
    uint32_t multiply_adds, sleep_ns;
};

/* MICRO_STORES and MICRO_BULK make the same data: each thread stores its vector, or the CTA
   sends its staged output. MICRO_RUNS makes it by the request's narrow stores. MICRO_MARKS
   stores only marks in an existing array; all of the array is sent. */
enum micro_kernel { MICRO_STORES, MICRO_BULK, MICRO_MARKS, MICRO_RUNS, MICRO_KERNELS };
/* False for MICRO_BULK on devices before sm_90. */
bool micro_has(const struct micro *m, enum micro_kernel kernel);

/* MICRO_RUNS if the request has narrow stores, else MICRO_STORES. */
enum micro_kernel micro_stores(const struct micro *m);

/* Nanoseconds from the start of the first kernel until all replicas are equal. On hardware,
   where tracing costs time, from the launch; for back-to-back launches, the time per
   launch. `devices` devices produce, and all receive. Every run makes new data, and a check
   of each replica follows. Fails if the machine does not support the plan's method. */
struct micro_launch {
    enum micro_kernel kernel;
    unsigned devices;
    struct micro_work work;
};
enum proact_status micro_run(struct micro *m, const struct proact_plan *plan,
                             const struct micro_launch *what, struct bench_sample *out,
                             struct proact_error *err);

/* Launches under one plan in a session of their own, so that plans can take turns. Without
   a method the planner selects the plan by estimate; no launch of another session
   decides. */
struct micro_turns;
struct micro_turns *micro_turns_open(struct micro *m, const struct proact_plan *plan,
                                     const struct micro_launch *what);
/* Median and spread, as micro_run(). */
struct bench_sample micro_turns_run(struct micro_turns *t);
double micro_turns_once(struct micro_turns *t); /* ns of one run */
/* The plan in words, as proact_kernel_plan(); borrowed. */
const char *micro_turns_plan(const struct micro_turns *t);
void micro_turns_close(struct micro_turns *t); /* checks each replica; NULL is allowed */

/* micro_turns_run() under the plan of the planner; its text is in `selected`, with the
   NUL. */
enum { MICRO_PLAN_BYTES = 64 };
struct bench_sample micro_auto(struct micro *m, const struct micro_launch *what,
                               char selected[MICRO_PLAN_BYTES]);

/* PROACT_EINVAL if the machine's agent cannot have that many threads. */
enum proact_status micro_check(struct micro *m, unsigned threads, struct proact_error *err);

/* A bulk launch and its times. */
struct micro_bulk {
    struct micro_work work;
    struct terms_base terms;
};

/* The work for which the kernel without transfers takes `ratio` times the copies after it,
   as multiply-adds or as a sleep. */
struct micro_bulk micro_tune(struct micro *m, unsigned devices, double ratio, bool sleeps);
