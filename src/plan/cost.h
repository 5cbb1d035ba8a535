/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modelled cost of a plan: the time of the candidate that `proact model predict` computes
   (model/predict.h), for the device that sends most. */

#include "plan/problem.h"

/* Time from the launch until all data has arrived, of a plan with devices, method, chunk
   and threads set, with its terms. */
struct model_time plan_cost_of(const struct plan_problem *p, const struct plan *plan);
/* Whether any device reads what the launch writes on another one. */
bool plan_sends(const struct plan_problem *p);
/* Time of the kernel without transfers, from its time under a plan. */
double plan_kernel_ns(const struct plan_problem *p, const struct plan *plan,
                      double measured_ns);
/* Compute-to-copy ratio for the schedule of copies (model.h); 0: nothing is sent. */
double plan_copy_ratio(const struct plan_problem *p);

/* Grid of a launch that may be split. */
struct plan_grid {
    uint64_t ctas, ctas_most; /* all; of the device with the most */
};
/* Least time of the kernel of a split launch, from its time on one device. It is the same
   if one device has four SMs for each CTA: CTAs then share neither an SM nor, in effect,
   the memory. */
double plan_split_least_ns(const struct topology *t, struct plan_grid grid,
                           double single_ns);
