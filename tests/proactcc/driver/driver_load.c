/* SPDX-License-Identifier: Apache-2.0 */
/* A C program that loads a module from a file and runs its kernel "times". Prints the
   driver's result and the last number. */
#include <cuda.h>
#include <stdio.h>

enum { N = 1000 };

static CUresult run(const char *path, int *last)
{
    static int host[N];
    CUcontext context;
    CUmodule module;
    CUfunction times;
    CUdeviceptr x;
    CUresult result;
    int n = N, factor = 3;
    void *args[] = {&x, &n, &factor};

    if ((result = cuInit(0)) || (result = cuCtxCreate(&context, NULL, 0, 0)) ||
        (result = cuModuleLoad(&module, path)) ||
        (result = cuModuleGetFunction(&times, module, "times")) ||
        (result = cuMemAlloc(&x, sizeof host)) ||
        (result = cuLaunchKernel(times, 10, 1, 1, 100, 1, 1, 0, NULL, args, NULL)) ||
        (result = cuMemcpyDtoH(host, x, sizeof host)))
        return result;
    *last = host[N - 1];
    return CUDA_SUCCESS;
}

int main(int count, char **argument)
{
    const char *name = "?";
    int last = 0;
    CUresult result = count == 2 ? run(argument[1], &last) : CUDA_ERROR_INVALID_VALUE;

    cuGetErrorName(result, &name);
    printf("%s %d\n", name, last);
    return result != CUDA_SUCCESS;
}
