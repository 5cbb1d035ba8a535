/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Waits of the host for the devices of a session. */

#include <proact/program.h>

#include "device/device.h"

/* Waits for all devices in a call that returns no status. A failure is deferred to the next
   proact_wait(). */
void session_settle(struct proact *p);
/* Whether such a wait ends: no kernel waits for a later action of the host. The call itself
   waits for a limited time if there may be one. */
bool session_try_quiesce(struct proact *p);
/* Waits for queued work before the host prepares a launch, on GPUs: loads and allocations
   wait for it anyway, and it is no part of their time. p->preparations.waited_ns grows.
   Does nothing in a recording, or if the wait might not end. */
enum proact_status session_await_queued(struct proact *p, struct proact_error *err);
/* Defers another failure to the next proact_wait(). */
void session_keep(struct proact *p, enum proact_status status,
                  const struct proact_error *err);

/* Reads memory of device 0 after all queued operations. If only the kernel stream of device
   0 has worked since the last wait, as in a program without split launches, it waits for
   that stream only, or for the current stream of the program. */
enum proact_status session_read_first(struct proact *p, const struct device_rows *rows,
                                      struct proact_error *err);

/* Whether only the kernel stream of device 0 has worked since the last wait, and a wait for
   all devices has nothing to report. */
bool session_is_first_alone(const struct proact *p);

/* Waits for an event of device 0, or for all devices if others have work. */
enum proact_status session_await_event(struct proact *p, struct device_event *event,
                                       struct proact_error *err);

/* Progress as in the device contract; PROACT_PROGRESS_UNKNOWN instead of done if other
   devices have work. */
enum proact_progress session_progress(const struct proact *p, struct device_stream *s,
                                      const struct device_event *event);
