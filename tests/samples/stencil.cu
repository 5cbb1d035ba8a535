/* SPDX-License-Identifier: Apache-2.0 */
/* Stencils on grids of nx columns: a tile with a halo, without a tile, with clamped
   borders, on planes of three dimensions, and on two dimensions folded into one. */
#include "sample.h"

enum { TILE = 16 };

/* CTAs of TILE x TILE threads. */
KERNEL(jacobi, const float *in, float *out, int nx, int ny)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * TILE + tx, j = blockIdx.y * TILE + ty;

    if (i < nx && j < ny) {
        tile[ty + 1][tx + 1] = in[j * nx + i];
        if (tx == 0 && i > 0)
            tile[ty + 1][0] = in[j * nx + i - 1];
        if (tx == TILE - 1 && i < nx - 1)
            tile[ty + 1][TILE + 1] = in[j * nx + i + 1];
        if (ty == 0 && j > 0)
            tile[0][tx + 1] = in[(j - 1) * nx + i];
        if (ty == TILE - 1 && j < ny - 1)
            tile[TILE + 1][tx + 1] = in[(j + 1) * nx + i];
    }
    __syncthreads();
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
        STORE(0, out[j * nx + i],
              0.25f * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] +
                       tile[ty + 1][tx + 2]));
    DONE();
}

KERNEL(jacobi_plain, const float *__restrict__ in, float *__restrict__ out, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
        STORE(0, out[j * nx + i],
              0.25f * (in[j * nx + i - 1] + in[j * nx + i + 1] + in[(j - 1) * nx + i] +
                       in[(j + 1) * nx + i]));
    DONE();
}

KERNEL(jacobi_clamp, const float *in, float *out, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < nx && j < ny) {
        int left = max(i - 1, 0), right = min(i + 1, nx - 1);
        int up = max(j - 1, 0), down = min(j + 1, ny - 1);

        STORE(0, out[j * nx + i],
              0.25f * (in[j * nx + left] + in[j * nx + right] + in[up * nx + i] +
                       in[down * nx + i]));
    }
    DONE();
}

/* A thread iterates over the planes of one column. */
KERNEL(stencil3d, const float *in, float *out, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= 1 && i < nx - 1 && j >= 1 && j < ny - 1) {
        float below = in[j * nx + i], here = in[(1 * ny + j) * nx + i];

        for (int k = 1; k < nz - 1; k++) {
            int at = (k * ny + j) * nx + i;
            float above = in[((k + 1) * ny + j) * nx + i];

            STORE(0, out[at],
                  below + above + in[at - 1] + in[at + 1] + in[(k * ny + j - 1) * nx + i] +
                      in[(k * ny + j + 1) * nx + i] - 6.f * here);
            below = here;
            here = above;
        }
    }
    DONE();
}

/* A transposition by quotient and remainder: out has ny columns. */
KERNEL(flat2d, const float *in, float *out, int nx, int ny)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, j = t / nx, i = t % nx;

    if (t < nx * ny)
        STORE(0, out[i * ny + j], in[j * nx + i]);
    DONE();
}
