/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices, graphs, points and sorting: indices from memory, queues, locks. */
#include "kernel_words.h"

KERNEL(spmv_row, const int *row, const int *column, const float *value, const float *x,
       float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    float sum = 0;

    for (int e = row[r]; e < row[r + 1]; e++)
        sum += value[e] * x[column[e]];
    y[r] = sum;
}

KERNEL(spmv_warp, const int *row, const int *column, const float *value, const float *x,
       float *y, int rows)
{
    int lane = threadIdx.x % 32;

    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < rows;
         r += gridDim.x * blockDim.x / 32) {
        float sum = 0;

        for (int e = row[r] + lane; e < row[r + 1]; e += 32)
            sum += value[e] * x[column[e]];
        for (int distance = 16; distance; distance /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, distance);
        if (lane == 0)
            y[r] = sum;
    }
}

/* ELLPACK: column by column; -1 after the end of a row. */
KERNEL(spmv_ell, const int *column, const float *value, const float *x, float *y, int rows,
       int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    float sum = 0;

    for (int k = 0; k < width; k++) {
        int j = column[k * rows + r];

        if (j < 0)
            break;
        sum += value[k * rows + r] * x[j];
    }
    y[r] = sum;
}

KERNEL(gather, const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[index[i]];
}

KERNEL(scatter, const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[index[i]] = in[i];
}

/* One level of a breadth-first search: vertices of the level mark their unvisited
   neighbours. */
KERNEL(bfs_level, const int *row, const int *column, int *level, int *more, int vertices,
       int current)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= vertices || level[v] != current)
        return;
    for (int e = row[v]; e < row[v + 1]; e++)
        if (level[column[e]] < 0) {
            level[column[e]] = current + 1;
            *more = 1;
        }
}

/* The same with a list of the vertices of the level and a list of the next ones. */
KERNEL(bfs_queue, const int *row, const int *column, int *level, const int *front,
       int count, int *next, int *next_count, int current)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    for (int e = row[front[i]]; e < row[front[i] + 1]; e++)
        if (atomicCAS(&level[column[e]], -1, current + 1) == -1)
            next[atomicAdd(next_count, 1)] = column[e];
}

/* One value-returning atomic for each warp reserves output for the selected elements. */
KERNEL(compact_fetch_atomic, const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, base = 0;
    int value = i < n ? in[i] : 0;
    unsigned yes = __ballot_sync(0xffffffffu, value > 0);

    if (lane == 0 && yes)
        base = atomicAdd(count, __popc(yes));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (value > 0)
        out[base + __popc(yes & ((1u << lane) - 1))] = value;
}

/* CTAs fetch their work: any CTA may get any tile. */
KERNEL(fetched_tiles, const int *in, int *out, int *next, int n)
{
    __shared__ int tile;

    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicAdd(next, 1);
        __syncthreads();
        int i = tile * blockDim.x + threadIdx.x;
        bool done = tile * blockDim.x >= n;

        __syncthreads();
        if (done)
            return;
        if (i < n)
            out[i] = 3 * in[i];
    }
}

KERNEL(spin_lock, const int *in, int *lock, volatile int *total, int n)
{
    __shared__ int mine;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        mine = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&mine, in[i]);
    __syncthreads();
    if (threadIdx.x)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *total = *total + mine;
    __threadfence();
    atomicExch(lock, 0);
}

/* The nearest of a few centres; each CTA counts in shared memory and writes one row. */
KERNEL(kmeans_assign, const float *x, const float *y, const float *centre, int *cluster,
       int *counts, int n, int k)
{
    __shared__ int mine[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x < k)
        mine[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) {
        int nearest = 0;
        float least = 1e30f;

        for (int c = 0; c < k; c++) {
            float dx = x[i] - centre[2 * c], dy = y[i] - centre[2 * c + 1];
            float distance = dx * dx + dy * dy;

            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        cluster[i] = nearest;
        atomicAdd(&mine[nearest], 1);
    }
    __syncthreads();
    if (threadIdx.x < k)
        counts[blockIdx.x * k + threadIdx.x] = mine[threadIdx.x];
}

KERNEL(bodies_tile, const float4 *__restrict__ body, float3 *__restrict__ force, int n)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[min(i, n - 1)];
    float3 sum = {0, 0, 0};

    for (int first = 0; first < n; first += blockDim.x) {
        int j = first + threadIdx.x;

        tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < blockDim.x; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float by = tile[k].w * r * r * r;

            sum.x += by * dx;
            sum.y += by * dy;
            sum.z += by * dz;
        }
        __syncthreads();
    }
    if (i < n)
        force[i] = sum;
}

/* One step of a bitonic sort; the distance to the partner is a power of two. */
KERNEL(bitonic_step, int *a, int n, int distance, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;

    if (partner <= i || partner >= n)
        return;
    bool up = (i & size) == 0;

    if ((a[i] > a[partner]) == up) {
        int kept = a[i];

        a[i] = a[partner];
        a[partner] = kept;
    }
}

/* One pass of a Stockham FFT of base 2: n / 2 butterflies with factors from a table. */
KERNEL(fft_pass, const float2 *in, float2 *out, const float2 *factor, int n, int done)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n / 2)
        return;
    int k = i & (done - 1);
    float2 w = factor[k * (n / 2 / done)], a = in[i], b = in[i + n / 2];
    float2 turned = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    int to = ((i - k) << 1) + k;

    out[to] = make_float2(a.x + turned.x, a.y + turned.y);
    out[to + done] = make_float2(a.x - turned.x, a.y - turned.y);
}
