/* SPDX-License-Identifier: Apache-2.0 */
/* CTAs in clusters that use each other's shared memory: a histogram with a part of the bins
   in each CTA, sums collected in the first CTA, and a stencil that reads the boundaries of
   adjacent tiles. */
#include <cooperative_groups.h>

#include "programs.h"

namespace cg = cooperative_groups;

enum { N = 1 << 16, THREADS = 128, BINS = 1024, SHARE = 4, TILE = 16, SIDE = 128 };

/* The CTA of rank r has the bins from r * `each` on. */
__global__ void count_bins(const int *in, int n, int *bins, int each)
{
    extern __shared__ int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    int *own = bins + cluster.block_rank() * each;

    for (int i = threadIdx.x; i < each; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(mine, in[i] / each) + in[i] % each, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&own[i], mine[i]);
}

__global__ void __cluster_dims__(8, 1, 1) add_up(const int *in, int *out)
{
    __shared__ int sums[THREADS / 32], sum;
    cg::cluster_group cluster = cg::this_cluster();
    int all = in[blockIdx.x * THREADS + threadIdx.x];

    for (int step = 16; step; step /= 2)
        all += __shfl_down_sync(~0u, all, step);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = all;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < THREADS / 32; i++)
            sum += sums[i];
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        int total = 0;

        for (unsigned r = 0; r < cluster.num_blocks(); r++)
            total += *cluster.map_shared_rank(&sum, r);
        out[blockIdx.x / cluster.num_blocks()] = total;
    }
    cluster.sync();
}

/* A cell of the grid: in this tile, in another tile of the cluster, or in global memory. */
__device__ static int cell(const cg::cluster_group &cluster, int (*tile)[TILE],
                           const int *in, int x, int y)
{
    dim3 across = cluster.dim_blocks(), first = cluster.block_index();
    int left = (blockIdx.x - first.x) * TILE, top = (blockIdx.y - first.y) * TILE;
    int in_x = x - left, in_y = y - top;

    if (x < 0 || y < 0 || x >= SIDE || y >= SIDE)
        return 0;
    if (in_x < 0 || in_y < 0 || in_x >= int(across.x) * TILE ||
        in_y >= int(across.y) * TILE)
        return in[y * SIDE + x];
    unsigned rank = in_y / TILE * across.x + in_x / TILE;

    return *cluster.map_shared_rank(&tile[in_y % TILE][in_x % TILE], rank);
}

__global__ void __cluster_dims__(2, 4, 1) blur(const int *in, int *out)
{
    __shared__ int tile[TILE][TILE];
    cg::cluster_group cluster = cg::this_cluster();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    cluster.sync();
    int sides = cell(cluster, tile, in, x - 1, y) + cell(cluster, tile, in, x + 1, y);

    sides += cell(cluster, tile, in, x, y - 1) + cell(cluster, tile, in, x, y + 1);
    out[y * SIDE + x] = 4 * tile[threadIdx.y][threadIdx.x] + sides;
    cluster.sync();
}

static bool counts_right(const int *host, const int *in, int *bins)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};
    int expected[BINS] = {0}, is[BINS];

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = SHARE;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = 32;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = BINS / SHARE * sizeof(int);
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaMemset(bins, 0, sizeof is));
    CHECK(cudaLaunchKernelEx(&config, count_bins, in, int(N), bins, int(BINS / SHARE)));
    CHECK(cudaMemcpy(is, bins, sizeof is, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        expected[host[i]]++;
    return !memcmp(is, expected, sizeof is);
}

static bool sums_right(const int *host, const int *in, int *out)
{
    enum { EACH = 8 * THREADS };
    int is[N / EACH];
    bool right = true;

    add_up<<<N / THREADS, THREADS>>>(in, out);
    CHECK(cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost));
    for (int c = 0; c < N / EACH; c++) {
        int sum = 0;

        for (int i = 0; i < EACH; i++)
            sum += host[c * EACH + i];
        right &= is[c] == sum;
    }
    return right;
}

static bool blurs_right(const int *host, const int *in, int *out)
{
    static int is[SIDE * SIDE];
    bool right = true;

    blur<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(in, out);
    CHECK(cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int *at = host + y * SIDE + x;

            right &= is[y * SIDE + x] ==
                     4 * *at + (x ? at[-1] : 0) + (x < SIDE - 1 ? at[1] : 0) +
                         (y ? at[-SIDE] : 0) + (y < SIDE - 1 ? at[SIDE] : 0);
        }
    return right;
}

int main()
{
    static int host[N];
    int *in, *out;
    unsigned state = 7;

    for (int i = 0; i < N; i++)
        host[i] = next_random(&state) % BINS;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    bool counts = counts_right(host, in, out), sums = sums_right(host, in, out);
    bool blurs = blurs_right(host, in, out);

    printf("counts %d, sums %d, blurs %d\n", counts, sums, blurs);
    return verdict("shared_clusters", counts && sums && blurs);
}
