/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stored plans of launch shapes: mechanism, chunk size and transfer threads. They apply if
   the user gave none of them. A launch in a recording or in a program's graph has a plan of
   its own, if the profile has one, or else the plan of the launches before it. */

#include <stdbool.h>

struct launching;
struct profile_key;
struct proact_kernel;

/* Sets l->plan to the stored plan of the launch's shape. False: there is none, and l->plan
   stays. A stored plan that the machine does not support is a warning of the profile's
   report. */
bool stored_plan_select(struct launching *l);
/* Key of the launch in a recording. */
struct profile_key stored_plan_recorded_key(const struct launching *l);
/* Stored entry of that key whose plan is to be used; NULL: none. */
const struct profile_entry *stored_plan_recorded(const struct launching *l);
void stored_plans_drop(struct proact_kernel *k);
