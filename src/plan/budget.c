/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/budget.h"

enum {
    FREE_NS = 50000000, /* allowed at first */
    PART = 20           /* part of the program's time: 1/20 */
};

struct plan_budget plan_budget_open(uint64_t (*clock)(const void *context),
                                    const void *context)
{
    return (struct plan_budget){.clock = clock, .context = context};
}

uint64_t plan_budget_allowed_ns(const struct plan_budget *b)
{
    return FREE_NS + b->clock(b->context) / PART;
}

bool plan_budget_permits(const struct plan_budget *b)
{
    return (b->is_lifted && b->is_lifted(b->context)) ||
           b->spent_ns <= plan_budget_allowed_ns(b);
}

bool plan_budget_permits_probe(const struct plan_budget *b)
{
    return !b->is_claimed && plan_budget_permits(b);
}

void plan_budget_spend(struct plan_budget *b, uint64_t ns)
{
    b->spent_ns += ns;
}

void plan_budget_repay(struct plan_budget *b, uint64_t ns)
{
    b->spent_ns -= ns < b->spent_ns ? ns : b->spent_ns;
}

void plan_budget_charge(struct plan_budget *b, uint64_t from_ns, uint64_t work_ns)
{
    const uint64_t took = b->clock(b->context) - from_ns;

    plan_budget_spend(b, took > work_ns ? took - work_ns : 0);
}
