/* SPDX-License-Identifier: Apache-2.0 */
/* Grid-stride loops, which compilers unroll by four: grids with fewer threads than
   elements, with as many, and with more. A large array follows the arrays that are read. */
#include "programs.h"

struct __align__(16) pair {
    int2 near, far;
};

__global__ void sum_up(int n, const int *a, const int *b, int *out)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = blockDim.x * gridDim.x;

    for (int i = first; i < n; i += step)
        out[i] = 3 * a[i] - b[i];
}

__global__ void turn_pairs(pair *out, const pair *in, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;

    for (int i = first; i < n; i += step) {
        pair p = in[i];

        out[i] = {p.far, p.near};
    }
}

/* 64-bit indices, divided with 32 bits where possible. */
__global__ void halve(long n, const int *a, int *out)
{
    long step = blockDim.x * gridDim.x;

    for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = a[i] / 2;
}

int main(void)
{
    enum { MOST = 60000, SIZES = 6 };
    static const int sizes[SIZES] = {700, 9000, 16384, 16385, 40000, MOST};
    int *h_a = (int *)malloc(MOST * 4), *h_b = (int *)malloc(MOST * 4),
        *h_out = (int *)malloc(MOST * 4);
    unsigned state = 7;
    bool right = true;

    for (int i = 0; i < MOST; i++) {
        h_a[i] = (int)(next_random(&state) % 1000);
        h_b[i] = (int)(next_random(&state) % 1000);
    }
    for (int k = 0; k < SIZES; k++) {
        const int n = sizes[k];
        const size_t bytes = n * sizeof(int);
        int *a, *b, *out;

        CHECK(cudaMalloc((void **)&a, bytes));
        CHECK(cudaMalloc((void **)&b, bytes));
        CHECK(cudaMalloc((void **)&out, MOST * sizeof(int)));
        CHECK(cudaMemcpy(a, h_a, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(b, h_b, bytes, cudaMemcpyHostToDevice));
        sum_up<<<64, 256>>>(n, a, b, out);
        CHECK(cudaMemcpy(h_out, out, bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            right = right && h_out[i] == 3 * h_a[i] - h_b[i];
        turn_pairs<<<64, 64>>>((pair *)b, (const pair *)out, n / 4);
        CHECK(cudaMemcpy(h_out, b, bytes / 16 * 16, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n / 4 * 4; i++)
            right = right && h_out[i] == 3 * h_a[i ^ 2] - h_b[i ^ 2];
        halve<<<64, 256>>>(n, a, out);
        CHECK(cudaMemcpy(h_out, out, bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            right = right && h_out[i] == h_a[i] / 2;
        printf("%d elements: checksum %08x\n", n, checksum(h_out, bytes));
        CHECK(cudaFree(a));
        CHECK(cudaFree(b));
        CHECK(cudaFree(out));
    }
    free(h_a);
    free(h_b);
    free(h_out);
    return verdict("grid_steps", right);
}
