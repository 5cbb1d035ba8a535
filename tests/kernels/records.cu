/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of pointers, records, vectors of two and four, tables of rows, narrow
   elements. */
#include "kernel_words.h"

struct bodies {
    float *x, *y;
    const float *vx, *vy;
    int n;
    float dt;
};

KERNEL(struct_of_pointers, struct bodies b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < b.n) {
        b.x[i] += b.dt * b.vx[i];
        b.y[i] += b.dt * b.vy[i];
    }
}

struct particle {
    float x[3];
    int kind, hits;
    float life;
};

/* Records of 24 bytes; some fields are written in place. */
KERNEL(records_in_place, struct particle *p, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    for (int d = 0; d < 3; d++)
        p[i].x[d] += step * (float)(d + 1);
    p[i].hits++;
}

struct rows {
    float *row[3];
    int n;
};

/* The grid selects the pointer. */
KERNEL(pointers_by_grid, struct rows r, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < r.n)
        r.row[blockIdx.y][i] = in[i] * (float)(blockIdx.y + 1);
}

/* A loop selects the pointer to read, and a parameter the one to write. */
KERNEL(pointers_by_number, struct rows r, int from, int count, int to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;

    if (i >= r.n)
        return;
    for (int k = from; k < count; k++)
        sum += r.row[k][i];
    r.row[to][i] = sum;
}

/* A parameter selects one of two pointers for all threads; the thread selects the
   neighbour. */
KERNEL(pointer_for_all, const float *one, const float *other, float *out, int which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from = which ? one : other + 1;

    if (i < n)
        out[i] = from[i] - from[i > 0 ? i - 1 : n - 1];
}

/* Two arrays read as if one followed the other. */
KERNEL(pointers_in_line, const float *one, const float *other, float *out, int first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    const float *from = one;

    if (i >= n)
        return;
    if (i >= first) {
        from = other;
        at = i - first;
    }
    out[i] = 2.f * from[at];
}

/* The CTA or a parameter selects one of three pointers; reads start there. */
KERNEL(pointer_of_three, const float *one, const float *other, const float *third,
       float *out, int number, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from;
    float sum = 0.f;

    if (blockIdx.x < 2)
        from = one + 2;
    else if (number > 5)
        from = other;
    else
        from = third + 1;
    if (i >= n)
        return;
    for (int k = 0; k < 3; k++)
        sum += from[i + k];
    out[i] = sum;
}

/* Two pointers in alternation. */
KERNEL(pointers_in_turn, const float *one, const float *other, float *out, int turns, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;

    if (i >= n)
        return;
    for (int k = 0; k < turns; k++)
        sum += (k & 1 ? one : other)[i];
    out[i] = sum;
}

/* Three pointers that rotate; each is written in its turn. */
KERNEL(pointers_that_turn, float *one, float *other, float *third, int turns, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        float *last = third;

        last[i] = 2.f * one[i] - other[i] + k;
        third = other;
        other = one;
        one = last;
    }
}

/* A table of pointers in memory gives the output addresses. */
KERNEL(pointers_in_memory, float *const *row, const float *in, int rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        for (int r = 0; r < rows; r++)
            row[r][i] = in[r * n + i] - 1.f;
}

KERNEL(vector_four, const float4 *__restrict__ in, float4 *__restrict__ out, float by,
       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float4 v = in[i];

        out[i] = make_float4(v.w * by, v.z * by, v.y * by, v.x * by);
    }
}

KERNEL(vector_tail, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, quads = n / 4;

    if (i < quads) {
        float4 v = reinterpret_cast<const float4 *>(in)[i];

        v.x += 1.f, v.y += 1.f, v.z += 1.f, v.w += 1.f;
        reinterpret_cast<float4 *>(out)[i] = v;
    }
    if (i < n - 4 * quads)
        out[4 * quads + i] = in[4 * quads + i] + 1.f;
}

KERNEL(vector_double, double2 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        double2 d = v[i];

        v[i] = double2{d.y, -d.x};
    }
}

KERNEL(complex_product, const float2 *a, const float2 *b, float2 *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        c[i] = make_float2(a[i].x * b[i].x - a[i].y * b[i].y,
                           a[i].x * b[i].y + a[i].y * b[i].x);
}

KERNEL(minmax_pairs, const int *a, const int *b, int2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = int2{min(a[i], b[i]), max(a[i], b[i])};
}

KERNEL(gray, const uchar3 *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    uchar3 c = in[y * width + x];

    out[y * width + x] = (unsigned char)((77 * c.x + 150 * c.y + 29 * c.z) >> 8);
}

KERNEL(short_delta, const short *in, short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (short)(in[i] - (i ? in[i - 1] : 0));
}

KERNEL(bool_marks, const int *in, bool *even, bool *large, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    even[i] = in[i] % 2 == 0;
    large[i] = in[i] > limit;
}

KERNEL(channels, const uchar4 *in, unsigned char *red, unsigned char *green,
       unsigned char *blue, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        uchar4 c = in[i];

        red[i] = c.x;
        green[i] = c.y;
        blue[i] = (unsigned char)(c.z > c.w ? c.z : c.w);
    }
}
