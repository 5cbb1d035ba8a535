/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Plans of the launches of a recording. They are those of the launch shapes when the
   recording is made. A replay is timed as a whole; a profile has an entry for each shape,
   with the shape's share of that time. */

#include <stdbool.h>
#include <stdint.h>

struct launching;
struct proact_recording;

/* Adds a launch to the current recording. */
void recorded_plan_note(const struct launching *l);
/* Whether the shapes still have these plans. Another number of devices counts only after
   many replays, since a new recording takes time. */
bool recorded_plans_hold(const struct proact_recording *r);
/* Whether the next replay is to be timed: a profile is written, it has no entry of some
   shape, and the budget permits it. */
bool recorded_plans_are_due(const struct proact_recording *r);
/* Records the time of a replay, and adds the entries to the profile. */
void recorded_plans_timed(struct proact_recording *r, uint64_t ns);
