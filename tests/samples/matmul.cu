/* SPDX-License-Identifier: Apache-2.0 */
/* Dense products, M x K times K x N. Matrices are row-major unless stated otherwise. */
#include "sample.h"

enum { TILE = 16 };

/* CTAs of TILE x TILE threads. */
KERNEL(sgemm, const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;

    for (int k = 0; k < K; k += TILE) {
        a[ty][tx] = row < M && k + tx < K ? A[row * K + k + tx] : 0.f;
        b[ty][tx] = k + ty < K && col < N ? B[(k + ty) * N + col] : 0.f;
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            sum += a[ty][j] * b[j][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        STORE(0, C[row * N + col], sum);
    DONE();
}

/* Sixteen results for each thread in registers; A and C are column-major. CTAs of 16 x 4
   threads, M a multiple of 64, N of 16, K of 4 (AMGE, listing 1). */
KERNEL(sgemm_amge, float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ float b[4][16];
    float sum[16];
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int row = blockIdx.x * 64 + thread, col = blockIdx.y * 16 + threadIdx.x;

    for (int i = 0; i < 16; i++)
        sum[i] = 0;
    for (int i = 0; i < K; i += 4) {
        b[threadIdx.y][threadIdx.x] = B[(i + threadIdx.y) * N + col];
        __syncthreads();
        for (int j = 0; j < 4; j++) {
            float a = A[(i + j) * M + row];

            for (int k = 0; k < 16; k++)
                sum[k] += a * b[j][k];
        }
        __syncthreads();
    }
    for (int i = 0; i < 16; i++)
        STORE(0, C[(i + blockIdx.y * 16) * M + row], sum[i]);
    DONE();
}

KERNEL(sgemm_naive, const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M && col < N) {
        float sum = 0;

        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        STORE(0, C[row * N + col], sum);
    }
    DONE();
}

/* y = A x, one row for each thread. */
KERNEL(sgemv, const float *A, const float *x, float *y, int M, int N)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M) {
        float sum = 0;

        for (int j = 0; j < N; j++)
            sum += A[row * N + j] * x[j];
        STORE(0, y[row], sum);
    }
    DONE();
}
