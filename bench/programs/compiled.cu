/* SPDX-License-Identifier: Apache-2.0 */
/* Plain CUDA for one GPU, for nvcc and proactcc: loops of launches. Prints one row per
   case: name, microseconds per launch (median, lowest, highest), runs, and a hash of the
   result, which is equal for all builds. */
#include "compiled.cuh"

static bool wanted(int argc, char **argv, const char *name)
{
    return wanted(argc, argv, 2, name);
}

template <class Launch>
static void measure(const char *name, int launches, struct array result, Launch launch)
{
    measure(
        name, launches,
        [&] {
            for (int i = 0; i < launches; i++)
                launch(i);
        },
        [] { CHECK(cudaDeviceSynchronize()); },
        [&] {
            std::vector<uint32_t> words(result.count);

            CHECK(cudaMemcpy(words.data(), result.at, result.count * sizeof(float),
                             cudaMemcpyDeviceToHost));
            return words;
        });
}

/* Copies of pageable and pinned host memory in both directions, and allocations. */
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

/* Independent elements, `rounds` iterations each. */
__global__ void iterate(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float v = x[i];

    for (int r = 0; r < rounds; r++)
        v = v * 0.999f + 0.001f;
    x[i] = v;
}

enum { STREAMS = 4 };

/* Streams: each one uploads, processes and downloads a part of an array; with full overlap
   the total is the time of two copies. Then kernels of a few CTAs that run concurrently. */
static void measure_streams(int argc, char **argv, int shift)
{
    int part = (16 << 20) / STREAMS >> shift, few = 2048;
    struct array a = make((size_t)part * STREAMS, 1), b = make((size_t)few * STREAMS, 2);
    cudaStream_t stream[STREAMS];
    float *pinned;

    CHECK(cudaMallocHost(&pinned, a.count * sizeof(float)));
    memset(pinned, 0, a.count * sizeof(float));
    for (cudaStream_t &s : stream)
        CHECK(cudaStreamCreate(&s));
    if (wanted(argc, argv, "pipeline"))
        measure("pipeline", 1, a, [&](int) {
            for (int s = 0; s < STREAMS; s++) {
                float *there = a.at + s * (size_t)part, *here = pinned + s * (size_t)part;

                CHECK(cudaMemcpyAsync(there, here, part * sizeof(float),
                                      cudaMemcpyHostToDevice, stream[s]));
                iterate<<<(part + 255) / 256, 256, 0, stream[s]>>>(there, part, 2000);
                CHECK(cudaMemcpyAsync(here, there, part * sizeof(float),
                                      cudaMemcpyDeviceToHost, stream[s]));
            }
        });
    if (wanted(argc, argv, "concurrent"))
        measure("concurrent", shift ? 1 : 10, b, [&](int) {
            for (int s = 0; s < STREAMS; s++)
                iterate<<<(few + 255) / 256, 256, 0, stream[s]>>>(b.at + s * (size_t)few,
                                                                  few, 20000 >> shift);
        });
    for (cudaStream_t s : stream)
        CHECK(cudaStreamDestroy(s));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(a.at));
    CHECK(cudaFree(b.at));
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
    if (wanted(argc, argv, "histogram_shared")) {
        int n = (64 << 20) >> shift;
        struct array x = make(n, 1), bins = make(256, 0);

        measure("histogram_shared", 20, bins, [&](int) {
            histogram_shared<<<1056, 256>>>((uint32_t *)x.at, (uint32_t *)bins.at, n);
        });
        CHECK(cudaFree(x.at));
        CHECK(cudaFree(bins.at));
    }
    if (wanted(argc, argv, "histogram_global")) {
        int n = (16 << 20) >> shift;
        struct array x = make(n, 1), places = make(GLOBAL_BINS, 0);

        measure("histogram_global", 20, places, [&](int) {
            histogram_global<<<4224, 256>>>((uint32_t *)x.at, (uint32_t *)places.at, n);
        });
        CHECK(cudaFree(x.at));
        CHECK(cudaFree(places.at));
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
    measure_streams(argc, argv, shift);
    return 0;
}
