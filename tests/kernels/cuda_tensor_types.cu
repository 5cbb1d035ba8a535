/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor cores from sm_80 on: bfloat16, tf32, double precision. */
#include <cuda_bf16.h>
#include <mma.h>

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

using namespace nvcuda;

KERNEL(wmma_bfloat, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n, int k)
{
    int column = blockIdx.x * 32, row = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
    wmma::fragment<wmma::matrix_a, 8, 32, 16, __nv_bfloat16, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 8, 32, 16, float> sum;

    wmma::load_matrix_sync(sum, c + row * n + column, n, wmma::mem_row_major);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(x, a + row * k + i, k);
        wmma::load_matrix_sync(y, b + column * k + i, k);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

KERNEL(wmma_tf32, const float *a, const float *b, float *c, int n, int k)
{
    int column = blockIdx.x * 16, row = blockIdx.y * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;

    wmma::fill_fragment(sum, 0.f);
    for (int i = 0; i < k; i += 8) {
        wmma::load_matrix_sync(x, a + row * k + i, k);
        wmma::load_matrix_sync(y, b + i * n + column, n);
        for (int j = 0; j < x.num_elements; j++)
            x.x[j] = wmma::__float_to_tf32(x.x[j]);
        for (int j = 0; j < y.num_elements; j++)
            y.x[j] = wmma::__float_to_tf32(y.x[j]);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

KERNEL(wmma_double, const double *a, const double *b, double *c, int m, int n, int k)
{
    int column = blockIdx.x * 8, row = blockIdx.y * 8;
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::col_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;

    wmma::fill_fragment(sum, 0.0);
    for (int i = 0; i < k; i += 4) {
        wmma::load_matrix_sync(x, a + i * m + row, m);
        wmma::load_matrix_sync(y, b + i * n + column, n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + column * m + row, sum, m, wmma::mem_col_major);
}

/* m16n8k16 in inline assembly, with fragments loaded directly from memory. */
KERNEL(mma_from_memory, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n,
       int k)
{
    int lane = threadIdx.x, row = blockIdx.y * 16 + lane / 4;
    int column = blockIdx.x * 8, at = lane % 4 * 2;
    float s[4] = {0, 0, 0, 0};

    for (int i = 0; i < k; i += 16) {
        const unsigned *x = (const unsigned *)(a + row * k + i + at);
        const unsigned *y = (const unsigned *)(b + (column + lane / 4) * k + i + at);

        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
            : "r"(x[0]), "r"(x[4 * k]), "r"(x[4]), "r"(x[4 * k + 4]), "r"(y[0]), "r"(y[4]));
    }
    for (int i = 0; i < 2; i++)
        *(float2 *)(c + (row + 8 * i) * n + column + at) =
            make_float2(s[2 * i], s[2 * i + 1]);
}
