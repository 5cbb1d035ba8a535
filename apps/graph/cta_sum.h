/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Device code for sums over a warp or a CTA of CTA_THREADS. The order of additions is
   fixed. The result therefore does not depend on the schedule or the partition of the
   grid. */

#include <proact/device.h>

enum { CTA_THREADS = 256, WARP_THREADS = 32, CTA_WARPS = CTA_THREADS / WARP_THREADS };

/* The value of the lane `distance` above. Every lane of the warp takes part. */
__device__ static inline double lane_above(double x, proact_u32 distance)
{
    proact_u32 low, high;
    double y;

    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(x));
    asm volatile("shfl.sync.down.b32 %0, %0, %1, 31, -1;" : "+r"(low) : "r"(distance));
    asm volatile("shfl.sync.down.b32 %0, %0, %1, 31, -1;" : "+r"(high) : "r"(distance));
    asm("mov.b64 %0, {%1, %2};" : "=d"(y) : "r"(low), "r"(high));
    return y;
}

/* The sum is returned in lane 0. */
__device__ static inline double warp_sum(double x)
{
    for (proact_u32 distance = WARP_THREADS / 2; distance; distance /= 2)
        x += lane_above(x, distance);
    return x;
}

struct cta_pair {
    double a, b;
};

/* Two sums, returned in every thread. `scratch` is shared memory for CTA_WARPS pairs. */
__device__ static inline struct cta_pair cta_sum(double a, double b,
                                                 struct cta_pair *scratch)
{
    proact_u32 thread = proact_thread_x();
    struct cta_pair sum = {0, 0};

    a = warp_sum(a);
    b = warp_sum(b);
    proact_cta_sync(); /* an earlier sum's scratch has been read */
    if (thread % WARP_THREADS == 0) {
        scratch[thread / WARP_THREADS].a = a;
        scratch[thread / WARP_THREADS].b = b;
    }
    proact_cta_sync(); /* the sums of all warps are stored */
    for (proact_u32 warp = 0; warp < CTA_WARPS; warp++) {
        sum.a += scratch[warp].a;
        sum.b += scratch[warp].b;
    }
    return sum;
}

/* The sums of `count` pairs, returned in every thread. */
__device__ static inline struct cta_pair cta_sum_pairs(const struct cta_pair *pairs,
                                                       proact_u32 count,
                                                       struct cta_pair *scratch)
{
    double a = 0, b = 0;

    for (proact_u32 i = proact_thread_x(); i < count; i += CTA_THREADS) {
        a += pairs[i].a;
        b += pairs[i].b;
    }
    return cta_sum(a, b, scratch);
}
