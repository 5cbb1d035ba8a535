/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor cores of sm_75: fragments of nvcuda::wmma, and mma in inline assembly. */
#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

using namespace nvcuda;

/* One warp for each tile of 16 x 16, four warps in a row. */
KERNEL(wmma_tiles, const __half *a, const __half *b, float *c, int n, int k)
{
    int column = (blockIdx.x * 4 + threadIdx.x / 32) * 16, row = blockIdx.y * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;

    wmma::fill_fragment(sum, 0.f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(x, a + row * k + i, k);
        wmma::load_matrix_sync(y, b + i * n + column, n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

/* c = alpha * a * b + beta * c in column-major order, scaled by lane. */
KERNEL(wmma_scaled, const __half *a, const __half *b, __half *c, int m, int k, float alpha,
       float beta)
{
    int row = blockIdx.x * 32, column = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> x;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 32, 8, 16, __half> sum, before;

    wmma::fill_fragment(sum, __float2half(0.f));
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(x, a + i * m + row, m);
        wmma::load_matrix_sync(y, b + column * k + i, k);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::load_matrix_sync(before, c + column * m + row, m, wmma::mem_col_major);
    for (int i = 0; i < sum.num_elements; i++)
        before.x[i] =
            __float2half(alpha * __half2float(sum.x[i]) + beta * __half2float(before.x[i]));
    wmma::store_matrix_sync(c + column * m + row, before, m, wmma::mem_col_major);
}

/* Bytes through shared memory; a CTA of one warp computes a tile of 8 x 32. */
KERNEL(wmma_bytes, const signed char *a, const signed char *b, int *c, int n, int k)
{
    __shared__ __align__(128) signed char left[8 * 16], right[16 * 32];
    __shared__ __align__(128) int out[8 * 32];
    int row = blockIdx.y * 8, column = blockIdx.x * 32, lane = threadIdx.x;
    wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 8, 32, 16, int> sum;

    wmma::fill_fragment(sum, 7);
    for (int i = 0; i < k; i += 16) {
        for (int j = lane; j < 8 * 16; j += 32)
            left[j] = a[(row + j / 16) * k + i + j % 16];
        for (int j = lane; j < 16 * 32; j += 32)
            right[j] = b[(i + j / 32) * n + column + j % 32];
        __syncthreads();
        wmma::load_matrix_sync(x, left, 16);
        wmma::load_matrix_sync(y, right, 32);
        wmma::mma_sync(sum, x, y, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(out, sum, 32, wmma::mem_row_major);
    __syncthreads();
    for (int j = 0; j < 8; j++)
        c[(row + j) * n + column + lane] = out[j * 32 + lane] - 7;
}

/* mma in inline assembly: rows of a and of the transposed b from shared memory, and two
   results for each lane, in the layout of the PTX ISA. */
KERNEL(mma_by_hand, const __half *a, const __half *b, float *c, int n, int k)
{
    __shared__ __align__(16) __half left[16 * 8], right[8 * 8];
    int row = blockIdx.y * 16, column = blockIdx.x * 8, lane = threadIdx.x;
    float s[4] = {0, 0, 0, 0};
    unsigned x[2], y;

    for (int i = 0; i < k; i += 8) {
        for (int j = lane; j < 16 * 8; j += 32)
            left[j] = a[(row + j / 8) * k + i + j % 8];
        for (int j = lane; j < 8 * 8; j += 32)
            right[j] = b[(i + j / 8) * n + column + j % 8];
        __syncthreads();
        unsigned at = (unsigned)__cvta_generic_to_shared(left + lane % 16 * 8);
        unsigned to = (unsigned)__cvta_generic_to_shared(right + lane % 8 * 8);

        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(x[0]), "=r"(x[1])
                     : "r"(at)
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                     : "=r"(y)
                     : "r"(to)
                     : "memory");
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5}, {%6}, {%0, %1, %2, %3};"
                     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                     : "r"(x[0]), "r"(x[1]), "r"(y));
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        c[(row + lane / 4 + i / 2 * 8) * n + column + lane % 4 * 2 + i % 2] = s[i];
}
