/* SPDX-License-Identifier: Apache-2.0 */
/* Pinned, mapped and registered host memory, used by copies and kernels. */
#include "check.cuh"

__global__ void twice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = 2 * in[i];
}

int main()
{
    const int n = 3000;
    int *pinned, *mapped, *view, *device, *own = (int *)malloc(n * sizeof(int));
    unsigned flags = 0;

    MUST(cudaMallocHost(&pinned, n * sizeof(int)));
    MUST(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    MUST(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        pinned[i] = mapped[i] = own[i] = i;
    MUST(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, 0));
    twice<<<n / 100, 100>>>(device, device, n);
    MUST(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, 0));
    MUST(cudaDeviceSynchronize());
    HOLDS(pinned[n - 1] == 2 * (n - 1));

    MUST(cudaHostGetDevicePointer((void **)&view, mapped, 0));
    twice<<<n / 100, 100>>>(view, view, n);
    twice<<<n / 100, 100>>>(view, device, n);
    MUST(cudaDeviceSynchronize());
    HOLDS(mapped[n - 1] == 2 * (n - 1));
    mapped[0] = 5;
    twice<<<1, 100>>>(view, device, 1);
    MUST(cudaMemcpy(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    HOLDS(pinned[0] == 10 && pinned[n - 1] == 4 * (n - 1));
    twice<<<n / 100, 100>>>(pinned, pinned, n); /* a kernel uses it for the first time */
    MUST(cudaMemcpy(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    pinned[1] = 77;
    MUST(cudaMemcpy(pinned + 2, device + 3, sizeof(int), cudaMemcpyDeviceToHost));
    HOLDS(pinned[0] == 20 && pinned[1] == 77 && pinned[2] == 24);

    MUST(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterMapped));
    HOLDS(cudaHostRegister(own, 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
    MUST(cudaHostGetFlags(&flags, own));
    HOLDS(flags == cudaHostRegisterMapped);
    MUST(cudaHostGetDevicePointer((void **)&view, own, 0));
    twice<<<n / 100, 100>>>(view, view, n);
    twice<<<n / 100, 100>>>(view + 1, device, n - 1);
    MUST(cudaDeviceSynchronize());
    HOLDS(own[10] == 20);
    own[11] = 1000;
    MUST(cudaMemcpy(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    HOLDS(pinned[9] == 40);
    twice<<<n / 100, 100>>>(view, view, n);
    MUST(cudaMemcpy(device, own, n * sizeof(int), cudaMemcpyHostToDevice));
    HOLDS(own[11] == 2000);
    MUST(cudaHostUnregister(own));
    HOLDS(cudaHostUnregister(own) == cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    MUST(cudaFreeHost(pinned));
    MUST(cudaFreeHost(mapped));
    printf("pinned: %d\n", own[11]);
    free(own);
    return 0;
}
