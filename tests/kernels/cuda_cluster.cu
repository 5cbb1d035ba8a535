/* SPDX-License-Identifier: Apache-2.0 */
/* Features of sm_90 and later: CTAs in clusters, and bulk stores. */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

/* CTAs of a pair read each other's shared memory. */
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_pairs(const int *in, int *out, int n)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&sum, in[i]);
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum + *cluster.map_shared_rank(&sum, cluster.block_rank() ^ 1);
    cluster.sync();
}

/* 64 results in one store of 256 bytes. */
KERNEL(bulk_store, const int *in, int *out)
{
    __shared__ alignas(128) int line[64];
    int first = blockIdx.x * 64;

    line[threadIdx.x] = 7 * in[first + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\n"
            "cp.async.bulk.commit_group;\n"
            "cp.async.bulk.wait_group 0;" ::"l"(__cvta_generic_to_global(out + first)),
            "r"((unsigned)__cvta_generic_to_shared(line))
            : "memory");
}
