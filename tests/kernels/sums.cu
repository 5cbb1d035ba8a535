/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, scans and counts, within CTAs and across CTAs. */
#include "kernel_words.h"

extern __shared__ int dynamic[];

KERNEL(tree_sum, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    dynamic[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        unsigned at = 2 * distance * threadIdx.x;

        if (at + distance < blockDim.x)
            dynamic[at] += dynamic[at + distance];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = dynamic[0];
}

/* The same by shuffles, for CTAs of any size. */
KERNEL(butterfly_sum, const int *in, int *out, int n)
{
    __shared__ int by_warp[32];
    int sum = 0, warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
#pragma unroll
    for (int lanes = 16; lanes >= 1; lanes /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    if (lane == 0)
        by_warp[warp] = sum;
    __syncthreads();
    if (warp)
        return;
    sum = lane < blockDim.x / 32 ? by_warp[lane] : 0;
    for (int lanes = 16; lanes >= 1; lanes /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    if (lane == 0)
        out[blockIdx.x] = sum;
}

/* Hillis and Steele: two buffers in shared memory; inclusive, with the sum of the CTA. */
KERNEL(scan_steps, const int *in, int *out, int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, from = 0;

    dynamic[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int to = blockDim.x - from, value = dynamic[from + t];

        dynamic[to + t] = t >= distance ? value + dynamic[from + t - distance] : value;
        from = to;
        __syncthreads();
    }
    if (i < n)
        out[i] = dynamic[from + t];
    if (t == blockDim.x - 1)
        sums[blockIdx.x] = dynamic[from + t];
}

/* Blelloch: up the tree and down again, two elements for each thread; exclusive. */
KERNEL(scan_tree, const int *in, int *out, int *sums, int n)
{
    int size = 2 * blockDim.x, first = blockIdx.x * size, t = threadIdx.x, distance = 1;

    dynamic[2 * t] = first + 2 * t < n ? in[first + 2 * t] : 0;
    dynamic[2 * t + 1] = first + 2 * t + 1 < n ? in[first + 2 * t + 1] : 0;
    for (int d = size / 2; d > 0; d /= 2, distance *= 2) {
        __syncthreads();
        if (t < d)
            dynamic[distance * (2 * t + 2) - 1] += dynamic[distance * (2 * t + 1) - 1];
    }
    if (t == 0) {
        sums[blockIdx.x] = dynamic[size - 1];
        dynamic[size - 1] = 0;
    }
    for (int d = 1; d < size; d *= 2) {
        distance /= 2;
        __syncthreads();
        if (t < d) {
            int left = distance * (2 * t + 1) - 1, right = distance * (2 * t + 2) - 1;
            int kept = dynamic[left];

            dynamic[left] = dynamic[right];
            dynamic[right] += kept;
        }
    }
    __syncthreads();
    if (first + 2 * t < n)
        out[first + 2 * t] = dynamic[2 * t];
    if (first + 2 * t + 1 < n)
        out[first + 2 * t + 1] = dynamic[2 * t + 1];
}

KERNEL(scan_add, int *values, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && blockIdx.x > 0)
        values[i] += sums[blockIdx.x - 1];
}

/* One warp for each row, eight rows for each CTA. */
KERNEL(row_sums, const int *in, int *out, int rows, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, sum = 0;

    if (row >= rows)
        return;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += in[(size_t)row * columns + i];
    for (int lanes = 16; lanes >= 1; lanes /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    if (threadIdx.x == 0)
        out[row] = sum;
}

/* Each CTA packs the positive elements to the front of its block. */
KERNEL(pack_stretch, const int *in, int *out, int *counts, int n)
{
    __shared__ int by_warp[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32,
        lane = threadIdx.x % 32;
    int value = i < n ? in[i] : 0;
    unsigned yes = __ballot_sync(0xffffffffu, value > 0);
    int before = __popc(yes & ((1u << lane) - 1)), all = 0;

    if (lane == 0)
        by_warp[warp] = __popc(yes);
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; w++) {
        if (w == warp)
            before += all;
        all += by_warp[w];
    }
    if (value > 0)
        out[blockIdx.x * blockDim.x + before] = value;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

/* Points in a quarter circle, by an integer generator: exact. */
KERNEL(circle_count, int *out, unsigned seed, int each)
{
    __shared__ int count;
    unsigned state = seed + 2654435761u * (blockIdx.x * blockDim.x + threadIdx.x);
    int mine = 0;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int k = 0; k < each; k++) {
        state = state * 1664525u + 1013904223u;
        unsigned x = state >> 17;

        state = state * 1664525u + 1013904223u;
        unsigned y = state >> 17;

        mine += x * x + y * y < 1u << 30;
    }
    atomicAdd(&count, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

WORD void wait_for(int barrier)
{
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}

WORD void arrive_at(int barrier)
{
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}

/* One warp loads ahead and the other one computes: two buffers with barriers for full (1,
   2) and empty (3, 4). */
KERNEL(specialised_warps, const float *in, float *out, int n, int rounds)
{
    __shared__ float buffer[2][32];
    int lane = threadIdx.x % 32, first = blockIdx.x * rounds * 32;

    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            int i = first + r * 32 + lane;

            if (r >= 2)
                wait_for(3 + r % 2);
            buffer[r % 2][lane] = i < n ? in[i] : 0.f;
            __threadfence_block();
            arrive_at(1 + r % 2);
        }
    } else {
        for (int r = 0; r < rounds; r++) {
            int i = first + r * 32 + lane;

            wait_for(1 + r % 2);
            float value = buffer[r % 2][lane ^ 1] * 2.f;

            if (r + 2 < rounds)
                arrive_at(3 + r % 2);
            if (i < n)
                out[i] = value;
        }
    }
}

KERNEL(dot_atomic, const float *x, const float *y, float *sum, int n)
{
    float mine = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += x[i] * y[i];
    for (int distance = 16; distance; distance /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

KERNEL(max_atomic, const int *in, int *most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicMax(most, in[i]);
}

/* The last CTA to arrive adds up the partial sums of all. */
KERNEL(last_block_sum, const int *in, volatile int *partial, unsigned *arrival, int *sum,
       int n)
{
    __shared__ int mine;
    __shared__ bool last;

    if (threadIdx.x == 0)
        mine = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        last = atomicAdd(arrival, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;

        for (int i = 0; i < gridDim.x; i++)
            all += partial[i];
        *sum = all;
    }
}

/* Each CTA waits for the one before it. */
KERNEL(scan_chained, const int *in, int *out, volatile int *reached, volatile int *flag,
       int n)
{
    __shared__ int before;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    dynamic[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x; k++)
            dynamic[k] += dynamic[k - 1];
        if (blockIdx.x > 0)
            while (flag[blockIdx.x - 1] == 0)
                ;
        __threadfence();
        before = blockIdx.x > 0 ? reached[blockIdx.x - 1] : 0;
        reached[blockIdx.x] = before + dynamic[blockDim.x - 1];
        __threadfence();
        flag[blockIdx.x] = 1;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + dynamic[threadIdx.x];
}
