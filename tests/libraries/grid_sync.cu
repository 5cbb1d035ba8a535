/* SPDX-License-Identifier: Apache-2.0 */
/* A cooperative kernel with grid barriers between kernels without, in calls and in a
   captured graph. */
#include <cooperative_groups.h>

#include "between.h"

static const int ctas = 32, threads = 256, n = ctas * threads;

__global__ void ramp(int *x, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = factor * i;
}

/* Each step reads what other CTAs wrote in the previous step. */
__global__ void rotate(int *x, int *y, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int s = 0; s < steps; s++) {
        y[i] = x[(i + threads) % n];
        grid.sync();
        x[i] = y[i] + 1;
        grid.sync();
    }
}

static bool is_right(const int *x, int factor, int steps)
{
    int *host = on_host(x, n);
    bool right = true;

    for (int i = 0; i < n; i++)
        right = right && host[i] == factor * ((i + steps * threads) % n) + steps;
    printf("factor %d: %u\n", factor, checksum(host, n * sizeof *host));
    free(host);
    return right;
}

int main(void)
{
    int *x = on_device<int>(n), *y = on_device<int>(n), steps = 5;
    void *args[] = {&x, &y, &steps};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    bool right = true;

    CHECK(cudaStreamCreate(&stream));
    for (int factor = 1; factor < 4; factor++) {
        ramp<<<ctas, threads, 0, stream>>>(x, factor);
        CHECK(cudaLaunchCooperativeKernel((void *)rotate, ctas, threads, args, 0, stream));
        CHECK(cudaStreamSynchronize(stream));
        right = is_right(x, factor, steps) && right;
    }
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ramp<<<ctas, threads, 0, stream>>>(x, 7);
    CHECK(cudaLaunchCooperativeKernel((void *)rotate, ctas, threads, args, 0, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int turn = 0; turn < 3; turn++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    right = is_right(x, 7, steps) && right;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return verdict("grid_sync", right);
}
