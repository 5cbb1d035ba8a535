/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launch that measures its plan (launch_problem.h). */

#include <proact/status.h>

struct launching;

/* Queues the launch and, where the host may wait, times it: from idle devices until all
   data has arrived. A kernel that waits for the host is only queued. */
enum proact_status launch_measure(struct launching *l, struct proact_error *err);
