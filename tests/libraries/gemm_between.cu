/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS between kernels: products, in streams, in batches, and results on the host. */
#include <cublas_v2.h>

#include "between.h"

static const int n = 768, batch = 4, size = n * n, threads = 256;

__global__ void twice_and_row(float *d, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < size)
        d[i] = 2 * c[i] + i / n % 5;
}

__global__ void mirror(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = in[count - 1 - i] - 1;
}

/* Freivalds' check: C x equals A (B x), in exact arithmetic. */
static bool is_product(const float *dc, const float *da, const float *db)
{
    float *a = on_host(da, size), *b = on_host(db, size), *c = on_host(dc, size);
    double *bx = (double *)calloc(n, sizeof *bx);
    bool right = true;

    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            bx[j] += (k % 5) * (double)b[k * n + j];
    for (int i = 0; i < n; i++) {
        double is = 0, must = 0;

        for (int k = 0; k < n; k++) {
            is += (k % 5) * (double)c[k * n + i];
            must += (double)a[k * n + i] * bx[k];
        }
        right = right && is == must;
    }
    free(a), free(b), free(c), free(bx);
    return right;
}

static void product(cublasHandle_t h, const float *a, const float *b, float *c)
{
    const float one = 1, zero = 0;

    WELL(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n));
}

/* Arrays whose addresses are in memory. */
static void in_batches(cublasHandle_t h, float *a, float *c)
{
    const float one = 1, zero = 0;
    const float *ins[batch];
    float *outs[batch];
    const float **d_ins;
    float **d_outs, *pieces = on_device<float>(batch * 64 * 64);

    CHECK(cudaMalloc(&d_ins, sizeof ins));
    CHECK(cudaMalloc(&d_outs, sizeof outs));
    for (int i = 0; i < batch; i++) {
        ins[i] = a + i * 64 * 64;
        outs[i] = pieces + i * 64 * 64;
    }
    CHECK(cudaMemcpy(d_ins, ins, sizeof ins, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_outs, outs, sizeof outs, cudaMemcpyHostToDevice));
    WELL(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, 64, 64, 64, &one, d_ins, 64, d_ins,
                            64, &zero, d_outs, 64, batch));
    mirror<<<batch * 16, threads>>>(c, pieces, batch * 64 * 64);
    print_sum("batched", c, batch * 64 * 64);
    WELL(cublasSgemmStridedBatched(h, CUBLAS_OP_T, CUBLAS_OP_N, 64, 64, 64, &one, a, 64,
                                   64 * 64, a, 64, 64 * 64, &zero, pieces, 64, 64 * 64,
                                   batch));
    mirror<<<batch * 16, threads>>>(c, pieces, batch * 64 * 64);
    print_sum("strided batched", c, batch * 64 * 64);
}

int main(void)
{
    const int blocks = blocks_for(size, threads);
    float *a = on_device<float>(size), *b = on_device<float>(size),
          *c = on_device<float>(size), *d = on_device<float>(size), dot = 0;
    static float first[n];
    cublasHandle_t h;
    cudaStream_t stream;
    bool right = true;

    WELL(cublasCreate(&h));
    CHECK(cudaStreamCreate(&stream));
    for (int turn = 0; turn < 6; turn++) {
        fill_small<<<blocks, threads>>>(a, size, 2 * turn);
        fill_small<<<blocks, threads>>>(b, size, 2 * turn + 1);
        WELL(cublasSetStream(h, turn % 2 ? stream : NULL));
        product(h, a, b, c);
        twice_and_row<<<blocks, threads>>>(d, c);
        print_sum("product", c, size);
        print_sum("twice", d, size);
        right = right && is_product(c, a, b);
        product(h, b, a, d); /* overwrites the kernel's output */
        WELL(cublasSdot(h, size, a, 1, d, 1, &dot));
        printf("dot: %.0f\n", dot);
        mirror<<<blocks, threads>>>(c, d, size);
        print_sum("mirror", c, size);
    }
    for (int i = 0; i < n; i++)
        first[i] = i % 11;
    WELL(cublasSetVector(n, sizeof *first, first, 1, c, 1));
    mirror<<<blocks, threads>>>(d, c, size);
    WELL(cublasGetVector(n, sizeof *first, d + size - n, 1, first, 1));
    printf("vector: %u\n", checksum(first, sizeof first));
    in_batches(h, a, c);
    WELL(cublasDestroy(h));
    CHECK(cudaStreamDestroy(stream));
    return verdict("gemm_between", right);
}
