/* SPDX-License-Identifier: Apache-2.0 */
/* Sums: one result for each CTA, by shuffles or through shared memory. */
#include "sample.h"

SAMPLE_WORD float warp_sum(float sum)
{
    for (int distance = 16; distance; distance >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    return sum;
}

KERNEL(reduce, const float *in, float *out, int n)
{
    __shared__ float by_warp[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0)
        by_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < (blockDim.x >> 5) ? by_warp[lane] : 0.f);
        if (lane == 0)
            STORE(0, out[blockIdx.x], sum);
    }
    DONE();
}

/* CTAs of 256 threads, 512 elements each. */
KERNEL(reduce_smem, const float *in, float *out, int n)
{
    __shared__ float sum[256];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;

    sum[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (t < half)
            sum[t] += sum[t + half];
        __syncthreads();
    }
    if (t == 0)
        STORE(0, out[blockIdx.x], sum[0]);
    DONE();
}
