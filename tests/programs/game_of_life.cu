/* SPDX-License-Identifier: Apache-2.0 */
/* Conway's game on a torus, in pitched memory. */
#include "programs.h"
#include <utility>
#include <vector>

__global__ void generation(const unsigned char *in, unsigned char *out, size_t pitch,
                           int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    const unsigned char *row[3];
    int alive = 0, left = (x + width - 1) % width, right = (x + 1) % width;

    for (int k = 0; k < 3; k++) {
        row[k] = in + (size_t)((y + k + height - 1) % height) * pitch;
        alive += row[k][left] + row[k][x] + row[k][right];
    }
    alive -= row[1][x];
    out[y * pitch + x] = alive == 3 || (alive == 2 && row[1][x]);
}

int main(void)
{
    const int width = 333, height = 222, generations = 12;
    std::vector<unsigned char> now(width * height), next(width * height),
        got(width * height);
    unsigned char *d[2];
    size_t pitch[2];
    unsigned state = 99;
    int alive = 0;

    for (unsigned char &cell : now)
        cell = next_random(&state) % 3 == 0;
    for (int k = 0; k < 2; k++)
        CHECK(cudaMallocPitch((void **)&d[k], &pitch[k], width, height));
    CHECK(cudaMemset2D(d[1], pitch[1], 0, width, height));
    CHECK(cudaMemcpy2D(d[0], pitch[0], now.data(), width, width, height,
                       cudaMemcpyHostToDevice));
    dim3 threads(32, 4), blocks(blocks_for(width, 32), blocks_for(height, 4));

    for (int g = 0; g < generations; g++)
        generation<<<blocks, threads>>>(d[g % 2], d[(g + 1) % 2], pitch[0], width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(got.data(), width, d[generations % 2], pitch[0], width, height,
                       cudaMemcpyDeviceToHost));
    for (int g = 0; g < generations; g++) {
        for (int i = 0; i < width * height; i++) {
            int sum = -now[i];

            for (int k = 0; k < 9; k++)
                sum += now[(i / width + k / 3 - 1 + height) % height * width +
                           (i % width + k % 3 - 1 + width) % width];
            next[i] = sum == 3 || (sum == 2 && now[i]);
        }
        std::swap(now, next);
    }
    for (unsigned char cell : got)
        alive += cell;
    printf("%d alive, checksum %08x\n", alive, checksum(got.data(), got.size()));
    CHECK(cudaFree(d[0]));
    CHECK(cudaFree(d[1]));
    return verdict("game_of_life", pitch[0] == pitch[1] && got == now);
}
