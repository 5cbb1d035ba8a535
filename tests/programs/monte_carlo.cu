/* SPDX-License-Identifier: Apache-2.0 */
/* Pi by counting points: integers, one count for each block in managed memory. */
#include "programs.h"

enum { BLOCKS = 60, THREADS = 128, EACH = 150 };

__host__ __device__ static int hits_of(unsigned thread)
{
    unsigned state = 12345u + thread * 2654435761u;
    int hits = 0;

    for (int i = 0; i < EACH; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned x = state >> 17;

        state = state * 1664525u + 1013904223u;
        unsigned y = state >> 17;

        hits += x * x + y * y < 1u << 30;
    }
    return hits;
}

__global__ void count_hits(int *counts)
{
    __shared__ int by_warp[THREADS / 32];
    int hits = hits_of(blockIdx.x * blockDim.x + threadIdx.x);

    for (int distance = 16; distance; distance /= 2)
        hits += __shfl_xor_sync(0xffffffff, hits, distance);
    if (threadIdx.x % 32 == 0)
        by_warp[threadIdx.x / 32] = hits;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;

        for (int w = 0; w < THREADS / 32; w++)
            sum += by_warp[w];
        counts[blockIdx.x] = sum;
    }
}

int main(void)
{
    int *counts, device_count;
    long got = 0, expected = 0;

    CHECK(cudaGetDeviceCount(&device_count));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMallocManaged(&counts, BLOCKS * sizeof(int)));
    count_hits<<<BLOCKS, THREADS>>>(counts);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS; i++)
        got += counts[i];
    for (unsigned t = 0; t < BLOCKS * THREADS; t++)
        expected += hits_of(t);
    printf("%ld hits, pi is about %.4f\n", got, 4.0 * got / (BLOCKS * THREADS * EACH));
    CHECK(cudaFree(counts));
    return verdict("monte_carlo", got == expected && device_count >= 1);
}
