/* SPDX-License-Identifier: Apache-2.0 */
/* Three dimensions: three-dimensional grids, and planes processed in sequence. */
#include "kernel_words.h"

KERNEL(heat_box, const float *__restrict__ in, float *__restrict__ out, int nx, int ny,
       int nz, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x, plane = nx * ny;

    out[i] = in[i] + c * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] +
                          in[i + plane] - 6.f * in[i]);
}

/* A CTA processes a column of the box; the planes below and above stay in registers. */
KERNEL(heat_march, const float *in, float *out, int nx, int ny, int nz, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x, plane = nx * ny;
    float below = in[i], here = in[i + plane];

    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        float above = in[i + plane];

        out[i] = here + c * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below +
                             above - 6.f * here);
        below = here;
        here = above;
    }
}

KERNEL(sum_27, const int *in, int *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    int sum = 0;

    if (x >= nx || y >= ny)
        return;
    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
#pragma unroll
            for (int i = -1; i <= 1; i++)
                sum +=
                    in[(min(max(z + k, 0), nz - 1) * ny + min(max(y + j, 0), ny - 1)) * nx +
                       min(max(x + i, 0), nx - 1)];
    out[(z * ny + y) * nx + x] = sum;
}

/* Leapfrog: the older field becomes the newer one, in place. */
KERNEL(wave_in_place, const float *now, float *other, int nx, int ny, int nz, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
        y = blockIdx.y * blockDim.y + threadIdx.y + 1;

    if (x >= nx - 1 || y >= ny - 1)
        return;
    for (int z = blockIdx.z + 1; z < nz - 1; z += gridDim.z) {
        size_t i = ((size_t)z * ny + y) * nx + x, plane = (size_t)nx * ny;

        other[i] = 2.f * now[i] - other[i] +
                   c * (now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] +
                        now[i - plane] + now[i + plane] - 6.f * now[i]);
    }
}

/* One linear index split into three; z is the fastest dimension of the output. */
KERNEL(turn_axes, const short *in, short *out, unsigned nx, unsigned ny, unsigned nz)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= nx * ny * nz)
        return;
    unsigned x = i % nx, y = i / nx % ny, z = i / (nx * ny);

    out[(x * ny + y) * nz + z] = in[i];
}
