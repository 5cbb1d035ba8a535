/* SPDX-License-Identifier: Apache-2.0 */
/* Plain CUDA for one GPU, to be built by nvcc and by proactcc: loops of launches as
   programs have them. Prints a row a case: name, microseconds a launch (median, lowest,
   highest), runs, and a hash of the result, which is the same whoever built it. */
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "compiled: %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}
#define CHECK(call) check(call, #call)

__global__ void scale_add(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void heat(const float *from, float *to, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
        size_t i = (size_t)y * n + x;

        to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
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

__global__ void attract(const float4 *from, float4 *to, float4 *speed, int n, float dt)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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

/* Where it writes depends on data: it runs on one device. */
__global__ void count(const uint32_t *values, uint32_t *bins, int n)
{
    __shared__ uint32_t mine[256];

    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[values[i] & 255], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
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

static uint64_t hash(struct array a)
{
    std::vector<uint32_t> host(a.count);
    uint64_t h = 1469598103934665603u;

    CHECK(cudaMemcpy(host.data(), a.at, a.count * sizeof(float), cudaMemcpyDeviceToHost));
    for (uint32_t v : host)
        h = (h ^ v) * 1099511628211u;
    return h;
}

static int runs = 15;

/* Some launches first: what is compiled, mapped and tried out is not what is measured. */
template <class Launch>
static void measure(const char *name, int launches, struct array result, Launch launch)
{
    std::vector<double> us;

    for (int r = -3; r < runs; r++) {
        CHECK(cudaDeviceSynchronize());
        auto from = std::chrono::steady_clock::now();

        for (int i = 0; i < launches; i++)
            launch(i);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - from;

        if (r >= 0)
            us.push_back(took.count() / launches);
    }
    std::sort(us.begin(), us.end());
    printf("%-15s %12.2f %12.2f %12.2f %4d  %016llx\n", name, us[us.size() / 2], us.front(),
           us.back(), runs, (unsigned long long)hash(result));
    fflush(stdout);
}

static bool wanted(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc <= 2;
}

/* What a program does with memory beside kernels: copies of the host's, of either kind, in
   both directions, and allocations. */
static void measure_memory(int argc, char **argv, int shift)
{
    size_t count = (64 << 20) >> shift, bytes = count * sizeof(float);
    struct array a = make(count, 1);
    float *pinned;
    std::vector<float> plain(count, 2);

    CHECK(cudaMallocHost(&pinned, bytes));
    memset(pinned, 1, bytes);
    if (wanted(argc, argv, "upload"))
        measure("upload", 2, a, [&](int) {
            CHECK(cudaMemcpy(a.at, plain.data(), bytes, cudaMemcpyHostToDevice));
        });
    if (wanted(argc, argv, "download"))
        measure("download", 2, a, [&](int) {
            CHECK(cudaMemcpy(plain.data(), a.at, bytes, cudaMemcpyDeviceToHost));
        });
    if (wanted(argc, argv, "upload_pinned"))
        measure("upload_pinned", 4, a, [&](int) {
            CHECK(cudaMemcpyAsync(a.at, pinned, bytes, cudaMemcpyHostToDevice));
        });
    if (wanted(argc, argv, "download_pinned"))
        measure("download_pinned", 4, a, [&](int) {
            CHECK(cudaMemcpyAsync(pinned, a.at, bytes, cudaMemcpyDeviceToHost));
        });
    if (wanted(argc, argv, "upload_small"))
        measure("upload_small", 100, a, [&](int i) {
            CHECK(cudaMemcpy(a.at + i, plain.data(), 4096, cudaMemcpyHostToDevice));
        });
    if (wanted(argc, argv, "download_small"))
        measure("download_small", 100, a, [&](int i) {
            CHECK(cudaMemcpy(plain.data() + i, a.at, 4096, cudaMemcpyDeviceToHost));
        });
    if (wanted(argc, argv, "allocate"))
        measure("allocate", 10, a, [&](int) {
            void *more;

            CHECK(cudaMalloc(&more, bytes));
            CHECK(cudaFree(more));
        });
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(a.at));
}

/* compiled [SHIFT [NAME...]]: sizes are divided by 2^SHIFT */
int main(int argc, char **argv)
{
    int shift = argc > 1 ? atoi(argv[1]) : 0;

    if (shift)
        runs = 3;
    if (wanted(argc, argv, "scale_add")) {
        int n = (64 << 20) >> shift;
        struct array x = make(n, 1), y = make(n, 2);

        measure("scale_add", 10, y,
                [&](int) { scale_add<<<(n + 255) / 256, 256>>>(x.at, y.at, 0.5f, n); });
        CHECK(cudaFree(x.at));
        CHECK(cudaFree(y.at));
    }
    if (wanted(argc, argv, "heat")) {
        int n = 8192 >> shift / 2;
        struct array a = make((size_t)n * n, 1), b = make((size_t)n * n, 1);
        dim3 threads(32, 8), ctas((n + 31) / 32, (n + 7) / 8);

        measure("heat", 10, a, [&](int i) {
            heat<<<ctas, threads>>>(i % 2 ? b.at : a.at, i % 2 ? a.at : b.at, n);
        });
        CHECK(cudaFree(a.at));
        CHECK(cudaFree(b.at));
    }
    if (wanted(argc, argv, "multiply")) {
        int n = std::max(4096 >> shift / 2, 64);
        struct array a = make((size_t)n * n, 1), b = make((size_t)n * n, 2),
                     c = make((size_t)n * n, 3);
        dim3 threads(TILE, TILE), ctas(n / TILE, n / TILE);

        measure("multiply", 2, c,
                [&](int) { multiply<<<ctas, threads>>>(a.at, b.at, c.at, n); });
        CHECK(cudaFree(a.at));
        CHECK(cudaFree(b.at));
        CHECK(cudaFree(c.at));
    }
    if (wanted(argc, argv, "attract")) {
        int n = std::max((128 << 10) >> shift, 256);
        struct array p = make(4 * (size_t)n, 1), q = make(4 * (size_t)n, 2),
                     v = make(4 * (size_t)n, 3);

        measure("attract", 2, p, [&](int i) {
            attract<<<n / 256, 256>>>((float4 *)(i % 2 ? q.at : p.at),
                                      (float4 *)(i % 2 ? p.at : q.at), (float4 *)v.at, n,
                                      1e-6f);
        });
        CHECK(cudaFree(p.at));
        CHECK(cudaFree(q.at));
        CHECK(cudaFree(v.at));
    }
    if (wanted(argc, argv, "count")) {
        int n = (64 << 20) >> shift;
        struct array x = make(n, 1), bins = make(256, 0);

        measure("count", 20, bins, [&](int) {
            count<<<1056, 256>>>((uint32_t *)x.at, (uint32_t *)bins.at, n);
        });
        CHECK(cudaFree(x.at));
        CHECK(cudaFree(bins.at));
    }
    if (wanted(argc, argv, "small")) {
        int n = 16 << 10;
        struct array x = make(n, 1), y = make(n, 2);

        measure("small", shift ? 10 : 1000, y,
                [&](int) { scale_add<<<(n + 255) / 256, 256>>>(x.at, y.at, 0.5f, n); });
        CHECK(cudaFree(x.at));
        CHECK(cudaFree(y.at));
    }
    measure_memory(argc, argv, shift);
    return 0;
}
