/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The loop that iterative applications share. An iteration is one launch; it leaves one
   pair of sums by CTA: {change, anything}. The devices decide for themselves, alike, to
   stop: every CTA adds up the pairs of the iteration before, always in the same order. What
   is launched after that does nothing but leave pairs of zeros.

   The host looks only at times, to learn when that was. At the end of each batch the first
   device adds up what the batch left, and all that the host reads is a change and a count,
   when it expects the end. A batch is recorded once and replayed; it is even, because
   iterations swap two arrays. */

#include <proact/proact.h>

#include "graph/repeat_look.h"

enum { SUM_THREADS = 256 }; /* of every CTA */

struct sum_pair {
    double a, b;
};

struct repeat {
    struct proact *session;
    uint32_t cta_count;
    double tolerance;
    unsigned iterations_max;
    /* Launches an iteration, the even or the odd one of two as `number` is, which reads
       pairs `before` and writes `after`. */
    enum proact_status (*launch)(void *context, unsigned number,
                                 struct proact_array *before, struct proact_array *after,
                                 struct proact_error *err);
    /* Writes what iteration 0 reads, but for the pairs. */
    enum proact_status (*reset)(void *context, struct proact_error *err);
    void *context;
    double start; /* the second sum before iteration 0; the change then is endless */
    void (*progress)(void *context, unsigned iteration, double change); /* may be NULL */
    void *progress_context;
};

struct repeat_result {
    unsigned iterations; /* that did something: the last of them wrote the answer */
    unsigned launches;   /* of iterations */
    double change;       /* of the last iteration */
    bool converged;
    uint64_t time_ns;
    struct proact_statistics statistics;
};

/* What a session makes once, modules, tables and the recordings, is made before the clock
   starts, and the arrays are reset. */
enum proact_status repeat_run(const struct repeat *r, struct repeat_result *out,
                              struct proact_error *err);
