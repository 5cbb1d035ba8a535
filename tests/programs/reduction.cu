/* SPDX-License-Identifier: Apache-2.0 */
/* Sum and maximum, in passes until one value remains; the results are copied to pinned
   memory. */
#include "programs.h"

struct Sum {
    static const int neutral = 0;
    __host__ __device__ static int of(int a, int b)
    {
        return a + b;
    }
};
struct Most {
    static const int neutral = -2147483647;
    __host__ __device__ static int of(int a, int b)
    {
        return a > b ? a : b;
    }
};

template <class Op, int THREADS> __global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x, value = Op::neutral;

    for (int i = blockIdx.x * THREADS * 2 + t; i < n; i += gridDim.x * THREADS * 2) {
        value = Op::of(value, in[i]);
        if (i + THREADS < n)
            value = Op::of(value, in[i + THREADS]);
    }
    part[t] = value;
    __syncthreads();
#pragma unroll
    for (int half = THREADS / 2; half >= 32; half /= 2) {
        if (t < half)
            part[t] = value = Op::of(value, part[t + half]);
        __syncthreads();
    }
    if (t < 32) {
        for (int distance = 16; distance; distance /= 2)
            value = Op::of(value, __shfl_down_sync(0xffffffff, value, distance));
        if (t == 0)
            out[blockIdx.x] = value;
    }
}

template <class Op>
static void reduce_all(const int *in, int *scratch, int n, int *result, cudaStream_t stream)
{
    const int threads = 128, most = 96;
    int *to = scratch;

    while (n > 1) {
        int blocks = blocks_for(n, threads * 2) < most ? blocks_for(n, threads * 2) : most;

        reduce<Op, threads><<<blocks, threads, 0, stream>>>(in, to, n);
        in = to;
        to += blocks;
        n = blocks;
    }
    CHECK(cudaMemcpyAsync(result, in, sizeof(int), cudaMemcpyDeviceToHost, stream));
}

int main(void)
{
    const int n = 1000003;
    int *h = (int *)malloc(n * sizeof(int)), *d, *scratch[2], *result;
    int sum = Sum::neutral, most = Most::neutral;
    cudaStream_t stream[2];
    unsigned state = 77;

    for (int i = 0; i < n; i++) {
        h[i] = (int)(next_random(&state) % 2001) - 1000;
        sum = Sum::of(sum, h[i]);
        most = Most::of(most, h[i]);
    }
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMallocHost(&result, 2 * sizeof(int)));
    CHECK(cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamCreate(&stream[i]));
        CHECK(cudaMalloc(&scratch[i], 1024 * sizeof(int)));
    }
    reduce_all<Sum>(d, scratch[0], n, &result[0], stream[0]);
    reduce_all<Most>(d, scratch[1], n, &result[1], stream[1]);
    CHECK(cudaDeviceSynchronize());
    printf("sum %d, most %d\n", result[0], result[1]);
    bool right = result[0] == sum && result[1] == most;

    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamDestroy(stream[i]));
        CHECK(cudaFree(scratch[i]));
    }
    CHECK(cudaFreeHost(result));
    CHECK(cudaFree(d));
    free(h);
    return verdict("reduction", right);
}
