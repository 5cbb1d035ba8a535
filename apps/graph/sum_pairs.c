/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/sum_pairs.h"

/* As shuffles do: at each step lane i takes lane i + distance. Of what has no partner, lane
   0 sees nothing. */
static double warp_sum(double *lane)
{
    for (unsigned distance = SUM_WARP / 2; distance; distance /= 2)
        for (unsigned i = 0; i < distance; i++)
            lane[i] += lane[i + distance];
    return lane[0];
}

struct sum_pair sum_pairs(const struct sum_pair *pairs, size_t count)
{
    double a[SUM_THREADS] = {0}, b[SUM_THREADS] = {0};
    struct sum_pair sum = {0};

    for (size_t i = 0; i < count; i++) {
        a[i % SUM_THREADS] += pairs[i].a;
        b[i % SUM_THREADS] += pairs[i].b;
    }
    for (unsigned warp = 0; warp < SUM_THREADS; warp += SUM_WARP) {
        sum.a += warp_sum(a + warp);
        sum.b += warp_sum(b + warp);
    }
    return sum;
}
