/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/look.h"

#include "base/clock.h"
#include "runtime/objects/session.h"
#include "runtime/session/runtime_wait.h"

enum {
    FREE_NS = 50000000, /* initial budget */
    PART = 8,           /* fraction of the program's time: 1/8 */
    LAUNCHES_MIN = 32   /* launches between two updates of the clock */
};

bool look_is_paid(const struct proact *p)
{
    const bool is_unlimited =
        p->look.is_unlimited && (!p->look.until_ns || clock_host_ns() < p->look.until_ns);

    return is_unlimited || p->look.spent_ns <= FREE_NS + proact_now_ns(p) / PART;
}

/* An update waits for the devices, so the interval doubles each time. */
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
