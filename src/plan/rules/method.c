/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "plan/rules/rules.h"

/* Limits of the chunks of a CTA on a machine whose links are not known, such as GPUs
   without a machine file: the model has no rates for them. Of few CTAs each completes
   several chunks in sequence. */
enum { CHUNKS_MOST = 32, CHUNKS_MOST_OF_FEW = 8 };

/* Chunks of a CTA from which counting is compared with copies. CTAs that count in one chunk
   complete the chunks in order, and the times of both methods depend on the kernel. */
enum { SEVERAL = 2 };

static bool counting_has_times(const struct plan_problem *p)
{
    return p->topology->fabric.egress_gbps > 0;
}

struct plan_counting_times plan_counting_times(const struct plan_problem *p,
                                               const struct plan *plan)
{
    static const double long_kernel = 16; /* in times of the copies */
    const struct plan copies = {.devices = plan->devices};
    struct plan_problem q = *p;

    if (!counting_has_times(p))
        return (struct plan_counting_times){0, 0};
    q.kernel_ns = 0;
    q.kernel_ns = long_kernel * plan_cost_of(&q, &copies).ns;
    return (struct plan_counting_times){plan_cost_of(&q, plan).ns - q.kernel_ns,
                                        plan_cost_of(&q, &copies).ns - q.kernel_ns};
}

bool plan_counts_too_often(const struct plan_problem *p, const struct plan *plan)
{
    const struct plan_counting *c = p->counting;
    const struct plan_counting_times t = plan_counting_times(p, plan);
    const uint64_t most = c->ctas < c->chunks ? CHUNKS_MOST_OF_FEW : CHUNKS_MOST;

    if (!counting_has_times(p))
        return c->counts > most * c->ctas;
    return c->counts >= SEVERAL * c->ctas && t.counted_ns > t.copied_ns;
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
