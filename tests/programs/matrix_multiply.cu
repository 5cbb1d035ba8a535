/* SPDX-License-Identifier: Apache-2.0 */
/* C = A * B by tiles in shared memory. The values are small integers: sums are exact. */
#include "programs.h"

template <int BLOCK_SIZE>
__global__ void matrixMul(float *C, const float *A, const float *B, int hA, int wA, int wB)
{
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * BLOCK_SIZE + ty, column = blockIdx.x * BLOCK_SIZE + tx;
    float sum = 0;

    for (int k = 0; k < wA; k += BLOCK_SIZE) {
        As[ty][tx] = row < hA && k + tx < wA ? A[row * wA + k + tx] : 0.f;
        Bs[ty][tx] = k + ty < wA && column < wB ? B[(k + ty) * wB + column] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BLOCK_SIZE; i++)
            sum += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < hA && column < wB)
        C[row * wB + column] = sum;
}

static void fill(float *m, int count, unsigned seed)
{
    for (int i = 0; i < count; i++)
        m[i] = (float)(next_random(&seed) % 9) - 4.f;
}

int main(void)
{
    const int m = 200, k = 150, n = 230;
    cudaDeviceProp properties;
    int device;
    float *A, *B, *C, *dA, *dB, *dC;
    bool right = true;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&properties, device));
    CHECK(cudaMallocHost(&A, m * k * sizeof(float)));
    CHECK(cudaMallocHost(&B, k * n * sizeof(float)));
    CHECK(cudaMallocHost(&C, m * n * sizeof(float)));
    fill(A, m * k, 5);
    fill(B, k * n, 6);
    CHECK(cudaMalloc(&dA, m * k * sizeof(float)));
    CHECK(cudaMalloc(&dB, k * n * sizeof(float)));
    CHECK(cudaMalloc(&dC, m * n * sizeof(float)));
    CHECK(cudaMemcpy(dA, A, m * k * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, B, k * n * sizeof(float), cudaMemcpyHostToDevice));
    if (properties.maxThreadsPerBlock >= 1024)
        matrixMul<32><<<dim3(blocks_for(n, 32), blocks_for(m, 32)), dim3(32, 32)>>>(
            dC, dA, dB, m, k, n);
    else
        matrixMul<16><<<dim3(blocks_for(n, 16), blocks_for(m, 16)), dim3(16, 16)>>>(
            dC, dA, dB, m, k, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(C, dC, m * n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < m * n; i++) {
        float sum = 0;

        for (int j = 0; j < k; j++)
            sum += A[i / n * k + j] * B[j * n + i % n];
        right = right && C[i] == sum;
    }
    printf("checksum %08x\n", checksum(C, m * n * sizeof(float)));
    CHECK(cudaFreeHost(A));
    CHECK(cudaFreeHost(B));
    CHECK(cudaFreeHost(C));
    CHECK(cudaFree(dA));
    CHECK(cudaFree(dB));
    CHECK(cudaFree(dC));
    return verdict("matrix_multiply", right);
}
