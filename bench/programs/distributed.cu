/* SPDX-License-Identifier: Apache-2.0 */
/* Plain CUDA for one GPU, for nvcc and proactcc: indirect stores, loads and atomics, and
   two kernels whose threads access their own elements, on arrays that PROACT_DISTRIBUTE may
   distribute. Prints the rows of compiled.cu. */
#include "compiled.cuh"

struct words {
    uint32_t *at;
    size_t count;
};

static struct words make_words(size_t count)
{
    struct words w = {NULL, count};

    CHECK(cudaMalloc(&w.at, count * sizeof(uint32_t)));
    CHECK(cudaMemset(w.at, 0, count * sizeof(uint32_t)));
    return w;
}

/* Uniformly distributed indices into a table of `places` elements, a power of two. */
__global__ void place(uint32_t *where, size_t n, uint32_t places)
{
    const size_t first = blockIdx.x * blockDim.x + threadIdx.x;

    for (size_t i = first; i < n; i += gridDim.x * blockDim.x) {
        uint32_t h = (uint32_t)i * 2654435761u;

        where[i] = (h ^ h >> 15) * 2246822519u & (places - 1);
    }
}

/* One atomic per element; the sums do not depend on the order. */
__global__ void add_indirect(const uint32_t *where, float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&table[where[i]], 0.5f);
}

/* Idempotent: every store to an index has the same value. */
__global__ void store_indirect(const uint32_t *where, uint32_t *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        table[where[i]] = 3 * where[i] + 1;
}

__global__ void load_indirect(const uint32_t *where, const uint32_t *table, uint32_t *to,
                              int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = table[where[i]];
}

/* Stream compaction in any order: one value-returning atomic per warp, as compilers
   aggregate it. The hash covers the count. */
__global__ void compact(const uint32_t *where, uint32_t *kept, uint32_t *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && where[i] % 16 == 0)
        kept[atomicAdd(next, 1)] = where[i];
}

/* A sum per CTA, and one atomic for it. */
enum { DOT_THREADS = 256, DOT_ELEMENTS = 16 };
__global__ void dot(const uint32_t *where, double *sum, int n)
{
    __shared__ double part[DOT_THREADS];
    const int first = blockIdx.x * DOT_THREADS * DOT_ELEMENTS + threadIdx.x;
    double mine = 0;

    for (int k = 0; k < DOT_ELEMENTS; k++) {
        int i = first + k * DOT_THREADS;

        if (i < n)
            mine += (double)(where[i] % 8) * (where[i] / 8 % 8);
    }
    part[threadIdx.x] = mine;
    for (unsigned half = DOT_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

template <class Launch>
static void measure(const char *name, int launches, struct words result, Launch launch)
{
    measure(
        name, launches,
        [&] {
            for (int i = 0; i < launches; i++)
                launch();
        },
        [] { CHECK(cudaDeviceSynchronize()); },
        [&] {
            std::vector<uint32_t> words(result.count);

            CHECK(cudaMemcpy(words.data(), result.at, result.count * sizeof(uint32_t),
                             cudaMemcpyDeviceToHost));
            return words;
        });
}

static void measure_places(int argc, char **argv, int shift)
{
    const int n = (64 << 20) >> shift, ctas = (n + 255) / 256;
    struct words where = make_words(n), table = make_words(n), to = make_words(n),
                 next = make_words(1), sum = make_words(2);

    place<<<1024, 256>>>(where.at, n, (uint32_t)n);
    if (wanted(argc, argv, 2, "store_indirect"))
        measure("store_indirect", 4, table,
                [&] { store_indirect<<<ctas, 256>>>(where.at, table.at, n); });
    if (wanted(argc, argv, 2, "load_indirect"))
        measure("load_indirect", 4, to,
                [&] { load_indirect<<<ctas, 256>>>(where.at, table.at, to.at, n); });
    if (wanted(argc, argv, 2, "compact"))
        measure("compact", 4, next, [&] {
            CHECK(cudaMemset(next.at, 0, sizeof(uint32_t)));
            compact<<<ctas, 256>>>(where.at, to.at, next.at, n);
        });
    if (wanted(argc, argv, 2, "dot"))
        measure("dot", 4, sum, [&] {
            dot<<<(n - 1) / (DOT_THREADS * DOT_ELEMENTS) + 1, DOT_THREADS>>>(
                where.at, (double *)sum.at, n);
        });
    CHECK(cudaMemset(table.at, 0, table.count * sizeof(uint32_t)));
    if (wanted(argc, argv, 2, "add_indirect"))
        measure("add_indirect", 4, table,
                [&] { add_indirect<<<ctas, 256>>>(where.at, (float *)table.at, n); });
}

/* Kernels with own elements per thread; grid and array partitions coincide. */
static void measure_lines(int argc, char **argv, int shift)
{
    const int side = 8192 >> shift / 2, n = (64 << 20) >> shift;
    struct array x = make(n, 1), y = make(n, 2), from = make((size_t)side * side, 3),
                 to = make((size_t)side * side, 4);

    if (wanted(argc, argv, 2, "scale_add"))
        measure("scale_add", 4, {(uint32_t *)y.at, y.count},
                [&] { scale_add<<<(n + 255) / 256, 256>>>(x.at, y.at, 0.5f, n); });
    if (wanted(argc, argv, 2, "heat"))
        measure("heat", 4, {(uint32_t *)to.at, to.count}, [&] {
            dim3 grid(side / 32, side / 8);

            heat<<<grid, dim3(32, 8)>>>(from.at, to.at, side);
            std::swap(from, to);
        });
}

int main(int argc, char **argv)
{
    const int shift = argc > 1 ? atoi(argv[1]) : 0;

    measure_places(argc, argv, shift);
    measure_lines(argc, argv, shift);
    return 0;
}
