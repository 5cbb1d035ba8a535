/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and variables that other files use. Names with `own` are local to this file. */
#include "linked.cuh"

__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int *const second = &table[1];
__managed__ int shown = 5;

static __device__ __noinline__ int own(int x)
{
    return x + thrice(1);
}

__device__ int weigh(int x)
{
    return x + factors[x & 3];
}

__device__ int step(int x)
{
    return own(0) + weigh(x);
}

__device__ void put(int *x, int i, int value)
{
    x[i] = value;
}

__device__ int block_sum(int value)
{
    __shared__ int part[128];

    part[threadIdx.x] = value;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    return part[0];
}

__device__ Pair swapped(Pair p, char c, float f)
{
    return Pair{(int)p.b + c, p.a + (long long)f};
}

static __global__ void run(int *x, int n)
{
    extern __shared__ double wide[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    wide[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        x[i] = (int)wide[threadIdx.x] * 10;
}

void scale(int *x, int n)
{
    reset<int><<<1, n>>>(x);
    run<<<1, n, n * sizeof(double)>>>(x, n);
}
