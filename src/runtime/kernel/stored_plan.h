/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stored plans of launch shapes: mechanism, chunk size and transfer threads. They apply if
   the user gave none of them. A recording has the plans of the launches before it. */

struct launching;
struct proact_kernel;

/* Sets the session's plan for this launch: the stored one of its shape, or the user's. A
   stored plan that the machine does not support is a warning of the profile's report. */
void stored_plan_select(const struct launching *l);
void stored_plans_drop(struct proact_kernel *k);
