/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix transposition by three kernels, each faster than the one before. */
#include "programs.h"

#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transposeNaive(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (x < width && y + i < height)
            odata[x * height + y + i] = idata[(y + i) * width + x];
}

template <int PAD>
__global__ void transposeTiled(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (x < height && y + i < width)
            odata[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main(void)
{
    typedef void (*Kernel)(float *, const float *, int, int);
    const Kernel kernels[] = {transposeNaive, transposeTiled<0>, transposeTiled<1>};
    const int width = 500, height = 333;
    size_t bytes = width * height * sizeof(float);
    float *h = (float *)malloc(bytes), *got = (float *)malloc(bytes), *d_in, *d_out;
    bool right = true;

    for (int i = 0; i < width * height; i++)
        h[i] = (float)i;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, h, bytes, cudaMemcpyHostToDevice));
    dim3 grid(blocks_for(width, TILE_DIM), blocks_for(height, TILE_DIM)),
        block(TILE_DIM, BLOCK_ROWS);

    for (Kernel kernel : kernels) {
        CHECK(cudaMemset(d_out, 0xff, bytes));
        kernel<<<grid, block>>>(d_out, d_in, width, height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got, d_out, bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < width * height; i++)
            right = right && got[i % width * height + i / width] == h[i];
        printf("checksum %08x\n", checksum(got, bytes));
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(h);
    free(got);
    return verdict("transpose_matrix", right);
}
