/* SPDX-License-Identifier: Apache-2.0 */
/* Tiled matrix product C = A B of f32 squares (LogGOP VI: a device computes tiles that
   others need). A CTA makes a tile of C from the tiles of a row of A and a column of B. */

#include <proact/device.h>

enum { TILE = 16 };

extern "C" __global__ void product(const float *a, const float *b, float *c,
                                   proact_u32 size)
{
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const proact_u32 x = proact_thread_x() % TILE, y = proact_thread_x() / TILE;
    const proact_u32 tiles = size / TILE, cta = proact_local_cta();
    const proact_u32 row = cta / tiles * TILE + y, column = cta % tiles * TILE + x;
    float sum = 0;

    for (proact_u32 t = 0; t < size; t += TILE) {
        of_a[y][x] = a[row * size + t + x];
        of_b[y][x] = b[(t + y) * size + column];
        proact_cta_sync();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += of_a[y][k] * of_b[k][x];
        proact_cta_sync();
    }
    c[row * size + column] = sum;
}
