/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/used_plans.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

static bool used_plan_is(const struct used_plan *a, const struct proact_kernel *k)
{
    return strcmp(a->kernel, k->name) == 0 && a->plan.method == k->plan.method &&
           a->plan.tail == k->plan.tail && a->plan.chunk_bytes == k->plan.chunk_bytes &&
           a->plan.threads == k->plan.threads;
}

void used_plans_note(const struct proact_kernel *k)
{
    const struct proact_kernel *used = k->used ? k->used : k;
    struct proact *p = k->session;

    if (k->variant_of || used->plan_reason == LAUNCH_PLAN_NONE)
        return;
    for (size_t i = 0; i < p->used_plans.count; i++)
        if (used_plan_is(&p->used_plans.plan[i], used))
            return;
    p->used_plans.plan = must_grow(p->used_plans.plan, p->used_plans.count,
                                   &p->used_plans.capacity, sizeof *p->used_plans.plan);
    p->used_plans.plan[p->used_plans.count++] =
        (struct used_plan){must_strdup(used->name), used->plan};
}

const struct used_plan *used_plans_list(const struct proact *p, size_t *count)
{
    *count = p->used_plans.count;
    return p->used_plans.plan;
}

void used_plans_clear(struct proact *p)
{
    for (size_t i = 0; i < p->used_plans.count; i++)
        free(p->used_plans.plan[i].kernel);
    free(p->used_plans.plan);
}
