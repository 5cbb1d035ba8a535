/* SPDX-License-Identifier: Apache-2.0 */
/* A flow around a block by the lattice Boltzmann method. Each of nine directions has a
   separate array, in a struct passed by value; two such structs are swapped. */
#include "programs.h"
#include <utility>

enum { DIRECTIONS = 9 };

struct lattice {
    float *weight[DIRECTIONS];
};

__host__ __device__ static void way(int direction, int *x, int *y)
{
    *x = direction % 3 - 1;
    *y = direction / 3 - 1;
}

/* Streaming step; particles that reach the block return to their origin. */
__host__ __device__ static void stream_and_relax(lattice from, lattice to,
                                                 const char *solid, int width, int height,
                                                 int x, int y)
{
    const float partition[3] = {4.f / 9, 1.f / 9, 1.f / 36};
    float in[DIRECTIONS], mass = 0, flow_x = 0, flow_y = 0;
    int here = y * width + x;

    for (int d = 0; d < DIRECTIONS; d++) {
        int dx, dy;

        way(d, &dx, &dy);
        in[d] =
            from.weight[d][(y - dy + height) % height * width + (x - dx + width) % width];
        mass += in[d];
        flow_x += dx * in[d];
        flow_y += dy * in[d];
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        int dx, dy;

        way(d, &dx, &dy);
        float along = dx * flow_x + dy * flow_y;
        float rest = partition[dx * dx + dy * dy] * (mass + 3 * along);

        to.weight[d][here] =
            solid[here] ? in[DIRECTIONS - 1 - d] : in[d] + .8f * (rest - in[d]);
    }
}

__global__ void step(lattice from, lattice to, const char *solid, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        stream_and_relax(from, to, solid, width, height, x, y);
}

static double apart(lattice a, lattice b, int count)
{
    double most = 0;

    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; i < count; i++)
            most = fmax(most, fabs(a.weight[d][i] - b.weight[d][i]));
    return most;
}

int main()
{
    const int width = 200, height = 90, steps = 12, count = width * height;
    size_t bytes = count * sizeof(float);
    lattice from, to, got, d_from, d_to;
    char *solid = (char *)calloc(count, 1), *d_solid;
    unsigned seed = 11, sum = 0;

    for (int y = 30; y < 50; y++)
        memset(solid + y * width + 60, 1, 15);
    CHECK(cudaMalloc(&d_solid, count));
    CHECK(cudaMemcpy(d_solid, solid, count, cudaMemcpyHostToDevice));
    for (int d = 0; d < DIRECTIONS; d++) {
        from.weight[d] = (float *)malloc(bytes);
        to.weight[d] = (float *)malloc(bytes);
        got.weight[d] = (float *)malloc(bytes);
        for (int i = 0; i < count; i++)
            from.weight[d][i] = (next_random(&seed) % 1000) / 1000.f;
        CHECK(cudaMalloc(&d_from.weight[d], bytes));
        CHECK(cudaMalloc(&d_to.weight[d], bytes));
        CHECK(cudaMemcpy(d_from.weight[d], from.weight[d], bytes, cudaMemcpyHostToDevice));
    }

    dim3 threads(32, 4),
        blocks(blocks_for(width, threads.x), blocks_for(height, threads.y));

    for (int i = 0; i < steps; i++) {
        step<<<blocks, threads>>>(d_from, d_to, d_solid, width, height);
        std::swap(d_from, d_to);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                stream_and_relax(from, to, solid, width, height, x, y);
        std::swap(from, to);
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        CHECK(cudaMemcpy(got.weight[d], d_from.weight[d], bytes, cudaMemcpyDeviceToHost));
        sum += checksum(got.weight[d], bytes);
    }
    printf("%d steps, checksum %08x\n", steps, sum);
    return verdict("lattice_flow", apart(got, from, count) < 1e-4);
}
