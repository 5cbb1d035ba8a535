/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "plan/rules/rules.h"

static unsigned method_expand(const struct plan_problem *p, const struct plan *partial,
                              struct plan *out, unsigned most)
{
    unsigned count = 0;

    for (unsigned m = 0; m < p->method_count && count < most; m++) {
        out[count] = *partial;
        strncpy(out[count].method, p->methods[m].name, PLAN_METHOD_BYTES - 1);
        count++;
    }
    return count;
}

const struct plan_rule plan_rule_method = {"method", method_expand};
