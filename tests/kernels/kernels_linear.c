/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/kernels_fill.h"

static const double reordered = 1e-4;

void kernel_gemm_tiled(struct samples_case *c, bool large)
{
    int m = kernels_size(c, large, 37), n = 45, k = 29 + kernels_step(c);
    const float *a = kernels_floats(c, "a", (m * k)), *b = kernels_floats(c, "b", (k * n));

    kernels_floats(c, "c", (m * n));
    float *p = samples_output(c, reordered);

    for (int i = 0; i < m * n; i++) {
        double sum = 0;

        for (int l = 0; l < k; l++)
            sum += (double)a[i / n * k + l] * (double)b[l * n + i % n];
        p[i] = (float)(1.5 * sum + 0.5 * (double)p[i]);
    }
    samples_pass_all(c);
    samples_pass_int(c, m);
    samples_pass_int(c, n);
    samples_pass_int(c, k);
    samples_pass_float(c, 1.5f);
    samples_pass_float(c, 0.5f);
    kernels_box(c, (const int[]){n, m, 1}, (const int[]){16, 16, 1});
}

static double *doubles(struct samples_case *c, const char *name, int count)
{
    double *d = kernels_add(c, name, SAMPLES_F64, count);
    uint32_t state = c->seed + c->array_count;

    for (int i = 0; i < count; i++)
        d[i] = (double)(kernels_draw(&state) % 1000) / 500 - 1;
    return d;
}

void kernel_gemm_registers(struct samples_case *c, bool large)
{
    int m = kernels_size(c, large, 31), n = 43, k = 18, lda = k + 2, ldb = n + 1,
        ldc = n + 3;
    const double *a = doubles(c, "a", m * lda), *b = doubles(c, "b", k * ldb);
    double *p = kernels_zeros(c, "c", SAMPLES_F64, (m * ldc), 1e-12);

    for (int i = 0; i < m * n; i++)
        for (int l = 0; l < k; l++)
            p[i / n * ldc + i % n] += a[i / n * lda + l] * b[l * ldb + i % n];
    const int leading[] = {lda, ldb, ldc};

    for (int i = 0; i < 3; i++) {
        samples_pass_array(c, i);
        samples_pass_int(c, leading[i]);
    }
    samples_pass_int(c, m);
    samples_pass_int(c, n);
    samples_pass_int(c, k);
    kernels_box(c, (const int[]){n, samples_parts(m, 4), 1}, (const int[]){32, 2, 1});
}

void kernel_gemm_batched(struct samples_case *c, bool large)
{
    int count = kernels_size(c, large, 13), size = 11, stride = size * size + 7;
    const float *a = kernels_floats(c, "a", (count * stride)),
                *b = kernels_floats(c, "b", (count * stride));
    float *p = kernels_zeros(c, "c", SAMPLES_F32, (count * stride), reordered);

    for (int i = 0; i < count * size * size; i++) {
        int at = i / (size * size) * stride, row = i / size % size, column = i % size;

        for (int k = 0; k < size; k++)
            p[at + row * size + column] +=
                a[at + row * size + k] * b[at + k * size + column];
    }
    samples_pass_all(c);
    samples_pass_int(c, size);
    samples_pass_int(c, stride);
    samples_grid(c, count, 1, 8, 4);
}

void kernel_gemv_warps(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 77), columns = 101;
    const float *a = kernels_floats(c, "a", (rows * columns)),
                *x = kernels_floats(c, "x", columns);
    float *y = kernels_zeros(c, "y", SAMPLES_F32, rows, reordered);

    for (int i = 0; i < rows * columns; i++)
        y[i / columns] += a[i] * x[i % columns];
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    kernels_line(c, 32 * rows, 128);
}

void kernel_rank_one(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 41), columns = 67;
    int n = (rows * columns);

    kernels_floats(c, "a", n);
    float *a = samples_output(c, 1e-6);
    const float *x = kernels_floats(c, "x", rows), *y = kernels_floats(c, "y", columns);

    for (int i = 0; i < rows * columns; i++)
        a[i] += 0.75f * x[i / columns] * y[i % columns];
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    samples_pass_float(c, 0.75f);
    kernels_box(c, (const int[]){columns, rows, 1}, (const int[]){32, 4, 1});
}

/* A symmetric, diagonally dominant matrix, which needs no pivots. */
static int system_of(struct samples_case *c, bool large, float **a)
{
    int n = kernels_size(c, large, 53);
    float *before = kernels_floats(c, "a", (n * n));

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            before[i * n + j] = i == j ? (float)n : 1.f / (float)(1 + i + j);
    *a = samples_output(c, 1e-5);
    samples_pass_all(c);
    samples_pass_int(c, n);
    return n;
}

void kernel_lu_column(struct samples_case *c, bool large)
{
    float *a;
    int n = system_of(c, large, &a), k = 5 + kernels_step(c);

    for (int i = k + 1; i < n; i++)
        a[i * n + k] /= a[k * n + k];
    samples_pass_int(c, k);
    kernels_line(c, n - k - 1, 32);
}

