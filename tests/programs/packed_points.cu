/* SPDX-License-Identifier: Apache-2.0 */
/* Points of three floats, one for each thread: stores with a distance of 12 bytes, and one
   byte for each point. Every iteration reads the other half of the points. Usage:
   packed_points POINTS ROUNDS */
#include "programs.h"
#include <utility>

struct point {
    float x, y, z;
};

__global__ void turn(const point *from, point *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    point p = from[i < n - n / 2 ? i + n / 2 : i - (n - n / 2)];

    to[i].x = p.y;
    to[i].y = p.z;
    to[i].z = p.x + 1;
}

__global__ void mark(const point *points, unsigned char *high, int n, float level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        high[i] = points[i].z > level;
}

static void turn_on_host(const point *from, point *to, int n)
{
    for (int i = 0; i < n; i++) {
        const point *p = &from[i < n - n / 2 ? i + n / 2 : i - (n - n / 2)];

        to[i].x = p->y;
        to[i].y = p->z;
        to[i].z = p->x + 1;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100003, rounds = argc > 2 ? atoi(argv[2]) : 7;
    size_t bytes = n * sizeof(point);
    point *from = (point *)malloc(bytes), *to = (point *)malloc(bytes), *d_from, *d_to;
    unsigned char *high = (unsigned char *)malloc(n), *d_high;
    const float level = 30000;
    unsigned state = 1;
    bool right = true;
    float ms;
    cudaEvent_t start, stop;

    for (int i = 0; i < n; i++) {
        from[i].x = (float)(next_random(&state) & 0xffff);
        from[i].y = (float)(next_random(&state) & 0xffff);
        from[i].z = (float)i;
    }
    CHECK(cudaMalloc(&d_from, bytes));
    CHECK(cudaMalloc(&d_to, bytes));
    CHECK(cudaMalloc(&d_high, n));
    CHECK(cudaMemcpy(d_from, from, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < rounds; i++) {
        if (i == rounds / 2) /* the first iterations train the consumer prediction */
            CHECK(cudaEventRecord(start));
        turn<<<blocks_for(n, 256), 256>>>(d_from, d_to, n);
        std::swap(d_from, d_to);
    }
    CHECK(cudaEventRecord(stop));
    mark<<<blocks_for(n, 512), 512>>>(d_from, d_high, n, level);
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(to, d_from, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(high, d_high, n, cudaMemcpyDeviceToHost));
    printf("%d points, checksum %08x, %08x\n", n, checksum(to, bytes), checksum(high, n));
    fprintf(stderr, "%.4f ms a round\n", ms / (rounds - rounds / 2));
    point *got = (point *)malloc(bytes);

    memcpy(got, to, bytes);
    for (int i = 0; i < rounds; i++) {
        turn_on_host(from, to, n);
        std::swap(from, to);
    }
    for (int i = 0; i < n; i++)
        right = right && high[i] == (from[i].z > level);
    return verdict("packed_points", right && memcmp(got, from, bytes) == 0);
}
