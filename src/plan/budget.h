/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Budget of the planner: the time of its measurements and analyses beyond the program's
   work may be a part of the program's time. Probes, validation windows, the evaluation of
   partition axes, kernel versions that are built for a measured plan, and footprints that
   are never used again are charged to it. */

#include <stdbool.h>
#include <stdint.h>

struct plan_budget {
    uint64_t (*clock)(const void *context); /* ns since the start of the program */
    const void *context;
    bool (*is_lifted)(const void *context); /* whether the limit is lifted; NULL: never */
    uint64_t spent_ns;
    bool is_claimed; /* by a validation that was due without budget: until it has ended, it
                        precedes probes of single launches */
};

/* The clock is a parameter: tests and emulated machines have their own. */
struct plan_budget plan_budget_open(uint64_t (*clock)(const void *context),
                                    const void *context);
uint64_t plan_budget_allowed_ns(const struct plan_budget *b);
/* Whether another measurement may start now. */
bool plan_budget_permits(const struct plan_budget *b);
/* The same for a probe of a single launch. */
bool plan_budget_permits_probe(const struct plan_budget *b);
/* Charges host time, or takes a charge back; what is taken back was charged before. */
void plan_budget_spend(struct plan_budget *b, uint64_t ns);
void plan_budget_repay(struct plan_budget *b, uint64_t ns);
/* Charges the time from `from_ns` until now, less the program's own work in it. */
void plan_budget_charge(struct plan_budget *b, uint64_t from_ns, uint64_t work_ns);
