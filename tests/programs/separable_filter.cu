/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of 2 * 8 + 1 taps along the rows, then the columns; the taps are in constant
   memory. The values are small integers: sums are exact. */
#include "programs.h"

#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define ROWS_X 16
#define ROWS_Y 4

__constant__ float c_Kernel[KERNEL_LENGTH];

__global__ void convolutionRows(float *dst, const float *src, int width, int height)
{
    __shared__ float line[ROWS_Y][ROWS_X + 2 * KERNEL_RADIUS];
    int first = blockIdx.x * ROWS_X - KERNEL_RADIUS;
    int x = blockIdx.x * ROWS_X + threadIdx.x, y = blockIdx.y * ROWS_Y + threadIdx.y;

    if (y < height)
        for (int i = threadIdx.x; i < ROWS_X + 2 * KERNEL_RADIUS; i += ROWS_X)
            line[threadIdx.y][i] =
                first + i >= 0 && first + i < width ? src[y * width + first + i] : 0;
    __syncthreads();
    if (x >= width || y >= height)
        return;
    float sum = 0;

#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
        sum += c_Kernel[KERNEL_RADIUS - j] *
               line[threadIdx.y][threadIdx.x + KERNEL_RADIUS + j];
    dst[y * width + x] = sum;
}

__global__ void convolutionColumns(float *dst, const float *src, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (x >= width || y >= height)
        return;
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
        if (y + j >= 0 && y + j < height)
            sum += c_Kernel[KERNEL_RADIUS - j] * src[(y + j) * width + x];
    dst[y * width + x] = sum;
}

static void filter_on_host(float *dst, const float *src, const float *taps, int width,
                           int height, int dx, int dy)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum = 0;

            for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
                int fx = x + j * dx, fy = y + j * dy;

                if (fx >= 0 && fx < width && fy >= 0 && fy < height)
                    sum += taps[KERNEL_RADIUS - j] * src[fy * width + fx];
            }
            dst[y * width + x] = sum;
        }
}

int main(void)
{
    const int width = 300, height = 210;
    size_t bytes = width * height * sizeof(float);
    float taps[KERNEL_LENGTH],
        *in = (float *)malloc(bytes), *middle = (float *)malloc(bytes),
        *out = (float *)malloc(bytes), *got = (float *)malloc(bytes), *d_in, *d_middle,
        *d_out;
    unsigned state = 8;

    for (int i = 0; i < KERNEL_LENGTH; i++)
        taps[i] = (float)(next_random(&state) % 16);
    for (int i = 0; i < width * height; i++)
        in[i] = (float)(next_random(&state) % 16);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_middle, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpyToSymbol(c_Kernel, taps, sizeof taps));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    convolutionRows<<<dim3(blocks_for(width, ROWS_X), blocks_for(height, ROWS_Y)),
                      dim3(ROWS_X, ROWS_Y)>>>(d_middle, d_in, width, height);
    CHECK(cudaGetLastError());
    convolutionColumns<<<dim3(blocks_for(width, 32), blocks_for(height, 4)), dim3(32, 4)>>>(
        d_out, d_middle, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, bytes, cudaMemcpyDeviceToHost));
    filter_on_host(middle, in, taps, width, height, 1, 0);
    filter_on_host(out, middle, taps, width, height, 0, 1);
    printf("checksum %08x\n", checksum(got, bytes));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_middle));
    CHECK(cudaFree(d_out));
    return verdict("separable_filter", memcmp(got, out, bytes) == 0);
}
