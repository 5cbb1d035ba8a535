/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit indices in memory, of a sparse matrix and of the rows of a table, with 64-bit
   sizes; and pointers in memory that are used only by their distance from an array. */
#include "programs.h"
#include <vector>

enum { N = 4000, THREADS = 128 };

__global__ void multiply(const size_t *first, const long *column, const float *value,
                         const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (size_t k = first[i]; k < first[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}

/* The loaded pointers belong to device 0: their distance from an argument is not a valid
   index on other devices. */
__global__ void by_distance(const float *const *links, const float *from, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = from[links[i] - from + 1];
}

/* The same in bytes, with a size from the parameters. */
__global__ void by_bytes(const char *const *links, const char *from, float *out, long bytes,
                         long stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = *(const float *)(from + ((links[i] - from) / bytes + 1) * stride);
}

__global__ void look_up(const long *row, const float *table, float *out, long width,
                        long stride, long count)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;

    if (i < count * width)
        out[i] = table[row[i / width] * stride + i % width];
}

template <class T> static T *on_device(const std::vector<T> &host)
{
    T *p;

    CHECK(cudaMalloc(&p, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

static bool holds(const char *what, const float *d, const std::vector<float> &host)
{
    std::vector<float> is(host.size());

    CHECK(cudaMemcpy(is.data(), d, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%s: %08x\n", what, checksum(is.data(), host.size() * sizeof(float)));
    return is == host;
}

int main(void)
{
    const int blocks = blocks_for(N, THREADS);
    std::vector<size_t> first(N + 1);
    std::vector<long> column;
    std::vector<float> value, x(N + 1), y(N), z(N);
    std::vector<const float *> links(N);
    unsigned state = 11;

    for (int i = 0; i < N; i++) {
        for (unsigned k = next_random(&state) % 9; k > 0; k--) {
            column.push_back(next_random(&state) % N);
            value.push_back(next_random(&state) % 8);
        }
        first[i + 1] = column.size();
        x[i] = next_random(&state) % 16;
    }
    for (int i = 0; i < N; i++)
        for (size_t k = first[i]; k < first[i + 1]; k++)
            y[i] += value[k] * x[column[k]];
    const float *d_x = on_device(x);
    float *d_y = on_device(z);

    multiply<<<blocks, THREADS>>>(on_device(first), on_device(column), on_device(value),
                                  d_x, d_y, N);
    bool good = holds("products", d_y, y);

    for (int i = 0; i < N; i++) {
        z[i] = x[column[i] + 1];
        links[i] = d_x + column[i];
    }
    by_distance<<<blocks, THREADS>>>(on_device(links), d_x, d_y, N);
    good &= holds("distances", d_y, z);
    by_bytes<<<blocks, THREADS>>>((const char **)on_device(links), (const char *)d_x, d_y,
                                  sizeof(float), sizeof(float), N);
    good &= holds("distances in bytes", d_y, z);
    for (int i = 0; i < N; i++) {
        column[i] %= N / 10;
        z[i] = x[column[i / 7] * 10 + i % 7];
    }
    look_up<<<blocks, THREADS>>>(on_device(column), d_x, d_y, 7, 10, N / 7);
    CHECK(cudaMemcpy(d_y + N / 7 * 7, &z[N / 7 * 7], N % 7 * sizeof(float),
                     cudaMemcpyHostToDevice));
    good &= holds("rows", d_y, z);
    return verdict("wide_indices", good);
}
