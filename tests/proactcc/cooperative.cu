/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative launches: all CTAs are resident on one device at the same time, because they
   wait for each other. */
#include <cooperative_groups.h>

#include "check.cuh"

static const int ctas = 8, threads = 64, n = ctas * threads;

/* A hand-written barrier: the last CTA releases all others. */
__global__ void turn_round(int *out, int *x, unsigned *arrived, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    x[i] = factor * i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); /* pairs with the fence of the CTAs that wait for this one */
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    out[i] = ((volatile int *)x)[n - 1 - i];
}

/* The same in several steps, each between two grid barriers. */
__global__ void turn_often(int *out, int *x, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int s = 0; s < steps; s++) {
        x[i] = out[i] + 1;
        grid.sync();
        out[i] = ((volatile int *)x)[n - 1 - i];
        grid.sync();
    }
}

static void look(const int *out, int factor)
{
    static int host[n];

    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        HOLDS(host[i] == factor * (n - 1 - i));
    printf("%d: %d to %d\n", factor, host[0], host[n - 1]);
}

int main()
{
    int *out, *x, factor;
    unsigned *arrived;
    void *args[] = {&out, &x, &arrived, &factor};
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    cudaStream_t stream;

    MUST(cudaMalloc(&out, n * sizeof *out));
    MUST(cudaMalloc(&x, n * sizeof *x));
    MUST(cudaMalloc(&arrived, sizeof *arrived));
    MUST(cudaStreamCreate(&stream));
    for (factor = 1; factor < 4; factor++) {
        MUST(cudaMemset(arrived, 0, sizeof *arrived));
        MUST(cudaLaunchCooperativeKernel(turn_round, ctas, threads, args, 0, stream));
        look(out, factor);
    }
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = ctas;
    config.blockDim = threads;
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cudaMemset(arrived, 0, sizeof *arrived));
    MUST(cudaLaunchKernelEx(&config, turn_round, out, x, arrived, 9));
    look(out, 9);
    int steps = 8;
    void *often[] = {&out, &x, &steps};

    for (int round = 0; round < 2; round++) {
        MUST(cudaLaunchCooperativeKernel(turn_often, ctas, threads, often, 0, stream));
        MUST(cudaStreamSynchronize(stream));
    }
    MUST(cudaMemcpy(&factor, out, sizeof factor, cudaMemcpyDeviceToHost));
    printf("often: %d\n", factor);
    printf("too many: %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(
                                 turn_often, 1 << 20, threads, often, 0, stream)));
    MUST(cudaStreamDestroy(stream));
    return 0;
}
