/* SPDX-License-Identifier: Apache-2.0 */
/* c = a + b. */
#include "programs.h"

__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < numElements)
        C[i] = A[i] + B[i];
}

int main(void)
{
    const int n = 500000;
    size_t bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes),
          *c = (float *)malloc(bytes), *d_a, *d_b, *d_c;
    unsigned state = 1;
    bool right = true;

    for (int i = 0; i < n; i++) {
        a[i] = next_random(&state) / 65536.f;
        b[i] = next_random(&state) / 65536.f;
    }
    CHECK(cudaMalloc((void **)&d_a, bytes));
    CHECK(cudaMalloc((void **)&d_b, bytes));
    CHECK(cudaMalloc((void **)&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    vectorAdd<<<blocks_for(n, 256), 256>>>(d_a, d_b, d_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        right = right && c[i] == a[i] + b[i];
    printf("checksum %08x\n", checksum(c, bytes));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    free(a);
    free(b);
    free(c);
    return verdict("vector_add", right);
}
