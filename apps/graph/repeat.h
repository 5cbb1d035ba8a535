/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The loop that iterative applications share. An iteration is one launch; it leaves one
   pair of sums by CTA: {change, anything}. The devices decide for themselves, alike, to
   stop (they read the pairs of the iteration before), so the host looks only at times, and
   then at the iterations it has not seen, to learn when that was. A batch between two looks
   is recorded once and replayed: it is even, because iterations swap two arrays. */

#include <proact/proact.h>

#include "graph/sum_pairs.h"

enum { REPEAT_BATCH = 8 }; /* iterations between two looks of the host */

struct repeat {
    struct proact *session;
    uint32_t cta_count;
    double tolerance;
    unsigned iterations_max;
    /* Launches iteration `number`, from 0, which reads pairs `before` and writes `after`.
     */
    enum proact_status (*launch)(void *context, unsigned number,
                                 struct proact_array *before, struct proact_array *after,
                                 struct proact_error *err);
    /* Writes what iteration 0 reads, but for the pairs. */
    enum proact_status (*reset)(void *context, struct proact_error *err);
    void *context;
    struct sum_pair start; /* the sums before iteration 0 */
    void (*progress)(void *context, unsigned iteration, double change); /* may be NULL */
    void *progress_context;
};

struct repeat_result {
    unsigned iterations; /* that changed something: what was launched later did nothing */
    unsigned launches;
    double change; /* of the last of these */
    bool converged;
    uint64_t time_ns;
    struct proact_statistics statistics;
};

/* What a session makes once, modules, tables and the recording, is made before the clock
   starts, and the arrays are reset. */
enum proact_status repeat_run(const struct repeat *r, struct repeat_result *out,
                              struct proact_error *err);
