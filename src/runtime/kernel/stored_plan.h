/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stored plans of launch shapes: mechanism, chunk size and transfer threads. They apply if
   the user gave none of them. A recording has the plans of the launches before it. */

#include <stdbool.h>

struct launching;
struct proact_kernel;

/* Sets l->plan to the stored plan of the launch's shape. False: there is none, and l->plan
   stays. A stored plan that the machine does not support is a warning of the profile's
   report. */
bool stored_plan_select(struct launching *l);
void stored_plans_drop(struct proact_kernel *k);
