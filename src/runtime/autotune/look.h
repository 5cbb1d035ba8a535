/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Budget of probes and experiments. They move arrays between devices, which can take longer
   than the kernels, so their time is limited to a fraction of the program's. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct proact;

/* Whether the budget permits another one, by the clock of the last synchronization. */
bool look_is_paid(const struct proact *p);
/* Counts a launch. With an exhausted budget the clock is updated at times. */
enum proact_status look_at_clock(struct proact *p, struct proact_error *err);
/* Charges the time from `from_ns` until now, both read at synchronizations, less the useful
   work `work_ns`. */
void look_spent(struct proact *p, uint64_t from_ns, uint64_t work_ns);
