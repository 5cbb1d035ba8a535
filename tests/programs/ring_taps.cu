/* SPDX-License-Identifier: Apache-2.0 */
/* Rings with a number of neighbours that is a parameter: the remainder of an unrolled loop
   wraps around the ends too. And tiles with a flag for threads inside the picture; a thread
   outside would store into the next array. */
#include "programs.h"
#include <vector>

__global__ void peaks(const float *in, unsigned char *out, int n, int reach)
{
    const int all = blockDim.x * gridDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
        const float here = in[i];
        bool is = true;

        for (int k = 1; k <= reach; k++) {
            int behind = i + k, ahead = i - k;

            if (behind >= n)
                behind -= n;
            if (ahead < 0)
                ahead += n;
            is &= here > in[behind];
            is &= here >= in[ahead];
        }
        out[i] = is;
    }
}

enum { TILE = 16 };

__global__ void slopes(const int *in, int *out, int width, int height)
{
    __shared__ int t[TILE + 1][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, i = y * width + x;
    bool inside = false;

    if (x < width && y < height) {
        inside = true;
        if (tx == 1) {
            if (x == 0)
                t[ty][0] = 7;
            else
                t[ty][0] = in[i - 1];
        }
        if (ty == 1) {
            if (y == 0)
                t[0][tx] = 9;
            else
                t[0][tx] = in[i - width];
        }
        t[ty][tx] = in[i];
    }
    __syncthreads();
    if (inside)
        out[i] = 2 * t[ty][tx] - t[ty][tx - 1] - t[ty - 1][tx];
}

static bool is_peak(const std::vector<float> &in, int i, int reach)
{
    const int n = (int)in.size();
    bool is = true;

    for (int k = 1; k <= reach; k++)
        is &= in[i] > in[(i + k) % n] && in[i] >= in[(i - k + n) % n];
    return is;
}

/* Other arrays are adjacent to the ring on both sides. */
static bool finds_peaks(int reach)
{
    const int n = 5000;
    std::vector<float> in(n);
    std::vector<unsigned char> got(n);
    unsigned state = 5;
    bool right = true;
    float *before, *from, *behind;
    unsigned char *to;

    for (float &x : in)
        x = (float)(next_random(&state) % 1000);
    CHECK(cudaMalloc((void **)&before, n * sizeof *before));
    CHECK(cudaMalloc((void **)&from, n * sizeof *from));
    CHECK(cudaMalloc((void **)&behind, n * sizeof *behind));
    CHECK(cudaMalloc((void **)&to, n));
    CHECK(cudaMemcpy(from, in.data(), n * sizeof *from, cudaMemcpyHostToDevice));
    for (int r = 0; r < 2; r++)
        peaks<<<blocks_for(n, 256), 256>>>(from, to, n, reach);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), to, n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        right &= got[i] == is_peak(in, i, reach);
    printf("peaks of %d: %08x\n", reach, checksum(got.data(), got.size()));
    CHECK(cudaFree(before));
    CHECK(cudaFree(from));
    CHECK(cudaFree(behind));
    CHECK(cudaFree(to));
    return right;
}

static bool finds_slopes(void)
{
    const int width = 100, height = 90;
    std::vector<int> in(width * height), got(in);
    unsigned state = 8;
    bool right = true;
    int *from, *to, *next;

    for (int &x : in)
        x = (int)(next_random(&state) % 1000);
    CHECK(cudaMalloc((void **)&from, in.size() * sizeof *from));
    CHECK(cudaMalloc((void **)&to, in.size() * sizeof *to));
    CHECK(cudaMalloc((void **)&next, in.size() * sizeof *next));
    CHECK(cudaMemcpy(from, in.data(), in.size() * sizeof *from, cudaMemcpyHostToDevice));
    for (int r = 0; r < 2; r++)
        slopes<<<dim3(blocks_for(width, TILE), blocks_for(height, TILE)),
                 dim3(TILE, TILE)>>>(from, to, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), to, got.size() * sizeof *to, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        right &= got[i] == 2 * in[i] - (i % width ? in[i - 1] : 7) -
                               (i >= width ? in[i - width] : 9);
    printf("slopes: %08x\n", checksum(got.data(), got.size() * sizeof(int)));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(next));
    return right;
}

int main(void)
{
    bool right = finds_slopes();

    for (int reach : {1, 4, 6, 11})
        right &= finds_peaks(reach);
    return verdict("ring_taps", right);
}
