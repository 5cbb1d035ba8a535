/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Problem of the planner for a split launch: its features, its state, and the selected
   plan. A problem is a launch shape without the identity of its arrays, so alternating
   arrays share it. A kernel has a limited number of problems; those that were not used for
   the longest time are dropped. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

#include "transfer/transfer.h"

struct kernel_binding;
struct launching;
struct plan_record;
struct proact_kernel;

/* Plan of the launch, found or begun. The default plan stays until the readers of the
   output and the kernel's time are known. A plan that the user set stays, and is only
   predicted. Recordings may have another plan. With an effort beyond the estimate,
   l->measured is set while launches are timed under one candidate after another. */
void problem_plan(struct launching *l);
/* Plan of a launch in a recording whose problem is known. Returns the plan of other
   launches. */
struct transfer_plan problem_plan_recorded(struct launching *l);
/* Replaces l->plan and the selected plan by the default, or that of recordings by that of
   other launches: the kernel does not support it. */
void problem_refuse(struct launching *l);
/* Whether a recorded launch has to wait for launches whose plans are measured. */
bool problem_is_unsettled(struct launching *l);
/* Compares the times of launches under the default and under the selected plan, which a
   probe of the mode took anyway. The default is selected again if it is faster. */
void problem_compare(const struct launching *l, double usual_ns, double selected_ns);
/* Selects the slower one of the two compared plans for later launches, because it costs
   other kernels less, or the faster one again. A recording with the former plan ends. */
void problem_use_other(struct launching *l, bool is_other);
/* Whether the launch's problem has a state under the present constraint. */
bool problem_is_known(const struct launching *l);
/* Records the time of a launch under the plan that it measures. */
void problem_measured(struct launching *l, double ns);
/* Whether the launch has the plan that measurements selected. */
bool problem_was_measured(const struct launching *l);
/* Candidates of the launch's problem; NULL: they are not known, or no profile is
   written. Valid until the next launch of the kernel. */
const struct plan_record *problem_record(const struct launching *l);
/* Modelled time of the launch under the plan of recordings; 0: it is not known. */
double problem_recorded_ns(const struct launching *l);
/* Notes that a recording has the plan of the launch's problem. */
void problem_note_recorded(const struct launching *l);
/* Number of changes of plans that recordings have. */
uint64_t problems_changes(const struct proact_kernel *k);
/* Reason for the plan of the kernel's last problem; NULL: it has none. Valid until the
   kernel's next launch. */
const char *problem_text(const struct proact_kernel *k);
void problems_drop(struct proact_kernel *k);
