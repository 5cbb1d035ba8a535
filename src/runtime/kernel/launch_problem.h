/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Problem of the planner for a launch of the C API whose method is open: its features, its
   state, and the selected plan. A problem is a launch shape without the identity of its
   arrays, so alternating arrays share it. */

#include <proact/status.h>
#include <stdbool.h>

#include "transfer/transfer.h"

struct kernel_binding;
struct launching;
struct proact_kernel;

/* Plan of the launch, found or begun. The default plan stays until the readers of the
   output and the kernel's time are known. Recordings may have another plan, which the first
   planned launch with the same arrays prepares. With an effort beyond the estimate,
   l->measured is set while launches are timed under one candidate after another. */
void problem_plan(struct launching *l);
/* Plan of a launch in a recording: that of its problem for recordings, if it was launched
   once with these arrays; else that of the last launch. False: it was not launched yet
   under the present constraint. */
bool problem_plan_recorded(struct launching *l);
/* Records the time of a launch under the plan that it measures. */
void problem_measured(struct launching *l, double ns);
/* Reason for the plan of the kernel's last problem; NULL: it has none. Valid until the
   kernel's next launch. */
const char *problem_text(const struct proact_kernel *k);
void problems_drop(struct proact_kernel *k);
