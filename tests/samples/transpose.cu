/* SPDX-License-Identifier: Apache-2.0 */
/* A transposition through tiles in shared memory, in CTAs of 32 x 8 threads. */
#include "sample.h"

enum { TILE = 32, ROWS = 8 };

KERNEL(transpose, float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1]; /* one more column avoids bank conflicts */
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            STORE(0, out[(y + j) * height + x], tile[threadIdx.x][threadIdx.y + j]);
    DONE();
}
