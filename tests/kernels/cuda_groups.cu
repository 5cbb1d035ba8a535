/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups: CTAs, tiles, coalesced lanes, and the grid. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

KERNEL(group_tiles, const int *in, int *out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int sum = i < n ? in[i] : 0;

    for (int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0)
        out[i / 16] = sum;
}

KERNEL(group_reduce, const int *in, int *out, int n)
{
    __shared__ int by_warp[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int most = cg::reduce(warp, i < n ? in[i] : -1000000, cg::greater<int>());

    if (warp.thread_rank() == 0)
        by_warp[warp.meta_group_rank()] = most;
    block.sync();
    if (block.thread_rank() == 0) {
        for (unsigned w = 1; w < warp.meta_group_size(); w++)
            most = max(most, by_warp[w]);
        out[blockIdx.x] = most;
    }
}

KERNEL(group_scan, const int *in, int *out, int n)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = cg::exclusive_scan(tile, i < n ? in[i] : 0);

    if (i < n)
        out[i] = sum;
}

/* The first thread of a tile gives its position. */
KERNEL(group_base, const int *in, int *out, int n)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int base = tile.shfl(i, 0), to = base + 15 - tile.thread_rank();

    if (i < n)
        out[to] = in[i];
}

/* The threads of the grid in one dimension, for any grid shape; the size has 64 bits. */
KERNEL(grid_group_stride, const int *in, int *out, int n)
{
    auto grid = cg::this_grid();

    for (int i = grid.thread_rank(); i < n; i += grid.size())
        out[i] = in[i] * 2 - i;
}

/* Coalesced lanes count with one atomic in shared memory. */
KERNEL(group_coalesced, const int *in, int *out, int n)
{
    __shared__ int count;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (i < n && in[i] > 0) {
        cg::coalesced_group met = cg::coalesced_threads();

        if (met.thread_rank() == 0)
            atomicAdd(&count, (int)met.size());
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

/* Two steps with a grid barrier between them. */
KERNEL(grid_steps, const int *in, int *middle, int *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();

    if (i < n)
        middle[i] = 2 * in[i];
    grid.sync();
    if (i < n)
        out[i] = middle[n - 1 - i] + 1;
}
