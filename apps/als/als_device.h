/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Device code that the kernels of als share. All are plain kernels: nothing here knows of
   several devices. Products and sums are explicit fused operations, because a driver may
   fuse separate ones, which changes the rounding. */

#include "../graph/cta_sum.h"

/* Training ratings of one side by row, and its hubs: rows of more entries than a CTA should
   process. The entries of a hub are divided into parts, which a kernel of their own sums;
   the sums are then added in the order of the parts. */
template <class T> struct als_side {
    const proact_u32 *first, *index;
    const T *value;
    const proact_u32 *part_first; /* by row, and one more */
    const T *part_sums;
    proact_u32 rows, parts; /* parts == 0: no hubs, and part_first is not read */
};

/* A part: entries begin .. end - 1. */
struct als_part {
    proact_u32 begin, end;
};

PROACT_DEVICE_INLINE float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

PROACT_DEVICE_INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* The value of the lane whose number differs by the bits of `mask`. Every lane takes part.
 */
PROACT_DEVICE_INLINE proact_u32 lane_across(proact_u32 x, proact_u32 mask)
{
    asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, -1;" : "+r"(x) : "r"(mask));
    return x;
}

PROACT_DEVICE_INLINE float lane_across(float x, proact_u32 mask)
{
    asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, -1;" : "+f"(x) : "r"(mask));
    return x;
}

PROACT_DEVICE_INLINE double lane_across(double x, proact_u32 mask)
{
    proact_u32 low, high;

    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(x));
    low = lane_across(low, mask);
    high = lane_across(high, mask);
    asm("mov.b64 %0, {%1, %2};" : "=d"(x) : "r"(low), "r"(high));
    return x;
}

/* The sum over `LANES` adjacent lanes, returned in each of them. */
template <int LANES, class T> PROACT_DEVICE_INLINE T lanes_sum(T x)
{
#pragma unroll
    for (proact_u32 distance = LANES / 2; distance; distance /= 2)
        x += lane_across(x, distance);
    return x;
}

/* Whether a row is a hub; its parts are then *begin .. *end - 1. */
template <class T>
PROACT_DEVICE_INLINE bool row_parts(const als_side<T> &side, proact_u32 row,
                                    proact_u32 *begin, proact_u32 *end)
{
    *begin = *end = 0;
    if (side.parts) {
        *begin = side.part_first[row];
        *end = side.part_first[row + 1];
    }
    return *begin != *end;
}
