/* SPDX-License-Identifier: Apache-2.0 */
#include "als_device.h"

/* Half a sweep of alternating least squares: each row p of one side solves
   (sum of q q' + lambda n I) p = sum of q r over its ratings r and the rows q of the other
   side.

   K threads process a row: half a warp, a warp, or a CTA. Thread t has row t of the
   symmetric matrix, in registers if K is small. Ranks below K leave the last rows zero,
   with 1 on the diagonal. The factorisation is Cholesky's without square roots, L D L'.
   als_solve_parts_* leaves the matrices and right sides of the parts of hubs. */

enum { STAGED = 8, SMALL_CTA = 128, MATRIX_FACTORS_MAX = 64 };

/* Threads of a CTA, and rows that it processes. */
template <int K> struct solve_shape {
    enum { threads = K <= (int)WARP_THREADS ? (int)SMALL_CTA : K, rows = threads / K };
};

/* Calls step(first) ... step(rank - 1). If the numbers fit into registers, the loop is
   unrolled and goes on to K - 1. */
template <int K, bool UNROLLED = K <= (int)MATRIX_FACTORS_MAX> struct each_factor {
    template <class F>
    PROACT_DEVICE_INLINE void run(proact_u32 first, proact_u32, const F &step)
    {
#pragma unroll
        for (proact_u32 k = 0; k < K; k++)
            if (k >= first)
                step(k);
    }
};

template <int K> struct each_factor<K, false> {
    template <class F>
    PROACT_DEVICE_INLINE void run(proact_u32 first, proact_u32 rank, const F &step)
    {
#pragma unroll 1
        for (proact_u32 k = first; k < rank; k++)
            step(k);
    }
};

/* Row t of a matrix, with its right side. */
template <class T, int K> struct matrix_row {
    T at[K], right;
};

/* Shared memory of a row: staged rows q, then columns of the matrix in elimination. */
template <class T, int K> struct solve_scratch {
    T staged[STAGED][K];
    T column[2][K + 1];
};

/* Barrier of the threads of a row, or of more. */
template <int K> PROACT_DEVICE_INLINE void row_sync()
{
    if (K <= (int)WARP_THREADS)
        asm volatile("bar.warp.sync -1;" ::: "memory");
    else
        proact_cta_sync();
}

/* Adds q q' and q r for the entries begin .. end - 1. The rows of a warp take an equal
   number of steps, so that all threads reach the barriers. */
template <class T, int K>
PROACT_DEVICE_INLINE void matrix_add(matrix_row<T, K> &row, solve_scratch<T, K> &s,
                                     const als_side<T> &side, const T *other,
                                     proact_u32 rank, proact_u32 begin, proact_u32 end)
{
    proact_u32 t = proact_thread_x() % K, count = end - begin, longest = count;

    if (K < (int)WARP_THREADS) {
        proact_u32 across = lane_across(count, K);

        longest = across > count ? across : count;
    }
    for (proact_u32 step = 0; step < longest; step += STAGED) {
        T own[STAGED], value[STAGED];

        row_sync<K>(); /* the staged rows have been read */
#pragma unroll
        for (proact_u32 i = 0; i < STAGED; i++) {
            bool valid = step + i < count;
            proact_u32 entry = valid ? begin + step + i : 0;
            T loaded = other[(proact_u64)side.index[entry] * rank + (t < rank ? t : 0)];
            T rating = side.value[entry];

            value[i] = valid ? rating : (T)0;
            own[i] = valid && t < rank ? loaded : (T)0;
            s.staged[i][t] = own[i];
        }
        row_sync<K>(); /* the rows are staged */
#pragma unroll
        for (proact_u32 i = 0; i < STAGED; i++) {
            row.right = fused(own[i], value[i], row.right);
            each_factor<K>::run(0, rank, [&](proact_u32 k) {
                row.at[k] = fused(own[i], s.staged[i][k], row.at[k]);
            });
        }
    }
}

/* Eliminates columns 0, 1, ... below the diagonal, then solves upwards. Returns factor t.
 */
template <class T, int K>
PROACT_DEVICE_INLINE T matrix_solve(matrix_row<T, K> &row, solve_scratch<T, K> &s,
                                    proact_u32 rank)
{
    proact_u32 t = proact_thread_x() % K;
    T x = 0;

    each_factor<K>::run(0, rank, [&](proact_u32 j) {
        T *column = s.column[j % 2];

        if (j >= rank)
            return;
        column[t] = row.at[j];
        if (t == j)
            column[K] = row.right;
        row_sync<K>(); /* stored; the column before the last has been read */
        if (t > j) {
            T factor = row.at[j] / column[j];

            each_factor<K>::run(j + 1, rank, [&](proact_u32 k) {
                row.at[k] = fused(-factor, column[k], row.at[k]);
            });
            row.right = fused(-factor, column[K], row.right);
        }
    });
    each_factor<K>::run(0, rank, [&](proact_u32 up) {
        const proact_u32 j = (K <= (int)MATRIX_FACTORS_MAX ? K : rank) - 1 - up;

        if (j >= rank)
            return;
        if (t == j) {
            x = row.right / row.at[j];
            s.column[j % 2][0] = x;
        }
        row_sync<K>(); /* factor j is stored, and factor j + 2 has been read */
        if (t < j)
            row.right = fused(-row.at[j], s.column[j % 2][0], row.right);
    });
    return x;
}

