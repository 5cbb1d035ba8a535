/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Partition boundaries of a program's launches. Equal partitions of kernels with different
   access granularity end at different bytes of the arrays that both write. The bytes
   between would move back and forth. Arrays of similar size therefore share boundaries, set
   by the kernel with the largest step per CTA. Other partitions end at the nearest CTA, if
   none becomes much longer than an equal one. Boundaries change only for a repeated kernel
   with a far larger step, a few times and never back.

   Boundaries belong to a range of an array: all of it, or less than half if a kernel writes
   no more, such as a multigrid level. A kernel that writes a small part and fits on one
   device sets no boundaries. It follows the shortest enclosing range, however unequal its
   partitions become: the last rows of a field stay on the last device. */

#include <stdbool.h>
#include <stdint.h>

struct launching;
struct proact;
struct proact_kernel;
struct write_set;

/* Partition boundaries like launch_split() over l->over devices, or at shared boundaries.
   `w` is the write set of the launch. */
void partition_at_boundaries(const struct launching *l, const struct write_set *w,
                             uint32_t *cta_first);
/* Switches the launch to equal partitions for good, after a refusal of the shared
   boundaries. Returns false if the partitions were already equal. */
bool partition_evenly(const struct launching *l, const struct write_set *w,
                      uint32_t *cta_first);

void boundaries_drop(struct proact_kernel *k);
void boundaries_destroy(struct proact *p);
