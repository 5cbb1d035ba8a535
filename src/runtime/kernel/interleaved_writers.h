/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interleaved writers: kernels in which each CTA writes across the entire array, such as a
   grid-stride loop or a column decomposition. All chunks complete when all CTAs end, so
   counting gains nothing, and the last CTA would send everything. The planner knows that;
   here the default plan is checked, before the time of the kernel is known. */

#include <stdbool.h>

struct launching;

/* Whether copies after the kernel are faster than l->plan, which counts in chunks of a
   given size, for any time of the kernel. The write set of the launch is known. */
bool launch_writes_interleaved(const struct launching *l);