template <class T, int K> PROACT_DEVICE_INLINE void matrix_clear(matrix_row<T, K> &row)
{
    row.right = 0;
    each_factor<K>::run(0, K, [&](proact_u32 k) { row.at[k] = 0; });
}

template <class T, int K>
PROACT_DEVICE_INLINE void solve(const als_side<T> &side, const T *other, T *to,
                                proact_u32 rank, T lambda)
{
    __shared__ solve_scratch<T, K> scratch[solve_shape<K>::rows];
    proact_u32 t = proact_thread_x() % K, group = proact_thread_x() / K;
    proact_u32 number = proact_local_cta() * solve_shape<K>::rows + group;
    proact_u32 row = number < side.rows ? number : side.rows - 1; /* for the barriers */
    proact_u32 begin = side.first[row], end = side.first[row + 1], part, part_end;
    bool is_hub = row_parts(side, row, &part, &part_end);
    T weight = lambda * (T)(end - begin);
    matrix_row<T, K> mine;

    matrix_clear(mine);
    matrix_add(mine, scratch[group], side, other, rank, begin, is_hub ? begin : end);
    for (; part < part_end && t < rank; part++) {
        const T *sums = side.part_sums + (proact_u64)part * (rank + 1) * rank + t;

        each_factor<K>::run(0, rank, [&](proact_u32 k) {
            if (k < rank)
                mine.at[k] += sums[k * rank];
        });
        mine.right += sums[rank * rank];
    }
    each_factor<K>::run(0, rank, [&](proact_u32 k) {
        if (k == t)
            mine.at[k] = begin == end ? (T)1 : mine.at[k] + weight;
    });
    T x = matrix_solve(mine, scratch[group], rank);

    if (number < side.rows && t < rank)
        to[(proact_u64)number * rank + t] = x;
}

/* A part's matrix by columns, then its right side: (rank + 1) * rank numbers. */
template <class T, int K>
PROACT_DEVICE_INLINE void solve_part(const als_side<T> &side, const struct als_part *part,
                                     const T *other, T *to, proact_u32 rank)
{
    __shared__ solve_scratch<T, K> scratch[solve_shape<K>::rows];
    proact_u32 t = proact_thread_x() % K, group = proact_thread_x() / K;
    proact_u32 number = proact_local_cta() * solve_shape<K>::rows + group;
    proact_u32 last = side.parts - 1;
    struct als_part range = part[number < last ? number : last];
    matrix_row<T, K> mine;

    matrix_clear(mine);
    matrix_add(mine, scratch[group], side, other, rank, range.begin, range.end);
    if (number > last || t >= rank)
        return;
    T *sums = to + (proact_u64)number * (rank + 1) * rank + t;

    each_factor<K>::run(0, rank, [&](proact_u32 k) {
        if (k < rank)
            sums[k * rank] = mine.at[k];
    });
    sums[rank * rank] = mine.right;
}

/* The kernels for ranks up to K; `suffix` is the type and K. */
#define SOLVE_KERNELS(T, suffix, K)                                                        \
    extern "C" __global__ void als_solve_##suffix(                                         \
        const proact_u32 *first, const proact_u32 *index, const T *value,                  \
        const proact_u32 *part_first, const T *part_sums, const T *other, T *to,           \
        proact_u32 rows, proact_u32 parts, proact_u32 rank, T lambda)                      \
    {                                                                                      \
        const als_side<T> side = {                                                         \
            first, index, value, part_first, part_sums, rows, parts};                      \
        solve<T, K>(side, other, to, rank, lambda);                                        \
    }                                                                                      \
    extern "C" __global__ void als_solve_parts_##suffix(                                   \
        const struct als_part *part, const proact_u32 *index, const T *value,              \
        const T *other, T *to, proact_u32 parts, proact_u32 rank)                          \
    {                                                                                      \
        const als_side<T> side = {0, index, value, 0, 0, 0, parts};                        \
        solve_part<T, K>(side, part, other, to, rank);                                     \
    }

SOLVE_KERNELS(float, f32_16, 16)
SOLVE_KERNELS(float, f32_32, 32)
SOLVE_KERNELS(float, f32_64, 64)
SOLVE_KERNELS(float, f32_256, 256)
SOLVE_KERNELS(double, f64_16, 16)
SOLVE_KERNELS(double, f64_32, 32)
SOLVE_KERNELS(double, f64_64, 64)
SOLVE_KERNELS(double, f64_256, 256)
