/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a warp that end at different times: some return before barriers or while
   others name all lanes, and some return from a recursive function. On a GPU an epilogue
   that waits for them would not end. */
#include "programs.h"

enum { CTA = 128, KEPT = CTA / 5 * 5 };

/* Groups of five threads share their data; three threads of each CTA belong to no group. */
__global__ void fives(const int *in, int *out, int n)
{
    __shared__ int part[CTA];
    int t = threadIdx.x, i = blockIdx.x * KEPT + t, sum = 0;

    if (t >= KEPT || i >= n)
        return;
    for (int round = 0; round < 3; round++) {
        part[t] = in[i] + round;
        __syncthreads();
        sum += part[t / 5 * 5 + round];
        __syncthreads();
    }
    out[i] = sum;
}

/* Returns at two points, thread 0 included. */
__global__ void twice(const int *in, int *out, int n)
{
    __shared__ int part[CTA];
    int t = threadIdx.x, i = blockIdx.x * CTA + t;

    if (t < 3)
        return;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t == 77)
        return;
    if (i < n)
        out[i] = part[3 + (t + 40) % 100];
}

__global__ void four_of_five(const int *in, int *out, int n)
{
    int i = blockIdx.x * CTA + threadIdx.x, value;

    if (i % 5 == 4)
        return;
    value = i < n ? in[i] : 0;
    value += __any_sync(0xffffffff, value >= 0);
    if (i < n)
        out[i] = value;
}

__host__ __device__ __noinline__ int pairs(int n)
{
    return n < 2 ? 1 : pairs(n - 1) + pairs(n - 2);
}

__global__ void breed(const int *in, int *out, int n)
{
    int i = blockIdx.x * CTA + threadIdx.x;

    if (i < n)
        out[i] = pairs(in[i] % 13);
}

/* All shared memory of a kernel is in use: none is left for a counter. */
__global__ void full(const int *in, int *out, int n)
{
    __shared__ int part[12288];
    int t = threadIdx.x, i = blockIdx.x * CTA + t;

    if (i >= n - 3)
        return;
    part[96 * t] = in[i];
    __syncthreads();
    out[i] = part[96 * (t & ~1)];
}

__global__ void fuller(const int *in, int *out, int n)
{
    extern __shared__ int given[];
    int t = threadIdx.x, i = blockIdx.x * CTA + t;

    if (i >= n - 3)
        return;
    given[t] = in[i];
    __syncthreads();
    out[i] = given[t & ~1];
}

static int truth(int kernel, const int *in, int i, int n)
{
    int t = i % CTA, sum = 0;

    switch (kernel) {
    case 0:
        for (int round = 0; round < 3; round++)
            sum += in[i / 5 * 5 + round] + round;
        return sum;
    case 1:
        return t < 3 || t == 77 ? -1 : in[i - t + 3 + (t + 40) % 100];
    case 2:
        return i % 5 == 4 ? -1 : in[i] + 1;
    case 3:
        return pairs(in[i] % 13);
    default:
        return i >= n - 3 ? -1 : in[i & ~1];
    }
}

int main()
{
    void (*const kernels[])(const int *, int *, int) = {fives, twice, four_of_five,
                                                        breed, full,  fuller};
    const int n = CTA * 625, count = sizeof kernels / sizeof *kernels;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);
    int *d_in, *d_out, all;
    unsigned state = 1;
    bool right = true;

    for (int i = 0; i < n; i++)
        in[i] = next_random(&state) & 0xffff;
    CHECK(cudaMalloc(&d_in, n * sizeof *in));
    CHECK(cudaMalloc(&d_out, n * sizeof *out));
    CHECK(cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaFuncSetAttribute(fuller, cudaFuncAttributeMaxDynamicSharedMemorySize, all));
    for (int k = 0; k < count; k++) {
        CHECK(cudaMemset(d_out, 0xff, n * sizeof *out));
        for (int round = 0; round < 3; round++)
            kernels[k]<<<blocks_for(n, k ? CTA : KEPT), CTA,
                         k == count - 1 ? all : 0>>>(d_in, d_out, n);
        CHECK(cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost));
        printf("%d: checksum %08x\n", k, checksum(out, n * sizeof *out));
        for (int i = 0; i < n; i++)
            right = right && out[i] == truth(k, in, i, n);
    }
    return verdict("early_returns", right);
}
