/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/cta_sum.h"

/* One iteration of Jacobi's method. Plain kernels: the compiler finds what each CTA writes
   and reads. A CTA has cta_rows consecutive rows, one thread for each.

   Each CTA first adds the sums of all CTAs of the previous iteration, the square of the
   residual. All devices therefore stop at the same iteration. After the stop nothing is
   written. Steps that a compiler may fuse are fused explicitly, so that the host computes
   the same. */

enum { BAND_BATCH = 4 }; /* loads in flight together */

struct band_rows {
    proact_u32 rows, half_width, cta_rows, cta_count, sum_count;
    double limit; /* of the square of the residual */
};

PROACT_DEVICE_INLINE double fused(double a, double x, double sum)
{
    return __builtin_fma(a, x, sum);
}

PROACT_DEVICE_INLINE float fused(float a, float x, float sum)
{
    return __builtin_fmaf(a, x, sum);
}

/* The columns of the CTA's rows lie in between. */
struct column_bounds {
    proact_u32 low, high;
};

#define BAND_METHOD __device__ inline __attribute__((always_inline))

/* The rest of a row, b - A x, for a band matrix. */
template <class T> struct band_matrix {
    const T *diagonals, *right, *old;
    proact_u32 rows, half;

    /* An entry outside the matrix is 0 and changes no sum. */
    BAND_METHOD T rest(proact_u32 row, const column_bounds &) const
    {
        long long first = (long long)row - half;
        T sum = right[row];

        for (proact_u32 k = 0; k < 2 * half + 1; k += BAND_BATCH) {
            T entry[BAND_BATCH], factor[BAND_BATCH];

#pragma unroll
            for (proact_u32 i = 0; i < BAND_BATCH; i++) {
                long long column = first + k + i;
                bool is_inside = k + i < 2 * half + 1 && column >= 0 && column < rows;

                entry[i] = is_inside ? diagonals[(proact_u64)(k + i) * rows + row] : 0;
                factor[i] = is_inside ? old[column] : 0;
            }
#pragma unroll
            for (proact_u32 i = 0; i < BAND_BATCH; i++)
                sum = fused(-entry[i], factor[i], sum);
        }
        return sum;
    }
};

/* The same for a sparse matrix. The bounds of a column change nothing, but show what a CTA
   reads. */
template <class T> struct sparse_matrix {
    const proact_u32 *first, *column;
    const T *value, *right, *old;

    BAND_METHOD T rest(proact_u32 row, const column_bounds &bounds) const
    {
        T sum = right[row];

        for (proact_u32 e = first[row]; e < first[row + 1]; e++) {
            proact_u32 at = column[e] < bounds.high ? column[e] : bounds.high;

            at = at > bounds.low ? at : bounds.low;
            sum = fused(-value[e], old[at], sum);
        }
        return sum;
    }
};

/* Updates the CTA's rows, and stores its pair of sums. */
template <class T, class M>
PROACT_DEVICE_INLINE void band_step(const band_rows &size, const T *diagonal, const T *old,
                                    const struct cta_pair *old_sums, T *x,
                                    struct cta_pair *sums, const M &matrix)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 cta = proact_local_cta(), begin = cta * size.cta_rows;
    proact_u32 end = begin + size.cta_rows < size.rows ? begin + size.cta_rows : size.rows;
    bool stopped = cta_sum_pairs(old_sums, size.sum_count, scratch).a < size.limit;
    long long low = (long long)begin - size.half_width;
    const column_bounds bounds = {(proact_u32)(low > 0 ? low : 0),
                                  end - 1 + size.half_width};
    double square = 0;

    for (proact_u32 base = begin; base < end && !stopped; base += CTA_THREADS) {
        proact_u32 row = base + proact_thread_x();

        if (row < end) {
            T rest = matrix.rest(row, bounds);

            x[row] = old[row] + rest / diagonal[row];
            square = fused((double)rest, (double)rest, square);
        }
    }
    struct cta_pair total = cta_sum(square, 0, scratch);

    if (proact_thread_x() == 0)
        sums[cta] = total;
}

extern "C" __global__ void band_f64(const double *diagonals, const double *right,
                                    const double *diagonal, const double *old,
                                    const struct cta_pair *old_sums, double *x,
                                    struct cta_pair *sums, band_rows size)
{
    band_step(size, diagonal, old, old_sums, x, sums,
              band_matrix<double>{diagonals, right, old, size.rows, size.half_width});
}

extern "C" __global__ void band_f32(const float *diagonals, const float *right,
                                    const float *diagonal, const float *old,
                                    const struct cta_pair *old_sums, float *x,
                                    struct cta_pair *sums, band_rows size)
{
    band_step(size, diagonal, old, old_sums, x, sums,
              band_matrix<float>{diagonals, right, old, size.rows, size.half_width});
}

extern "C" __global__ void sparse_f64(const double *value, const double *right,
                                      const double *diagonal, const double *old,
                                      const struct cta_pair *old_sums, double *x,
                                      struct cta_pair *sums, band_rows size,
                                      const proact_u32 *first, const proact_u32 *column)
{
    band_step(size, diagonal, old, old_sums, x, sums,
              sparse_matrix<double>{first, column, value, right, old});
}

extern "C" __global__ void sparse_f32(const float *value, const float *right,
                                      const float *diagonal, const float *old,
                                      const struct cta_pair *old_sums, float *x,
                                      struct cta_pair *sums, band_rows size,
                                      const proact_u32 *first, const proact_u32 *column)
{
    band_step(size, diagonal, old, old_sums, x, sums,
              sparse_matrix<float>{first, column, value, right, old});
}
