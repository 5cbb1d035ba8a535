/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clock of the measurement budget (plan/budget.h). The clock of a session stands still
   between two waits. */

#include <proact/status.h>

struct proact;

/* Counts a launch. Where the budget does not suffice, the clock is updated at times. */
enum proact_status look_at_clock(struct proact *p, struct proact_error *err);
