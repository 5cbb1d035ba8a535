/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interleaved writers: kernels in which each CTA writes across the entire array, such as a
   grid-stride loop or a column decomposition. All chunks complete when all CTAs end, so
   counting gains nothing, and the last CTA would send everything. */

struct launching;

/* Sets writes_interleaved of the kernel for this launch and the session's plan. The write
   set of the launch is known. */
void launch_check_interleaved(const struct launching *l);
