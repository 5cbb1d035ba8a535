/* SPDX-License-Identifier: Apache-2.0 */
/* Histogram of 256 bins: one for each block in shared memory and then their sum, and a
   version with atomics on the result. */
#include "programs.h"

enum { BINS = 256, BLOCKS = 48 };

__global__ void partial_histograms(const unsigned char *data, unsigned n, unsigned *partial)
{
    __shared__ unsigned bins[BINS];

    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x)
        atomicAdd(&bins[data[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        partial[blockIdx.x * BINS + i] = bins[i];
}

__global__ void merge_histograms(const unsigned *partial, int count, unsigned *histogram)
{
    int bin = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += partial[i * BINS + bin];
    histogram[bin] = sum;
}

__global__ void atomic_histogram(const unsigned char *data, unsigned n, unsigned *histogram)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&histogram[data[i]], 1);
}

int main(void)
{
    const unsigned n = 400001;
    unsigned char *data = (unsigned char *)malloc(n), *d_data;
    unsigned expected[BINS] = {0}, got[2][BINS], *d_partial, *d_histogram, state = 3;

    for (unsigned i = 0; i < n; i++) {
        data[i] = (unsigned char)(next_random(&state) & next_random(&state));
        expected[data[i]]++;
    }
    CHECK(cudaMalloc(&d_data, n));
    CHECK(cudaMalloc(&d_partial, BLOCKS * BINS * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_histogram, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice));
    partial_histograms<<<BLOCKS, 192>>>(d_data, n, d_partial);
    merge_histograms<<<BINS / 64, 64>>>(d_partial, BLOCKS, d_histogram);
    CHECK(cudaMemcpy(got[0], d_histogram, sizeof got[0], cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_histogram, 0, BINS * sizeof(unsigned)));
    atomic_histogram<<<(n + 255) / 256, 256>>>(d_data, n, d_histogram);
    CHECK(cudaMemcpy(got[1], d_histogram, sizeof got[1], cudaMemcpyDeviceToHost));
    printf("checksum %08x\n", checksum(got, sizeof got));
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_partial));
    CHECK(cudaFree(d_histogram));
    free(data);
    return verdict("byte_histogram", !memcmp(got[0], expected, sizeof expected) &&
                                         !memcmp(got[1], expected, sizeof expected));
}
