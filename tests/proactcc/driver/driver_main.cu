/* SPDX-License-Identifier: Apache-2.0 */
/* Launches through the driver on memory of the program's library, if it has one, and a
   query for a function that does not exist. */
#include "../driver.cuh"

#ifdef IN_LIBRARY
CUresult allocate(CUdeviceptr *out, size_t bytes);
#else
#define allocate cuMemAlloc
#endif

__global__ void one() {}

int main()
{
    enum { N = 1000 };
    static float host[N];
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr x;
    CUmemGenericAllocationHandle piece;
    float factor = 2;
    int n = N;
    void *args[] = {&x, &x, &factor, &n};

    DO(cuInit(0));
    DO(cuCtxCreate(&context, NULL, 0, 0));
    DO(cuModuleLoadData(&module, scale_text));
    DO(cuModuleGetFunction(&scale, module, "scale"));
    DO(allocate(&x, sizeof host));
    DO(cuMemcpyHtoD(x, host, sizeof host));
    DO(cuLaunchKernel(scale, 10, 1, 1, 100, 1, 1, 0, NULL, args, NULL));
    DO(cuMemcpyDtoH(host, x, sizeof host));
    HOLDS(cuMemCreate(&piece, 4096, NULL, 0) == CUDA_ERROR_NOT_SUPPORTED);
    HOLDS(cuStreamWriteValue32(NULL, x, 1, 0) == CUDA_ERROR_NOT_SUPPORTED);
    one<<<1, 1>>>();
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    printf("%g\n", host[N - 1]);
    return 0;
}
