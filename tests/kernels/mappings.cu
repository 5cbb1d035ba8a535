/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of CTAs and threads to data: swizzled, persistent, reversed, interleaved, one
   index for three dimensions; and pointers that are selected or advanced. */
#include "kernel_words.h"

enum { TILE = 16 };

WORD void fill_tile(int *out, int width, int height, int tile_x, int tile_y)
{
    int x = tile_x * TILE + threadIdx.x % TILE, y = tile_y * TILE + threadIdx.x / TILE;

    if (x < width && y < height)
        out[y * width + x] = tile_y * 1000 + tile_x;
}

/* Groups of four rows of tiles, so that consecutive CTAs access adjacent memory. */
KERNEL(swizzled_tiles, int *out, int width, int height)
{
    int across = (width + TILE - 1) / TILE, down = (height + TILE - 1) / TILE;
    int in_group = 4 * across, group = blockIdx.x / in_group, first = 4 * group;
    int rows = min(down - first, 4);

    fill_tile(out, width, height, blockIdx.x % in_group / rows,
              first + blockIdx.x % in_group % rows);
}

/* A persistent grid: each CTA takes every n-th tile. */
KERNEL(persistent_tiles, int *out, int width, int height)
{
    int across = (width + TILE - 1) / TILE, down = (height + TILE - 1) / TILE;

    for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x)
        fill_tile(out, width, height, tile % across, tile / across);
}

/* Morton order: even bits are x, odd bits are y. */
WORD int even_bits(unsigned z)
{
    z &= 0x55555555u;
    z = (z | z >> 1) & 0x33333333u;
    z = (z | z >> 2) & 0x0f0f0f0fu;
    z = (z | z >> 4) & 0x00ff00ffu;
    return (int)((z | z >> 8) & 0xffffu);
}

KERNEL(morton_tiles, int *out, int width, int height)
{
    fill_tile(out, width, height, even_bits(blockIdx.x), even_bits(blockIdx.x >> 1));
}

KERNEL(reversed_ctas, const int *in, int *out, int n)
{
    int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + 5;
}

/* Any grid and block: one index for all threads. */
KERNEL(line_of_all, int *out, long long n)
{
    long long cta = blockIdx.x +
                    (long long)gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z);
    long long i = cta * (blockDim.x * blockDim.y * blockDim.z) +
                  (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (int)(i * i);
}

/* CTAs of 64: the parts of the index have no bits in common. */
KERNEL(joined_bits, int *out, int n)
{
    unsigned i = blockIdx.x << 6 | (threadIdx.x & 63);

    if (i < n)
        out[i ^ 5] = (int)i;
}

KERNEL(walking_pointer, const float *in, float *out, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column >= columns)
        return;
    const float *from = in + column;
    float *to = out + column, *end = to + rows * columns, before = 0;

    while (to < end) {
        before = 0.5f * before + *from;
        *to = before;
        from += columns;
        to += columns;
    }
}

KERNEL(chosen_array, const int *in, int *even, int *odd, int n, int turn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *out = turn % 2 ? odd : even;

    if (i < n)
        out[i] = in[i] - turn;
}

/* Memory selects the output array. */
KERNEL(chosen_by_data, const int *in, int *high, int *low, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int *out = in[i] > 0 ? high : low;

        out[i] = in[i];
    }
}

/* A row has room for `room` entries; a loaded value gives their number. */
KERNEL(bounded_rows, const int *count, int *out, int rows, int room)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    for (int k = 0; k < min(count[r], room); k++)
        out[r * room + k] = r - k;
}

/* Batches and channels along z, windows with a border of zeros. */
KERNEL(convolve_channels, const float *in, const float *weight, float *out, int channels,
       int height, int width, int filters)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    int filter = blockIdx.z % filters, image = blockIdx.z / filters;

    if (x >= width || y >= height)
        return;
    float sum = 0;

    for (int c = 0; c < channels; c++)
        for (int ky = 0; ky < 3; ky++)
#pragma unroll
            for (int kx = 0; kx < 3; kx++) {
                int fx = x + kx - 1, fy = y + ky - 1;

                if (fx >= 0 && fx < width && fy >= 0 && fy < height)
                    sum += in[((image * channels + c) * height + fy) * width + fx] *
                           weight[((filter * channels + c) * 3 + ky) * 3 + kx];
            }
    out[((image * filters + filter) * height + y) * width + x] = sum;
}

/* Rows of a table, selected by number: one row for each CTA. */
KERNEL(embed_rows, const int *token, const float *table, float *out, int width)
{
    const float *from = table + (size_t)token[blockIdx.x] * width;

    for (int i = threadIdx.x; i < width; i += blockDim.x)
        out[(size_t)blockIdx.x * width + i] = from[i];
}

/* A CTA without work returns before the barriers. */
KERNEL(leaves_early, const int *in, int *out, int n)
{
    __shared__ int line[64];
    int first = blockIdx.x * 64;

    if (first >= n)
        return;
    line[threadIdx.x] = first + threadIdx.x < n ? in[first + threadIdx.x] : 0;
    __syncthreads();
    if (first + threadIdx.x < n)
        out[first + threadIdx.x] = line[63 - threadIdx.x];
}

/* Eight elements for each thread, sorted in a local array. */
KERNEL(sorted_runs, const int *in, int *out, int runs)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, mine[8];

    if (r >= runs)
        return;
    for (int k = 0; k < 8; k++) {
        int value = in[8 * r + k], at = k;

        for (; at > 0 && mine[at - 1] > value; at--)
            mine[at] = mine[at - 1];
        mine[at] = value;
    }
    for (int k = 0; k < 8; k++)
        out[8 * r + k] = mine[k];
}

/* Each CTA adds to a separate row in global memory. */
KERNEL(own_line_atomic, const unsigned char *in, int *lines, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&lines[blockIdx.x * 16 + in[i] % 16], 1);
}

/* Every CTA writes the first element with the same value. */
KERNEL(all_write_one, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        out[0] = n;
    if (i < n)
        out[i + 1] = in[i];
}

/* A generic store to global or shared memory, selected by data. */
KERNEL(either_space, const int *in, int *out, int n)
{
    __shared__ int line[64];
    int i = blockIdx.x * 64 + threadIdx.x, value = i < n ? in[i] : 1;

    line[threadIdx.x] = 0;
    int *to = value > 0 ? &line[threadIdx.x] : &out[i];

    *to = value;
    __syncthreads();
    if (i < n && line[63 - threadIdx.x] > 50)
        out[i] += 1;
}
