/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/rules.h"

/* Threads of an agent: the default, a quarter of it, and four times the default. The cost
   decides between them. */
static unsigned threads_expand(const struct plan_problem *p, const struct plan *partial,
                               struct plan *out, unsigned most)
{
    enum { STEP = 4, LEAST = 32 };
    const struct plan_method *m = plan_method_find(p, partial->method);
    const unsigned usual = p->threads_usual;
    const unsigned tries[] = {usual, usual / STEP, usual * STEP};
    unsigned count = 0;

    if (!m || !m->takes_threads)
        return 0;
    for (unsigned i = 0; i < (p->threads_are_fixed ? 1 : 3) && count < most; i++) {
        if (tries[i] < LEAST || tries[i] > p->threads_most || tries[i] % LEAST)
            continue;
        out[count] = *partial;
        out[count++].threads = tries[i];
    }
    return count;
}

const struct plan_rule plan_rule_threads = {"threads", threads_expand};
