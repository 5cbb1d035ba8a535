/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/entry_limit.h"
#include "als_device.h"

/* One sweep of gradient descent over the rows of one side:
   p += gamma (sum of e q - lambda n p), where e is the error of a rating and q the row of
   the other side, both from the factors of the sweep before.

   als_gradient_*: a warp per row, lanes are factors. LANES lanes process one rating, so a
   warp processes 32 / LANES ratings at once; each lane has FACTORS factors.
   als_gradient_parts_*: a CTA per part of a hub.
   als_gradient_thread_*: a thread per row, which stores its factors one by one, as in the
   paper. */

enum { BATCH = 4 };        /* ratings whose loads are in flight together */
enum { THREAD_CTA = 128 }; /* threads of a CTA with a thread per row */
static_assert(BATCH * CTA_THREADS <= ENTRY_STEP_MAX, "steps over ratings may wrap around");

template <class T, int LANES, int FACTORS> struct gradient_row {
    T own[FACTORS], sum[FACTORS];
};

/* Factor of this lane: number f of FACTORS. */
template <int LANES> PROACT_DEVICE_INLINE proact_u32 factor_of(proact_u32 f)
{
    return proact_thread_x() % LANES + LANES * f;
}

template <class T, int LANES, int FACTORS>
PROACT_DEVICE_INLINE void row_start(gradient_row<T, LANES, FACTORS> &row, const T *factors,
                                    proact_u32 rank)
{
#pragma unroll
    for (proact_u32 f = 0; f < FACTORS; f++) {
        proact_u32 k = factor_of<LANES>(f);

        T loaded = factors[k < rank ? k : 0];

        row.own[f] = k < rank ? loaded : (T)0;
        row.sum[f] = 0;
    }
}

/* Adds every `stride`-th group of 32 / LANES entries, from `begin` on. Loads past the end
   repeat the last entry, whose error then counts as 0. Loads past the rank repeat factor 0;
   the own factor is 0 there, and the sum is not used. Without branches the loads overlap.
 */
template <class T, int LANES, int FACTORS>
PROACT_DEVICE_INLINE void row_add(gradient_row<T, LANES, FACTORS> &row,
                                  const als_side<T> &side, const T *other, proact_u32 rank,
                                  proact_u32 begin, proact_u32 end, proact_u32 stride)
{
    const proact_u32 groups = WARP_THREADS / LANES;
    proact_u32 group = proact_thread_x() % WARP_THREADS / LANES;

    for (proact_u32 i = begin; i < end; i += BATCH * groups * stride) {
        T value[BATCH], q[BATCH][FACTORS], error[BATCH];
        proact_u32 at[BATCH];

#pragma unroll
        for (proact_u32 b = 0; b < BATCH; b++) {
            at[b] = i + b * groups * stride + group;
            proact_u32 entry = at[b] < end ? at[b] : end - 1;
            const T *from = other + (proact_u64)side.index[entry] * rank;

            value[b] = side.value[entry];
#pragma unroll
            for (proact_u32 f = 0; f < FACTORS; f++) {
                proact_u32 k = factor_of<LANES>(f);

                q[b][f] = from[k < rank ? k : 0];
            }
        }
#pragma unroll
        for (proact_u32 b = 0; b < BATCH; b++) {
            T product = 0;

#pragma unroll
            for (proact_u32 f = 0; f < FACTORS; f++)
                product = fused(row.own[f], q[b][f], product);
            product = lanes_sum<LANES>(product);
            error[b] = at[b] < end ? value[b] - product : (T)0;
        }
#pragma unroll
        for (proact_u32 b = 0; b < BATCH; b++)
#pragma unroll
            for (proact_u32 f = 0; f < FACTORS; f++)
                row.sum[f] = fused(error[b], q[b][f], row.sum[f]);
    }
    if (LANES < WARP_THREADS)
#pragma unroll
        for (proact_u32 f = 0; f < FACTORS; f++)
            row.sum[f] += lane_across(row.sum[f], LANES);
}

template <class T, int LANES, int FACTORS>
PROACT_DEVICE_INLINE void gradient(const als_side<T> &side, const T *own, const T *other,
                                   T *to, proact_u32 rank, T gamma, T lambda)
{
    proact_u32 thread = proact_thread_x();
    proact_u32 row = proact_local_cta() * CTA_WARPS + thread / WARP_THREADS;
    gradient_row<T, LANES, FACTORS> now;
    proact_u32 part, part_end;

    if (row >= side.rows)
        return;
    proact_u32 begin = side.first[row], end = side.first[row + 1];
    T weight = lambda * (T)(end - begin);

    row_start(now, own + (proact_u64)row * rank, rank);
    if (!row_parts(side, row, &part, &part_end))
        row_add(now, side, other, rank, begin, end, 1);
    for (; part < part_end; part++)
#pragma unroll
        for (proact_u32 f = 0; f < FACTORS; f++) {
            proact_u32 k = factor_of<LANES>(f);

            now.sum[f] += k < rank ? side.part_sums[(proact_u64)part * rank + k] : (T)0;
        }
#pragma unroll
    for (proact_u32 f = 0; f < FACTORS; f++) {
        proact_u32 k = thread % WARP_THREADS + LANES * f;

        if (k < rank && thread % WARP_THREADS < LANES)
            to[(proact_u64)row * rank + k] =
                fused(gamma, fused(-weight, now.own[f], now.sum[f]), now.own[f]);
    }
}

