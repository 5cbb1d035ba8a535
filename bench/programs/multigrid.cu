/* SPDX-License-Identifier: Apache-2.0 */
/* V-cycles of geometric multigrid for the Poisson equation on N^3 cells, zero on the faces
   of the cube: weighted Jacobi sweeps, means of eight cells, trilinear prolongation. Plain
   CUDA for one GPU, for nvcc and proactcc. Prints the residual and a checksum.
   Usage: multigrid [N [CYCLES]] */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.cuh"

enum { COARSEST = 4, LARGEST = 1024, SWEEPS = 2, COARSE_SWEEPS = 32, NORM_EVERY = 10 };
enum { THREADS = 256, PER_CTA = 16 * THREADS };

/* A grid of n^3 cells: solution, its next sweep, right side times h^2, and residual. */
struct Level {
    int n;
    size_t count;
    double *u, *next, *f, *r;
};

__device__ int3 cell()
{
    return make_int3(blockIdx.x * blockDim.x + threadIdx.x,
                     blockIdx.y * blockDim.y + threadIdx.y,
                     blockIdx.z * blockDim.z + threadIdx.z);
}

__device__ size_t index_of(int x, int y, int z, int n)
{
    return ((size_t)z * n + y) * n + x;
}

/* A cell outside has the negative value of its neighbour: the face between is zero. */
__device__ double residual_at(const double *u, const double *f, int3 c, int n)
{
    size_t i = index_of(c.x, c.y, c.z, n), row = n, plane = row * n;
    double v = u[i];

    return f[i] - 6 * v + (c.x > 0 ? u[i - 1] : -v) + (c.x < n - 1 ? u[i + 1] : -v) +
           (c.y > 0 ? u[i - row] : -v) + (c.y < n - 1 ? u[i + row] : -v) +
           (c.z > 0 ? u[i - plane] : -v) + (c.z < n - 1 ? u[i + plane] : -v);
}

__global__ void start(double *f, int n)
{
    int3 c = cell();

    if (c.x < n && c.y < n && c.z < n) {
        bool is_hot = c.x * 8 / n == 1 && c.y * 8 / n == 2 && c.z * 8 / n == 4;

        f[index_of(c.x, c.y, c.z, n)] = is_hot - (c.x * 5 + c.y * 3 + c.z) % 8 / 64.0;
    }
}

__global__ void smooth(const double *u, const double *f, double *next, int n)
{
    int3 c = cell();

    if (c.x < n && c.y < n && c.z < n) {
        size_t i = index_of(c.x, c.y, c.z, n);

        next[i] = u[i] + residual_at(u, f, c, n) * (1.0 / 7);
    }
}

__global__ void residual(const double *u, const double *f, double *r, int n)
{
    int3 c = cell();

    if (c.x < n && c.y < n && c.z < n)
        r[index_of(c.x, c.y, c.z, n)] = residual_at(u, f, c, n);
}

/* One half of the sum of eight cells: their mean times the ratio of h^2, which is 4. */
__global__ void restrict_to(const double *fine, double *f, int n)
{
    int3 c = cell();

    if (c.x < n && c.y < n && c.z < n) {
        size_t row = 2 * n, plane = row * row;
        const double *a = fine + index_of(2 * c.x, 2 * c.y, 2 * c.z, 2 * n), *b = a + plane;

        f[index_of(c.x, c.y, c.z, n)] =
            0.5 * (a[0] + a[1] + a[row] + a[row + 1] + b[0] + b[1] + b[row] + b[row + 1]);
    }
}

/* The other coarse cell next to fine cell i; at a face, the same one. */
__device__ int neighbour(int i, int n)
{
    return min(max(i / 2 + i % 2 * 2 - 1, 0), n / 2 - 1);
}

__global__ void prolong(const double *coarse, double *u, int n)
{
    int3 c = cell();

    if (c.x < n && c.y < n && c.z < n) {
        int m = n / 2, x = c.x / 2, y = c.y / 2, z = c.z / 2;
        int x1 = neighbour(c.x, n), y1 = neighbour(c.y, n), z1 = neighbour(c.z, n);
        double wx = x1 == x ? -0.25 : 0.25, wy = y1 == y ? -0.25 : 0.25;
        double wz = z1 == z ? -0.25 : 0.25;
        const double *a = coarse + index_of(0, y, z, m);
        const double *b = coarse + index_of(0, y1, z, m);
        const double *d = coarse + index_of(0, y, z1, m);
        const double *e = coarse + index_of(0, y1, z1, m);
        double low = 0.75 * (0.75 * a[x] + wx * a[x1]) + wy * (0.75 * b[x] + wx * b[x1]);
        double high = 0.75 * (0.75 * d[x] + wx * d[x1]) + wy * (0.75 * e[x] + wx * e[x1]);

        u[index_of(c.x, c.y, c.z, n)] += 0.75 * low + wz * high;
    }
}

template <class T> __device__ void add_up(T value, T *sum)
{
    __shared__ T part[THREADS];

    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = part[0];
}

