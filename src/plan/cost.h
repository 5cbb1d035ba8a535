/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modelled cost of a plan, from the machine's description (LogGOP III, PROACT III-B). */

#include "plan/problem.h"

enum plan_term {
    PLAN_KERNEL,   /* the kernel, with what its initiator costs it */
    PLAN_TRACKING, /* counting of finished CTAs */
    PLAN_START,    /* from the last complete chunk to its first byte on the link */
    PLAN_WIRE,     /* bytes on the links after the end of the kernel */
    PLAN_TAIL,     /* latency, and visibility at the receiver */
    PLAN_TERMS
};

struct plan_cost {
    double ns;       /* from the start of the kernel until all data has arrived */
    double error_ns; /* of the model for this initiator */
    double term[PLAN_TERMS];
};

/* Cost of a plan with devices, method, chunk and threads set. */
struct plan_cost plan_cost_of(const struct plan_problem *p, const struct plan *plan);
/* Time of the kernel without transfers, from its time under a plan. */
double plan_kernel_ns(const struct plan_problem *p, const struct plan *plan,
                      double measured_ns);
/* Compute-to-copy ratio for the schedule of copies (model.h); 0: nothing is sent. */
double plan_copy_ratio(const struct plan_problem *p);
/* Name of a term for reports; static. */
const char *plan_term_name(enum plan_term term);

/* Grid of a launch that may be split. */
struct plan_grid {
    uint64_t ctas, ctas_most; /* all; of the device with the most */
};
/* Least time of the kernel of a split launch, from its time on one device. It is the same
   if one device has four SMs for each CTA: CTAs then share neither an SM nor, in effect,
   the memory. */
double plan_split_least_ns(const struct topology *t, struct plan_grid grid,
                           double single_ns);
