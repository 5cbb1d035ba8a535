/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture for programs with textures: filled arrays, and expected texture values. */
#include "check.cuh"
#include <cmath>
#include <cstring>

/* Host and GPU sums differ slightly. */
static inline bool near(double is, double wanted)
{
    return fabs(is - wanted) <= 1e-5 * (1 + fabs(wanted));
}

/* No value follows from its neighbours, so that wrong filter weights show. */
static inline void fill(float *in, int count)
{
    for (int n = 0; n < count; n++)
        in[n] = (float)(n % 101 * (n % 101) * 37 % 101) / 8;
}

static inline cudaArray_t fill_2d(float *in, int width, int height)
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;

    fill(in, width * height);
    MUST(cudaMallocArray(&array, &channel, width, height));
    MUST(cudaMemcpy2DToArray(array, 0, 0, in, width * sizeof(float), width * sizeof(float),
                             height, cudaMemcpyHostToDevice));
    return array;
}

static inline cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &how)
{
    cudaResourceDesc from = {};
    cudaTextureObject_t t;

    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    MUST(cudaCreateTextureObject(&t, &from, &how, nullptr));
    return t;
}

static inline cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc from = {};
    cudaSurfaceObject_t s;

    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    MUST(cudaCreateSurfaceObject(&s, &from));
    return s;
}

/* Index of the texel for coordinate i of n; -1: the border. */
static inline int address_mode(int i, int n, cudaTextureAddressMode mode)
{
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case cudaAddressModeWrap:
        return (i % n + n) % n;
    case cudaAddressModeMirror:
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case cudaAddressModeBorder:
        return -1;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

/* The guide's formula at (x, y) in texels. Weights and their products are multiples of
   1/256, as on an H100. */
static inline double linear_2d(const float *in, int width, int height, double x, double y,
                               cudaTextureAddressMode mode, double border)
{
    double i = floor(x - 0.5), j = floor(y - 0.5), sum = 0;
    double a = floor((x - 0.5 - i) * 256 + 0.5), b = floor((y - 0.5 - j) * 256 + 0.5);
    double both = floor(a * b / 256 + 0.5);
    double weight[] = {256 - a - b + both, a - both, b - both, both};

    for (int corner = 0; corner < 4; corner++) {
        int column = address_mode((int)i + (corner & 1), width, mode),
            row = address_mode((int)j + (corner >> 1), height, mode);

        sum += weight[corner] *
               (column < 0 || row < 0 ? border : (double)in[row * width + column]) / 256;
    }
    return sum;
}
