/* SPDX-License-Identifier: Apache-2.0 */
/* Heat on a square plate: plain CUDA for one GPU. Nothing here knows of proact.

   Build and run:
       proactcc -O3 -arch=sm_75 heat.cu -o heat
       PROACT_MACHINE=v100x4 PROACT_DEVICES=4 ./heat

   Usage: heat [SIZE [STEPS]]. Prints the time of the steps and a checksum of the plate. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t code = (call);                                                         \
        if (code != cudaSuccess) {                                                         \
            std::fprintf(stderr, "heat: %s: %s\n", #call, cudaGetErrorString(code));       \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

enum { WARM_UP_STEPS = 10 }; /* not timed */

/* One step: each inner cell becomes the mean of its four neighbours. */
__global__ void heat_step(const float *from, float *to, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < 1 || y < 1 || x >= size - 1 || y >= size - 1)
        return;
    int i = y * size + x;

    to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - size] + from[i + size]);
}

static uint64_t checksum(const std::vector<float> &plate)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(plate.data());

    for (size_t i = 0; i < plate.size() * sizeof(float); i++)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

static int positive(const char *word)
{
    int value = std::atoi(word);

    if (value < 1) {
        std::fprintf(stderr, "heat: expected a number from 1 up, found '%s'\n", word);
        std::exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? positive(argv[1]) : 4096,
        steps = argc > 2 ? positive(argv[2]) : 20;
    size_t cells = (size_t)size * size, bytes = cells * sizeof(float);
    std::vector<float> plate(cells, 0.0f);
    float *from, *to, ms;
    cudaEvent_t begin, end;

    for (int x = 0; x < size; x++)
        plate[x] = 100.0f; /* the upper edge is hot */
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(from, plate.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    dim3 block(32, 8), grid((size + 31) / 32, (size + 7) / 8);

    for (int i = -WARM_UP_STEPS; i < steps; i++) {
        if (i == 0) {
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaEventRecord(begin));
        }
        heat_step<<<grid, block>>>(from, to, size);
        std::swap(from, to);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaMemcpy(plate.data(), from, bytes, cudaMemcpyDeviceToHost));
    std::printf("%d x %d cells, %d steps: %.1f us a step, checksum %016llx\n", size, size,
                steps, ms * 1000 / steps, (unsigned long long)checksum(plate));
    return 0;
}
