/* SPDX-License-Identifier: Apache-2.0 */
/* The part that proactcc compiles. */
#include "../check.cuh"

__global__ void number(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = (float)i;
}

__global__ void add(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += 1;
}

extern "C" void *make_numbers(int n)
{
    float *x;

    MUST(cudaMalloc(&x, n * sizeof *x));
    number<<<(n + 127) / 128, 128>>>(x, n);
    MUST(cudaGetLastError());
    return x;
}

extern "C" void add_one(void *x, int n)
{
    add<<<(n + 127) / 128, 128>>>((float *)x, n);
    MUST(cudaGetLastError());
}

extern "C" int sum_is(const void *x, int n, double sum)
{
    float *host = (float *)malloc(n * sizeof *host);
    double all = 0;

    MUST(cudaMemcpy(host, x, n * sizeof *host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        all += host[i];
    free(host);
    return all == sum;
}
