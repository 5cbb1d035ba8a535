/* SPDX-License-Identifier: Apache-2.0 */
/* What clones may stage, and what they may not. All take the same arguments; the arrays
   are `out` and `other`, of which `n` triples or more are there. */

#include "samples/sample.h"

#define STAGED(name)                                                                       \
    extern "C" __global__ void name(float *out, float *other, const float *in, int n)

/* Three stores a thread, 12 bytes apart. */
STAGED(triples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[3 * i] = in[i];
    out[3 * i + 1] = 2 * in[i];
    out[3 * i + 2] = in[i] - 5;
}

/* Threads return between barriers, and use shared memory of their own, of both kinds; what
   one thread has stored, another reads, and stores anew. */
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

/* Two arrays: bytes, and vectors of which a thread writes two. */
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

/* One store a thread, a packet a warp. */
STAGED(wide)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + 1;
}

/* Memory says which. */
STAGED(some)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    for (int k = 0; k < 3; k++)
        if (in[i] > 300 + k)
            out[3 * i + k] = in[i];
}

/* Nobody writes every third. */
STAGED(gaps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[3 * i] = in[i];
    out[3 * i + 2] = in[i] + 1;
}

/* Who sees it may go on. */
STAGED(noted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[2 * i] = in[i];
    ((volatile float *)out)[2 * i + 1] = 3;
}

/* One array, by two pointers: each has gaps. */
STAGED(twice)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[2 * i] = in[i];
    other[2 * i + 1] = in[i] + 1;
}

/* Its runs begin at no multiple of 16 bytes. */
STAGED(shifted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 1; i < n && k < 4; k++)
        out[3 * i + k] = in[i] + k;
}

/* Between two CTAs' runs is room for a third. */
STAGED(apart)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        at = 2 * blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; i < n && k < 3; k++)
        out[3 * at + k] = in[i] + k;
}
