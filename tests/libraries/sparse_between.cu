/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE between kernels: arrays are passed in descriptors. */
#include <cusparse.h>

#include "between.h"

static const int n = 20000, per_row = 5, count = n * per_row, threads = 128;

__global__ void make_rows(int *first, int *column, float *value, int turn)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row > n)
        return;
    first[row] = row * per_row;
    for (int k = 0; row < n && k < per_row; k++) {
        column[row * per_row + k] = (row + k * (turn + 3)) % n;
        value[row * per_row + k] = (float)(k + 1);
    }
}

__global__ void add_place(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[(i + 1) % n] + i % 3;
}

int main(void)
{
    const int blocks = blocks_for(n + 1, threads);
    const float one = 1, zero = 0;
    int *first = on_device<int>(n + 1), *column = on_device<int>(count);
    float *value = on_device<float>(count), *x = on_device<float>(n),
          *y = on_device<float>(n), *z = on_device<float>(n);
    size_t room_bytes;
    void *room;
    cusparseHandle_t h;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t in, out;
    bool right = true;

    WELL(cusparseCreate(&h));
    WELL(cusparseCreateCsr(&matrix, n, n, count, first, column, value, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    WELL(cusparseCreateDnVec(&in, n, x, CUDA_R_32F));
    WELL(cusparseCreateDnVec(&out, n, y, CUDA_R_32F));
    WELL(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in,
                                 &zero, out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                                 &room_bytes));
    CHECK(cudaMalloc(&room, room_bytes + 1));
    for (int turn = 0; turn < 4; turn++) {
        make_rows<<<blocks, threads>>>(first, column, value, turn);
        fill_small<<<blocks, threads>>>(x, n, turn);
        WELL(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                          CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, room));
        add_place<<<blocks, threads>>>(z, y);
        float *was = on_host(x, n), *is = on_host(z, n);

        for (int i = 0; i < n; i++) {
            float must = i % 3;

            for (int k = 0; k < per_row; k++)
                must += (k + 1) * was[((i + 1) % n + k * (turn + 3)) % n];
            right = right && is[i] == must;
        }
        printf("turn %d: %u\n", turn, checksum(is, n * sizeof *is));
        free(was), free(is);
    }
    WELL(cusparseDestroySpMat(matrix));
    WELL(cusparseDestroyDnVec(in));
    WELL(cusparseDestroyDnVec(out));
    WELL(cusparseDestroy(h));
    return verdict("sparse_between", right);
}
