/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: places WHAT. CTA (3,1,1) of a grid of 4 x 3 x 2 fails. It is the eighth CTA of the
   second half, which the second of two devices executes. The third of four devices has two
   rows of three CTAs of that half. */
#include <cassert>
#include <cstdio>
#include <cstring>

enum { THREADS = 64, CTAS = 24, BYTES = CTAS * THREADS * 4 };

static __device__ int place()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

static __device__ bool is_meant()
{
    return blockIdx.x == 3 && blockIdx.y == 1 && blockIdx.z == 1 && threadIdx.x == 40;
}

__global__ void asserts(int *x)
{
    x[place() * THREADS + threadIdx.x] = 1;
    assert(!is_meant());
}

__global__ void traps(int *x)
{
    x[place() * THREADS + threadIdx.x] = 1;
    if (is_meant())
        __trap();
}

__global__ void leaves(int *x, const int *y)
{
    x[place() * THREADS + threadIdx.x] = y[is_meant() ? 1 << 28 : 0];
}

__global__ void races(int *x)
{
    const int i = place() * THREADS + threadIdx.x;

    x[i] = 1;
    if (is_meant())
        x[i] = x[i - 32]; /* element of another warp */
}

__global__ void spins(int *x)
{
    const int i = place() * THREADS + threadIdx.x;

    x[i] = 1;
    for (float f = 1; is_meant() && f > 0; f = f + 1)
        ;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int *x);
    } kernels[] = {
        {"asserts", asserts}, {"traps", traps}, {"races", races}, {"spins", spins}};
    const dim3 grid(4, 3, 2);
    int *x, *y;

    cudaMalloc(&x, BYTES);
    cudaMalloc(&y, BYTES);
    cudaMemset(y, 0, BYTES);
    if (argc == 2 && !strcmp(argv[1], "leaves"))
        leaves<<<grid, THREADS>>>(x, y);
    for (const auto &k : kernels)
        if (argc == 2 && !strcmp(argv[1], k.name))
            k.run<<<grid, THREADS>>>(x);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
