/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of bytes: every CTA counts in shared memory, then adds or writes its
   result. */
#include "sample.h"

enum { BINS = 256 };

SAMPLE_WORD void count_bytes(unsigned *bins, const unsigned char *data, int n, int first,
                             int step)
{
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = first; i < n; i += step)
        atomicAdd(&bins[data[i]], 1u);
    __syncthreads();
}

#ifndef SAMPLE_SHARED /* atomics on the output: its bytes belong to no CTA */
KERNEL(hist, const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned mine[BINS];

    count_bytes(mine, data, n, blockIdx.x * blockDim.x + threadIdx.x,
                blockDim.x * gridDim.x);
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (mine[i])
            atomicAdd(&bins[i], mine[i]);
}
#endif

KERNEL(hist_part, const unsigned char *data, unsigned *part, int n)
{
    __shared__ unsigned mine[BINS];

    count_bytes(mine, data, n, blockIdx.x * blockDim.x + threadIdx.x,
                blockDim.x * gridDim.x);
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        STORE(0, part[blockIdx.x * BINS + i], mine[i]);
    DONE();
}
