/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Waits of the host for the devices of a session. */

#include <proact/program.h>

#include "device/device.h"

/* Waits in the midst of a call that has no place for what went wrong: the next
   proact_wait() says it. */
void session_settle(struct proact *p);
/* Whether that, or proact_wait(), comes to an end in the midst of a call, by which a kernel
   that waits for what the host does later cannot go on. Waits for a while where there may
   be such. */
bool session_try_quiesce(struct proact *p);
/* The same of what went wrong otherwise. */
void session_keep(struct proact *p, enum proact_status status,
                  const struct proact_error *err);

/* Reads the first device's memory after all that is queued. Where that lane did all the
   work since the last wait, as in a program of which nothing is split, no other is waited
   for, of which there are several a device; and of a program's streams the one in use. */
enum proact_status session_read_first(struct proact *p, const struct device_rows *rows,
                                      struct proact_error *err);

/* Since the last wait for all nothing was done but on the first device's main lane, and
   nobody hears what is only told then. */
bool session_is_first_alone(const struct proact *p);

/* Waits for an event of the first device; for all, where more than that device is at work.
 */
enum proact_status session_await_event(struct proact *p, struct device_event *event,
                                       struct proact_error *err);

/* As the contract's progress; where more than the first device is at work, nobody knows
   that anything is done. */
enum proact_progress session_progress(const struct proact *p, struct device_stream *s,
                                      const struct device_event *event);
