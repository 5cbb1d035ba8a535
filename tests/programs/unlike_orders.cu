/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with different grid dimensions for rows and fields: one writes row by row with
   all fields in a loop, others read field by field, or the other way around. A table is
   reached through constants. */
#include "programs.h"

enum { W = 192, H = 512, FIELDS = 4, N = W * H * FIELDS, STEPS = 6, THREADS = 64 };

__constant__ const float *weights; /* of rows */

__device__ static int place(int field, int row, int x)
{
    return (field * H + row) * W + x;
}

/* A thread has one cell of all fields. */
__global__ void flux(const float *state, float *flow)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    float all = 0;

    if (x >= W)
        return;
#pragma unroll 1
    for (int f = 0; f < FIELDS; f++)
        all += state[place(f, row, x)];
#pragma unroll 1
    for (int f = 0; f < FIELDS; f++)
        flow[place(f, row, x)] = 0.125f * all * weights[row] + state[place(f, row, x)];
}

/* A thread has one cell of one field. */
__global__ void step(const float *state, float *out, const float *flow)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, f = blockIdx.z;
    int i = place(f, row, x);

    if (x < W && row > 0 && row < H - 1)
        out[i] = 0.5f * state[i] + weights[row] * (flow[i + W] - flow[i - W]);
}

/* Rows are in blocks of x, fields in y. */
__global__ void ends(float *state)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;

    if (row >= H)
        return;
    state[place(f, row, 0)] = state[place(f, row, W - 2)];
    state[place(f, row, W - 1)] = state[place(f, row, 1)];
}

int main(void)
{
    static float host[N], rows[H];
    float *state, *next, *flow, *table;

    for (int i = 0; i < N; i++)
        host[i] = (float)(i % 97) / 97;
    for (int row = 0; row < H; row++)
        rows[row] = 1 / (float)(row + 2);
    CHECK(cudaMalloc(&state, sizeof host));
    CHECK(cudaMalloc(&next, sizeof host));
    CHECK(cudaMalloc(&flow, sizeof host));
    CHECK(cudaMalloc(&table, sizeof rows));
    CHECK(cudaMemcpy(state, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(next, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(weights, &table, sizeof table));
    for (int n = 0; n < STEPS; n++) {
        ends<<<dim3(H / 128, FIELDS), 128>>>(state);
        flux<<<dim3(W / THREADS, H), THREADS>>>(state, flow);
        step<<<dim3(W / THREADS, H, FIELDS), THREADS>>>(state, next, flow);
        ends<<<dim3(H / 128, FIELDS), 128>>>(next);
        flux<<<dim3(W / THREADS, H), THREADS>>>(next, flow);
        step<<<dim3(W / THREADS, H, FIELDS), THREADS>>>(next, state, flow);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, state, sizeof host, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(host, sizeof host));
    return 0;
}
