/* SPDX-License-Identifier: Apache-2.0 */
/* Errors are reported by the failing call; an error that makes the device unusable is
   reported by every later call. */
#include "check.cuh"
#include <cassert>
#include <cstring>

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = i;
}

__global__ void reverse(int *x, int n)
{
    extern __shared__ int numbers[];
    __shared__ int some[1024];

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        numbers[i] = i;
    some[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 4)
        x[threadIdx.x] = numbers[n - 1 - threadIdx.x] + some[threadIdx.x + 1];
}

/* Static and dynamic shared memory together are limited to 48 KiB unless the program
   requests more. */
static void request_shared_memory(int *x)
{
    const int some = 4096, most = 48 * 1024;
    int host[4], optin;
    cudaFuncAttributes a;

    MUST(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    const int large = optin - some < 65536 ? optin - some : 65536; /* devices differ */
    MUST(cudaFuncGetAttributes(&a, reverse));
    HOLDS((int)a.sharedSizeBytes == some && a.maxDynamicSharedSizeBytes == most - some);
    reverse<<<1, 32, most - some>>>(x, 100);
    MUST(cudaGetLastError());
    reverse<<<1, 32, most - some + 4>>>(x, 100);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    const cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
    int ctas = -1;

    MUST(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, reverse, 32, most - some + 4));
    HOLDS(ctas == 0);
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, reverse, 32, most - some));
    HOLDS(ctas > 0);
    HOLDS(cudaFuncSetAttribute(reverse, limit, optin - some + 4) == cudaErrorInvalidValue);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    MUST(cudaFuncSetAttribute(reverse, limit, large));
    MUST(cudaFuncGetAttributes(&a, reverse));
    HOLDS(a.maxDynamicSharedSizeBytes == large);
    reverse<<<1, 1023, large>>>(x, large / 4);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    HOLDS(host[0] == large / 4 && host[3] == large / 4);
    reverse<<<1, 32, large + 4>>>(x, 100);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    MUST(cudaFuncSetAttribute(reverse, limit, optin - some));
    reverse<<<1, 32, optin - some>>>(x, 100);
    MUST(cudaGetLastError());
    reverse<<<1, 32, optin>>>(x, 100);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    MUST(cudaFuncSetAttribute(reverse, limit, 1000));
    reverse<<<1, 32, 1001>>>(x, 100);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
}

__global__ void __launch_bounds__(64) few(int *x)
{
    x[threadIdx.x] = 3;
}

__global__ void small_only(int x)
{
    assert(x < 3);
}

/* A template instance whose name is longer than a message. */
template <typename T, typename... Others> __global__ void small_named(int x)
{
    assert(x < 3);
}

struct rows_of_data_that_all_read_and_no_queried_kernel_writes {
};
struct columns_of_data_that_all_read_and_no_queried_kernel_writes {
};
struct planes_of_data_that_all_read_and_no_queried_kernel_writes {
};
struct corners_of_data_that_all_read_and_no_queried_kernel_writes {
};
struct edges_of_data_that_all_read_and_no_queried_kernel_writes {
};
struct halves_of_data_that_all_read_and_no_queried_kernel_writes {
};

__global__ void misaligned_ids()
{
    __trap();
}

__global__ void crooked(char *x)
{
    *(int *)(x + threadIdx.x) = 1;
}

__device__ int variable[4];

static void no_kernel(int *)
{
}

