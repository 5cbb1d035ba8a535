// SPDX-License-Identifier: Apache-2.0
// Arrays of several GB and grids of millions of CTAs. Prints milliseconds of each launch to
// stderr, which include the host's analysis for the first ones, and hashes to stdout. Plain
// CUDA for nvcc and proactcc. Usage: large [SHIFT], which divides the arrays by 2^SHIFT;
// the full size needs 10 GB.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "check.cuh"

#define ELEMENT (blockIdx.x * (size_t)blockDim.x + threadIdx.x)

__global__ void fill(float *a, size_t n)
{
    size_t i = ELEMENT;

    if (i < n)
        a[i] = (float)(i % 1021);
}
__global__ void fill_bytes(unsigned char *a, size_t n)
{
    size_t i = ELEMENT;

    if (i < n)
        a[i] = (unsigned char)(i * 7 + i / 251);
}
__global__ void shift_bytes(const unsigned char *a, unsigned char *b, size_t n, size_t by)
{
    size_t i = ELEMENT;

    if (i < n)
        b[i] = a[(i + by) % n] + 1;
}
__global__ void scale(float *a, const float *b, size_t n)
{
    for (size_t i = ELEMENT; i < n; i += (size_t)gridDim.x * blockDim.x)
        a[i] = a[i] * 0.5f + b[i];
}
__global__ void heat(const float *a, float *b, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    size_t i = (size_t)y * n + x;

    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
}
__global__ void heat_3d(const float *a, float *b, int nx, int ny, int nz)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y,
        z = blockIdx.z * 2 + threadIdx.z;
    size_t i = ((size_t)z * ny + y) * nx + x, p = (size_t)nx * ny;

    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    b[i] = (a[i] + a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - p] + a[i + p]) / 7;
}
__global__ void transpose(const float *a, float *b, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = a[(size_t)(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        b[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void sums(const unsigned *a, size_t n, unsigned long long *out)
{
    unsigned long long s = 0;

    for (size_t i = ELEMENT; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += a[i] * (unsigned long long)(i % 65537 + 1);
    for (int k = 16; k; k /= 2)
        s += __shfl_down_sync(~0u, s, k);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, s);
}

static double now()
{
    CHECK(cudaDeviceSynchronize());
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

static void print_hash(const char *what, const void *a, size_t bytes)
{
    static unsigned long long *total;
    unsigned long long s;

    if (!total)
        CHECK(cudaMalloc(&total, 8));
    CHECK(cudaMemset(total, 0, 8));
    sums<<<1056, 256>>>((const unsigned *)a, bytes / 4, total);
    CHECK(cudaMemcpy(&s, total, 8, cudaMemcpyDeviceToHost));
    printf("%s %016llx\n", what, s);
}

template <typename F> static void time_it(const char *what, int times, F launch)
{
    fprintf(stderr, "%-20s", what);
    for (int i = 0; i < times; i++) {
        double from = now();

        launch();
        CHECK(cudaGetLastError());
        fprintf(stderr, " %8.2f", now() - from);
    }
    fprintf(stderr, " ms\n");
}

int main(int argc, char **argv)
{
    int shift = argc > 1 ? atoi(argv[1]) : 0;
    size_t n = ((size_t)1 << 30) >> shift, bytes = (((size_t)5 << 30) >> shift) + 12345;
    int w = 32768 >> shift / 2, d = 1024 >> shift / 3;
    float *a, *b;
    unsigned char *from, *to;

    CHECK(cudaMalloc(&a, n * 4));
    CHECK(cudaMalloc(&b, n * 4));
    time_it("fill", 3, [&] { fill<<<n / 256, 256>>>(a, n); });
    time_it("fill, second array", 3, [&] { fill<<<n / 256, 256>>>(b, n); });
    print_hash("fill", b, n * 4);
    time_it("scale, grid stride", 4, [&] { scale<<<4096, 256>>>(a, b, n); });
    time_it("scale", 4, [&] { scale<<<(n + 255) / 256, 256>>>(b, a, n); });
    print_hash("scale", b, n * 4);
    time_it("heat", 10, [&] {
        heat<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(a, b, w);
        std::swap(a, b);
    });
    print_hash("heat", a, n * 4);
    time_it("transpose", 4,
            [&] { transpose<<<dim3(w / 32, w / 32), dim3(32, 8)>>>(a, b, w); });
    print_hash("transpose", b, n * 4);
    time_it("heat_3d", 8, [&] {
        heat_3d<<<dim3(d / 32, d / 4, d / 2), dim3(32, 4, 2)>>>(a, b, d, d, d);
        std::swap(a, b);
    });
    print_hash("heat_3d", a, n * 4);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    time_it("fill_bytes", 3,
            [&] { fill_bytes<<<(bytes + 255) / 256, 256>>>(from, bytes); });
    time_it("shift_bytes", 3, [&] {
        shift_bytes<<<(bytes + 1023) / 1024, 1024>>>(from, to, bytes, 1000003);
    });
    print_hash("shift_bytes", to, bytes / 4 * 4);
    return 0;
}
