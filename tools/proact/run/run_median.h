/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Repeated runs (--runs): their median and their spread. */

#include "run/run_application.h"

enum { RUN_RUNS_MAX = 99, RUN_RUNS_GPU = 3 }; /* the default on GPUs; emulated: 1 */

/* The median, and the largest difference. A single emulated run of bulk has the difference
   to another seed. */
struct run_time {
    uint64_t ns, spread_ns;
    unsigned runs;
    double setup_s; /* mean of the host's seconds before the clock of a run starts */
};

/* The host's time from the opening of a session to the start of a run's clock. */
struct run_clock {
    uint64_t opened_ns, setup_ns; /* of the host; 0: the clock has not started */
};

struct run_clock run_clock_open(void);
/* The first call after run_clock_open() starts the clock and returns true. */
bool run_clock_start(struct run_clock *c);

/* Runs of one kind. */
struct run_series {
    struct run_outcome outcome[RUN_RUNS_MAX];
    unsigned count;
    double setup_s; /* of all */
};

/* Adds a run and takes its answer. Only the first run keeps it: all have the same. */
void run_series_add(struct run_series *s, const struct run_outcome *outcome,
                    const struct run_clock *clock);
/* The run with the median time, with the answer and the schedule of the first one, which
   the caller takes over. */
struct run_outcome run_median(struct run_series *s, struct run_time *time);
void run_outcome_clear(struct run_outcome *outcome);
/* Runs of one kind: `wanted`, or the default if that is 0. */
unsigned run_count(unsigned wanted, bool is_emulated);
