/* SPDX-License-Identifier: Apache-2.0 */
/* LU without pivots by blocks of 16, in place: the diagonal block, its row and column of
   blocks, and the rest. */
#include "programs.h"
#include <math.h>
#include <vector>

#define BLOCK 16

__global__ void lud_diagonal(float *m, int n, int at)
{
    __shared__ float s[BLOCK][BLOCK];
    int t = threadIdx.x;

    for (int i = 0; i < BLOCK; i++)
        s[i][t] = m[(at + i) * n + at + t];
    __syncthreads();
    for (int k = 0; k < BLOCK - 1; k++) {
        if (t > k) {
            s[t][k] /= s[k][k];
            for (int j = k + 1; j < BLOCK; j++)
                s[t][j] -= s[t][k] * s[k][j];
        }
        __syncthreads();
    }
    for (int i = 0; i < BLOCK; i++)
        m[(at + i) * n + at + t] = s[i][t];
}

/* The first half of a CTA processes a block of the row, the second half one of the
   column. */
__global__ void lud_perimeter(float *m, int n, int at)
{
    __shared__ float d[BLOCK][BLOCK];
    int t = threadIdx.x % BLOCK, other = at + (blockIdx.x + 1) * BLOCK;

    if (threadIdx.x < BLOCK)
        for (int i = 0; i < BLOCK; i++)
            d[i][t] = m[(at + i) * n + at + t];
    __syncthreads();
    if (threadIdx.x < BLOCK) {
        for (int i = 1; i < BLOCK; i++)
            for (int k = 0; k < i; k++)
                m[(at + i) * n + other + t] -= d[i][k] * m[(at + k) * n + other + t];
    } else {
        for (int j = 0; j < BLOCK; j++) {
            for (int k = 0; k < j; k++)
                m[(other + t) * n + at + j] -= m[(other + t) * n + at + k] * d[k][j];
            m[(other + t) * n + at + j] /= d[j][j];
        }
    }
}

__global__ void lud_internal(float *m, int n, int at)
{
    __shared__ float row[BLOCK][BLOCK], column[BLOCK][BLOCK];
    int i = at + (blockIdx.y + 1) * BLOCK + threadIdx.y,
        j = at + (blockIdx.x + 1) * BLOCK + threadIdx.x;
    float sum = 0;

    row[threadIdx.y][threadIdx.x] = m[(at + threadIdx.y) * n + j];
    column[threadIdx.y][threadIdx.x] = m[i * n + at + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < BLOCK; k++)
        sum += column[threadIdx.y][k] * row[k][threadIdx.x];
    m[i * n + j] -= sum;
}

int main(void)
{
    const int n = 16 * BLOCK;
    size_t bytes = n * n * sizeof(float);
    std::vector<float> a(n * n), lu(n * n);
    double worst = 0, logarithm = 0;
    unsigned state = 2;
    float *d;

    for (int i = 0; i < n * n; i++)
        a[i] = next_random(&state) / 16777216.f + (i / n == i % n ? n : 0);
    CHECK(cudaMalloc(&d, bytes));
    CHECK(cudaMemcpy(d, a.data(), bytes, cudaMemcpyHostToDevice));
    for (int at = 0; at < n; at += BLOCK) {
        int left = (n - at) / BLOCK - 1;

        lud_diagonal<<<1, BLOCK>>>(d, n, at);
        if (left == 0)
            break;
        lud_perimeter<<<left, 2 * BLOCK>>>(d, n, at);
        lud_internal<<<dim3(left, left), dim3(BLOCK, BLOCK)>>>(d, n, at);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(lu.data(), d, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        logarithm += log(fabs((double)lu[i * n + i]));
        for (int j = 0; j < n; j++) {
            double sum = i <= j ? lu[i * n + j] : 0;

            for (int k = 0; k < i && k <= j; k++)
                sum += (double)lu[i * n + k] * lu[k * n + j];
            worst = fmax(worst, fabs(sum - a[i * n + j]));
        }
    }
    printf("logarithm of the determinant %.2f\n", logarithm);
    CHECK(cudaFree(d));
    return verdict("lu_blocks", worst < 1e-3);
}
