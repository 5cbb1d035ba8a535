/* SPDX-License-Identifier: Apache-2.0 */
/* The heat equation on N x N cells of a plate with fixed edges: five points, two buffers.
   Plain CUDA for one GPU, for nvcc and proactcc. Prints a checksum of the last step.
   Usage: heat [N [STEPS]] */
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.cuh"

enum { THREADS = 256, PER_THREAD = 16, LARGEST = 32768 };

__global__ void start(float *plate, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < n) {
        bool is_edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;

        plate[(size_t)y * n + x] =
            is_edge ? 100.0f * x / n : (float)((x * 7 + y * 13) % 50);
    }
}

__global__ void step(const float *from, float *to, int n, float rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
        size_t i = (size_t)y * n + x;
        float t = from[i];

        to[i] = t + rate * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] - 4 * t);
    }
}

/* Each CTA adds the hashes of its values and their indices. */
__global__ void checksum(const unsigned *words, size_t count, unsigned long long *sums)
{
    __shared__ unsigned long long part[THREADS];
    size_t first = (size_t)blockIdx.x * THREADS * PER_THREAD + threadIdx.x;
    unsigned long long sum = 0;

    for (int k = 0; k < PER_THREAD; k++) {
        size_t i = first + (size_t)k * THREADS;

        if (i < count)
            sum += ((words[i] ^ i * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull) >> 8;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

static unsigned long long checksum_of(const float *values, size_t count)
{
    size_t ctas = (count + THREADS * PER_THREAD - 1) / (THREADS * PER_THREAD);
    std::vector<unsigned long long> sums(ctas);
    unsigned long long *on_device, total = 0;

    CHECK(cudaMalloc(&on_device, ctas * sizeof *on_device));
    checksum<<<(unsigned)ctas, THREADS>>>((const unsigned *)values, count, on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), on_device, ctas * sizeof *on_device,
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_device));
    for (unsigned long long sum : sums)
        total += sum;
    return total;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8192, steps = argc > 2 ? atoi(argv[2]) : 1000;

    if (argc > 3 || n < 3 || n > LARGEST || steps < 0) {
        fprintf(stderr, "usage: heat [N [STEPS]], N from 3 to %d\n", LARGEST);
        return 2;
    }
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    size_t count = (size_t)n * n;
    float *from, *to;

    CHECK(cudaMalloc(&from, count * sizeof *from));
    CHECK(cudaMalloc(&to, count * sizeof *to));
    start<<<grid, block>>>(from, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyDeviceToDevice));
    for (int s = 0; s < steps; s++) {
        step<<<grid, block>>>(from, to, n, 0.2f);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
    printf("heat: %d x %d cells, %d steps, checksum %016llx\n", n, n, steps,
           checksum_of(from, count));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return 0;
}
