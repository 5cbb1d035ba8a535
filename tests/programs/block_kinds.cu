/* SPDX-License-Identifier: Apache-2.0 */
/* CTAs of two kinds. The first CTAs compare a set with itself, the others a set with the
   first one; an unsigned index wraps for CTAs of the other kind. A second kernel
   accumulates products of all pairs of columns in both halves of a symmetric matrix. */
#include "programs.h"
#include <vector>

enum { BLOCK = 64, SETS = 5, POINTS = 200, COLUMNS = 160, ROWS = 12 };

__global__ void match(unsigned *near, const float *x, const float *y, unsigned sets,
                      unsigned points)
{
    const float *of_x, *of_y, *with_x, *with_y;
    unsigned of, count = 0;

    if (blockIdx.x < sets) {
        of = points * blockIdx.x;
        of_x = x + of;
        of_y = y + of;
        with_x = of_x;
        with_y = of_y;
    } else {
        of = points * (blockIdx.x - sets + 1);
        of_x = x + of;
        of_y = y + of;
        with_x = x;
        with_y = y;
    }
    for (unsigned i = threadIdx.x; i < points; i += BLOCK)
        for (unsigned k = 0; k < points; k += 7)
            count += of_x[i] - with_x[k] < 9 && of_y[i] - with_y[k] < 20;
    near[blockIdx.x * BLOCK + threadIdx.x] = count;
}

__global__ void multiply_pairs(float *products, const float *in, int columns, int rows)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i >= columns)
        return;
    for (int j = i; j < columns; j++) {
        products[i * columns + j] = 0;
        for (int row = 0; row < rows; row++)
            products[i * columns + j] += in[row * columns + i] * in[row * columns + j];
        products[j * columns + i] = products[i * columns + j];
    }
}

static std::vector<float> draw(int n, unsigned state)
{
    std::vector<float> numbers(n);

    for (float &x : numbers)
        x = (float)(next_random(&state) % 100);
    return numbers;
}

static float *push(const std::vector<float> &from)
{
    float *to;

    CHECK(cudaMalloc((void **)&to, from.size() * sizeof *to));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof *to, cudaMemcpyHostToDevice));
    return to;
}

static bool matches(void)
{
    const int ctas = 2 * SETS - 1, threads = ctas * BLOCK;
    const std::vector<float> x = draw(SETS * POINTS, 3), y = draw(SETS * POINTS, 4);
    std::vector<unsigned> got(threads);
    float *ahead = push(x), *at_x = push(x), *at_y = push(y), *behind = push(y);
    unsigned *near;
    bool right = true;

    CHECK(cudaMalloc((void **)&near, threads * sizeof *near));
    for (int r = 0; r < 2; r++)
        match<<<ctas, BLOCK>>>(near, at_x, at_y, SETS, POINTS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), near, threads * sizeof *near, cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; t++) {
        const int cta = t / BLOCK, of = cta < SETS ? cta : cta - SETS + 1;
        const int with = cta < SETS ? cta : 0;
        unsigned count = 0;

        for (int i = t % BLOCK; i < POINTS; i += BLOCK)
            for (int k = 0; k < POINTS; k += 7)
                count += x[of * POINTS + i] - x[with * POINTS + k] < 9 &&
                         y[of * POINTS + i] - y[with * POINTS + k] < 20;
        right &= got[t] == count;
    }
    printf("near: %08x\n", checksum(got.data(), threads * sizeof *near));
    for (float *p : {ahead, at_x, at_y, behind})
        CHECK(cudaFree(p));
    CHECK(cudaFree(near));
    return right;
}

static bool multiplies(void)
{
    const std::vector<float> in = draw(ROWS * COLUMNS, 7);
    std::vector<float> got(COLUMNS * COLUMNS);
    float *from = push(in), *to;
    bool right = true;

    CHECK(cudaMalloc((void **)&to, got.size() * sizeof *to));
    for (int r = 0; r < 2; r++)
        multiply_pairs<<<blocks_for(COLUMNS, BLOCK), BLOCK>>>(to, from, COLUMNS, ROWS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), to, got.size() * sizeof *to, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COLUMNS * COLUMNS; i++) {
        float sum = 0; /* of small integers */

        for (int row = 0; row < ROWS; row++)
            sum += in[row * COLUMNS + i / COLUMNS] * in[row * COLUMNS + i % COLUMNS];
        right &= got[i] == sum;
    }
    printf("products: %08x\n", checksum(got.data(), got.size() * sizeof *to));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return right;
}

int main(void)
{
    bool right = matches();

    right &= multiplies();
    return verdict("block_kinds", right);
}
