/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision and bfloat16, one and two values at a time. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

KERNEL(half_axpy, const __half2 *x, __half2 *y, float by, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pairs)
        y[i] = __hfma2(__float2half2_rn(by), x[i], y[i]);
}

KERNEL(half_widen, const __half *in, float *out, __half *rounded, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float f = __half2float(in[i]);

        out[i] = f * 3.f;
        rounded[i] = __float2half(f + 1.f);
    }
}

KERNEL(bfloat_scale, const __nv_bfloat16 *in, __nv_bfloat16 *out, float by, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = __float2bfloat16(__bfloat162float(in[i]) * by);
}

KERNEL(bfloat_pairs, const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *sum,
       int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pairs)
        sum[i] = __hmax2(__hadd2(a[i], b[i]), a[i]);
}
