/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Record of the candidates of a problem (autotune/plan_record.h). */

#include "plan/candidates.h"
#include "runtime/autotune/plan_record.h"

/* Times of the launches under a candidate. */
struct candidate_time {
    double least_ns, most_ns; /* 0: none yet */
    unsigned runs;
};

/* Candidates of a problem in ascending order of cost, and the chosen one. */
struct problem_choice {
    const struct plan_problem *problem;
    const struct plan_candidate *all;
    unsigned count, chosen;
};

/* Records the cheapest candidates, the default and the chosen one. */
void problem_record_create(struct plan_record *r, const struct problem_choice *choice,
                           uint64_t number);
/* Records the launches that were timed under a candidate. */
void problem_record_timed(struct plan_record *r, const struct plan *plan,
                          const struct candidate_time *time);
/* Changes the chosen candidate, which is added if the record does not have it. */
void problem_record_choose(struct plan_record *r, const struct plan_candidate *chosen,
                           uint64_t number);
/* Records that the kernel does not support a candidate. */
void problem_record_unsupported(struct plan_record *r, const struct plan *plan);
