/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that store addresses in memory for other kernels: of array elements, through
   shared memory, of a variable, and of objects with virtual functions. */
#include "programs.h"
#include <new>
#include <vector>

/* Tables of this size are not promoted to parameters. */
enum { N = 11000, THREADS = 128 };

struct row {
    const float *first;
    int count;
};

struct shape {
    __device__ virtual float area(void) const = 0;
};

struct square : shape {
    float side;
    __device__ square(float s) : side(s) {}
    __device__ float area(void) const override { return side * side; }
};

struct strip : shape {
    float width;
    __device__ strip(float w) : width(w) {}
    __device__ float area(void) const override { return 3 * width; }
};

struct settings {
    int *out;
    int step[40];
};

__device__ float weights[N];

__global__ void make_rows(row *rows, const float *data, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        rows[i] = {data + i * width, width - i % 3};
}

__global__ void make_backwards(const float **to, const float *data, int n)
{
    __shared__ const float *staged[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    staged[threadIdx.x] = data + (n - 1 - i);
    __syncthreads();
    if (i < n)
        to[i] = staged[threadIdx.x];
}

__global__ void point_at_weights(const float **to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = &weights[i];
}

__global__ void make_shapes(char *room, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if (i % 2)
        new (room + 16 * i) square(i);
    else
        new (room + 16 * i) strip(i);
}

__global__ void sum_rows(const row *rows, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int k = 0; i < n && k < rows[i].count; k++)
        sum += rows[i].first[k];
    if (i < n)
        out[i] = sum;
}

__global__ void follow(const float *const *from, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = *from[i];
}

__global__ void measure(const char *room, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = ((const shape *)(room + 16 * i))->area();
}

/* Kernels that store no address. */
__global__ void grow(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i] = 2 * data[i] + i;
}

__global__ void steps(const __grid_constant__ settings s, const float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        s.out[i] = s.step[i % 40] + (data ? 1000 : 0);
}

static bool is_right(const char *what, const float *d_out, int n, float (*expected)(int))
{
    std::vector<float> out(n);
    bool right = true;

    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        right = right && out[i] == expected(i);
    printf("%s: %08x\n", what, checksum(out.data(), n * sizeof(float)));
    return right;
}

static float grown(int i)
{
    return 3 * i + 2;
}

int main(void)
{
    const int blocks = blocks_for(N, THREADS), width = 10, rows = N / width;
    std::vector<float> host(N);
    std::vector<int> stepped(N);
    settings s;
    float *data, *out;
    const float **table;
    row *d_rows;
    char *room;
    bool good = true;

    for (int i = 0; i < N; i++)
        host[i] = i + 1;
    for (int i = 0; i < 40; i++)
        s.step[i] = i * i;
    CHECK(cudaMalloc(&data, N * sizeof(float)));
    CHECK(cudaMalloc(&out, N * sizeof(float)));
    CHECK(cudaMalloc(&table, N * sizeof *table));
    CHECK(cudaMalloc(&d_rows, rows * sizeof(row)));
    CHECK(cudaMalloc(&room, 16 * N));
    CHECK(cudaMalloc(&s.out, N * sizeof(int)));
    CHECK(cudaMemcpy(data, host.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(weights, host.data(), N * sizeof(float)));
    make_rows<<<blocks_for(rows, 32), 32>>>(d_rows, data, width, rows);
    make_backwards<<<blocks, THREADS>>>(table, data, N);
    grow<<<blocks, THREADS>>>(data, N);
    sum_rows<<<blocks_for(rows, 32), 32>>>(d_rows, out, rows);
    good &= is_right("rows", out, rows, [](int i) {
        float sum = 0;

        for (int k = 0; k < 10 - i % 3; k++)
            sum += grown(10 * i + k);
        return sum;
    });
    follow<<<blocks, THREADS>>>(table, out, N);
    good &= is_right("backwards", out, N, [](int i) { return grown(N - 1 - i); });
    point_at_weights<<<blocks, THREADS>>>(table, N);
    for (int i = 0; i < N; i++)
        host[i] = -i;
    CHECK(cudaMemcpyToSymbol(weights, host.data(), N * sizeof(float)));
    follow<<<blocks, THREADS>>>(table, out, N);
    good &= is_right("weights", out, N, [](int i) { return (float)-i; });
    make_shapes<<<blocks, THREADS>>>(room, N);
    measure<<<blocks, THREADS>>>(room, out, N);
    good &= is_right("shapes", out, N, [](int i) { return i * (i % 2 ? (float)i : 3); });
    steps<<<blocks, THREADS>>>(s, data, N);
    CHECK(cudaMemcpy(stepped.data(), s.out, N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        good &= stepped[i] == s.step[i % 40] + 1000;
    return verdict("pointer_tables", good);
}
