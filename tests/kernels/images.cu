/* SPDX-License-Identifier: Apache-2.0 */
/* Two dimensions: filters with halos, borders of every kind, tiles, rows with a pitch. */
#include "kernel_words.h"

enum { RADIUS = 3, TILE_X = 16, TILE_Y = 8 };

__constant__ float taps[2 * RADIUS + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};

KERNEL(convolve_rows, const float *in, float *out, int width, int height)
{
    __shared__ float line[TILE_Y][TILE_X + 2 * RADIUS];
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    int row = min(y, height - 1) * width;

    for (int k = threadIdx.x; k < TILE_X + 2 * RADIUS; k += TILE_X) {
        int from = (int)(blockIdx.x * TILE_X) + k - RADIUS;

        line[threadIdx.y][k] = in[row + min(max(from, 0), width - 1)];
    }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    float sum = 0;

#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += taps[k] * line[threadIdx.y][threadIdx.x + k];
    out[y * width + x] = sum;
}

/* Outside the image all values are zero. */
KERNEL(convolve_columns, const float *__restrict__ in, float *__restrict__ out, int width,
       int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;

    if (x >= width)
        return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        float sum = 0;

        for (int k = -RADIUS; k <= RADIUS; k++)
            if (y + k >= 0 && y + k < height)
                sum += taps[k + RADIUS] * in[(y + k) * width + x];
        out[y * width + x] = sum;
    }
}

KERNEL(diffuse_tile, const float *in, float *out, int width, int height)
{
    __shared__ float t[TILE_Y + 2][TILE_X + 2];
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, i = y * width + x;
    bool inside = x < width && y < height;

    if (inside) {
        t[ty][tx] = in[i];
        if (tx == 1 && x > 0)
            t[ty][0] = in[i - 1];
        if (tx == TILE_X && x < width - 1)
            t[ty][TILE_X + 1] = in[i + 1];
        if (ty == 1 && y > 0)
            t[0][tx] = in[i - width];
        if (ty == TILE_Y && y < height - 1)
            t[TILE_Y + 1][tx] = in[i + width];
    }
    __syncthreads();
    if (inside && x > 0 && y > 0 && x < width - 1 && y < height - 1)
        out[i] = t[ty][tx] + 0.1f * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] +
                                     t[ty + 1][tx] - 4.f * t[ty][tx]);
    else if (inside)
        out[i] = in[i];
}

/* The test for the interior is a predicate that joins two paths. */
KERNEL(slope_tile, const int *in, int *out, int width, int height)
{
    __shared__ int t[TILE_Y + 1][TILE_X + 1];
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, i = y * width + x;
    bool inside = false;

    if (x < width && y < height) {
        inside = true;
        if (tx == 1) {
            if (x == 0)
                t[ty][0] = 7;
            else
                t[ty][0] = in[i - 1];
        }
        if (ty == 1) {
            if (y == 0)
                t[0][tx] = 9;
            else
                t[0][tx] = in[i - width];
        }
        t[ty][tx] = in[i];
    }
    __syncthreads();
    if (inside)
        out[i] = 2 * t[ty][tx] - t[ty][tx - 1] - t[ty - 1][tx];
}

KERNEL(life_periodic, const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    int alive = 0;

    if (x >= width || y >= height)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

enum { PITCH = 128 };

KERNEL(constant_stride, const float (*in)[PITCH], float (*out)[PITCH], int rows)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;

    if (y < rows)
        for (; x < PITCH - 1; x += blockDim.x)
            out[y][x + 1] = in[y][x] + in[y][PITCH - 1 - x];
}

KERNEL(clamped_box, const int *in, int *out, int width, int height, int reach)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;

    if (x >= width || y >= height)
        return;
    for (int j = max(y - reach, 0); j <= min(y + reach, height - 1); j++)
        for (int i = max(x - reach, 0); i <= min(x + reach, width - 1); i++)
            sum += in[j * width + i];
    out[y * width + x] = sum;
}

/* Tiles of 32 by 32, processed by CTAs of 32 by 8; one more column avoids bank
   conflicts. */
KERNEL(transpose_padded, const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int k = 0; k < 32; k += 8)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < height && y + k < width)
            out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

struct pool {
    int channels, height, width, window, stride, pad, out_height, out_width;
};

KERNEL(max_pool, const float *in, float *out, struct pool p)
{
    int total = p.channels * p.out_height * p.out_width;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total;
         i += blockDim.x * gridDim.x) {
        int ox = i % p.out_width, oy = i / p.out_width % p.out_height,
            c = i / p.out_width / p.out_height;
        float most = -1e30f;

        for (int ky = 0; ky < p.window; ky++) {
            int y = oy * p.stride - p.pad + ky;

            if (y < 0 || y >= p.height)
                continue;
            for (int kx = 0; kx < p.window; kx++) {
                int x = ox * p.stride - p.pad + kx;

                if (x >= 0 && x < p.width)
                    most = fmaxf(most, in[(c * p.height + y) * p.width + x]);
            }
        }
        out[i] = most;
    }
}

/* Each thread writes a square of four elements. */
KERNEL(double_size, const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    unsigned char v = in[y * width + x], next = in[y * width + min(x + 1, width - 1)];
    unsigned char *to = out + 4 * y * width + 2 * x;

    to[0] = v;
    to[1] = (unsigned char)((v + next) / 2);
    to[2 * width] = v;
    to[2 * width + 1] = next;
}

KERNEL(mandelbrot, int *out, int width, int height, float left, float top, float step,
       int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    float cr = left + (float)x * step, ci = top + (float)y * step, r = 0, i = 0;
    int n = 0;

    while (n < limit && r * r + i * i < 4.f) {
        float next = r * r - i * i + cr;

        i = 2.f * r * i + ci;
        r = next;
        n++;
    }
    out[y * width + x] = n;
}

/* Rows with the pitch of cudaMallocPitch(). */
KERNEL(pitched_rows, const char *in, size_t in_pitch, char *out, size_t out_pitch,
       int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;

    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height;
         y += gridDim.y * blockDim.y)
        if (x < width)
            ((int *)(out + y * out_pitch))[x] = 2 * ((const int *)(in + y * in_pitch))[x];
}

/* A push lattice gas: each particle is stored at the neighbour in its direction, with
   periodic borders. */
KERNEL(lattice_push, const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = width * height, i = y * width + x;

    if (x >= width || y >= height)
        return;
    int right = x + 1 == width ? 0 : x + 1, left = x ? x - 1 : width - 1;
    int down = y + 1 == height ? 0 : y + 1, up = y ? y - 1 : height - 1;
    float sum = 0;

    for (int d = 0; d < 5; d++)
        sum += in[d * plane + i];
    sum *= 0.2f;
    out[i] = in[i] + 0.5f * (sum - in[i]);
    out[plane + y * width + right] = sum;
    out[2 * plane + y * width + left] = sum;
    out[3 * plane + down * width + x] = sum;
    out[4 * plane + up * width + x] = sum;
}

/* Down each column and up again; a compiler unrolls it by two. */
KERNEL(there_and_back, const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    if (x >= width)
        return;
    in += x;
    out += x;
    for (int y = 0; y < height; y++) {
        sum += *in;
        *out = sum;
        in += width;
        out += width;
    }
    in -= width;
    out -= width;
    sum = 3 * *in;
#pragma unroll 2
    for (int y = height - 1; y >= 0; y--) {
        sum -= *in;
        *out += sum;
        in -= width;
        out -= width;
    }
}
