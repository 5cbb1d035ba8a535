/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "plan/rules/rules.h"

/* Chunks of a CTA, on average, from which counting is compared with copies. They are
   limits, because the readers of the output are not known then: those of a part of it may
   need more copies than all of it, whose host time exceeds that of fewer counts. Of few
   CTAs each completes several chunks in sequence. */
enum { CHUNKS_MOST = 32, CHUNKS_MOST_OF_FEW = 8 };

static bool counting_has_times(const struct plan_problem *p)
{
    return p->topology->fabric.egress_gbps > 0;
}

/* Times after the end of a kernel. */
static struct plan_counting_times counting_times(const struct plan_problem *p,
                                                 const struct plan *plan, double kernel_ns)
{
    const struct plan copies = {.devices = plan->devices};
    struct plan_problem q = *p;

    q.kernel_ns = kernel_ns;
    return (struct plan_counting_times){plan_cost_of(&q, plan).ns - kernel_ns,
                                        plan_cost_of(&q, &copies).ns - kernel_ns};
}

struct plan_counting_times plan_counting_times(const struct plan_problem *p,
                                               const struct plan *plan)
{
    static const double long_kernel = 16; /* in times of the copies */

    if (!counting_has_times(p))
        return (struct plan_counting_times){0, 0};
    const struct plan_counting_times none = counting_times(p, plan, 0);
    const struct plan_counting_times all =
        counting_times(p, plan, long_kernel * none.copied_ns);

    return none.counted_ns - none.copied_ns < all.counted_ns - all.copied_ns ? none : all;
}

bool plan_counts_many(const struct plan_counting *c)
{
    return c->counts > (c->ctas < c->chunks ? CHUNKS_MOST_OF_FEW : CHUNKS_MOST) * c->ctas;
}

bool plan_counts_too_often(const struct plan_problem *p, const struct plan *plan)
{
    if (!plan_counts_many(p->counting) || !counting_has_times(p))
        return plan_counts_many(p->counting);
    const struct plan_counting_times t = plan_counting_times(p, plan);

    return t.counted_ns > t.copied_ns;
}

static unsigned method_expand(const struct plan_problem *p, const struct plan *partial,
                              struct plan *out, unsigned most)
{
    unsigned count = 0;

    for (; count < p->method_count && count < most; count++) {
        out[count] = *partial;
        strncpy(out[count].method, p->methods[count].name, PLAN_METHOD_BYTES - 1);
    }
    return count;
}

const struct plan_rule plan_rule_method = {"method", method_expand};
