/* SPDX-License-Identifier: Apache-2.0 */
/* Grids and blocks of the maximum size that CUDA reports, for a kernel with many registers.
   A kernel version that needs more registers could not be launched. */
#include <cooperative_groups.h>

#include "programs.h"

enum { ITEMS = 1 << 15, KEPT = 96, ROUNDS = 3 };

/* All of `kept` is live until the end. */
__device__ static unsigned churn(unsigned seed)
{
    unsigned kept[KEPT];

#pragma unroll
    for (int i = 0; i < KEPT; i++)
        kept[i] = seed * (2 * i + 1) + i;
    for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
        for (int i = 0; i < KEPT; i++)
            kept[i] = kept[i] * 1664525u + (kept[(i + 7) % KEPT] >> 3);
    }
    unsigned all = 0;

#pragma unroll
    for (int i = 0; i < KEPT; i++)
        all ^= kept[i];
    return all;
}

__global__ void churn_all(unsigned *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = churn(i);
}

/* Each thread reads what another CTA wrote before the barrier. */
__global__ void churn_twice(unsigned *out, unsigned *between, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;

    for (int i = first; i < n; i += all)
        between[i] = churn(i);
    grid.sync();
    for (int i = first; i < n; i += all)
        out[i] = churn(between[n - 1 - i]);
}

static bool same(const unsigned *out, bool twice)
{
    static unsigned host[ITEMS], once[ITEMS];

    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    if (!twice)
        memcpy(once, host, sizeof once);
    printf("%08x\n", checksum(host, sizeof host));
    return twice ? memcmp(once, host, sizeof host) != 0 : host[0] != host[1];
}

int main()
{
    int sms, least, threads, n = ITEMS, ctas = 0;
    unsigned *out, *between;
    cudaFuncAttributes a;
    void *args[] = {&out, &between, &n};

    CHECK(cudaMalloc(&out, ITEMS * sizeof *out));
    CHECK(cudaMalloc(&between, ITEMS * sizeof *between));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaFuncGetAttributes(&a, churn_all));
    churn_all<<<blocks_for(n, a.maxThreadsPerBlock), a.maxThreadsPerBlock>>>(out, n);
    CHECK(cudaGetLastError());
    bool right = same(out, false) && a.numRegs > 0;

    CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &threads, churn_all));
    churn_all<<<least, threads>>>(out, n);
    CHECK(cudaGetLastError());
    right = same(out, false) && right;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, churn_twice, 128, 0));
    CHECK(cudaLaunchCooperativeKernel((void *)churn_twice, ctas * sms, 128, args));
    right = same(out, true) && right;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, churn_twice, 2048, 0));
    return verdict("grid_sizes", right && ctas == 0);
}
