/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of compiled.cu (one GPU) and by_hand.cu (several): the kernels, their
   initial arrays, and a row of the table. */
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.cuh"

__global__ void scale_add(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

__device__ inline float mean_of_four(const float *from, size_t i, int n)
{
    return 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
}

__global__ void heat(const float *from, float *to, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
        size_t i = (size_t)y * n + x;

        to[i] = mean_of_four(from, i, n);
    }
}

enum { TILE = 32 };
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int t = 0; t < n; t += TILE) {
        as[threadIdx.y][threadIdx.x] = a[(size_t)y * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(size_t)(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[(size_t)y * n + x] = sum;
}

/* Body i of n, attracted by all others. */
__device__ inline void pull(int i, const float4 *from, float4 *to, float4 *speed, int n,
                            float dt)
{
    __shared__ float4 tile[256];
    float4 me = from[i], v = speed[i];
    float ax = 0, ay = 0, az = 0;

    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = from[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f),
                  s = tile[k].w * r * r * r;

            ax += dx * s, ay += dy * s, az += dz * s;
        }
        __syncthreads();
    }
    v.x += ax * dt, v.y += ay * dt, v.z += az * dt;
    me.x += v.x * dt, me.y += v.y * dt, me.z += v.z * dt;
    to[i] = me;
    speed[i] = v;
}

__global__ void attract(const float4 *from, float4 *to, float4 *speed, int n, float dt)
{
    pull(blockIdx.x * blockDim.x + threadIdx.x, from, to, speed, n, dt);
}

/* Histogram in shared memory, then one atomic per bin. */
__global__ void histogram_shared(const uint32_t *values, uint32_t *bins, int n)
{
    __shared__ uint32_t mine[256];

    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[values[i] & 255], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* Histogram with one global atomic per element. */
enum { GLOBAL_BINS = 64 << 10 };
__global__ void histogram_global(const uint32_t *values, uint32_t *places, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&places[values[i] * 2654435761u >> 16], 1);
}

__global__ void fill(float *to, size_t n, uint32_t seed)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        uint32_t h = (uint32_t)i * 2654435761u + seed;

        h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
        to[i] = (h >> 8) * (1.0f / (1 << 24));
    }
}

struct array {
    float *at;
    size_t count;
};

static struct array make(size_t count, uint32_t seed)
{
    struct array a = {NULL, count};

    CHECK(cudaMalloc(&a.at, count * sizeof(float)));
    fill<<<1024, 256>>>(a.at, count, seed);
    return a;
}

static uint64_t hash(const std::vector<uint32_t> &words)
{
    uint64_t h = 1469598103934665603u;

    for (uint32_t v : words)
        h = (h ^ v) * 1099511628211u;
    return h;
}

static int runs = 15;

/* Some launches precede the measurement, for compilation, mapping and probes. launch()
   makes `launches` launches, wait() waits for all, result() returns the words of the
   result. */
template <class Launch, class Wait, class Result>
static void measure(const char *name, int launches, Launch launch, Wait wait, Result result)
{
    std::vector<double> us;

    for (int r = -3; r < runs; r++) {
        wait();
        auto from = std::chrono::steady_clock::now();

        launch();
        CHECK(cudaGetLastError());
        wait();
        std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - from;

        if (r >= 0)
            us.push_back(took.count() / launches);
    }
    std::sort(us.begin(), us.end());
    printf("%-15s %12.2f %12.2f %12.2f %4d  %016llx\n", name, us[us.size() / 2], us.front(),
           us.back(), runs, (unsigned long long)hash(result()));
    fflush(stdout);
}

/* Whether NAME is one of the names from argv[first] on, or none is given. */
static bool wanted(int argc, char **argv, int first, const char *name)
{
    for (int i = first; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc <= first;
}
