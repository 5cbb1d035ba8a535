/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of integers are exact in any order. */
#include <string.h>

#include "kernels/kernels_fill.h"

static const int32_t *values(struct samples_case *c, bool large, int *n)
{
    *n = kernels_size(c, large, 1900);
    return kernels_ints(c, "in", *n, -100, 100);
}

static void pass(struct samples_case *c, int n, int ctas, int threads)
{
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, ctas, 1, threads, 1);
}

void kernel_tree_sum(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = values(c, large, &n);
    int ctas = samples_parts(n, 128);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, ctas, 0);

    for (int i = 0; i < n; i++)
        out[i / 128] += in[i];
    pass(c, n, ctas, 128);
    c->grid.dynamic_shared_bytes = 128 * 4;
}

void kernel_butterfly_sum(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = values(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 5, 0);

    for (int i = 0; i < n; i++)
        out[i / 96 % 5] += in[i];
    pass(c, n, 5, 96);
}

/* Expected scan of each block of `stretch` elements; `inclusive` includes the element
   itself. */
static void scan(struct samples_case *c, bool large, int stretch, bool inclusive)
{
    int n;
    const int32_t *in = values(c, large, &n);
    int ctas = samples_parts(n, stretch);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *sums = kernels_zeros(c, "sums", SAMPLES_I32, ctas, 0);

    for (int i = 0; i < n; i++) {
        out[i] = sums[i / stretch] + (inclusive ? in[i] : 0);
        sums[i / stretch] += in[i];
    }
    pass(c, n, ctas, 64);
    c->grid.dynamic_shared_bytes = 128 * 4;
}

void kernel_scan_steps(struct samples_case *c, bool large)
{
    scan(c, large, 64, true);
}

void kernel_scan_tree(struct samples_case *c, bool large)
{
    scan(c, large, 128, false);
}

void kernel_scan_add(struct samples_case *c, bool large)
{
    int n;

    values(c, large, &n);
    int32_t *sum = samples_output(c, 0);
    int ctas = samples_parts(n, 64);
    const int32_t *sums = kernels_ints(c, "sums", ctas, -1000, 1000);

    for (int i = 64; i < n; i++)
        sum[i] += sums[i / 64 - 1];
    pass(c, n, ctas, 64);
}

void kernel_row_sums(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 45), columns = 83;
    const int32_t *in = kernels_ints(c, "in", (rows * columns), -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, rows, 0);

    for (int i = 0; i < rows * columns; i++)
        out[i / columns] += in[i];
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    samples_grid(c, samples_parts(rows, 8), 1, 32, 8);
}

void kernel_pack_stretch(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = values(c, large, &n);
    int ctas = samples_parts(n, 96);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *counts = kernels_zeros(c, "counts", SAMPLES_I32, ctas, 0);

    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[i / 96 * 96 + counts[i / 96]++] = in[i];
    pass(c, n, ctas, 96);
}

void kernel_circle_count(struct samples_case *c, bool large)
{
    int ctas = kernels_size(c, large, 9), each = 20;
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, ctas, 0);

    for (int i = 0; i < ctas * 64; i++) {
        uint32_t state = 99u + 2654435761u * (uint32_t)i;

        for (int k = 0; k < each; k++) {
            state = state * 1664525u + 1013904223u;
            uint32_t x = state >> 17;

            state = state * 1664525u + 1013904223u;
            uint32_t y = state >> 17;

            out[i / 64] += x * x + y * y < 1u << 30;
        }
    }
    samples_pass_all(c);
    samples_pass_int(c, 99);
    samples_pass_int(c, each);
    samples_grid(c, ctas, 1, 64, 1);
}

void kernel_specialised_warps(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1500) / 2 * 2, rounds = 5;
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = 2.f * in[i ^ 1];
    pass(c, n, samples_parts(n, rounds * 32), 64);
    samples_pass_int(c, rounds);
}

void kernel_dot_atomic(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1777);
    const float *x = kernels_floats(c, "x", n), *y = kernels_floats(c, "y", n);
    float *sum = kernels_zeros(c, "sum", SAMPLES_F32, 1, 1e-3);

    for (int i = 0; i < n; i++)
        *sum += x[i] * y[i];
    pass(c, n, 5, 64);
}

void kernel_max_atomic(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = values(c, large, &n);
    int32_t *most = kernels_zeros(c, "most", SAMPLES_I32, 1, 0);

    for (int i = 0; i < n; i++)
        *most = in[i] > *most ? in[i] : *most;
    pass(c, n, samples_parts(n, 128), 128);
}

void kernel_last_block_sum(struct samples_case *c, bool large)
{
    enum { CTAS = 6 };
    int n;
    const int32_t *in = values(c, large, &n);
    int32_t *partial = kernels_zeros(c, "partial", SAMPLES_I32, CTAS, 0);
    int32_t *arrival = kernels_zeros(c, "arrival", SAMPLES_I32, 1, 0);
    int32_t *sum = kernels_zeros(c, "sum", SAMPLES_I32, 1, 0);

    for (int i = 0; i < n; i++) {
        partial[i / 64 % CTAS] += in[i];
        *sum += in[i];
    }
    *arrival = CTAS;
    pass(c, n, CTAS, 64);
}

void kernel_scan_chained(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = values(c, large, &n);
    int ctas = samples_parts(n, 64);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *reached = kernels_zeros(c, "reached", SAMPLES_I32, ctas, 0);
    int32_t *flag = kernels_zeros(c, "flag", SAMPLES_I32, ctas, 0);
    int32_t sum = 0;

    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = reached[i / 64] = sum;
        flag[i / 64] = 1;
    }
    pass(c, n, ctas, 64);
    c->grid.dynamic_shared_bytes = 64 * 4;
}
