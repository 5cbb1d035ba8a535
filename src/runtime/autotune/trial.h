/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Experiments compare the joint decision (coupling.h) with the running program. Three modes
   run for a period each: as decided, all split, and all single-device. The last one is
   skipped if these launches already take longer by themselves. The fastest mode stays. Each
   launch counts with the time of its faster mode, so the periods need not contain the same
   launches.

   Until all kernels were timed, kernels with joint costs run in the same mode. Otherwise
   their arrays would move for each kernel that waits for its probe. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct choice;
struct proact;

/* Called before a launch that may be split. Waits for the devices at the end of a
   period. */
enum proact_status trial_step(struct proact *p, struct proact_error *err);
/* trial_choose() sets whether a decided launch is split now; trial_launched() also counts
   it. */
void trial_choose(struct choice *c);
void trial_launched(struct choice *c);
/* Mode of a kernel that was not timed and cannot be now: the same as the others. */
bool trial_splits_new(const struct proact *p);
/* trial_disturb() cancels an experiment before a probe. trial_timed() ends the probe:
   kernels in the same mode may switch together. */
void trial_disturb(struct proact *p);
void trial_timed(struct proact *p);
