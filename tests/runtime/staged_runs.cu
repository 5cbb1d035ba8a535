/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose stores a kernel version may stage, and kernels whose stores it may not. All
   have the same parameters. The arrays are `out` and `other`, with at least `n` triples. */

#include "samples/sample.h"

#define STAGED(name)                                                                       \
    extern "C" __global__ void name(float *out, float *other, const float *in, int n)

/* Three stores per thread, 12 bytes apart. */
STAGED(triples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[3 * i] = in[i];
    out[3 * i + 1] = 2 * in[i];
    out[3 * i + 2] = in[i] - 5;
}

/* Threads return between barriers and use static and dynamic shared memory. A thread reads
   another thread's stores and stores again. */
STAGED(restaged)
{
    extern __shared__ float given[];
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    given[t % 25] = 1;
    tile[t] = i < n ? in[i] : 0;
    if (i >= n)
        return;
    __syncthreads();
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = tile[t ^ 1] + k;
    __syncthreads();
    if (i + 1 < n && t % 2 == 0)
        out[4 * i + 1] = out[4 * i + 6] + given[0];
}

/* Two arrays: bytes, and vectors with two stores per thread. */
STAGED(both)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = {in[i % n], 1, 2, 3};

    if (i >= n)
        return;
    ((unsigned char *)out)[i] = (unsigned char)(i + (int)v.x);
    ((float4 *)other)[2 * i] = v;
    v.y = 7;
    ((float4 *)other)[2 * i + 1] = v;
}

/* One store per thread, one packet per warp. */
STAGED(wide)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + 1;
}

/* Memory decides which elements are stored. */
STAGED(some)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    for (int k = 0; k < 3; k++)
        if (in[i] > 300 + k)
            out[3 * i + k] = in[i];
}

/* Every third element is not written. */
STAGED(gaps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[3 * i] = in[i];
    out[3 * i + 2] = in[i] + 1;
}

/* Another thread may react to the store. */
STAGED(noted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[2 * i] = in[i];
    ((volatile float *)out)[2 * i + 1] = 3;
}

/* One array through two pointers, each with gaps. */
STAGED(twice)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[2 * i] = in[i];
    other[2 * i + 1] = in[i] + 1;
}

/* Its ranges do not begin at multiples of 16 bytes. */
STAGED(shifted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 1; i < n && k < 4; k++)
        out[3 * i + k] = in[i] + k;
}

/* A third range fits between the ranges of two CTAs. */
STAGED(apart)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        at = 2 * blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; i < n && k < 3; k++)
        out[3 * at + k] = in[i] + k;
}
