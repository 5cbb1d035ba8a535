/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns of a 64-bit index, which the compiler divides with 32 bits where
   possible; and a 64-bit grid width. */
#include "programs.h"

enum { ROWS = 911, COLUMNS = 407, N = ROWS * COLUMNS, THREADS = 128, STEPS = 4 };

__global__ void smooth(const float *__restrict__ from, float *__restrict__ to, size_t rows,
                       size_t columns)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i >= rows * columns)
        return;
    const size_t row = i / columns, column = i % columns;
    float sum = 4 * from[i];

    if (column > 0)
        sum += from[row * columns + column - 1];
    if (row > 0)
        sum += from[(row - 1) * columns + column];
    if (row + 1 < rows)
        sum += from[(row + 1) * columns + column];
    to[i] = sum * 0.125f;
}

__global__ void mirror(const float *__restrict__ from, float *__restrict__ to, long rows,
                       long columns)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;

    if (i < rows * columns) {
        const long row = i / columns, column = i % columns;

        to[row * columns + (columns - 1 - column)] = from[i];
    }
}

__global__ void decay(float *__restrict__ to, const float *__restrict__ rate, long n)
{
    const long width = (long)blockDim.x * gridDim.x;

    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += width)
        to[i] -= rate[i] * 0.0625f;
}

static float rate[N], got[N], a[N], b[N];

static void expect(void)
{
    for (int i = 0; i < N; i++) {
        const int row = i / COLUMNS, column = i % COLUMNS;
        float sum = 4 * a[i];

        if (column > 0)
            sum += a[i - 1];
        if (row > 0)
            sum += a[i - COLUMNS];
        if (row + 1 < ROWS)
            sum += a[i + COLUMNS];
        b[i] = sum * 0.125f;
    }
    for (int i = 0; i < N; i++)
        a[i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS] = b[i];
    for (int i = 0; i < N; i++)
        a[i] -= rate[i] * 0.0625f;
}

int main(void)
{
    const int grid = (N + THREADS - 1) / THREADS;
    float *d_a, *d_b, *d_rate, *beyond;
    unsigned state = 11;
    bool right = true;

    for (int i = 0; i < N; i++) {
        a[i] = (int)(next_random(&state) % 256);
        rate[i] = (int)(next_random(&state) % 16);
    }
    CHECK(cudaMalloc((void **)&d_b, sizeof b));
    CHECK(cudaMalloc((void **)&d_a, sizeof a)); /* between others */
    CHECK(cudaMalloc((void **)&d_rate, sizeof rate));
    CHECK(cudaMalloc((void **)&beyond, sizeof a));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_rate, rate, sizeof rate, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(beyond, 0, sizeof a));
    for (int step = 0; step < STEPS; step++) {
        smooth<<<grid, THREADS>>>(d_a, d_b, ROWS, COLUMNS);
        mirror<<<grid, THREADS>>>(d_b, d_a, ROWS, COLUMNS);
        decay<<<step % 2 ? grid : grid / 3, THREADS>>>(d_a, d_rate, N);
        expect();
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_a, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        right = right && got[i] > a[i] - 0.01f && got[i] < a[i] + 0.01f;
    printf("checksum %08x\n", checksum(got, sizeof got));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_rate));
    CHECK(cudaFree(beyond));
    return verdict("wide_divisions", right);
}
