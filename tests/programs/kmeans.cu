/* SPDX-License-Identifier: Apache-2.0 */
/* K-means of points with integer coordinates: the device assigns and sums by block, the
   host moves the centres. */
#include "programs.h"
#include <vector>

enum { K = 12, DIMS = 4, THREADS = 128 };

__constant__ int centres[K * DIMS];

struct Sums {
    int count[K], of[K][DIMS];
};

__host__ __device__ static int nearest(const int *point, int stride, const int *centre)
{
    int best = 0, least = 0x7fffffff;

    for (int k = 0; k < K; k++) {
        int distance = 0;

        for (int d = 0; d < DIMS; d++) {
            int by = point[d * stride] - centre[k * DIMS + d];

            distance += by * by;
        }
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

/* Points are stored by dimension. */
__global__ void assign(const int *points, int *membership, Sums *sums, int n)
{
    __shared__ Sums mine;
    int *words = (int *)&mine, i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int w = threadIdx.x; w < sizeof mine / sizeof(int); w += blockDim.x)
        words[w] = 0;
    __syncthreads();
    if (i < n) {
        int k = nearest(points + i, n, centres);

        membership[i] = k;
        atomicAdd(&mine.count[k], 1);
        for (int d = 0; d < DIMS; d++)
            atomicAdd(&mine.of[k][d], points[d * n + i]);
    }
    __syncthreads();
    for (int w = threadIdx.x; w < sizeof mine / sizeof(int); w += blockDim.x)
        ((int *)&sums[blockIdx.x])[w] = words[w];
}

static void move_centres(int *centre, const Sums *sums, int blocks)
{
    for (int k = 0; k < K; k++) {
        long count = 0, of[DIMS] = {0};

        for (int b = 0; b < blocks; b++) {
            count += sums[b].count[k];
            for (int d = 0; d < DIMS; d++)
                of[d] += sums[b].of[k][d];
        }
        for (int d = 0; count && d < DIMS; d++)
            centre[k * DIMS + d] = (int)(of[d] / count);
    }
}

int main(void)
{
    const int n = 20000, rounds = 6, blocks = blocks_for(n, THREADS);
    std::vector<int> points(n * DIMS), membership(n), expected(n);
    std::vector<Sums> sums(blocks);
    int centre[K * DIMS], check[K * DIMS], *d_points, *d_membership;
    unsigned state = 31;
    Sums *d_sums;

    for (int i = 0; i < n * DIMS; i++)
        points[i] = next_random(&state) % 1000;
    for (int i = 0; i < K * DIMS; i++)
        centre[i] = check[i] = next_random(&state) % 1000;
    CHECK(cudaMalloc(&d_points, n * DIMS * sizeof(int)));
    CHECK(cudaMalloc(&d_membership, n * sizeof(int)));
    CHECK(cudaMalloc(&d_sums, blocks * sizeof(Sums)));
    CHECK(cudaMemcpy(d_points, points.data(), n * DIMS * sizeof(int),
                     cudaMemcpyHostToDevice));
    for (int r = 0; r < rounds; r++) {
        CHECK(
            cudaMemcpyToSymbol(centres, centre, sizeof centre, 0, cudaMemcpyHostToDevice));
        assign<<<blocks, THREADS>>>(d_points, d_membership, d_sums, n);
        CHECK(
            cudaMemcpy(sums.data(), d_sums, blocks * sizeof(Sums), cudaMemcpyDeviceToHost));
        move_centres(centre, sums.data(), blocks);
    }
    CHECK(cudaMemcpy(membership.data(), d_membership, n * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int r = 0; r < rounds; r++) {
        Sums all = {};

        for (int i = 0; i < n; i++) {
            int k = expected[i] = nearest(&points[i], n, check);

            all.count[k]++;
            for (int d = 0; d < DIMS; d++)
                all.of[k][d] += points[d * n + i];
        }
        move_centres(check, &all, 1);
    }
    printf("centre 0 %d %d %d %d, checksum %08x\n", centre[0], centre[1], centre[2],
           centre[3], checksum(membership.data(), n * sizeof(int)));
    CHECK(cudaFree(d_points));
    CHECK(cudaFree(d_membership));
    CHECK(cudaFree(d_sums));
    return verdict("kmeans",
                   membership == expected && !memcmp(centre, check, sizeof check));
}
