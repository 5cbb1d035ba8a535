/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong is said at the call, and what broke the device for good by every later. */
#include "check.cuh"
#include <cassert>
#include <cstring>

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = i;
}

__global__ void small_only(int x)
{
    assert(x < 3);
}

__global__ void crooked(char *x)
{
    *(int *)(x + threadIdx.x) = 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *x, *much, host[4];
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();

    MUST(cudaMalloc(&x, 400));
    fill<<<1, 2048>>>(x, 1);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    fill<<<0, 32>>>(x, 1);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    HOLDS(cudaMalloc(&much, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    HOLDS(cudaGetLastError() == cudaErrorMemoryAllocation);
    HOLDS(cudaFree(host) == cudaErrorInvalidValue);
    HOLDS(cudaFree(x + 1) == cudaErrorInvalidValue);
    HOLDS(cudaMemcpy(host, x + 99, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    HOLDS(cudaMemcpy(host, x, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    HOLDS(cudaMemset(host, 0, 8) == cudaErrorInvalidValue);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    if (strcmp(what, "unsupported") == 0) {
        HOLDS(cudaMallocArray(&array, &channel, 8, 8) == cudaErrorNotSupported);
        HOLDS(cudaGetLastError() == cudaErrorNotSupported);
    }
    if (strcmp(what, "fault") == 0) {
        fill<<<4, 32>>>(x, 128); /* 28 too many */
        cudaError_t error = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorString(error));
        HOLDS(cudaMemcpy(host, x, 8, cudaMemcpyDeviceToHost) == error);
        HOLDS(cudaGetLastError() == error && cudaGetLastError() == error);
        return 0;
    }
    if (strcmp(what, "assertion") == 0) {
        small_only<<<1, 1>>>(4);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        HOLDS(cudaPeekAtLastError() == cudaErrorAssert);
        return 0;
    }
    if (strcmp(what, "misaligned") == 0) {
        crooked<<<1, 2>>>((char *)x);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        HOLDS(cudaGetLastError() == cudaErrorMisalignedAddress);
        return 0;
    }
    fill<<<4, 32>>>(x, 100);
    MUST(cudaMemcpy(host, x + 96, 16, cudaMemcpyDeviceToHost));
    printf("errors: %d\n", host[3]);
    return 0;
}
