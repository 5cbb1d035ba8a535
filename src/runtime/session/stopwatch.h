/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Measurement of queued work between start and stop: device time from the first start to
   the last end, and host time for queueing. Host time is excluded from device time, because
   the host queues ahead. All devices are idle at the start and after the stop. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct proact;

struct stopwatch_time {
    uint64_t devices_ns, host_ns; /* host time is 0 on virtual machines */
};

enum proact_status stopwatch_start(struct proact *p, struct proact_error *err);
/* Also required after a failure `so_far`, which it returns. */
enum proact_status stopwatch_stop(struct proact *p, enum proact_status so_far,
                                  struct stopwatch_time *out, struct proact_error *err);
bool stopwatch_is_running(const struct proact *p);
void stopwatch_close(struct proact *p);
