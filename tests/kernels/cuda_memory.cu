/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores with cache hints, asynchronous copies, and stores in inline assembly. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

KERNEL(streamed, const float4 *in, float4 *out, const float *by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float4 v = __ldcs(&in[i]);
        float f = __ldg(by);

        __stcs(&out[i], make_float4(v.x * f, v.y * f, v.z * f, v.w * f));
    }
}

KERNEL(assembled_store, const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value;

    if (i >= n)
        return;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(in + i) : "memory");
    asm volatile(
        "{ .reg .u64 p; cvta.to.global.u64 p, %0; st.global.cg.u32 [p], %1; }" ::"l"(out +
                                                                                     i),
        "r"(value * 3)
        : "memory");
}

/* The next tile is copied while this one is processed. */
KERNEL(tiles_ahead, const float *in, float *out, int tiles)
{
    __shared__ float tile[2][128];
    size_t first = (size_t)blockIdx.x * tiles * 128;

    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[first + threadIdx.x], sizeof(float));
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&tile[(k + 1) % 2][threadIdx.x],
                                    &in[first + (k + 1) * 128 + threadIdx.x],
                                    sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[first + k * 128 + threadIdx.x] = tile[k % 2][127 - threadIdx.x];
        __syncthreads();
    }
}

KERNEL(group_copies, const int *in, int *out, int each)
{
    extern __shared__ int line[];
    auto block = cg::this_thread_block();
    size_t first = (size_t)blockIdx.x * each;

    cg::memcpy_async(block, line, in + first, sizeof(int) * each);
    cg::wait(block);
    for (int i = block.thread_rank(); i < each; i += block.size())
        out[first + i] = line[each - 1 - i];
}
