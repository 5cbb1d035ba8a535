/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort of keys and values: large steps in global memory, small ones in shared
   memory. */
#include "programs.h"
#include <vector>

enum { THREADS = 256 };

__device__ static void order(unsigned &key_a, unsigned &value_a, unsigned &key_b,
                             unsigned &value_b, bool up)
{
    if ((key_a > key_b) == up) {
        unsigned t = key_a;
        key_a = key_b;
        key_b = t;
        t = value_a;
        value_a = value_b;
        value_b = t;
    }
}

__global__ void merge_global(unsigned *keys, unsigned *values, unsigned size,
                             unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = 2 * i - (i & (stride - 1));
    bool up = (at & size) == 0;

    order(keys[at], values[at], keys[at + stride], values[at + stride], up);
}

/* All steps of `size` within the elements of a block. */
__global__ void merge_shared(unsigned *keys, unsigned *values, unsigned size)
{
    __shared__ unsigned k[2 * THREADS], v[2 * THREADS];
    unsigned first = blockIdx.x * 2 * THREADS, t = threadIdx.x;

    for (unsigned i = t; i < 2 * THREADS; i += THREADS) {
        k[i] = keys[first + i];
        v[i] = values[first + i];
    }
    for (unsigned stride = min(size / 2, (unsigned)THREADS); stride > 0; stride /= 2) {
        unsigned at = 2 * t - (t & (stride - 1));

        __syncthreads();
        order(k[at], v[at], k[at + stride], v[at + stride], ((first + at) & size) == 0);
    }
    __syncthreads();
    for (unsigned i = t; i < 2 * THREADS; i += THREADS) {
        keys[first + i] = k[i];
        values[first + i] = v[i];
    }
}

int main(void)
{
    const unsigned n = 1 << 14;
    std::vector<unsigned> keys(n), sorted(n), values(n);
    unsigned *d_keys, *d_values, state = 17;
    bool right = true;

    for (unsigned i = 0; i < n; i++) {
        keys[i] = next_random(&state);
        values[i] = i;
    }
    CHECK(cudaMalloc(&d_keys, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_values, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(
        cudaMemcpy(d_values, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (unsigned size = 2; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride > THREADS; stride /= 2)
            merge_global<<<n / 2 / THREADS, THREADS>>>(d_keys, d_values, size, stride);
        merge_shared<<<n / 2 / THREADS, THREADS>>>(d_keys, d_values, size);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sorted.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(
        cudaMemcpy(values.data(), d_values, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::vector<bool> noted(n);

    for (unsigned i = 0; i < n; i++) {
        right = right && (!i || sorted[i - 1] <= sorted[i]) && values[i] < n &&
                !noted[values[i]] && keys[values[i]] == sorted[i];
        if (values[i] < n)
            noted[values[i]] = true;
    }
    printf("first %u, last %u, checksum %08x\n", sorted[0], sorted[n - 1],
           checksum(sorted.data(), n * sizeof(unsigned)));
    CHECK(cudaFree(d_keys));
    CHECK(cudaFree(d_values));
    return verdict("bitonic_sort", right);
}
