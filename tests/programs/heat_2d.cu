/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi iteration on a plate with a hot edge: two buffers that are swapped, with events
   around the steps. The product comes last, so that every processor rounds equally. */
#include "programs.h"
#include <utility>

__global__ void step(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        int i = y * width + x;

        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    }
}

static void step_on_host(const float *in, float *out, int width, int height)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int i = y * width + x;

            out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
        }
}

int main(int argc, char **argv)
{
    const int width = 510, height = 270;
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    size_t bytes = (size_t)width * height * sizeof(float);
    float *from = (float *)calloc(1, bytes), *to = (float *)calloc(1, bytes),
          *got = (float *)malloc(bytes), *d_from, *d_to, ms;
    cudaEvent_t start, stop;

    for (int x = 0; x < width; x++)
        from[x] = to[x] = 100.f;
    CHECK(cudaMalloc(&d_from, bytes));
    CHECK(cudaMalloc(&d_to, bytes));
    CHECK(cudaMemset(d_from, 0, bytes));
    CHECK(cudaMemcpy(d_from, from, width * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_to, d_from, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    dim3 threads(32, 8);
    dim3 blocks(blocks_for(width, threads.x), blocks_for(height, threads.y));

    CHECK(cudaEventRecord(start));
    for (int i = 0; i < steps; i++) {
        step<<<blocks, threads>>>(d_from, d_to, width, height);
        std::swap(d_from, d_to);
    }
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(got, d_from, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < steps; i++) {
        step_on_host(from, to, width, height);
        std::swap(from, to);
    }
    printf("%d steps, checksum %08x\n", steps, checksum(got, bytes));
    fprintf(stderr, "%.3f ms\n", ms);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_from));
    CHECK(cudaFree(d_to));
    return verdict("heat_2d", memcmp(got, from, bytes) == 0 && ms >= 0);
}
