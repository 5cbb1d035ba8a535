/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Candidates of a problem, from a table of rules (rules/). A rule completes a field of a
   partial plan; it selects among plans that are all legal. */

#include "plan/cost.h"

enum { PLAN_CANDIDATES_MAX = 64 };

struct plan_candidate {
    struct plan plan;
    struct model_time cost;
    double ratio; /* plan_copy_ratio() */
};

struct plan_rule {
    const char *name;
    /* Plans that complete the partial one; returns their number, at most `most`. 0: the
       rule does not apply, and the partial plan stays. */
    unsigned (*expand)(const struct plan_problem *p, const struct plan *partial,
                       struct plan *out, unsigned most);
};

/* Candidates in ascending order of cost; returns their number. The default plan is among
   them. */
unsigned plan_candidates(const struct plan_problem *p,
                         struct plan_candidate out[PLAN_CANDIDATES_MAX]);
/* Index of the candidate to execute without any measurement: the cheapest one, unless the
   default costs hardly more. */
unsigned plan_choose(const struct plan_problem *p, const struct plan_candidate *candidates,
                     unsigned count);
bool plan_is_same(const struct plan *a, const struct plan *b);
