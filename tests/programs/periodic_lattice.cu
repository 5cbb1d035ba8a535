// SPDX-License-Identifier: Apache-2.0
/* Periodic lattices in common styles: particles that stream in nine directions and collide,
   a game of life on a torus, and a moving wave. */
#include "programs.h"
#include <utility>

enum { SIDE = 128, DIRECTIONS = 9, CELLS = SIDE * SIDE, WORLD = 200, LENGTH = 1 << 14 };

__constant__ int along_x[DIRECTIONS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int along_y[DIRECTIONS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__global__ void stream(const int *in, int *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int here[DIRECTIONS], sum = 0;

    if (x >= SIDE || y >= SIDE)
        return;
    for (int d = 0; d < DIRECTIONS; d++) {
        int from_x = (x - along_x[d] + SIDE) % SIDE;
        int from_y = (y - along_y[d] + SIDE) % SIDE;

        here[d] = in[d * CELLS + from_y * SIDE + from_x];
        sum += here[d];
    }
    for (int d = 0; d < DIRECTIONS; d++)
        out[d * CELLS + y * SIDE + x] = here[d] + (sum - DIRECTIONS * here[d]) / 16;
}

__global__ void live(const unsigned char *in, unsigned char *out)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
             y = blockIdx.y * blockDim.y + threadIdx.y, around = 0;

    if (x >= WORLD || y >= WORLD)
        return;
    for (unsigned dy = WORLD - 1; dy <= WORLD + 1; dy++)
        for (unsigned dx = WORLD - 1; dx <= WORLD + 1; dx++)
            if (dx != WORLD || dy != WORLD)
                around += in[(y + dy) % WORLD * WORLD + (x + dx) % WORLD];
    out[y * WORLD + x] = around == 3 || (around == 2 && in[y * WORLD + x]);
}

__global__ void move(const int *in, int *out, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[(i + n - by) % n] + in[(i - 1) & (LENGTH - 1)];
}

template <typename T> static T *filled(size_t count, unsigned below)
{
    T *host = (T *)malloc(count * sizeof(T)), *device;
    unsigned state = 7;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = (T)((state >> 16) % below);
    }
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
    free(host);
    return device;
}

template <typename T> static void print_sum(const char *what, const T *device, size_t count)
{
    T *host = (T *)malloc(count * sizeof(T));
    unsigned hash = 2166136261u;

    CHECK(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned)host[i]) * 16777619u;
    printf("%s: %08x\n", what, hash);
    free(host);
}

int main()
{
    int *flow = filled<int>(DIRECTIONS * CELLS, 1000),
        *next_flow = filled<int>(DIRECTIONS * CELLS, 2);
    unsigned char *world = filled<unsigned char>(WORLD * WORLD, 2),
                  *next_world = filled<unsigned char>(WORLD * WORLD, 2);
    int *wave = filled<int>(LENGTH, 100), *next_wave = filled<int>(LENGTH, 2);
    dim3 threads(32, 8);

    for (int step = 0; step < 6; step++) {
        stream<<<dim3(SIDE / 32, SIDE / 8), threads>>>(flow, next_flow);
        std::swap(flow, next_flow);
        live<<<dim3(blocks_for(WORLD, 32), blocks_for(WORLD, 8)), threads>>>(world,
                                                                             next_world);
        std::swap(world, next_world);
        move<<<LENGTH / 256, 256>>>(wave, next_wave, LENGTH, 1 + step);
        std::swap(wave, next_wave);
    }
    print_sum("flow", flow, DIRECTIONS * CELLS);
    print_sum("world", world, WORLD * WORLD);
    print_sum("wave", wave, LENGTH);
    return 0;
}
