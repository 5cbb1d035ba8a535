/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rules of the planner, one file each. */

#include "plan/candidates.h"
#include "plan/cost.h"

extern const struct plan_rule plan_rule_axis, plan_rule_interior, plan_rule_staging,
    plan_rule_method, plan_rule_chunk, plan_rule_threads;

/* Modelled times after the end of the kernel, under a plan and of copies: of a kernel
   without time, or of one that hides the transfer of chunks that its CTAs complete in
   order, where the plan is better. 0: the links are not known. */
struct plan_counting_times {
    double counted_ns, copied_ns;
};
struct plan_counting_times plan_counting_times(const struct plan_problem *p,
                                               const struct plan *plan);
/* Whether CTAs count in so many chunks that this is compared with copies. */
bool plan_counts_many(const struct plan_counting *c);
/* Whether copies after the kernel are then faster than the plan for any time of the kernel,
   or the links are not known. */
bool plan_counts_too_often(const struct plan_problem *p, const struct plan *plan);
/* Modelled time in which a device sends its output: by stores that are repeated for the
   peers, or by one bulk store of each CTA. 0: the links are not known. */
double plan_staging_ns(const struct plan_problem *p, bool is_staged);
/* Whether the missing bytes of the present axis are worth an evaluation of the others. */
bool plan_axes_matter(const struct plan_axes *a);