/* The sums of a part's entries, without the row's own terms. */
template <class T, int LANES, int FACTORS>
PROACT_DEVICE_INLINE void gradient_part(const als_side<T> &side,
                                        const struct als_part *parts,
                                        const proact_u32 *part_row, const T *own,
                                        const T *other, T *to, proact_u32 rank)
{
    __shared__ T sum[CTA_WARPS][LANES * FACTORS];
    proact_u32 part = proact_local_cta(), thread = proact_thread_x();
    proact_u32 warp = thread / WARP_THREADS, stride = WARP_THREADS / LANES;
    struct als_part range = parts[part];
    gradient_row<T, LANES, FACTORS> now;

    row_start(now, own + (proact_u64)part_row[part] * rank, rank);
    row_add(now, side, other, rank, range.begin + warp * stride, range.end, CTA_WARPS);
#pragma unroll
    for (proact_u32 f = 0; f < FACTORS; f++)
        if (thread % WARP_THREADS < LANES)
            sum[warp][factor_of<LANES>(f)] = now.sum[f];
    proact_cta_sync(); /* the sums of all warps are stored */
    if (thread < rank) {
        T total = 0;

        for (proact_u32 w = 0; w < CTA_WARPS; w++)
            total += sum[w][thread];
        to[(proact_u64)part * rank + thread] = total;
    }
}

/* At most K factors. If K is small, the thread has them in registers. */
template <class T, int K>
PROACT_DEVICE_INLINE void gradient_thread(const als_side<T> &side, const T *own,
                                          const T *other, T *to, proact_u32 rank, T gamma,
                                          T lambda)
{
    const int unrolled = K <= 64 ? K : 1;
    proact_u32 row = proact_local_cta() * THREAD_CTA + proact_thread_x();
    proact_u32 part, part_end;
    T sum[K], p[K], q[K];

    if (row >= side.rows)
        return;
    proact_u32 begin = side.first[row], end = side.first[row + 1];
    const T *from = own + (proact_u64)row * rank;
    T *result = to + (proact_u64)row * rank, weight = lambda * (T)(end - begin);

#pragma unroll unrolled
    for (proact_u32 k = 0; k < K; k++) {
        T loaded = from[k < rank ? k : 0];

        p[k] = k < rank ? loaded : (T)0;
        sum[k] = 0;
    }
    if (row_parts(side, row, &part, &part_end))
        begin = end;
    for (proact_u32 i = begin; i < end; i++) {
        const T *row_of_other = other + (proact_u64)side.index[i] * rank;
        T error = side.value[i];

#pragma unroll unrolled
        for (proact_u32 k = 0; k < K; k++)
            q[k] = row_of_other[k < rank ? k : 0];
#pragma unroll unrolled
        for (proact_u32 k = 0; k < K; k++)
            error = fused(-p[k], q[k], error);
#pragma unroll unrolled
        for (proact_u32 k = 0; k < K; k++)
            sum[k] = fused(error, q[k], sum[k]);
    }
    for (; part < part_end; part++)
#pragma unroll unrolled
        for (proact_u32 k = 0; k < K; k++)
            if (k < rank)
                sum[k] += side.part_sums[(proact_u64)part * rank + k];
#pragma unroll unrolled
    for (proact_u32 k = 0; k < K; k++)
        if (k < rank)
            result[k] = fused(gamma, fused(-weight, p[k], sum[k]), p[k]);
}

#define SIDE_PARAMETERS(T)                                                                 \
    const proact_u32 *first, const proact_u32 *index, const T *value,                      \
        const proact_u32 *part_first, const T *part_sums
#define SIDE(T)                                                                            \
    als_side<T>                                                                            \
    {                                                                                      \
        first, index, value, part_first, part_sums, rows, parts                            \
    }

/* The kernels for ranks up to K; `suffix` is the type and K. */
#define GRADIENT_KERNELS(T, suffix, K, LANES, FACTORS)                                     \
    extern "C" __global__ void als_gradient_##suffix(                                      \
        SIDE_PARAMETERS(T), const T *own, const T *other, T *to, proact_u32 rows,          \
        proact_u32 parts, proact_u32 rank, T gamma, T lambda)                              \
    {                                                                                      \
        gradient<T, LANES, FACTORS>(SIDE(T), own, other, to, rank, gamma, lambda);         \
    }                                                                                      \
    extern "C" __global__ void als_gradient_thread_##suffix(                               \
        SIDE_PARAMETERS(T), const T *own, const T *other, T *to, proact_u32 rows,          \
        proact_u32 parts, proact_u32 rank, T gamma, T lambda)                              \
    {                                                                                      \
        gradient_thread<T, K>(SIDE(T), own, other, to, rank, gamma, lambda);               \
    }                                                                                      \
    extern "C" __global__ void als_gradient_parts_##suffix(                                \
        const struct als_part *part, const proact_u32 *part_row, const proact_u32 *index,  \
        const T *value, const T *own, const T *other, T *to, proact_u32 rank)              \
    {                                                                                      \
        const als_side<T> side = {0, index, value, 0, 0, 0, 0};                            \
        gradient_part<T, LANES, FACTORS>(side, part, part_row, own, other, to, rank);      \
    }

GRADIENT_KERNELS(float, f32_16, 16, 16, 1)
GRADIENT_KERNELS(float, f32_32, 32, 32, 1)
GRADIENT_KERNELS(float, f32_64, 64, 32, 2)
GRADIENT_KERNELS(float, f32_256, 256, 32, 8)
GRADIENT_KERNELS(double, f64_16, 16, 16, 1)
GRADIENT_KERNELS(double, f64_32, 32, 32, 1)
GRADIENT_KERNELS(double, f64_64, 64, 32, 2)
GRADIENT_KERNELS(double, f64_256, 256, 32, 8)
