/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise: one element for each thread, a grid-stride loop, vectors, several elements
   for each thread. */
#include "sample.h"

KERNEL(vecadd, const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        STORE(0, c[i], a[i] + b[i]);
    DONE();
}

KERNEL(vecadd64, const float *a, const float *b, float *c, unsigned long long n)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        STORE(0, c[i], a[i] + b[i]);
    DONE();
}

KERNEL(saxpy_gs, float a, const float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        STORE(0, y[i], a * x[i] + y[i]);
    DONE();
}

/* CTAs of 256 threads. */
KERNEL(vecadd4, const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;

    if (i < n) {
        float4 sum = a[i], other = b[i];

        sum.x += other.x;
        sum.y += other.y;
        sum.z += other.z;
        sum.w += other.w;
        STORE(0, c[i], sum);
    }
    DONE();
}

KERNEL(coarsen, const float *a, float *c, int n)
{
    int first = blockIdx.x * (blockDim.x * 4) + threadIdx.x;

    for (int j = 0; j < 4; j++) {
        int i = first + j * blockDim.x;

        if (i < n)
            STORE(0, c[i], 2.f * a[i]);
    }
    DONE();
}
