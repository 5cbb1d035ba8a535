/* SPDX-License-Identifier: Apache-2.0 */
/* Cheapest path down a grid, several rows for each launch: each block reads more columns
   than it writes. */
#include "programs.h"
#include <algorithm>
#include <vector>

enum { BLOCK_SIZE = 128, PYRAMID = 10 };

__global__ void dynproc_kernel(int iteration, const int *wall, const int *src, int *results,
                               int cols, int start)
{
    __shared__ int prev[BLOCK_SIZE], result[BLOCK_SIZE];
    int tx = threadIdx.x, small = BLOCK_SIZE - 2 * iteration;
    int x = small * (int)blockIdx.x - iteration + tx;
    bool inside = x >= 0 && x < cols;

    prev[tx] = inside ? src[x] : 0x3fffffff;
    __syncthreads();
    for (int i = 0; i < iteration; i++) {
        if (tx > i && tx < BLOCK_SIZE - 1 - i && inside) {
            int shortest = min(prev[tx - 1], min(prev[tx], prev[tx + 1]));

            result[tx] = shortest + wall[cols * (start + i) + x];
        } else {
            result[tx] = 0x3fffffff;
        }
        __syncthreads();
        prev[tx] = result[tx];
        __syncthreads();
    }
    if (tx >= iteration && tx < BLOCK_SIZE - iteration && inside)
        results[x] = prev[tx];
}

int main(void)
{
    const int rows = 101, cols = 3000;
    std::vector<int> wall(rows * cols), line, next(cols), got(cols);
    int *d_wall, *d_line[2], turn = 0;
    unsigned state = 7;

    for (int &w : wall)
        w = next_random(&state) % 10;
    line.assign(wall.begin(), wall.begin() + cols);
    CHECK(cudaMalloc(&d_wall, rows * cols * sizeof(int)));
    CHECK(cudaMalloc(&d_line[0], cols * sizeof(int)));
    CHECK(cudaMalloc(&d_line[1], cols * sizeof(int)));
    CHECK(
        cudaMemcpy(d_wall, wall.data(), rows * cols * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_line[0], wall.data(), cols * sizeof(int), cudaMemcpyHostToDevice));
    for (int t = 1; t < rows; t += PYRAMID, turn ^= 1) {
        int iteration = std::min<int>(PYRAMID, rows - t);

        dynproc_kernel<<<blocks_for(cols, BLOCK_SIZE - 2 * iteration), BLOCK_SIZE>>>(
            iteration, d_wall, d_line[turn], d_line[turn ^ 1], cols, t);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), d_line[turn], cols * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 1; t < rows; t++) {
        for (int x = 0; x < cols; x++)
            next[x] = wall[t * cols + x] + std::min({line[std::max(x - 1, 0)], line[x],
                                                     line[std::min(x + 1, cols - 1)]});
        line = next;
    }
    printf("cheapest %d, checksum %08x\n", *std::min_element(got.begin(), got.end()),
           checksum(got.data(), cols * sizeof(int)));
    CHECK(cudaFree(d_wall));
    CHECK(cudaFree(d_line[0]));
    CHECK(cudaFree(d_line[1]));
    return verdict("cheapest_path", got == line);
}
