/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices and vectors, and the steps of factorizations. */
#include "kernel_words.h"

template <int TILE>
WORD void gemm_tile(const float *__restrict__ a, const float *__restrict__ b,
                    float *__restrict__ c, int m, int n, int k, float alpha, float beta)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int first = 0; first < k; first += TILE) {
        int ka = first + threadIdx.x, kb = first + threadIdx.y;

        ta[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.f;
        tb[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

KERNEL(gemm_tiled, const float *a, const float *b, float *c, int m, int n, int k,
       float alpha, float beta)
{
    gemm_tile<16>(a, b, c, m, n, k, alpha, beta);
}

/* Four rows for each thread, in registers; a leading dimension for each matrix. */
KERNEL(gemm_registers, const double *a, int lda, const double *b, int ldb, double *c,
       int ldc, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x,
        row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    double sum[4] = {0, 0, 0, 0};

    if (column >= n)
        return;
    for (int i = 0; i < k; i++) {
        double right = b[i * ldb + column];

#pragma unroll
        for (int r = 0; r < 4; r++)
            if (row + r < m)
                sum[r] += a[(row + r) * lda + i] * right;
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        if (row + r < m)
            c[(row + r) * ldc + column] = sum[r];
}

/* One small product for each CTA. */
KERNEL(gemm_batched, const float *a, const float *b, float *c, int size, int stride)
{
    const float *mine_a = a + (size_t)blockIdx.x * stride,
                *mine_b = b + (size_t)blockIdx.x * stride;
    float *mine = c + (size_t)blockIdx.x * stride;

    for (int i = threadIdx.y; i < size; i += blockDim.y)
        for (int j = threadIdx.x; j < size; j += blockDim.x) {
            float sum = 0;

            for (int k = 0; k < size; k++)
                sum += mine_a[i * size + k] * mine_b[k * size + j];
            mine[i * size + j] = sum;
        }
}

/* One row for each warp. */
KERNEL(gemv_warps, const float *a, const float *x, float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    float sum = 0;

    if (row >= rows)
        return;
    for (int i = lane; i < columns; i += 32)
        sum += a[row * columns + i] * x[i];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
}

KERNEL(rank_one, float *a, const float *x, const float *y, int rows, int columns,
       float alpha)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x,
        i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < rows && j < columns)
        a[i * columns + j] += alpha * x[i] * y[j];
}

/* LU without pivots, step k: first the column, then the submatrix right of and below it. */
KERNEL(lu_column, float *a, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;

    if (i < n)
        a[i * n + k] /= a[k * n + k];
}

KERNEL(lu_trailing, float *a, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1,
        i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;

    if (i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

enum { BLOCK = 16 };

/* Cholesky: one CTA factorizes the block at `at` on the diagonal. */
KERNEL(cholesky_diagonal, float *a, int n, int at)
{
    __shared__ float s[BLOCK][BLOCK + 1];
    int i = threadIdx.y, j = threadIdx.x;

    s[i][j] = a[(at + i) * n + at + j];
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
        if (i == k && j == k)
            s[k][k] = sqrtf(s[k][k]);
        __syncthreads();
        if (j == k && i > k)
            s[i][k] /= s[k][k];
        __syncthreads();
        if (i > k && j > k && j <= i)
            s[i][j] -= s[i][k] * s[j][k];
        __syncthreads();
    }
    if (j <= i)
        a[(at + i) * n + at + j] = s[i][j];
}

/* Update below the block: a[i][j] -= sum of panel[i][k] * panel[j][k], lower half only. */
KERNEL(cholesky_update, float *a, int n, int at)
{
    int j = at + BLOCK + blockIdx.x * blockDim.x + threadIdx.x,
        i = at + BLOCK + blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= n || j > i)
        return;
    float sum = 0;

    for (int k = 0; k < BLOCK; k++)
        sum += a[i * n + at + k] * a[j * n + at + k];
    a[i * n + j] -= sum;
}

/* Thomas algorithm: one system for each thread, interleaved so that lanes access adjacent
   elements. */
KERNEL(tridiagonal, const float *below, const float *diagonal, const float *above,
       float *scratch, float *x, int systems, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;

    if (s >= systems)
        return;
    float c = above[s] / diagonal[s], d = x[s] / diagonal[s];

    scratch[s] = c;
    x[s] = d;
    for (int i = 1; i < n; i++) {
        int at = i * systems + s;
        float by = 1.f / (diagonal[at] - below[at] * c);

        c = above[at] * by;
        d = (x[at] - below[at] * d) * by;
        scratch[at] = c;
        x[at] = d;
    }
    for (int i = n - 2; i >= 0; i--) {
        d = x[i * systems + s] - scratch[i * systems + s] * d;
        x[i * systems + s] = d;
    }
}

/* Needleman-Wunsch: the cells of one diagonal, from their neighbours on the two previous
   ones. */
KERNEL(align_diagonal, int *score, const unsigned char *first, const unsigned char *second,
       int n, int diagonal, int gap)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + max(1, diagonal - n + 1);
    int j = diagonal - i;

    if (j < 1 || i >= n)
        return;
    int match = score[(i - 1) * n + j - 1] + (first[i - 1] == second[j - 1] ? 2 : -1);

    score[i * n + j] = max(match, max(score[(i - 1) * n + j], score[i * n + j - 1]) - gap);
}

/* Down the columns of rows with a pitch parameter: compilers process four rows at a time,
   and then the remainder. */
KERNEL(columns_walked, const int *in, int *out, int *sum, int pitch, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, all = 0;

    if (x >= columns)
        return;
    for (int y = 0; y < rows; y++)
        all += in[y * pitch + x];
    for (int y = 1; y < rows - 1; y++)
        out[y * pitch + x] = in[(y - 1) * pitch + x] - in[(y + 1) * pitch + x];
    sum[x] = all;
}

/* Rows of 64, by quotients of one unsigned index: no access above the first or below the
   last row. */
KERNEL(rows_beside, const int *in, int *out, int *inner, unsigned width)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = in[i];

    if (i / 64 > 0)
        sum += 3 * in[i - 64];
    if (i / 64 != 15)
        sum += 5 * in[i + 64];
    out[i] = sum;
    if (i / 64 != 0)
        inner[i - 64] = sum;
    if (i / width > 1 && i / width < 7)
        out[i] += in[i - 2 * width] - in[i + width];
}
