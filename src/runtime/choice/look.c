/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choice/look.h"

enum {
    FREE_NS = 50000000, /* at first */
    PART = 8            /* of the work behind it */
};

bool look_is_paid(const struct proact *p)
{
    return p->look.spent_ns <= FREE_NS + p->look.worked_ns / PART;
}

void look_spent(struct proact *p, uint64_t from_ns, uint64_t work_ns)
{
    const uint64_t took = proact_now_ns(p) - from_ns;

    p->look.spent_ns += took > work_ns ? took - work_ns : 0;
}

void look_worked(struct proact *p, uint64_t work_ns)
{
    p->look.worked_ns += work_ns;
}
