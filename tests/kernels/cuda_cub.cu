/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that use CUB for the work of a CTA. */
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

KERNEL(cub_sums, const int *in, int *out, int n)
{
    using reduce = cub::BlockReduce<int, 128>;
    __shared__ typename reduce::TempStorage scratch;
    int i = blockIdx.x * 128 + threadIdx.x;
    int sum = reduce(scratch).Sum(i < n ? in[i] : 0);

    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

KERNEL(cub_scan, const int *in, int *out, int n)
{
    using load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>;
    using scan = cub::BlockScan<int, 64>;
    __shared__ union {
        typename load::TempStorage load;
        typename store::TempStorage store;
        typename scan::TempStorage scan;
    } scratch;
    int first = blockIdx.x * 256, items[4];

    load(scratch.load).Load(in + first, items, n - first, 0);
    __syncthreads();
    scan(scratch.scan).InclusiveSum(items, items);
    __syncthreads();
    store(scratch.store).Store(out + first, items, n - first);
}

KERNEL(cub_sort, const unsigned *in, unsigned *out)
{
    using sort = cub::BlockRadixSort<unsigned, 64, 2>;
    __shared__ typename sort::TempStorage scratch;
    unsigned items[2], at = blockIdx.x * 128 + 2 * threadIdx.x;

    items[0] = in[at];
    items[1] = in[at + 1];
    sort(scratch).Sort(items, 0, 16);
    out[at] = items[0];
    out[at + 1] = items[1];
}

KERNEL(cub_warps, const float *in, float *out, int n)
{
    using reduce = cub::WarpReduce<float>;
    __shared__ typename reduce::TempStorage scratch[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
    float most = reduce(scratch[warp]).Reduce(i < n ? in[i] : -1.f, [](float a, float b) {
        return a > b ? a : b;
    });

    if (threadIdx.x % 32 == 0)
        out[i / 32] = most;
}
