/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over cells in planes of rows, with grids of one, two and three dimensions. */
#include "kernels/kernel_words.h"

/* Adds the neighbours of each cell in every direction, and its index. */
KERNEL(stars, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    int i = (z * h + y) * w + x;

    if (x >= w)
        return;
    unsigned sum = in[i] + 3 * (x + 100 * y + 10000 * z) + gridDim.y + 2 * gridDim.z;

    sum += x > 0 ? in[i - 1] : gridDim.x;
    sum += y > 0 ? 5 * in[i - w] : 1;
    sum += z > 0 ? 7 * in[i - w * h] : 2;
    sum += y < h - 1 ? 11 * in[i + w] : 3;
    sum += z < d - 1 ? 13 * in[i + w * h] : 4;
    out[i] = sum;
}

/* A thread updates one cell of each plane. */
KERNEL(rows, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned all = 0;

    if (x >= w)
        return;
    for (int z = 0; z < d; z++)
        all += in[(z * h + y) * w + x];
    for (int z = 0; z < d; z++)
        out[(z * h + y) * w + x] = all + z;
}

/* A thread updates one cell. */
KERNEL(each, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (x < w && z < d)
        out[(z * h + y) * w + x] = 5 * in[(z * h + y) * w + x] + 1;
}

/* Copies from the first plane to every plane. */
KERNEL(spreads, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (x < w && z < d)
        out[(z * h + y) * w + x] = in[y * w + x] + z;
}

/* Four rows of CTAs add to the same cells, and all read cells that no CTA writes. They must
   run on one device. */
KERNEL(halves, unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    int own = (z * h + y) * w + x;

    if (x >= w || z >= d)
        return;
    in[own] = in[own] + 1;
    atomicAdd(&out[(z * h + y / 4) * w + x], in[own] + out[(z * h + h - 1) * w + x]);
}

/* Reads the same cell, and for two planes the cell on the opposite side. */
KERNEL(mirrors, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    int i = (z * h + y) * w + x;

    if (x >= w || z >= d)
        return;
    out[i] = in[i];
    if (z < 2)
        out[i] += in[(z * h + h - 1 - y) * w + x];
}

/* Adds to the previous value. */
KERNEL(adds, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (x < w && z < d)
        out[(z * h + y) * w + x] += in[y * w + x] + z;
}

/* Adds seven rows to one. A split by planes keeps the sum on one device. */
KERNEL(sums, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (x < w && z < d)
        atomicAdd(&out[(z * h + y / 7) * w + x], in[(z * h + y) * w + x]);
}

/* A CTA updates one plane. */
KERNEL(slices, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int z = blockIdx.x;

    if (z >= d)
        return;
    for (int i = threadIdx.x; i < w * h; i += blockDim.x)
        out[z * w * h + i] = 3 * in[z * w * h + i] + z;
}

/* Like `each`, but the order of CTAs may be visible. */
KERNEL(each_takes, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (x < w && z < d)
        atomicExch((int *)&out[(z * h + y) * w + x], 5 * in[(z * h + y) * w + x] + 1);
}

/* A thread updates one column of all rows. */
KERNEL(columns, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = 0;

    if (x >= w)
        return;
    for (int i = x; i < w * h * d; i += w)
        out[i] = all = all / 2 + in[i];
}

/* A thread updates one row of a plane. Each end reads the neighbour of the opposite end. */
KERNEL(ends, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y;
    unsigned *row = out + (z * h + y) * w;

    if (y >= h)
        return;
    row[0] = row[w - 2];
    row[w - 1] = row[1];
}

/* A thread updates one row in one plane, next to its ends. */
KERNEL(beside_ends, const unsigned *in, unsigned *out, int w, int h, int d)
{
    int z = threadIdx.x, y = blockIdx.x;
    unsigned *row = out + (z * h + y) * w;

    if (z >= d)
        return;
    row[1] += 3 * row[0] + z;
    row[w - 2] += 5 * row[w - 1] + y;
}
