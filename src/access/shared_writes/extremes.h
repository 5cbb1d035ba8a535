/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Extremes that are found by compare-and-swap, as of floating-point numbers, of which there
   are no atomics:

       was = *most;
       while (value > was && (now = atomicCAS(most, was, value)) != was)
           was = now;

   and `do { was = now; now = atomicCAS(most, was, max(value, was)); } while (now != was);`.
   What they read decides nothing but this: in whichever order they are made, the greatest
   (or least) is left. So they are reductions, as `atomicMax()` is. */

#include "access/access.h"

struct access_extreme {
    uint32_t swap, load; /* instructions; the load is ahead of the swap's loop */
    uint32_t parameter;  /* their pointer, by the byte in the block */
};

/* Returns how many; free() them. */
uint32_t access_extremes_find(const struct access_analysis *a, struct access_extreme **out);
