/* SPDX-License-Identifier: Apache-2.0 */
/* Means of neighbours in a picture with a dark surround. Compilers test two numbers for a
   negative sign with one comparison of their bitwise or. */
#include "programs.h"
#include <vector>

__global__ void blur(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;

    for (signed char dy = -1; dy <= 1; dy++)
        for (signed char dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height &&
                (dx || dy))
                sum += in[x + dx + (y + dy) * width];
    out[x + y * width] = (unsigned char)(sum / 8);
}

/* Picture moved by (dx, dy) from its corner; elements with a negative source index are
   -1. */
__global__ void move(const int *in, int *out, int width, int height, int dx, int dy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = x - dx, k = y - dy;

    if (x >= width || y >= height)
        return;
    out[y * width + x] = i < 0 || k < 0 ? -1 : in[k * width + i];
}

static unsigned char blurred(const std::vector<unsigned char> &in, int width, int height,
                             int at)
{
    int x = at % width, y = at / width, sum = 0;

    for (int k = 0; k < 9; k++) {
        int i = x + k % 3 - 1, j = y + k / 3 - 1;

        if (k != 4 && i >= 0 && i < width && j >= 0 && j < height)
            sum += in[j * width + i];
    }
    return (unsigned char)(sum / 8);
}

static bool blurs(void)
{
    const int width = 512, height = 512, rounds = 3;
    std::vector<unsigned char> now(width * height), next(now), got(now);
    unsigned char *d[2];
    unsigned state = 17;

    for (unsigned char &pixel : now)
        pixel = (unsigned char)next_random(&state);
    for (int k = 0; k < 2; k++)
        CHECK(cudaMalloc((void **)&d[k], now.size()));
    CHECK(cudaMemcpy(d[0], now.data(), now.size(), cudaMemcpyHostToDevice));
    for (int r = 0; r < rounds; r++)
        blur<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(d[r % 2], d[(r + 1) % 2], width,
                                                            height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), d[rounds % 2], got.size(), cudaMemcpyDeviceToHost));
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < width * height; i++)
            next[i] = blurred(now, width, height, i);
        now.swap(next);
    }
    printf("blurred: %08x\n", checksum(got.data(), got.size()));
    for (int k = 0; k < 2; k++)
        CHECK(cudaFree(d[k]));
    return got == now;
}

static bool moves(void)
{
    const int width = 300, height = 130, dx = 7, dy = 11;
    std::vector<int> in(width * height), got(in);
    int *from, *to;
    bool right = true;

    for (int i = 0; i < width * height; i++)
        in[i] = i;
    CHECK(cudaMalloc((void **)&from, in.size() * sizeof(int)));
    CHECK(cudaMalloc((void **)&to, in.size() * sizeof(int)));
    CHECK(cudaMemcpy(from, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    move<<<dim3(blocks_for(width, 32), blocks_for(height, 8)), dim3(32, 8)>>>(
        from, to, width, height, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), to, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        right &= got[i] == (i % width < dx || i / width < dy ? -1 : i - dx - dy * width);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return right;
}

int main(void)
{
    bool blurred_right = blurs(), moved_right = moves();

    return verdict("framed_blur", blurred_right && moved_right);
}
