/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Features of a launch for the planner, from the tables of its binding. */

#include "plan/problem.h"

struct kernel_binding;
struct launching;
struct transfer_method;

struct problem_features {
    struct plan_problem problem;
    struct plan_array *arrays;
    struct plan_method methods[PLAN_METHODS_MAX];
    bool is_plain; /* the plan of the binding does not extend the kernel */
};

/* Description of a method for the planner. */
struct plan_method problem_method(const struct transfer_method *m);
/* Features of a launch, without the time of its kernel, from the binding of its last
   launch. Release with problem_features_free(). */
struct problem_features *problem_features(const struct launching *l,
                                          const struct kernel_binding *b);
void problem_features_free(struct problem_features *f);