__global__ void add_squares(const double *r, size_t count, double *sums)
{
    size_t first = (size_t)blockIdx.x * PER_CTA, end = min(first + PER_CTA, count);
    double sum = 0;

    for (size_t i = first + threadIdx.x; i < end; i += THREADS)
        sum += r[i] * r[i];
    add_up(sum, &sums[blockIdx.x]);
}

/* One CTA, so that the order is always the same. */
__global__ void add_sums(const double *sums, int count, double *total)
{
    double sum = 0;

    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += sums[i];
    add_up(sum, total);
}

__global__ void add_hashes(const double *u, size_t count, unsigned long long *sums)
{
    size_t first = (size_t)blockIdx.x * PER_CTA, end = min(first + PER_CTA, count);
    unsigned long long sum = 0;

    for (size_t i = first + threadIdx.x; i < end; i += THREADS) {
        unsigned long long bits = __double_as_longlong(u[i]) ^ i * 0x9e3779b97f4a7c15ull;

        sum += bits * 0xff51afd7ed558ccdull >> 8;
    }
    add_up(sum, &sums[blockIdx.x]);
}

static const dim3 block(32, 4, 2);

static dim3 grid_of(int n)
{
    return dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2);
}

static int ctas_of(const Level &l)
{
    return (int)((l.count + PER_CTA - 1) / PER_CTA);
}

static double norm_of(const Level &l, double *sums, double *total)
{
    double squares;

    residual<<<grid_of(l.n), block>>>(l.u, l.f, l.r, l.n);
    add_squares<<<ctas_of(l), THREADS>>>(l.r, l.count, sums);
    add_sums<<<1, THREADS>>>(sums, ctas_of(l), total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&squares, total, sizeof squares, cudaMemcpyDeviceToHost));
    return sqrt(squares / l.count);
}

static unsigned long long checksum_of(const Level &l, double *sums)
{
    std::vector<unsigned long long> parts(ctas_of(l));
    unsigned long long total = 0;

    add_hashes<<<ctas_of(l), THREADS>>>(l.u, l.count, (unsigned long long *)sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(parts.data(), sums, parts.size() * sizeof parts[0],
                     cudaMemcpyDeviceToHost));
    for (unsigned long long part : parts)
        total += part;
    return total;
}

static void sweep(Level &l, int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        smooth<<<grid_of(l.n), block>>>(l.u, l.f, l.next, l.n);
        std::swap(l.u, l.next);
    }
}

static void cycle(std::vector<Level> &levels)
{
    size_t last = levels.size() - 1;

    for (size_t k = 0; k < last; k++) {
        Level &fine = levels[k], &coarse = levels[k + 1];

        sweep(fine, SWEEPS);
        residual<<<grid_of(fine.n), block>>>(fine.u, fine.f, fine.r, fine.n);
        restrict_to<<<grid_of(coarse.n), block>>>(fine.r, coarse.f, coarse.n);
        CHECK(cudaMemsetAsync(coarse.u, 0, coarse.count * sizeof(double)));
    }
    sweep(levels[last], COARSE_SWEEPS);
    for (size_t k = last; k-- > 0;) {
        prolong<<<grid_of(levels[k].n), block>>>(levels[k + 1].u, levels[k].u, levels[k].n);
        sweep(levels[k], SWEEPS);
    }
    CHECK(cudaGetLastError());
}

static std::vector<Level> make_levels(int n)
{
    std::vector<Level> levels;

    for (; n >= COARSEST; n /= 2) {
        Level l = {n, (size_t)n * n * n, nullptr, nullptr, nullptr, nullptr};

        for (double **array : {&l.u, &l.next, &l.f, &l.r})
            CHECK(cudaMalloc(array, l.count * sizeof(double)));
        levels.push_back(l);
    }
    start<<<grid_of(levels[0].n), block>>>(levels[0].f, levels[0].n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemset(levels[0].u, 0, levels[0].count * sizeof(double)));
    return levels;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512, cycles = argc > 2 ? atoi(argv[2]) : 20;

    if (argc > 3 || n < COARSEST || n > LARGEST || (n & (n - 1)) != 0 || cycles < 0) {
        fprintf(stderr, "usage: multigrid [N [CYCLES]], N a power of 2 from %d to %d\n",
                COARSEST, LARGEST);
        return 2;
    }
    std::vector<Level> levels = make_levels(n);
    Level &finest = levels[0];
    double *sums, *total, norm = 0;

    CHECK(cudaMalloc(&sums, ctas_of(finest) * sizeof *sums));
    CHECK(cudaMalloc(&total, sizeof *total));
    for (int c = 1; c <= cycles; c++) {
        cycle(levels);
        if (c % NORM_EVERY == 0 || c == cycles)
            norm = norm_of(finest, sums, total);
    }
    printf("multigrid: %d^3 cells, %d cycles, residual %.6e, checksum %016llx\n", n, cycles,
           norm, checksum_of(finest, sums));
    for (Level &l : levels)
        for (double *array : {l.u, l.next, l.f, l.r})
            CHECK(cudaFree(array));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(total));
    return 0;
}
