/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Plan of a session: the plan of the user, with the defaults of the machine. */

#include <proact/proact.h>

struct transfer_plan;

/* Checks a plan and fills in the defaults of the machine. */
enum proact_status session_plan(const struct proact *p, const struct proact_plan *plan,
                                struct transfer_plan *out, struct proact_error *err);
/* The same for the launches that follow. */
enum proact_status session_plan_take(struct proact *p, const struct proact_plan *plan,
                                     struct proact_error *err);
