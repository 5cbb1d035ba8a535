/* SPDX-License-Identifier: Apache-2.0 */
/* Plain kernels, one for each possible error of a kernel version. All take the same
   arguments: `a` and `b` are written, and a CTA owns as many elements of `a` as it has
   threads. */

#include "samples/sample.h"

#ifndef __NVCC__
#define __noinline__ __attribute__((noinline))
#endif

#define PLAIN(name)                                                                        \
    extern "C" __global__ void name(const float *in, float *a, float *b, int n)

enum { CTA = 128 };

/* Threads return early at two points while others continue to the next barrier. */
PLAIN(early)
{
    __shared__ float tile[CTA];
    int t = threadIdx.x, i = blockIdx.x * CTA + t;

    if (t < 3)
        return; /* the leader is among them */
    tile[t] = in[i % n];
    __syncthreads();
    if (t == 77)
        return;
    float v = tile[3 + (t + 40) % 100];

    __syncthreads();
    tile[t] = v;
    __syncthreads();
    if (i < n)
        a[i] = tile[3 + (t + 1) % 70];
}

/* Two threads of two warps return last, at different times. No barrier orders them after
   the stores of the others. */
PLAIN(late)
{
    __shared__ float tile[CTA];
    int t = threadIdx.x, i = blockIdx.x * CTA + t;
    float sum = 0;

    tile[t] = in[i % n];
    __syncthreads();
    if (t && t != 32 && i < n)
        a[i] = tile[t ^ 1];
    if (t % 3 == 1)
        return;
    __syncthreads();
    if (t && t != 32)
        return;
    for (int k = 0; k < n / (t ? 16 : 8); k++)
        sum += in[(k * 5 + i) % n];
    if (i < n)
        a[i] = sum;
}

/* A CTA returns with all its threads before its barriers. */
PLAIN(whole)
{
    __shared__ float tile[CTA];
    int t = threadIdx.x, i = blockIdx.x * CTA + t;

    if (blockIdx.x % 3 == 1 || blockIdx.x * CTA >= n)
        return;
    tile[t] = in[i % n];
    __syncthreads();
    if (i < n)
        a[i] = tile[CTA - 1 - t];
}

/* The three dimensions of the grid, and both arrays. */
PLAIN(place)
{
    unsigned x = blockIdx.x, y = blockIdx.y, gx = gridDim.x, gy = gridDim.y, z;

    asm("mov.u32 %0, %%ctaid.z;" : "=r"(z));
    int i = (x + gx * (y + gy * z)) * CTA + threadIdx.x;

    if (i < n) {
        b[i] = in[n - 1 - i] + x;
        a[i] = in[i] + 100 * y + z;
    }
}

/* Only x of a grid with more dimensions. */
PLAIN(columns)
{
    unsigned y;

    asm("mov.u32 %0, %%ctaid.y;" : "=r"(y));
    int i = (blockIdx.x + gridDim.x * y) * CTA + threadIdx.x;

    if (i < n)
        a[i] = in[i] + blockIdx.x;
}

/* Stores of 1, 2, 8 and 16 bytes, volatile ones, and one under a predicate. */
PLAIN(widths)
{
    int t = threadIdx.x, i = blockIdx.x * CTA + t;

    if (i >= n)
        return;
    unsigned bits = (unsigned)i * 2654435761u;

    if (t % 4 == 0 && i + 4 <= n)
        asm volatile("st.global.v4.f32 [%0], {%1, %2, %1, %2};" ::"l"(a + i), "f"(in[i]),
                     "f"(in[i + 1])
                     : "memory");
    asm volatile("{.reg .pred p; setp.gt.u32 p, %1, 7;\n"
                 "@p st.global.cs.u8 [%0+1], %1;\n"
                 "@!p st.volatile.global.u16 [%0+2], %1;}"
                 :
                 : "l"(b + i), "r"(bits & 15)
                 : "memory");
}

__device__ __noinline__ float heavy(float x, int k)
{
    for (int i = 0; i < k % 5; i++)
        x = x * 0.5f + 1;
    return x;
}

/* A function call, and output that is read back and written again. */
PLAIN(calls)
{
    int i = blockIdx.x * CTA + threadIdx.x;

    if (i < n) {
        a[i] = heavy(in[i], i);
        __syncthreads();
        a[i] += heavy(a[i], i + 1);
    }
}

/* One warp for each row: some warps return, and the lanes of the others add up. */
PLAIN(warps)
{
    int row = (blockIdx.x * CTA + threadIdx.x) / 32, lane = threadIdx.x % 32;

    if (row >= n / 40)
        return;
    float s = in[(row * 7 + lane) % n];

    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0)
        a[row * 32] = s;
}

/* Pointers that advance in a loop. */
PLAIN(walks)
{
    float *p = a + blockIdx.x * CTA + threadIdx.x;
    const float *q = in + blockIdx.x * CTA;

    if (blockIdx.x * CTA + CTA > n)
        return;
    for (int k = 0; k < 3; k++, q++)
        *p = q[threadIdx.x] + k;
    p -= threadIdx.x;
    for (int k = 0; k < 4; k++, p += CTA / 4)
        if (threadIdx.x / 32 == k)
            p[threadIdx.x % 32] += *q;
}
