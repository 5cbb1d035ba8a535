/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decisions of earlier sessions. A decision that the profile stores for a launch shape is
   used from the first launch on, and nothing of it is timed. New decisions are added to the
   profile (session_profile.h). A shape whose probe did not end is stored as well, with its
   number of launches: a later session begins the probe only after more launches. */

#include <stdbool.h>

struct choice;
struct launching;
struct plan_record;
struct proact;

/* Called when a decision is created. A stored one is made at once. */
void stored_choice_begin(struct choice *c, const struct launching *l);
/* Whether the earlier session had no use for a probe of so few launches. */
bool stored_choice_postpones(const struct choice *c);
/* Whether PROACT_EFFORT asks for more probes of this decision than its times. */
bool stored_choice_needs_probes(const struct choice *c);
/* Records the plans of the decision's split launches; NULL: they are not known. */
void stored_choice_note_plans(struct choice *c, const struct plan_record *plans);
/* Counts a timed launch. */
void stored_choice_timed(struct proact *p);
/* Adds a decision to the profile: when it is made, and at the end of its use. */
void stored_choice_made(struct choice *c);
void stored_choice_end(struct choice *c);
