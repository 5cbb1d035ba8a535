/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that walk down the rows of a matrix and read their settings through a pointer to
   a long struct of parameters. Compilers access such a struct by its address. */
#include "programs.h"

enum { W = 300, H = 90, BANDS = 6 };

struct rows {
    long pitch, step; /* bytes from row to row, and additional bytes in some rows */
    int height, every;
    long spare[20];
};

struct walker {
    const struct rows *rows;
    const char *at;
    int row;

    __device__ walker(const struct rows &r, const float *from, int row, int column)
        : rows(&r), at((const char *)from + row * r.pitch + column * 4), row(row)
    {
    }
    __device__ float value() const
    {
        return row < rows->height ? *(const float *)at : 0;
    }
    __device__ void go_on()
    {
        at += rows->step * (row % 3);
        row += row % 3;
        if (row % rows->every == 0) {
            at += rows->pitch;
            row++;
        }
    }
};

struct pair {
    struct rows a, b;
    const float *x, *y;
    float *sums;
};

__global__ void multiply_columns(struct pair p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= W)
        return;
    struct walker a(p.a, p.x, blockIdx.y, i), b(p.b, p.y, blockIdx.y, i);
    float sum = 0;

    for (int k = 0; k < H; k++) {
        sum += a.value() * b.value();
        a.go_on();
        b.go_on();
    }
    p.sums[blockIdx.y * W + i] = sum;
}

static void go_on(int *row, int every)
{
    *row += *row % 3;
    *row += *row % every == 0;
}

static float expected(const float *x, const float *y, int band, int column)
{
    int a = band, b = band;
    float sum = 0;

    for (int k = 0; k < H; k++) {
        sum += (a < H ? x[a * W + column] : 0) * (b < H / 2 ? y[b * W + column] : 0);
        go_on(&a, 2);
        go_on(&b, 5);
    }
    return sum;
}

int main(void)
{
    static float x[W * H], y[W * H], sums[W * BANDS];
    struct pair p = {{W * 4, W * 4, H, 2}, {W * 4, W * 4, H / 2, 5}};
    bool right = true;

    for (int i = 0; i < W * H; i++) {
        x[i] = (float)(i % 17);
        y[i] = (float)(i % 23);
    }
    CHECK(cudaMalloc((void **)&p.x, sizeof x));
    CHECK(cudaMalloc((void **)&p.y, sizeof y));
    CHECK(cudaMalloc(&p.sums, sizeof sums));
    CHECK(cudaMemcpy((void *)p.x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy((void *)p.y, y, sizeof y, cudaMemcpyHostToDevice));
    multiply_columns<<<dim3(blocks_for(W, 64), BANDS), 64>>>(p);
    CHECK(cudaMemcpy(sums, p.sums, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * BANDS; i++)
        right &= sums[i] == expected(x, y, i / W, i % W);
    printf("sums %08x\n", checksum(sums, sizeof sums));
    return verdict("row_walkers", right);
}
