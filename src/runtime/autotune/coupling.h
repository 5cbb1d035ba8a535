/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Joint cost of the modes of all kernels. A split launch must fetch output of a
   single-device launch before it starts, and vice versa, so each kernel's best mode depends
   on the others. The decision starts from the cheaper of all split and all single-device.
   It changes one kernel at a time while that reduces the modelled total (local search; it
   ends at a local minimum). */

#include <stdbool.h>
#include <stdint.h>

struct choice;
struct launching;
struct proact;

/* Records the missing bytes of a launch in both modes, per writer. */
void joint_cost_record(struct choice *c, struct launching *l);
/* Records the bytes that the reader would miss, split or on one device, if the writer ran
   in the other mode. */
void coupling_note(struct choice *reader, struct choice *writer, bool is_whole,
                   uint64_t bytes);
/* Decides again for all timed kernels if `c` has joint costs with any, after both of its
   modes were timed. */
void coupling_settle(struct choice *c);
/* coupling_launched() counts a launch, for the launch frequencies. coupling_choose()
   decides a timed kernel, again after 1, 2, 4, ... launches, because the set of running
   kernels changes. */
void coupling_launched(struct choice *c);
void coupling_choose(struct choice *c);
/* Records the duration of a fetch before a timed launch. */
void coupling_note_rate(struct proact *p, uint64_t bytes, uint64_t ns);
/* Bandwidth between devices in bytes per ns. */
double coupling_rate(const struct proact *p);
/* Whether the kernel was launched recently, and its decision is not a stored one. Others do
   not count. */
bool coupling_is_of_now(const struct choice *c);
void coupling_drop(struct choice *c);
