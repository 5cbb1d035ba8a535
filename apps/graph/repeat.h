/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The main loop of iterative applications. An iteration is one launch that leaves one pair
   of sums per CTA: {change, application value}. All devices take the same decision to stop:
   every CTA adds the pairs of the previous iteration in the same order. Launches after the
   stop only write pairs of zeros.

   With more than REPEAT_DIRECT_MAX CTAs the pairs are added in two levels. After each
   iteration a launch adds the pairs of each group of CTAs. The CTAs of the next iteration
   add the pairs of the groups, and only these are sent to all devices.

   The host rarely queries the state. At the end of each batch device 0 adds the pairs of
   the batch, and the host reads the changes and their count when it expects the end. A
   batch is recorded once and replayed. Its length is even, because iterations swap two
   arrays. */

#include <proact/proact.h>

#include "graph/app_state.h"
#include "graph/repeat_look.h"

enum {
    SUM_THREADS = 256,       /* of every CTA */
    REPEAT_CTAS_MAX = 65536, /* that an application should use: their tables stay small */
};

struct sum_pair {
    double a, b;
};

struct repeat_step {
    unsigned parity; /* of the iteration: 0 or 1 */
    double tolerance;
    struct proact_array *before, *after; /* pairs: to add, and one per CTA to write */
    uint32_t sum_count;                  /* pairs in `before` */
};

/* The launches of a run that stopped, for a run that repeats them. */
struct repeat_schedule {
    unsigned *launches; /* before each query of the host; free() it */
    unsigned count;
    unsigned iterations; /* until the stop; the launches after it only write zeros */
};

enum { REPEAT_STATES_MAX = 4 };
struct repeat_array {
    const char *name;
    struct proact_array *array;
    size_t count, bytes; /* its elements, and the size of all */
};

struct repeat {
    struct proact *session;
    uint32_t cta_count;
    double tolerance;
    unsigned iterations_max;
    /* NULL: until the change is below the tolerance. Otherwise the run queues the launches,
       queries and stop of that run, whatever its data: for runs without transfers. */
    const struct repeat_schedule *schedule;
    /* Launches an iteration. It adds the pairs `before` and writes `after`. */
    enum proact_status (*launch)(void *context, const struct repeat_step *step,
                                 struct proact_error *err);
    /* Writes the input of iteration 0, except the pairs. */
    enum proact_status (*reset)(void *context, struct proact_error *err);
    void *context;
    /* Receives the changes of each iteration once, in order; called at a query, so later
       iterations may have run. `first` counts from 0. A run from a checkpoint starts with
       the last REPEAT_HISTORY iterations before it, or all. Another status than PROACT_OK
       ends the loop. Not called with a schedule. May be NULL. */
    enum proact_status (*inspect)(void *context, unsigned first, unsigned count,
                                  const double *changes, struct proact_error *err);
    double start; /* second sum before iteration 0; the change then is infinite */
    /* Called with iteration 0 before the clock starts, then at each query. May be NULL. */
    void (*progress)(void *context, unsigned iteration, double change);
    void *progress_context;
    bool every_iteration; /* progress is called for each iteration, in order; the host then
                             queries each batch */
    struct app_checkpoint checkpoint; /* states are saved at the ends of batches */
    /* The arrays that an even iteration reads and that iterations change, for checkpoints.
       A NULL array ends the list. */
    struct repeat_array state[REPEAT_STATES_MAX];
};

struct repeat_result {
    unsigned iterations; /* iterations until the stop; the last one wrote the answer */
    unsigned launches;   /* of iterations */
    double change;       /* of the last iteration */
    bool converged;
    uint64_t time_ns;
    struct proact_statistics statistics;
    /* Of a run without a given one; free() its launches. */
    struct repeat_schedule schedule;
};

/* Modules, tables, consumer predictions and recordings are created before the clock starts,
   whatever the number of iterations, and the arrays are reset. */
enum proact_status repeat_run(const struct repeat *r, struct repeat_result *out,
                              struct proact_error *err);
