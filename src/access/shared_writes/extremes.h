/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Minimum and maximum by compare-and-swap (CAS), for types without an atomic, such as
   floating-point numbers. Two code forms are recognized:

   - was = *most;
     while (value > was && (now = atomicCAS(most, was, value)) != was) was = now;
   - do { was = now; now = atomicCAS(most, was, max(value, was)); } while (now != was);

   The values that they read have no other effect. The result does not depend on the order,
   so these loops are reductions like `atomicMax()`. */

#include "access/access.h"

struct access_extreme {
    uint32_t swap, load; /* instructions; the load precedes the loop of the swap */
    uint32_t parameter;  /* parameter offset of their pointer */
};

/* Returns their number. The caller frees *out with free(). */
uint32_t access_extremes_find(const struct access_analysis *a, struct access_extreme **out);
