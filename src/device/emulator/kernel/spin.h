/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Cost of CTAs that check flags without sleeping (device_launch.spin_checks), in closed
   form. While such a CTA waits, it takes its warps' share of the issue slots of its SM, at
   most what its checks need, and one L2 access a check of a warp. Checks are executed only
   between two passes over the flags. */

#include "device/emulator/kernel/kernel_run.h"

/* True if the CTA's last turn only checked flags. */
bool spin_is_waiting(const struct emulated *d, const struct resident *r,
                     enum execute_stop stop);

/* Time of one pass over the flags. */
uint64_t spin_pass_ps(const struct emulated *d, const struct kernel_run *run);

/* A CTA starts to wait; it stops at its next turn or end. */
void spin_begin(struct emulated *d, struct resident *r);
void spin_end(struct emulated *d, struct resident *r);

/* Factors by which waiting CTAs delay the issue of an SM and the L2; 1 without any. */
double spin_issue_factor(const struct emulated *d, uint32_t sm);
double spin_l2_factor(const struct emulated *d);
