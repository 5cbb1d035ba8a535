/* SPDX-License-Identifier: Apache-2.0 */
/* Plain memory, copies in both directions and on the device, fills, and launches in
   streams. */
#include "check.cuh"
#include <vector>

__global__ void axpy(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

__global__ void reverse(float *x)
{
    extern __shared__ float part[];
    int i = threadIdx.x, n = blockDim.x;

    part[i] = x[blockIdx.x * n + i];
    __syncthreads();
    x[blockIdx.x * n + i] = part[n - 1 - i];
}

int main()
{
    const int n = 100000;
    std::vector<float> x(n), y(n), z(n, -1.0f);
    float *dx, *dy, *dz;
    cudaStream_t first, second;

    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    MUST(cudaMalloc(&dx, n * sizeof *dx));
    MUST(cudaMalloc(&dy, n * sizeof *dy));
    MUST(cudaMallocAsync(&dz, n * sizeof *dz, 0));
    MUST(cudaStreamCreate(&first));
    MUST(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    MUST(cudaMemcpyAsync(dx, x.data(), n * sizeof *dx, cudaMemcpyHostToDevice, first));
    MUST(cudaMemset(dy, 0, n * sizeof *dy));
    for (int k = 1; k <= 10; k++)
        axpy<<<k, 128, 0, first>>>(n, (float)k, dx, dy);
    axpy<<<4, 256, 0, first>>>(n - 10, 1.0f, dx + 10, dy); /* into the middle of an array */
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(y.data(), dy, n * sizeof *dy, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        HOLDS(y[i] == 55.0f * i + (i < n - 10 ? i + 10.0f : 0.0f));
    MUST(cudaMemcpy(dz, dx, n * sizeof *dz, cudaMemcpyDeviceToDevice));
    reverse<<<n / 100, 100, 100 * sizeof(float), second>>>(dz);
    MUST(cudaMemcpyAsync(z.data(), dz, n * sizeof *dz, cudaMemcpyDefault, second));
    MUST(cudaStreamSynchronize(second));
    for (int i = 0; i < n; i++)
        HOLDS(z[i] == (float)(i / 100 * 100 + 99 - i % 100));
    MUST(cudaMemcpy(z.data() + 5, x.data(), 12, cudaMemcpyHostToHost));
    HOLDS(z[7] == 2.0f);
    MUST(cudaStreamDestroy(first));
    MUST(cudaStreamDestroy(second));
    MUST(cudaFree(dx));
    MUST(cudaFree(dy));
    MUST(cudaFreeAsync(dz, 0));
    MUST(cudaFree(nullptr));
    MUST(cudaDeviceReset());
    printf("vectors: %g %g\n", y[1000], z[99]);
    return 0;
}
