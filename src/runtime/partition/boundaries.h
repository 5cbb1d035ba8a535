/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where shares of a program's launches end. Even shares of kernels whose CTAs write much
   each and of those whose CTAs write little end at other bytes of the arrays that both
   write, and what lies between would go back and forth. So arrays of about one size are cut
   at places that the kernel with the largest steps has settled, and others' shares end next
   to these, as long as none is much longer than even ones. Settled again is only for a
   kernel with far larger steps, when it comes again: a few times, and never back.

   Cuts are of a stretch of arrays: of all, or of less than half where a kernel writes no
   more, as a level of a multigrid. What writes less still, and is so little that a device
   runs it all at once, settles nothing and follows the shortest stretch around it, however
   uneven its shares become: the last rows of a field are the last device's. */

#include "runtime/launch/launching.h"

/* As launch_split() of l->over devices, or at the cuts; `w` is what the launch writes. */
void partition_at_boundaries(const struct launching *l, const struct write_set *w,
                             uint32_t *cta_first);
/* Even shares, from now on, of a launch whose others its devices cannot have; false where
   they are what it had. */
bool partition_evenly(const struct launching *l, const struct write_set *w,
                      uint32_t *cta_first);

void boundaries_drop(struct proact_kernel *k);
void boundaries_destroy(struct proact *p);