void kernel_lu_trailing(struct samples_case *c, bool large)
{
    float *a;
    int n = system_of(c, large, &a), k = 5 + kernels_step(c);

    for (int i = k + 1; i < n; i++)
        for (int j = k + 1; j < n; j++)
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
    samples_pass_int(c, k);
    kernels_box(c, (const int[]){n - k - 1, n - k - 1, 1}, (const int[]){16, 8, 1});
}

void kernel_cholesky_diagonal(struct samples_case *c, bool large)
{
    enum { BLOCK = 16 };
    float *a;
    int n = system_of(c, large, &a), at = 3 + kernels_step(c);
    float *s = a + at * n + at;

    for (int k = 0; k < BLOCK; k++) {
        s[k * n + k] = sqrtf(s[k * n + k]);
        for (int i = k + 1; i < BLOCK; i++)
            s[i * n + k] /= s[k * n + k];
        for (int i = k + 1; i < BLOCK; i++)
            for (int j = k + 1; j <= i; j++)
                s[i * n + j] -= s[i * n + k] * s[j * n + k];
    }
    samples_pass_int(c, at);
    samples_grid(c, 1, 1, BLOCK, BLOCK);
}

void kernel_cholesky_update(struct samples_case *c, bool large)
{
    enum { BLOCK = 16 };
    float *a;
    int n = system_of(c, large, &a), at = 2 + kernels_step(c), first = at + BLOCK;

    for (int i = first; i < n; i++)
        for (int j = first; j <= i; j++)
            for (int k = at; k < first; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
    samples_pass_int(c, at);
    kernels_box(c, (const int[]){n - first, n - first, 1}, (const int[]){16, 8, 1});
}

void kernel_tridiagonal(struct samples_case *c, bool large)
{
    int systems = kernels_size(c, large, 150), n = 19;
    int all = (systems * n);
    float *below = kernels_floats(c, "below", all),
          *diagonal = kernels_floats(c, "diagonal", all),
          *above = kernels_floats(c, "above", all);
    float *scratch = kernels_zeros(c, "scratch", SAMPLES_F32, all, 1e-5);

    kernels_floats(c, "x", all);
    float *x = samples_output(c, 1e-5);

    for (int i = 0; i < systems * n; i++)
        diagonal[i] += 3.f;
    for (int s = 0; s < systems; s++) {
        for (int at = s; at < systems * n; at += systems) {
            float left = at == s ? 0 : below[at];
            float by = diagonal[at] - (at == s ? 0 : left * scratch[at - systems]);

            scratch[at] = above[at] / by;
            x[at] = (x[at] - (at == s ? 0 : left * x[at - systems])) / by;
        }
        for (int at = s + systems * (n - 2); at >= 0; at -= systems)
            x[at] -= scratch[at] * x[at + systems];
    }
    samples_pass_all(c);
    samples_pass_int(c, systems);
    samples_pass_int(c, n);
    kernels_line(c, systems, 64);
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

void kernel_align_diagonal(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 71), diagonal = n + 9 - 40 * (kernels_step(c) & 1),
        gap = 3;

    kernels_ints(c, "score", (n * n), -20, 20);
    int32_t *score = samples_output(c, 0);
    const unsigned char *first = kernels_octets(c, "first", n, 4),
                        *second = kernels_octets(c, "second", n, 4);
    int low = most(1, diagonal - n + 1), high = diagonal - 1 < n - 1 ? diagonal - 1 : n - 1;

    for (int i = low; i <= high; i++) {
        int j = diagonal - i, at = i * n + j;

        score[at] = most(score[at - n - 1] + (first[i - 1] == second[j - 1] ? 2 : -1),
                         most(score[at - n], score[at - 1]) - gap);
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, diagonal);
    samples_pass_int(c, gap);
    kernels_line(c, high - low + 1, 32);
}

void kernel_columns_walked(struct samples_case *c, bool large)
{
    int columns = kernels_size(c, large, 400), rows = 3 + columns % 21;
    int pitch = columns + 300;
    const int32_t *in = kernels_ints(c, "in", rows * pitch, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, rows * pitch, 0);
    int32_t *sum = kernels_zeros(c, "sum", SAMPLES_I32, columns, 0);

    for (int x = 0; x < columns; x++) {
        for (int y = 0; y < rows; y++)
            sum[x] += in[y * pitch + x];
        for (int y = 1; y < rows - 1; y++)
            out[y * pitch + x] = in[(y - 1) * pitch + x] - in[(y + 1) * pitch + x];
    }
    samples_pass_all(c);
    samples_pass_int(c, pitch);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    kernels_line(c, columns, 64);
}

void kernel_rows_beside(struct samples_case *c, bool large)
{
    const int n = 16 * 64, width = 30 + kernels_size(c, large, 200) % 90;
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *inner = kernels_zeros(c, "inner", SAMPLES_I32, n - 64, 0);

    for (int i = 0; i < n; i++) {
        out[i] = in[i] + (i / 64 > 0 ? 3 * in[i - 64] : 0);
        out[i] += i / 64 != 15 ? 5 * in[i + 64] : 0;
        if (i / 64 != 0)
            inner[i - 64] = out[i];
        if (i / width > 1 && i / width < 7)
            out[i] += in[i - 2 * width] - in[i + width];
    }
    samples_pass_all(c);
    samples_pass_int(c, width);
    kernels_line(c, n, 64);
}
