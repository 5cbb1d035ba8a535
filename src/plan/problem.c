/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/problem.h"

#include <string.h>

const struct plan_method *plan_method_find(const struct plan_problem *p, const char *name)
{
    for (unsigned m = 0; m < p->method_count; m++)
        if (strcmp(p->methods[m].name, name) == 0)
            return &p->methods[m];
    return NULL;
}

uint64_t plan_wave(const struct plan_problem *p)
{
    const struct topology_device *t = &p->topology->device;
    const unsigned threads = p->cta_threads ? p->cta_threads : 1;
    uint64_t ctas = t->threads_per_sm / threads;

    if (ctas > t->ctas_per_sm)
        ctas = t->ctas_per_sm;
    return (ctas ? ctas : 1) * (t->sm_count ? t->sm_count : 1);
}
