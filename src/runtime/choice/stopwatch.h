/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How long the devices take for what is queued between start and stop, from the first
   device's beginning to the last one's end, and how long the host takes to queue it: it
   goes ahead of the devices, so what it takes is not theirs. All is at rest at the start,
   and again behind the stop. */

#include "runtime/session/session.h"

struct stopwatch_time {
    uint64_t devices_ns, host_ns; /* of the host 0 where the machine is virtual */
};

enum proact_status stopwatch_start(struct proact *p, struct proact_error *err);
/* Also after a failure, `so_far`, which it returns. */
enum proact_status stopwatch_stop(struct proact *p, enum proact_status so_far,
                                  struct stopwatch_time *out, struct proact_error *err);
void stopwatch_close(struct proact *p);
