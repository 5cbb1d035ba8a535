/* SPDX-License-Identifier: Apache-2.0 */
/* One or several elements for each thread, in common styles. */
#include "kernel_words.h"

template <class Body> WORD void for_each(int n, Body body)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        body(i);
}

KERNEL(lambda_axpby, float a, const float *x, float b, float *y, int n)
{
    for_each(n, [=](int i) { y[i] = a * x[i] + b * y[i]; });
}

template <class T, int ITEMS>
WORD void scale_items(const T *__restrict__ in, T *__restrict__ out, T by, unsigned n)
{
    unsigned first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;

#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        unsigned i = first + k * blockDim.x;

        if (i < n)
            out[i] = by * in[i];
    }
}

KERNEL(items_float, const float *in, float *out, float by, unsigned n)
{
    scale_items<float, 4>(in, out, by, n);
}

KERNEL(items_long, const long long *in, long long *out, long long by, unsigned n)
{
    scale_items<long long, 3>(in, out, by, n);
}

KERNEL(grid_stride_double, const double *__restrict__ x, double *__restrict__ y, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = x[i] * x[i] + 1.0;
}

/* Four consecutive elements for each thread, with a remainder at the end. */
KERNEL(unrolled_run, const float *in, float *out, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    if (i + 3 < n) {
        out[i] = in[i] + 1.f;
        out[i + 1] = in[i + 1] + 2.f;
        out[i + 2] = in[i + 2] + 3.f;
        out[i + 3] = in[i + 3] + 4.f;
        return;
    }
    for (int k = 0; i + k < n && k < 4; k++)
        out[i + k] = in[i + k] + (float)(k + 1);
}

KERNEL(reversed, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[n - 1 - i] = in[i];
}

KERNEL(differences, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (i < n)
        out[i - 1] = in[i] - in[i - 1];
}

/* A ring: the remainder of an unrolled loop wraps around too. */
KERNEL(ring_sums, const int *in, int *out, int n, int reach)
{
    const int all = blockDim.x * gridDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
        int sum = 0;

        for (int k = 1; k <= reach; k++) {
            int behind = i + k, ahead = i - k;

            if (behind >= n)
                behind -= n;
            if (ahead < 0)
                ahead += n;
            sum += 2 * in[behind] - in[ahead];
        }
        out[i] = sum;
    }
}

KERNEL(early_return, const int *in, int *out, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    int value = in[i];

    if (value < 0) {
        out[i] = 0;
        return;
    }
    for (int k = 0; k < 40; k++) {
        if (value > limit) {
            out[i] = -k;
            return;
        }
        value += (value >> 1) + 1;
    }
    out[i] = value;
}

KERNEL(cyclic_rows, const float *in, float *out, int rows, int columns)
{
    for (int row = blockIdx.x; row < rows; row += gridDim.x)
        for (int column = threadIdx.x; column < columns; column += blockDim.x)
            out[row * columns + column] = in[row * columns + column] * (float)row;
}

KERNEL(switch_each, const unsigned char *what, const int *in, int *out, int n, int mode)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value;

    if (i >= n)
        return;
    switch (what[i]) {
    case 0:
        value = in[i] + mode;
        break;
    case 1:
        value = in[i] * in[i];
        break;
    case 2:
        value = -in[i];
        break;
    case 3:
        value = in[i] >> 3;
        break;
    case 4:
        value = in[i] ^ 0x5a5a;
        break;
    case 5:
        value = i;
        break;
    default:
        value = mode;
    }
    out[mode == 1 ? i : n + i] = value;
}

static __device__ __noinline__ int collatz(int n)
{
    int steps = 0;

    for (; n > 1 && steps < 200; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

KERNEL(noinline_steps, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = collatz(i) + collatz(2 * i + 1);
}

__constant__ float coefficients[8] = {1.f, -0.5f, 0.25f, 2.f, -1.f, 0.125f, 3.f, -2.f};

KERNEL(constant_polynomial, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float sum = 0;

    for (int k = 7; k >= 0; k--)
        sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}

/* A triangle: the rows of a CTA and their lengths are known. */
KERNEL(triangle, float *a, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x,
        row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < n && column < row)
        a[row * n + column] = (float)(row - column);
}

KERNEL(threshold_write, const int *in, int *out, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] > limit)
        out[i] = in[i];
}

KERNEL(random_words, unsigned long long *out, unsigned long long seed, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long z = seed + (i + 1) * 0x9e3779b97f4a7c15ull;

    if (i >= n)
        return;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    out[i] = z ^ (z >> 31);
}
