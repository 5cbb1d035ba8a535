/* SPDX-License-Identifier: Apache-2.0 */
/* Paths along the diagonals of a picture in both directions, as in semi-global matching.
   The start of a path is selected before the loop, and the loop ends at the border. */
#include "programs.h"
#include <vector>

enum { WIDE = 32 }; /* threads of a path, which write adjacent elements */

__host__ __device__ static void begin(int path, int dx, int dy, int width, int height,
                                      int *x, int *y)
{
    if (path < width) {
        *x = path;
        *y = dy > 0 ? 0 : height - 1;
    } else {
        *x = dx > 0 ? 0 : width - 1;
        *y = dy > 0 ? path - width + 1 : height - 2 - (path - width);
    }
}

template <int DX, int DY>
__global__ void walk(const long long *in, long long *out, int width, int height)
{
    const int path = (blockIdx.x * blockDim.x + threadIdx.x) / WIDE;
    const int lane = threadIdx.x % WIDE;
    long long sum = 0;
    int x, y;

    if (path >= width + height - 1)
        return;
    begin(path, DX, DY, width, height, &x, &y);
    while (x >= 0 && x < width && y >= 0 && y < height) {
        sum += in[y * width + x] * (lane + 1);
        out[(y * width + x) * WIDE + lane] = sum;
        x += DX;
        y += DY;
    }
}

static bool is_walked(const std::vector<long long> &in, const std::vector<long long> &out,
                      int dx, int dy, int width, int height)
{
    for (int path = 0; path < width + height - 1; path++) {
        long long sum = 0;
        int x, y;

        begin(path, dx, dy, width, height, &x, &y);
        for (; x >= 0 && x < width && y >= 0 && y < height; x += dx, y += dy) {
            sum += in[y * width + x];
            for (int lane = 0; lane < WIDE; lane++)
                if (out[(size_t)(y * width + x) * WIDE + lane] != sum * (lane + 1))
                    return false;
        }
    }
    return true;
}

template <int DX, int DY>
static bool is_right(const std::vector<long long> &in, const long long *from,
                     long long *out, int width, int height)
{
    const int threads = 128;
    std::vector<long long> walked(in.size() * WIDE);

    CHECK(cudaMemset(out, 0, walked.size() * sizeof *out));
    walk<DX, DY><<<blocks_for((width + height - 1) * WIDE, threads), threads>>>(
        from, out, width, height);
    CHECK(cudaMemcpy(walked.data(), out, walked.size() * sizeof *out,
                     cudaMemcpyDeviceToHost));
    return is_walked(in, walked, DX, DY, width, height);
}

int main(void)
{
    const int width = 128, height = 96;
    std::vector<long long> in(width * height);
    long long *before, *from, *after, *out;
    unsigned random = 5;

    for (long long &v : in)
        v = next_random(&random) % 1000;
    /* Other arrays surround the picture. */
    CHECK(cudaMalloc((void **)&before, in.size() * sizeof *in.data()));
    CHECK(cudaMalloc((void **)&from, in.size() * sizeof *from));
    CHECK(cudaMalloc((void **)&after, in.size() * sizeof *after));
    CHECK(cudaMalloc((void **)&out, in.size() * WIDE * sizeof *out));
    CHECK(cudaMemcpy(from, in.data(), in.size() * sizeof *from, cudaMemcpyHostToDevice));
    return verdict("diagonal_walks", is_right<1, 1>(in, from, out, width, height) &&
                                         is_right<-1, 1>(in, from, out, width, height) &&
                                         is_right<1, -1>(in, from, out, width, height) &&
                                         is_right<-1, -1>(in, from, out, width, height));
}
