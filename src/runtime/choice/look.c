/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choice/look.h"

enum {
    FREE_NS = 50000000, /* at first */
    PART = 8,           /* of the program's time */
    LAUNCHES_MIN = 32   /* between one look at the clock and the next */
};

bool look_is_paid(const struct proact *p)
{
    return p->look.spent_ns <= FREE_NS + proact_now_ns(p) / PART;
}

/* Each takes a wait for the devices: twice as many launches apart each time. */
enum proact_status look_at_clock(struct proact *p, struct proact_error *err)
{
    if (look_is_paid(p)) {
        p->look.launches = 0;
        return PROACT_OK;
    }
    const uint64_t n = ++p->look.launches;

    return n >= LAUNCHES_MIN && !(n & (n - 1)) && session_try_quiesce(p)
               ? proact_wait(p, err)
               : PROACT_OK;
}

void look_spent(struct proact *p, uint64_t from_ns, uint64_t work_ns)
{
    const uint64_t took = proact_now_ns(p) - from_ns;

    p->look.spent_ns += took > work_ns ? took - work_ns : 0;
}
