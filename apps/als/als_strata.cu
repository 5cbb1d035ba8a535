/* SPDX-License-Identifier: Apache-2.0 */
#include "als_device.h"

/* One stratum of stochastic gradient descent: CTA a, a warp, takes the ratings of block
   (a, a + stratum mod blocks) one after another. No other CTA touches its users or items.
   Memory decides which rows it stores, so the kernel needs maps. */

struct als_rating {
    proact_u32 user, item;
};

template <class T, int FACTORS>
PROACT_DEVICE_INLINE void strata(const proact_u32 *block_first,
                                 const struct als_rating *rating, const T *value, T *users,
                                 T *items, proact_u32 blocks, proact_u32 stratum,
                                 proact_u32 rank, T gamma, T lambda)
{
    proact_u32 lane = proact_thread_x(), block = stratum * blocks + proact_local_cta();
    proact_u32 i = block_first[block], end = block_first[block + 1];

    struct als_rating next = {0, 0};
    T next_value = 0;

    if (i < end) {
        next = rating[i];
        next_value = value[i];
    }
    for (; i < end; i++) {
        asm volatile("" : "+r"(i)); /* nvcc otherwise computes it again by lane */
        proact_u32 after = i + 1 < end ? i + 1 : i;
        struct als_rating at = next;
        T error = next_value;

        next = rating[after]; /* while this rating is processed */
        next_value = value[after];
        T *user = users + (proact_u64)at.user * rank;
        T *item = items + (proact_u64)at.item * rank;
        T p[FACTORS], q[FACTORS], product = 0;

#pragma unroll
        for (proact_u32 f = 0; f < FACTORS; f++) {
            proact_u32 k = lane + WARP_THREADS * f;

            p[f] = k < rank ? user[k] : (T)0;
            q[f] = k < rank ? item[k] : (T)0;
            product = fused(p[f], q[f], product);
        }
        error -= lanes_sum<WARP_THREADS>(product);

#pragma unroll
        for (proact_u32 f = 0; f < FACTORS; f++) {
            proact_u32 k = lane + WARP_THREADS * f;

            if (k < rank) {
                user[k] = fused(gamma, fused(error, q[f], -(lambda * p[f])), p[f]);
                item[k] = fused(gamma, fused(error, p[f], -(lambda * q[f])), q[f]);
            }
        }
    }
}

/* The kernels for ranks up to K; `suffix` is the type and K. */
#define STRATA_KERNEL(T, suffix, FACTORS)                                                  \
    extern "C" __global__ void als_strata_##suffix(                                        \
        const proact_u32 *block_first, const struct als_rating *rating, const T *value,    \
        T *users, T *items, proact_u32 blocks, proact_u32 stratum, proact_u32 rank,        \
        T gamma, T lambda)                                                                 \
    {                                                                                      \
        strata<T, FACTORS>(block_first, rating, value, users, items, blocks, stratum,      \
                           rank, gamma, lambda);                                           \
    }

STRATA_KERNEL(float, f32_16, 1)
STRATA_KERNEL(float, f32_32, 1)
STRATA_KERNEL(float, f32_64, 2)
STRATA_KERNEL(float, f32_256, 8)
STRATA_KERNEL(double, f64_16, 1)
STRATA_KERNEL(double, f64_32, 1)
STRATA_KERNEL(double, f64_64, 2)
STRATA_KERNEL(double, f64_256, 8)
