/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pace of the host while something is prepared in the background: devices that open, or
   versions of kernels that are compiled. The host is then at most 16 launches ahead of
   device 0. Otherwise a program could queue all its launches before. */

#include <proact/status.h>
#include <stdbool.h>

struct proact;

/* Whether the host still has to wait; called again and again. A failure sets *status and
   `err`, and returns false. */
typedef bool pace_goes_on(struct proact *p, enum proact_status *status,
                          struct proact_error *err);

/* Called before a launch on device 0; waits for an earlier one while `goes_on`. A kernel
   that waits for the host can block this, so `goes_on` has a time limit. */
enum proact_status pace_keep(struct proact *p, pace_goes_on *goes_on,
                             struct proact_error *err);
/* The same until all compilations have ended, for a second of each session at most. */
enum proact_status pace_keep_compiling(struct proact *p, struct proact_error *err);
void pace_close(struct proact *p); /* nothing may be in flight */
