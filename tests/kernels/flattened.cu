/* SPDX-License-Identifier: Apache-2.0 */
/* One-dimensional thread index over the interior of rows, planes and volumes whose strides
   differ from their widths, with signed and unsigned numbers of 32 and 64 bits. */
#include "kernel_words.h"

template <typename T> WORD T thread_of_all()
{
    return (T)blockIdx.x * (T)blockDim.x + (T)threadIdx.x;
}

/* Mean of the left and the lower neighbour. */
template <typename T>
WORD void smooth_rows(const float *in, float *out, T width, T height, size_t pitch)
{
    T t = thread_of_all<T>();

    if (t >= width * height)
        return;
    size_t i = (size_t)(t % width) + 2, j = (size_t)(t / width) + 2;

    out[j * pitch + i] = 0.5f * (in[j * pitch + i - 1] + in[(j + 1) * pitch + i]);
}

KERNEL(flattened_int, const float *in, float *out, int width, int height, size_t pitch)
{
    smooth_rows(in, out, width, height, pitch);
}

KERNEL(flattened_unsigned, const float *in, float *out, unsigned width, unsigned height,
       size_t pitch)
{
    smooth_rows(in, out, width, height, pitch);
}

KERNEL(flattened_long, const float *in, float *out, long long width, long long height,
       size_t pitch)
{
    smooth_rows(in, out, width, height, pitch);
}

KERNEL(flattened_size, const float *in, float *out, size_t width, size_t height,
       size_t pitch)
{
    smooth_rows(in, out, width, height, pitch);
}

/* The plane is computed first or last. */
KERNEL(flattened_volume, const float *in, float *out, int width, int height, int depth,
       int pitch, int plane)
{
    int t = thread_of_all<int>();

    if (t >= width * height * depth)
        return;
    int i = t % width, j = t / width % height, k = t / (width * height);

    out[(k + 1) * plane + (j + 1) * pitch + i + 1] =
        in[(k + 1) * plane + (j + 1) * pitch + i + 1] - in[k * plane + j * pitch + i];
}

KERNEL(flattened_planes, const float *in, float *out, int width, int height, int depth,
       int pitch, int plane)
{
    int t = thread_of_all<int>();

    if (t >= width * height * depth)
        return;
    int k = t / (width * height), left = t - k * width * height;
    int j = left / width, i = left - j * width;

    out[(k + 1) * plane + (j + 1) * pitch + i + 1] =
        in[(k + 1) * plane + (j + 1) * pitch + i + 1] - in[k * plane + j * pitch + i];
}

/* Rows of 45 in rows of 52, through products; two stores for each thread. */
KERNEL(flattened_constant, const int *in, int *out, int rows)
{
    unsigned t = thread_of_all<unsigned>();

    if (t >= 45u * rows)
        return;
    unsigned i = t % 45, j = t / 45;

    out[(2 * j + 1) * 52 + i] = in[t];
    out[2 * j * 52 + i + 3] = -in[t];
}

/* Threads at the ends of a row, and in the first and last rows, have no element. */
KERNEL(flattened_margin, const int *in, int *out, int width, int height, int pitch)
{
    int t = thread_of_all<int>();
    int i = t % width, j = t / width;

    if (i > 0 && i < width - 1 && j > 0 && j < height - 1)
        out[j * pitch + i] =
            in[j * pitch + i - 1] - in[(j + 1) * pitch + i] + in[j * pitch + i];
}

/* Grid-stride loop. */
KERNEL(flattened_turns, const int *in, int *out, int width, int height, int pitch)
{
    for (int t = thread_of_all<int>(); t < width * height; t += gridDim.x * blockDim.x)
        out[t / width * pitch + t % width] = 2 * in[t / width * pitch + t % width];
}

/* Memory selects one of two arms; each arm computes the address separately. */
KERNEL(flattened_arms, const float *in, float *out, int width, int height, size_t pitch)
{
    int t = thread_of_all<int>();

    if (t >= width * height)
        return;
    size_t i = (size_t)(t % width) + 2, j = (size_t)(t / width) + 2;

    if (in[j * pitch + i] > 0)
        out[j * pitch + i] = in[j * pitch + i - 1];
    else
        out[j * pitch + i] = 2 * in[(j + 1) * pitch + i] * in[(j - 1) * pitch + i];
}
