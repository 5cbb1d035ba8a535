/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise kernels. The tolerance covers fused and separate products and sums. */
#include "kernels/kernels_fill.h"

static const double fused = 1e-6;

void kernel_lambda_axpby(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 3001);
    const float *x = kernels_floats(c, "x", n);

    kernels_floats(c, "y", n);
    float *y = samples_output(c, fused);

    for (int i = 0; i < n; i++)
        y[i] = 1.5f * x[i] + 0.25f * y[i];
    samples_pass_float(c, 1.5f);
    samples_pass_array(c, 0);
    samples_pass_float(c, 0.25f);
    samples_pass_array(c, 1);
    samples_pass_int(c, n);
    samples_grid(c, 7, 1, 96, 1);
}

void kernel_items_float(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 3333);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = 3.f * in[i];
    samples_pass_all(c);
    samples_pass_float(c, 3.f);
    samples_pass_int(c, n);
    samples_grid(c, samples_parts(n, 4 * 128), 1, 128, 1);
}

void kernel_items_long(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 2222);
    int64_t *in = kernels_add(c, "in", SAMPLES_I64, n);
    int64_t *out = kernels_zeros(c, "out", SAMPLES_I64, n, 0);

    for (int i = 0; i < n; i++) {
        in[i] = (int64_t)i * 123456789123 - 77;
        out[i] = in[i] * -5;
    }
    samples_pass_all(c);
    samples_pass_u64(c, (uint64_t)-5);
    samples_pass_int(c, n);
    samples_grid(c, samples_parts(n, 3 * 64), 1, 64, 1);
}

void kernel_grid_stride_double(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 2900);
    double *x = kernels_add(c, "x", SAMPLES_F64, n);
    double *y = kernels_zeros(c, "y", SAMPLES_F64, n, 1e-12);

    for (int i = 0; i < n; i++) {
        x[i] = (double)i / 7;
        y[i] = x[i] * x[i] + 1;
    }
    samples_pass_all(c);
    samples_pass_u64(c, (uint64_t)n);
    samples_grid(c, 5, 1, 128, 1);
}

void kernel_unrolled_run(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 2047);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = in[i] + (float)(i % 4 + 1);
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, samples_parts(n, 4), 64);
}

/* Passes in, out and n for kernels with one integer array each. */
static int in_and_out(struct samples_case *c, bool large, const int32_t **in, int32_t **out)
{
    int n = kernels_size(c, large, 2345);

    *in = kernels_ints(c, "in", n, -1000, 1000);
    *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
    return n;
}

void kernel_reversed(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = in_and_out(c, large, &in, &out);

    for (int i = 0; i < n; i++)
        out[n - 1 - i] = in[i];
}

void kernel_differences(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = in_and_out(c, large, &in, &out);

    for (int i = 1; i < n; i++)
        out[i - 1] = in[i] - in[i - 1];
}

void kernel_ring_sums(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = in_and_out(c, large, &in, &out), reach = 1 + kernels_step(c);

    samples_pass_int(c, reach);
    for (int i = 0; i < n; i++)
        for (int k = 1; k <= reach; k++)
            out[i] += 2 * in[(i + k) % n] - in[(i - k + n) % n];
}

void kernel_early_return(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = in_and_out(c, large, &in, &out), limit = 100000;

    samples_pass_int(c, limit);
    for (int i = 0; i < n; i++) {
        int32_t value = in[i], k = 0;

        for (; value >= 0 && k < 40 && value <= limit; k++)
            value += (value >> 1) + 1;
        out[i] = value < 0 ? 0 : k < 40 ? -k : value;
    }
}

void kernel_threshold_write(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = in_and_out(c, large, &in, &out);

    samples_pass_int(c, 300);
    for (int i = 0; i < n; i++)
        if (in[i] > 300)
            out[i] = in[i];
}

void kernel_cyclic_rows(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 53), columns = 70;
    int n = (rows * columns);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int row = 0; row < rows; row++)
        for (int i = row * columns; i < (row + 1) * columns; i++)
            out[i] = in[i] * (float)row;
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    samples_grid(c, 6, 1, 32, 1);
}

static int32_t switched(unsigned char what, int32_t in, int i, int mode)
{
    const int32_t by_case[] = {in + mode, in * in, -in, in >> 3, in ^ 0x5a5a, i, mode};

    return by_case[what < 6 ? what : 6];
}

void kernel_switch_each(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1999), mode = (kernels_step(c) & 1);
    const unsigned char *what = kernels_octets(c, "what", n, 8);
    const int32_t *in = kernels_ints(c, "in", n, -500, 500);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 2 * n, 0);

    for (int i = 0; i < n; i++)
        out[mode == 1 ? i : n + i] = switched(what[i], in[i], i, mode);
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, mode);
    kernels_line(c, n, 96);
}

static int32_t collatz(int32_t n)
{
    int32_t steps = 0;

    for (; n > 1 && steps < 200; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

void kernel_noinline_steps(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 777);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = collatz(i) + collatz(2 * i + 1);
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_constant_polynomial(struct samples_case *c, bool large)
{
    static const float coefficients[8] = {1.f, -0.5f, 0.25f, 2.f, -1.f, 0.125f, 3.f, -2.f};
    int n = kernels_size(c, large, 1500);
    const float *x = kernels_floats(c, "x", n);
    float *y = kernels_zeros(c, "y", SAMPLES_F32, n, fused);

    for (int i = 0; i < n; i++)
        for (int k = 7; k >= 0; k--)
            y[i] = y[i] * x[i] + coefficients[k];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 256);
}

void kernel_triangle(struct samples_case *c, bool large)
{
    int n = large ? 300 : 61 + kernels_step(c);
    float *a = kernels_zeros(c, "a", SAMPLES_F32, (n * n), 0);

    for (int row = 0; row < n; row++)
        for (int column = 0; column < row; column++)
            a[row * n + column] = (float)(row - column);
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_box(c, (const int[]){n, n, 1}, (const int[]){16, 8, 1});
}

void kernel_random_words(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1300);
    uint64_t seed = 42 + c->seed;
    int64_t *out = kernels_zeros(c, "out", SAMPLES_I64, n, 0);

    for (int i = 0; i < n; i++) {
        uint64_t z = seed + (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        out[i] = (int64_t)(z ^ (z >> 31));
    }
    samples_pass_all(c);
    samples_pass_u64(c, seed);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}
