/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/look.h"

#include "runtime/autotune/preparation.h"
#include "runtime/objects/session.h"
#include "runtime/session/runtime_wait.h"

enum { LAUNCHES_MIN = 32 }; /* launches between two updates of the clock */

/* An update waits for the devices, so the interval doubles each time. */
enum proact_status look_at_clock(struct proact *p, struct proact_error *err)
{
    if (preparation_is_affordable(p)) {
        p->look.launches = 0;
        return PROACT_OK;
    }
    const uint64_t n = ++p->look.launches;

    return n >= LAUNCHES_MIN && !(n & (n - 1)) && session_try_quiesce(p)
               ? proact_wait(p, err)
               : PROACT_OK;
}
