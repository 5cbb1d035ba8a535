/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Candidates of a search: method x chunk size x threads of the agent (PROACT III-A), with
   their predicted times. */

#include "plan/profile.h"
#include "run/run_application.h"
#include "topology/topology.h"

struct tune_candidates {
    struct profile_candidate *all;
    size_t count, capacity;
};

/* All candidates, or those of the request's --method, --chunk and --threads. Chunks larger
   than `bytes` are left out, and fields that a method does not use. Methods that need
   hardware that exists on emulated machines only are left out unless they are named. */
void tune_candidates_list(const struct run_request *request, bool is_exhaustive,
                          uint64_t bytes, struct tune_candidates *out);

/* Facts of an application, per iteration. */
struct tune_facts {
    double kernel_ns; /* E(bulk): everything but transfers */
    double bulk_ns;   /* T(bulk) */
    uint64_t bytes;   /* that each device sends to each other one in T(bulk), on average */
};
/* Fills in the predictions and sorts by them, then by method, chunk and threads. They are
   those of the planner (plan/cost.h) for an iteration that is one launch, and stay 0 if the
   links of the machine are not known. */
void tune_candidates_rank(struct tune_candidates *c, const struct topology *t,
                          const struct tune_facts *facts);
