/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product in half precision on tensor cores, twice: with fragments of
   nvcuda::wmma, and in inline assembly with ldmatrix and mma. */
#include <cuda_fp16.h>
#include <mma.h>

#include "programs.h"

using namespace nvcuda;

enum { M = 192, N = 160, K = 112, TILE = 16 };

/* Two warps for each CTA, with a tile of 16 x 16 each: c = alpha * a * b + c. */
__global__ void by_fragments(const __half *a, const __half *b, float *c, float alpha)
{
    int row = blockIdx.y * TILE, column = (blockIdx.x * 2 + threadIdx.x / 32) * TILE;
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum, before;

    wmma::fill_fragment(sum, 0.f);
    for (int k = 0; k < K; k += TILE) {
        wmma::load_matrix_sync(x, a + row * K + k, K);
        wmma::load_matrix_sync(y, b + k * N + column, N);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::load_matrix_sync(before, c + row * N + column, N, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++)
        before.x[i] += alpha * sum.x[i];
    wmma::store_matrix_sync(c + row * N + column, before, N, wmma::mem_row_major);
}

/* One warp for each CTA, with a tile of 16 x 8, through shared memory. */
__global__ void by_hand(const __half *a, const __half *b, float *c)
{
    __shared__ __align__(16) __half left[16 * TILE], right[TILE * 8];
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
    float sum[4] = {0, 0, 0, 0};

    for (int k = 0; k < K; k += TILE) {
        unsigned x[4], y[2];

        for (int i = lane; i < 16 * TILE; i += 32)
            left[i] = a[(row + i / TILE) * K + k + i % TILE];
        for (int i = lane; i < TILE * 8; i += 32)
            right[i] = b[(k + i / 8) * N + column + i % 8];
        __syncwarp();
        unsigned from =
            (unsigned)__cvta_generic_to_shared(left + lane % 16 * TILE + lane / 16 * 8);
        unsigned to = (unsigned)__cvta_generic_to_shared(right + lane % 16 * 8);

        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(from)
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(to)
                     : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        __syncwarp();
    }
    for (int i = 0; i < 4; i++)
        c[(row + lane / 4 + i / 2 * 8) * N + column + lane % 4 * 2 + i % 2] = sum[i];
}

/* Halves and integers: every sum is exact. */
static float some(int i)
{
    return (float)(i * 37 % 17 - 8) / 2;
}

static bool check(const float *got, const float *a, const float *b, float alpha,
                  float first)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;

            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * N + j];
            if (got[i * N + j] != alpha * sum + first)
                return false;
        }
    return true;
}

int main()
{
    static float a[M * K], b[K * N], c[M * N];
    static __half half_a[M * K], half_b[K * N];
    __half *device_a, *device_b;
    float *device_c;

    for (int i = 0; i < M * K; i++)
        half_a[i] = __float2half(a[i] = some(i));
    for (int i = 0; i < K * N; i++)
        half_b[i] = __float2half(b[i] = some(i + 5));
    for (int i = 0; i < M * N; i++)
        c[i] = 3;
    CHECK(cudaMalloc(&device_a, sizeof half_a));
    CHECK(cudaMalloc(&device_b, sizeof half_b));
    CHECK(cudaMalloc(&device_c, sizeof c));
    CHECK(cudaMemcpy(device_a, half_a, sizeof half_a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, half_b, sizeof half_b, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_c, c, sizeof c, cudaMemcpyHostToDevice));
    by_fragments<<<dim3(N / TILE / 2, M / TILE), 64>>>(device_a, device_b, device_c, 0.5f);
    CHECK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
    bool right = check(c, a, b, 0.5f, 3);

    printf("by fragments %08x\n", checksum(c, sizeof c));
    by_hand<<<dim3(N / 8, M / 16), 32>>>(device_a, device_b, device_c);
    CHECK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
    right &= check(c, a, b, 1, 0);
    printf("by hand %08x\n", checksum(c, sizeof c));
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return verdict("tensor_multiply", right);
}
