/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "plan/rules/rules.h"

/* Limits of chunks per CTA. The model has no term for chunks that many CTAs complete at
   their end: it lets CTAs complete chunks in order. On an H100 with 64 CTAs of 256 threads,
   190 chunks per CTA took 1.5 ms longer than copies after the kernel. Of few CTAs each
   completes several chunks in sequence. */
enum { CHUNKS_MOST = 32, CHUNKS_MOST_OF_FEW = 8 };

unsigned plan_counts_most(const struct plan_counting *c)
{
    return c->ctas < c->chunks ? CHUNKS_MOST_OF_FEW : CHUNKS_MOST;
}

bool plan_counts_too_often(const struct plan_counting *c)
{
    return c->counts > plan_counts_most(c) * c->ctas;
}

/* Methods that count are left out where that is slower. */
static unsigned method_expand(const struct plan_problem *p, const struct plan *partial,
                              struct plan *out, unsigned most)
{
    const bool counts_too_often = p->counting && plan_counts_too_often(p->counting);
    unsigned count = 0;

    for (unsigned m = 0; m < p->method_count && count < most; m++) {
        if (counts_too_often && p->methods[m].takes_chunks)
            continue;
        out[count] = *partial;
        strncpy(out[count].method, p->methods[m].name, PLAN_METHOD_BYTES - 1);
        count++;
    }
    return count;
}

const struct plan_rule plan_rule_method = {"method", method_expand};
