/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of a small network. Each thread processes a range of cells, from n * t / T to n *
   (t + 1) / T. The index of a cell is divided by the sizes. */
#include "programs.h"

enum { PLANES = 6, HEIGHT = 24, WIDTH = 24, CELLS = PLANES * HEIGHT * WIDTH };
enum { CTAS = 64, THREADS = 64 };

__global__ void add_offset(int cells[PLANES][HEIGHT][WIDTH], const int offset[PLANES])
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;

    for (int n = CELLS * t / all; n < CELLS * (t + 1) / all; n++) {
        const int plane = n % PLANES, y = n / PLANES % HEIGHT, x = n / PLANES / HEIGHT;

        cells[plane][y][x] += offset[plane];
    }
}

int main(void)
{
    static int cells[PLANES][HEIGHT][WIDTH], got[PLANES][HEIGHT][WIDTH], offset[PLANES];
    int(*d_cells)[HEIGHT][WIDTH], *d_offset;
    unsigned state = 3;

    for (int p = 0; p < PLANES; p++) {
        offset[p] = (int)next_random(&state);
        for (int i = 0; i < HEIGHT * WIDTH; i++)
            cells[p][i / WIDTH][i % WIDTH] = (int)next_random(&state);
    }
    CHECK(cudaMalloc((void **)&d_cells, sizeof cells));
    CHECK(cudaMalloc((void **)&d_offset, sizeof offset));
    CHECK(cudaMemcpy(d_cells, cells, sizeof cells, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_offset, offset, sizeof offset, cudaMemcpyHostToDevice));
    add_offset<<<CTAS, THREADS>>>(d_cells, d_offset);
    CHECK(cudaMemcpy(got, d_cells, sizeof got, cudaMemcpyDeviceToHost));
    for (int p = 0; p < PLANES; p++)
        for (int i = 0; i < HEIGHT * WIDTH; i++)
            cells[p][i / WIDTH][i % WIDTH] += offset[p];
    CHECK(cudaFree(d_cells));
    CHECK(cudaFree(d_offset));
    printf("%08x\n", checksum(got, sizeof got));
    return verdict("even_partitions", !memcmp(got, cells, sizeof got));
}
