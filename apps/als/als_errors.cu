/* SPDX-License-Identifier: Apache-2.0 */
#include "als_device.h"

/* Sums of squares for the errors and the objective. Each CTA leaves one sum in float64; the
   host adds them in order. */

struct als_rating {
    proact_u32 user, item;
};

/* The squared errors of `each` ratings a CTA: a warp per rating, lanes are factors. */
template <class T>
PROACT_DEVICE_INLINE void square_errors(const struct als_rating *rating, const T *value,
                                        const T *users, const T *items, double *sums,
                                        proact_u32 count, proact_u32 each, proact_u32 rank)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    proact_u32 begin = proact_local_cta() * each;
    proact_u32 end = count - begin < each ? count : begin + each;
    double sum = 0;

    for (proact_u32 i = begin + thread / WARP_THREADS; i < end; i += CTA_WARPS) {
        struct als_rating at = rating[i];
        const T *p = users + (proact_u64)at.user * rank;
        const T *q = items + (proact_u64)at.item * rank;
        T product = 0;

        for (proact_u32 k = lane; k < rank; k += WARP_THREADS)
            product = fused(p[k], q[k], product);
        double error = (double)(value[i] - lanes_sum<WARP_THREADS>(product));

        sum = fused(error, error, sum);
    }
    struct cta_pair total = cta_sum(lane == 0 ? sum : 0, 0, scratch);

    if (thread == 0)
        sums[proact_local_cta()] = total.a;
}

/* The sum of n |p|^2 over `each` rows a CTA, a warp per row. */
template <class T>
PROACT_DEVICE_INLINE void penalty(const proact_u32 *first, const T *factors, double *sums,
                                  proact_u32 rows, proact_u32 each, proact_u32 rank)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    proact_u32 begin = proact_local_cta() * each;
    proact_u32 end = rows - begin < each ? rows : begin + each;
    double sum = 0;

    for (proact_u32 row = begin + thread / WARP_THREADS; row < end; row += CTA_WARPS) {
        const T *p = factors + (proact_u64)row * rank;
        double degree = first[row + 1] - first[row], square = 0;

        for (proact_u32 k = lane; k < rank; k += WARP_THREADS)
            square = fused((double)p[k], (double)p[k], square);
        sum = fused(degree, square, sum);
    }
    struct cta_pair total = cta_sum(sum, 0, scratch);

    if (thread == 0)
        sums[proact_local_cta()] = total.a;
}

#define ERROR_KERNELS(T, suffix)                                                           \
    extern "C" __global__ void als_square_errors_##suffix(                                 \
        const struct als_rating *rating, const T *value, const T *users, const T *items,   \
        double *sums, proact_u32 count, proact_u32 each, proact_u32 rank)                  \
    {                                                                                      \
        square_errors(rating, value, users, items, sums, count, each, rank);               \
    }                                                                                      \
    extern "C" __global__ void als_penalty_##suffix(                                       \
        const proact_u32 *first, const T *factors, double *sums, proact_u32 rows,          \
        proact_u32 each, proact_u32 rank)                                                  \
    {                                                                                      \
        penalty(first, factors, sums, rows, each, rank);                                   \
    }

ERROR_KERNELS(float, f32)
ERROR_KERNELS(double, f64)