/* As CUDA's runtime answers on a GPU. */
static void expect_codes(int *x)
{
    const cudaMemcpyKind none = (cudaMemcpyKind)7;
    const cudaError_t direction = cudaErrorInvalidMemcpyDirection;
    const void *host_function = (const void *)no_kernel;
    cudaMemcpy3DParms box = {};
    cudaFuncAttributes a;
    cudaGraphNode_t node;
    cudaGraph_t graph;
    void *args[] = {&x};
    int h[4] = {0}, n;

    box.srcPtr = box.dstPtr = make_cudaPitchedPtr(x, 8, 8, 1);
    box.extent = make_cudaExtent(4, 1, 1);
    box.kind = none;
    HOLDS(cudaMemcpy(x, x + 8, 4, none) == direction && cudaGetLastError() == direction);
    HOLDS(cudaMemcpy(x, x + 8, 4, (cudaMemcpyKind)-1) == direction);
    HOLDS(cudaMemcpy(nullptr, x, 4, none) == direction);
    MUST(cudaMemcpy(x, x + 8, 0, none));
    MUST(cudaMemcpy(x, h, 4, cudaMemcpyHostToHost));
    HOLDS(cudaMemcpyAsync(x, x + 8, 4, none, 0) == direction);
    HOLDS(cudaMemcpy2D(x, 8, x + 8, 8, 4, 2, none) == direction);
    HOLDS(cudaMemcpy2D(x, 8, x + 8, 8, 16, 2, none) == cudaErrorInvalidPitchValue);
    HOLDS(cudaMemcpy3D(&box) == direction && cudaMemcpy3DAsync(&box, 0) == direction);
    for (cudaMemcpyKind kind : {none, cudaMemcpyDeviceToHost, cudaMemcpyHostToHost})
        HOLDS(cudaMemcpyToSymbol(variable, h, 4, 0, kind) == direction);
    for (cudaMemcpyKind kind : {none, cudaMemcpyHostToDevice, cudaMemcpyHostToHost})
        HOLDS(cudaMemcpyFromSymbol(h, variable, 4, 0, kind) == direction);
    HOLDS(cudaMemcpyToSymbol(h, h, 4, 0, none) == cudaErrorInvalidSymbol);
    MUST(cudaGraphCreate(&graph, 0));
    HOLDS(cudaGraphAddMemcpyNode1D(&node, graph, 0, 0, x, x + 8, 4, none) == direction);
    HOLDS(cudaGraphAddMemcpyNode(&node, graph, 0, 0, &box) == direction);
    MUST(cudaGraphDestroy(graph));

    HOLDS(cudaFuncGetAttributes(&a, host_function) == cudaErrorInvalidResourceHandle);
    HOLDS(cudaPeekAtLastError() == cudaErrorInvalidResourceHandle);
    HOLDS(cudaFuncGetAttributes(&a, (const void *)0) == cudaErrorInvalidDeviceFunction);
    HOLDS(cudaFuncSetAttribute(host_function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               64) == cudaErrorInvalidResourceHandle);
    HOLDS(cudaFuncSetCacheConfig(host_function, cudaFuncCachePreferL1) ==
          cudaErrorInvalidResourceHandle);
    HOLDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, host_function, 32, 0) ==
          cudaErrorInvalidResourceHandle);
    HOLDS(cudaLaunchKernel(host_function, dim3(1), dim3(1), args, 0, 0) ==
          cudaErrorInvalidResourceHandle);
    HOLDS(cudaLaunchCooperativeKernel(host_function, dim3(1), dim3(1), args, 0, 0) ==
          cudaErrorInvalidResourceHandle);
    HOLDS(cudaLaunchKernel((const void *)0, dim3(1), dim3(1), args, 0, 0) ==
          cudaErrorInvalidDeviceFunction);
    cudaKernel_t kernel;
    HOLDS(cudaGetKernel(&kernel, host_function) == cudaErrorInvalidDeviceFunction);
    for (dim3 grid : {dim3(0), dim3(1, 0), dim3(1, 65536)}) {
        fill<<<grid, 32>>>(x, 1);
        HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    }
    for (dim3 block : {dim3(0), dim3(1025), dim3(1, 1, 65)}) {
        fill<<<1, block>>>(x, 1);
        HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *x, *much, host[4];
    cudaMipmappedArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();

    MUST(cudaMalloc(&x, 400));
    fill<<<1, 2048>>>(x, 1);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    fill<<<0, 32>>>(x, 1);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    few<<<1, 65>>>(x);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    few<<<1, 64>>>(x);
    MUST(cudaGetLastError());
    HOLDS(cudaMalloc(&much, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    HOLDS(cudaGetLastError() == cudaErrorMemoryAllocation);
    HOLDS(cudaFree(host) == cudaErrorInvalidValue);
    HOLDS(cudaFree(x + 1) == cudaErrorInvalidValue);
    HOLDS(cudaMemcpy(host, x + 99, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    HOLDS(cudaMemcpy(host, x, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    HOLDS(cudaMemset(host, 0, 8) == cudaErrorInvalidValue);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    expect_codes(x);
    if (strcmp(what, "unsupported") == 0) {
        HOLDS(cudaMallocMipmappedArray(&array, &channel, make_cudaExtent(8, 8, 0), 2) ==
              cudaErrorNotSupported);
        HOLDS(cudaGetLastError() == cudaErrorNotSupported);
    }
    if (strcmp(what, "fault") == 0) {
        fill<<<4, 32>>>(x, 128); /* 28 threads too many */
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
    if (strcmp(what, "long_name") == 0) {
        small_named<rows_of_data_that_all_read_and_no_queried_kernel_writes,
                    columns_of_data_that_all_read_and_no_queried_kernel_writes,
                    planes_of_data_that_all_read_and_no_queried_kernel_writes,
                    corners_of_data_that_all_read_and_no_queried_kernel_writes,
                    edges_of_data_that_all_read_and_no_queried_kernel_writes,
                    halves_of_data_that_all_read_and_no_queried_kernel_writes><<<1, 1>>>(4);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    if (strcmp(what, "trap") == 0) { /* no kernel name reveals the case */
        misaligned_ids<<<1, 2>>>();
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    if (strcmp(what, "misaligned") == 0) {
        crooked<<<1, 2>>>((char *)x);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        HOLDS(cudaGetLastError() == cudaErrorMisalignedAddress);
        return 0;
    }
    request_shared_memory(x);
    fill<<<4, 32>>>(x, 100);
    MUST(cudaMemcpy(host, x + 96, 16, cudaMemcpyDeviceToHost));
    printf("errors: %d\n", host[3]);
    return 0;
}
