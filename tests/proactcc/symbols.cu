/* SPDX-License-Identifier: Apache-2.0 */
/* Module variables: global, constant, static, initialized, with pointers in them. */
#include "check.cuh"

__constant__ float weights[5] = {1, 2, 3, 2, 1};
__device__ int total;
static __device__ double scale = 0.5;
__device__ float *where;

__global__ void blur(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n)
            sum += weights[k + 2] * in[i + k];
    out[i] = sum * (float)scale;
    atomicAdd(&total, 1);
}

__global__ void through(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        where[i] += 1000;
}

int main()
{
    const int n = 1000;
    static float in[n], out[n];
    float *din, *dout, w[5] = {0, 1, 1, 1, 0}, back[2];
    double s = 0;
    int count = 0, *address;
    size_t bytes;

    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 10);
    MUST(cudaMalloc(&din, sizeof in));
    MUST(cudaMalloc(&dout, sizeof out));
    MUST(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    MUST(cudaMemcpyFromSymbol(&s, scale, sizeof s));
    HOLDS(s == 0.5);
    blur<<<8, 128>>>(din, dout, n);
    MUST(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    HOLDS(out[500] == 0.5f * (8 + 2 * 9 + 3 * 0 + 2 * 1 + 1 * 2));
    MUST(cudaMemcpyToSymbol(weights, w, sizeof w));
    s = 2;
    MUST(cudaMemcpyToSymbolAsync(scale, &s, sizeof s, 0, cudaMemcpyHostToDevice, 0));
    blur<<<8, 128>>>(din, dout, n);
    MUST(cudaMemcpyToSymbol(where, &dout, sizeof dout));
    through<<<8, 128>>>(n);
    MUST(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    HOLDS(out[500] == 1000 + 2 * (9 + 0 + 1));
    MUST(cudaMemcpyFromSymbol(back, weights, sizeof back, 2 * sizeof(float)));
    HOLDS(back[0] == 1 && back[1] == 1);
    MUST(cudaGetSymbolAddress((void **)&address, total));
    MUST(cudaGetSymbolSize(&bytes, weights));
    HOLDS(bytes == sizeof w);
    MUST(cudaMemcpy(&count, address, sizeof count, cudaMemcpyDeviceToHost));
    HOLDS(count == 2 * n);
    MUST(cudaMemset(address, 0, sizeof count));
    MUST(cudaMemcpyFromSymbol(&count, total, sizeof count));
    HOLDS(count == 0);
    HOLDS(cudaMemcpyToSymbol(weights, w, sizeof w, 8) == cudaErrorInvalidValue);
    MUST(cudaDeviceReset());
    MUST(cudaMemcpyFromSymbol(&s, scale, sizeof s));
    HOLDS(s == 0.5);
    printf("symbols: %g\n", out[500]);
    return 0;
}
