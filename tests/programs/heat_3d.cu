/* SPDX-License-Identifier: Apache-2.0 */
/* Heat in a box with one hot face, on a three-dimensional grid, in a stream. */
#include "programs.h"

struct Box {
    int nx, ny, nz;

    __host__ __device__ size_t at(int x, int y, int z) const
    {
        return ((size_t)z * ny + y) * nx + x;
    }
    size_t count() const
    {
        return (size_t)nx * ny * nz;
    }
};

__host__ __device__ static inline float mean(const float *in, const Box &b, int x, int y,
                                             int z)
{
    return (in[b.at(x - 1, y, z)] + in[b.at(x + 1, y, z)] + in[b.at(x, y - 1, z)] +
            in[b.at(x, y + 1, z)] + in[b.at(x, y, z - 1)] + in[b.at(x, y, z + 1)]) *
           (1.f / 6.f);
}

__global__ void diffuse(const float *__restrict__ in, float *__restrict__ out, Box b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x < 1 || y < 1 || z < 1 || x >= b.nx - 1 || y >= b.ny - 1 || z >= b.nz - 1)
        return;
    out[b.at(x, y, z)] = mean(in, b, x, y, z);
}

int main(void)
{
    const Box b = {66, 40, 34};
    const int steps = 20;
    size_t bytes = b.count() * sizeof(float);
    float *h[2], *d[2], *got = (float *)malloc(bytes);
    cudaStream_t stream;

    for (int k = 0; k < 2; k++) {
        h[k] = (float *)calloc(1, bytes);
        for (int i = 0; i < b.nx * b.ny; i++)
            h[k][i] = 1.f + (float)(i % 7);
        CHECK(cudaMalloc(&d[k], bytes));
        CHECK(cudaMemcpy(d[k], h[k], bytes, cudaMemcpyHostToDevice));
    }
    CHECK(cudaStreamCreate(&stream));

    dim3 threads(16, 4, 4);
    dim3 blocks(blocks_for(b.nx, 16), blocks_for(b.ny, 4), blocks_for(b.nz, 4));

    for (int s = 0; s < steps; s++)
        diffuse<<<blocks, threads, 0, stream>>>(d[s % 2], d[(s + 1) % 2], b);
    CHECK(cudaMemcpyAsync(got, d[steps % 2], bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int s = 0; s < steps; s++)
        for (int z = 1; z < b.nz - 1; z++)
            for (int y = 1; y < b.ny - 1; y++)
                for (int x = 1; x < b.nx - 1; x++)
                    h[(s + 1) % 2][b.at(x, y, z)] = mean(h[s % 2], b, x, y, z);
    printf("%d steps, checksum %08x\n", steps, checksum(got, bytes));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d[0]));
    CHECK(cudaFree(d[1]));
    return verdict("heat_3d", memcmp(got, h[steps % 2], bytes) == 0);
}
