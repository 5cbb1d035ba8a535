/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rules of the planner, one file each. */

#include "plan/candidates.h"

extern const struct plan_rule plan_rule_axis, plan_rule_interior, plan_rule_staging,
    plan_rule_method, plan_rule_chunk, plan_rule_threads;

/* Limit of the chunks in which a CTA counts, on average. */
unsigned plan_counts_most(const struct plan_counting *c);
/* Whether copies after the kernel are faster than every method that counts, because a CTA
   counts in too many chunks. */
bool plan_counts_too_often(const struct plan_counting *c);
/* Modelled time in which a device sends its output: by stores that are repeated for the
   peers, or by one bulk store of each CTA. 0: the links are not known. */
double plan_staging_ns(const struct plan_problem *p, bool is_staged);
/* Whether the missing bytes of the present axis are worth an evaluation of the others. */
bool plan_axes_matter(const struct plan_axes *a);
