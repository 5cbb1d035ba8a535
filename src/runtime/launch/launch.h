/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launches: check, binding and queueing. */

#include <proact/status.h>

struct launching;
struct proact_grid;

/* Drops the reason why an earlier launch of the kernel used no version. */
void launch_unblock(const struct launching *l);
/* Decides whether the launch can be split under its plan; if so, sets its
   binding. The request must be valid. */
enum proact_status launch_bind(struct launching *l, struct proact_error *err);
enum proact_status launch_queue(struct launching *l, struct proact_error *err);

enum proact_status launch_check_grid(struct launching *l, const struct proact_grid *g,
                                     struct proact_error *err);
