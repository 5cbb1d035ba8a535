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
