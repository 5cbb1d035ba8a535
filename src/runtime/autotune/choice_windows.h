/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Windows of the running program that validate the joint assignment (plan/validate.h). */

#include <proact/status.h>
#include <stdbool.h>

struct choice;
struct proact;

/* Called before a launch that may be split. Waits for the devices where a window begins or
   ends. */
enum proact_status windows_step(struct proact *p, struct proact_error *err);
/* windows_choose() sets whether a decided launch is split now; windows_launched() also
   counts it. */
void windows_choose(struct choice *c);
void windows_launched(struct choice *c);
/* Counts a launch of a kernel that waits for its first probe. It disturbs no window. */
void windows_passed(struct proact *p);
/* Mode of a kernel that was not timed and cannot be now: the same as the others. */
bool windows_split_new(const struct proact *p);
/* Before and after a probe. */
void windows_disturb(struct proact *p);
void windows_timed(struct proact *p);
