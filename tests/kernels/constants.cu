/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, strides and directions in constant memory. */
#include "kernel_words.h"

struct shape {
    int width, height, pitch, first;
};

__constant__ struct shape shape = {75, 41, 83, 5};
__constant__ int step_x[5] = {0, 1, 0, -1, 0}, step_y[5] = {0, 0, 1, 0, -1};
__constant__ int from_behind[5] = {0, 3, 4, 1, 2};
__constant__ short bit_reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14,
                                       1, 9, 5, 13, 3, 11, 7, 15};
__constant__ unsigned long long plane_bytes = 75 * 41 * 4;

/* A stencil on rows with a pitch and an offset. */
KERNEL(constant_shape, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = shape.first + y * shape.pitch + x;

    if (x > 0 && y > 0 && x + 1 < shape.width && y + 1 < shape.height)
        out[i] = in[i - 1] + in[i + 1] + in[i - shape.pitch] + in[i + shape.pitch];
}

/* A lattice gas with directions and shape in tables. */
KERNEL(constant_steps, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

    if (x >= shape.width)
        return;
#pragma unroll
    for (int k = 0; k < 5; k++) {
        int to_x = (x + step_x[k] + shape.width) % shape.width;
        int to_y = (y + step_y[k] + shape.height) % shape.height;

        out[(k * shape.height + to_y) * shape.width + to_x] =
            0.5f * in[(k * shape.height + y) * shape.width + x];
    }
}

/* A pull lattice gas: each cell reads from its neighbours, and some particles bounce
   back. */
#define PULLS                                                                              \
    for (int k = 0; k < 5; k++) {                                                          \
        int from_x = (x - step_x[k] + shape.width) % shape.width;                          \
        int from_y = (y - step_y[k] + shape.height) % shape.height;                        \
        int at = from_y * shape.width + from_x;                                            \
                                                                                           \
        out[k * cells + here] =                                                            \
            in[in[at] < 0 ? from_behind[k] * cells + here : k * cells + at];               \
    }

KERNEL(constant_pulls, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int here = y * shape.width + x, cells = shape.width * shape.height;

    if (x >= shape.width)
        return;
#pragma unroll
    PULLS
}

/* Tables indexed by a counter. */
KERNEL(constant_rounds, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int here = y * shape.width + x, cells = shape.width * shape.height;

    if (x >= shape.width)
        return;
#pragma unroll 1
    PULLS
}

/* One plane for each CTA, with a size in bytes. */
KERNEL(constant_planes, const char *in, char *out)
{
    const float *from = (const float *)(in + blockIdx.x * plane_bytes);
    float *to = (float *)(out + blockIdx.x * plane_bytes);

    for (int i = threadIdx.x; i < shape.width * shape.height; i += blockDim.x)
        to[i] = 2 * from[i];
}

/* No symbolic expression: a table in constant memory gives the output index. */
KERNEL(constant_order, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / 16 * 16)
        out[(i & ~15) + bit_reversed[i & 15]] = in[i];
}
