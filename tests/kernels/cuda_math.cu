/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that use CUDA's mathematics, or print. */
#include <cstdio>

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

static __device__ float normal_below(float d)
{
    return 0.5f * erfcf(-d * 0.70710678f);
}

KERNEL(black_scholes, float *__restrict__ call, float *__restrict__ put,
       const float *__restrict__ price, const float *__restrict__ strike,
       const float *__restrict__ years, float rate, float volatility, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float root = sqrtf(years[i]);
    float d1 =
        (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
        (volatility * root);
    float d2 = d1 - volatility * root;
    float later = strike[i] * expf(-rate * years[i]);

    call[i] = price[i] * normal_below(d1) - later * normal_below(d2);
    put[i] = later * normal_below(-d2) - price[i] * normal_below(-d1);
}

template <class T, class Join> static __device__ T joined(T mine, T *by_warp, Join join)
{
    for (int lanes = 16; lanes; lanes >>= 1)
        mine = join(mine, __shfl_xor_sync(~0u, mine, lanes));
    if (threadIdx.x % 32 == 0)
        by_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = by_warp[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        mine = join(mine, by_warp[w]);
    __syncthreads();
    return mine;
}

/* One row for each CTA. */
KERNEL(softmax_rows, const float *in, float *out, int columns)
{
    __shared__ float by_warp[32];
    const float *row = in + (size_t)blockIdx.x * columns;
    float *to = out + (size_t)blockIdx.x * columns;
    float most = -INFINITY, sum = 0;

    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = joined(most, by_warp, [](float a, float b) { return fmaxf(a, b); });
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += to[i] = __expf(row[i] - most);
    sum = joined(sum, by_warp, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        to[i] /= sum;
}

KERNEL(layer_norm, const float *in, const float *gain, const float *bias, float *out,
       int rows, int columns)
{
    __shared__ float by_warp[32];
    auto add = [](float a, float b) { return a + b; };

    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        float sum = 0, squares = 0;

        for (int i = threadIdx.x; i < columns; i += blockDim.x)
            sum += in[r * columns + i];
        float mean = joined(sum, by_warp, add) / columns;

        for (int i = threadIdx.x; i < columns; i += blockDim.x) {
            float d = in[r * columns + i] - mean;

            squares += d * d;
        }
        float by = rsqrtf(joined(squares, by_warp, add) / columns + 1e-5f);

        for (int i = threadIdx.x; i < columns; i += blockDim.x)
            out[r * columns + i] = (in[r * columns + i] - mean) * by * gain[i] + bias[i];
    }
}

KERNEL(gelu, const float *in, float *out, unsigned long n)
{
    unsigned long i = blockIdx.x * (unsigned long)blockDim.x + threadIdx.x;

    if (i < n) {
        float x = in[i];

        out[i] = 0.5f * x * (1.f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    }
}

KERNEL(prints_first, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i == 0)
        printf("first of %d is %d\n", n, in[0]);
    if (i < n)
        out[i] = in[i] + 1;
}

/* Samples of a wave with large angles. */
KERNEL(waves, double *out, double step, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = sin(i * step) * exp(-1e-3 * i) + pow(1.0 + i, 0.25);
}
