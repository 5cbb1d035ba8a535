/* SPDX-License-Identifier: Apache-2.0 */
/* References of the kernels that need CUDA's headers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels_fill.h"

static double normal_below(double d)
{
    return 0.5 * erfc(-d * 0.70710678118654752);
}

void kernel_black_scholes(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1000);
    const double rate = 0.02, volatility = 0.3;
    float *call = kernels_zeros(c, "call", SAMPLES_F32, n, 1e-4),
          *put = kernels_zeros(c, "put", SAMPLES_F32, n, 1e-4),
          *price = kernels_floats(c, "price", n), *strike = kernels_floats(c, "strike", n),
          *years = kernels_floats(c, "years", n);

    for (int i = 0; i < n; i++) {
        price[i] = 10 + 9 * price[i];
        strike[i] = 10 + 9 * strike[i];
        years[i] = 1 + years[i];
        double s = (double)price[i], x = (double)strike[i], t = (double)years[i];
        double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) /
                    (volatility * sqrt(t)),
               d2 = d1 - volatility * sqrt(t), later = x * exp(-rate * t);

        call[i] = (float)(s * normal_below(d1) - later * normal_below(d2));
        put[i] = (float)(later * normal_below(-d2) - s * normal_below(-d1));
    }
    samples_pass_all(c);
    samples_pass_float(c, (float)rate);
    samples_pass_float(c, (float)volatility);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_softmax_rows(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 11), columns = 150;
    const float *in = kernels_floats(c, "in", (rows * columns));
    float *out = kernels_zeros(c, "out", SAMPLES_F32, (rows * columns), 1e-5);

    for (int r = 0; r < rows; r++) {
        double sum = 0;

        for (int i = r * columns; i < (r + 1) * columns; i++)
            sum += exp((double)in[i]);
        for (int i = r * columns; i < (r + 1) * columns; i++)
            out[i] = (float)(exp((double)in[i]) / sum);
    }
    samples_pass_all(c);
    samples_pass_int(c, columns);
    samples_grid(c, rows, 1, 64, 1);
}

void kernel_layer_norm(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 13), columns = 130;
    const float *in = kernels_floats(c, "in", (rows * columns)),
                *gain = kernels_floats(c, "gain", columns),
                *bias = kernels_floats(c, "bias", columns);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, (rows * columns), 1e-4);

    for (int r = 0; r < rows; r++) {
        const float *row = in + r * columns;
        double mean = 0, squares = 0;

        for (int i = 0; i < columns; i++)
            mean += (double)row[i] / columns;
        for (int i = 0; i < columns; i++)
            squares += ((double)row[i] - mean) * ((double)row[i] - mean) / columns;
        for (int i = 0; i < columns; i++)
            out[r * columns + i] =
                (float)(((double)row[i] - mean) / sqrt(squares + 1e-5) * (double)gain[i] +
                        (double)bias[i]);
    }
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    samples_grid(c, 4, 1, 96, 1);
}

void kernel_gelu(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1100);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 1e-5);

    for (int i = 0; i < n; i++) {
        double x = (double)in[i];

        out[i] = (float)(0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x))));
    }
    samples_pass_all(c);
    samples_pass_u64(c, (uint64_t)n);
    kernels_line(c, n, 128);
}

void kernel_prints_first(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 300);
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = in[i] + 1;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_waves(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 800);
    double *out = kernels_zeros(c, "out", SAMPLES_F64, n, 1e-9), step = 12345.678;
    void *value;

    for (int i = 0; i < n; i++)
        out[i] = sin(i * step) * exp(-1e-3 * i) + pow(1.0 + i, 0.25);
    samples_pass_all(c);
    value = samples_pass_bytes(c, sizeof step, 8);
    memcpy(value, &step, sizeof step);
    samples_pass_int(c, n);
    samples_grid(c, 5, 1, 64, 1);
}

/* Adds the input, and an output with one result for each group of `each` threads, of `ctas`
   CTAs of `threads`. */
static int grouped(struct samples_case *c, bool large, int threads, int each,
                   const int32_t **in, int32_t **out)
{
    int n = kernels_size(c, large, 1300), ctas = samples_parts(n, threads);

    *in = kernels_ints(c, "in", n, -100, 100);
    *out = kernels_zeros(c, "out", SAMPLES_I32, (ctas * threads / each), 0);
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, ctas, 1, threads, 1);
    return n;
}

void kernel_group_tiles(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 96, 16, &in, &out);

    for (int i = 0; i < n; i++)
        out[i / 16] += in[i];
}

void kernel_group_reduce(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 128, 128, &in, &out);

    for (int i = 0; i < n; i++)
        if (i % 128 == 0 || in[i] > out[i / 128])
            out[i / 128] = in[i];
}

void kernel_group_scan(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 64, 1, &in, &out);

    for (int i = 0; i < n; i++)
        out[i] = i % 8 ? out[i - 1] + in[i - 1] : 0;
}

void kernel_group_base(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 64, 1, &in, &out);

    for (int i = 0; i < n; i++)
        out[i / 16 * 16 + 15 - i % 16] = in[i];
}

void kernel_grid_group_stride(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 64, 1, &in, &out);

    for (int i = 0; i < n; i++)
        out[i] = in[i] * 2 - i;
    c->grid.ctas[0] = (c->grid.ctas[0] + 2) / 3;
}

void kernel_group_coalesced(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 64, 64, &in, &out);

    for (int i = 0; i < n; i++)
        out[i / 64] += in[i] > 0;
}

void kernel_grid_steps(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 500);
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);
    int32_t *middle = kernels_zeros(c, "middle", SAMPLES_I32, n, 0);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        middle[i] = 2 * in[i];
    for (int i = 0; i < n; i++)
        out[i] = middle[n - 1 - i] + 1;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_cub_sums(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = grouped(c, large, 128, 128, &in, &out);

    for (int i = 0; i < n; i++)
        out[i / 128] += in[i];
}

void kernel_cub_scan(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1300);
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = (i % 256 ? out[i - 1] : 0) + in[i];
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, samples_parts(n, 256), 1, 64, 1);
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

void kernel_cub_sort(struct samples_case *c, bool large)
{
    int ctas = kernels_size(c, large, 5);
    int n = ctas * 128;
    const int32_t *in = kernels_ints(c, "in", n, 0, 65536);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    memcpy(out, in, (size_t)n * sizeof *out);
    for (int first = 0; first < n; first += 128)
        qsort(out + first, 128, sizeof *out, by_value);
    samples_pass_all(c);
    samples_grid(c, ctas, 1, 64, 1);
}

void kernel_cub_warps(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1000), ctas = samples_parts(n, 128);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, ctas * 4, 0);

    for (int i = 0; i < ctas * 128; i++) {
        float value = i < n ? in[i] : -1.f;

        if (i % 32 == 0 || value > out[i / 32])
            out[i / 32] = value;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, ctas, 1, 128, 1);
}

void kernel_cluster_pairs(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900), ctas = samples_parts(n, 128) * 2;
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, ctas, 0);

    for (int i = 0; i < n; i++) {
        out[i / 128 * 2] += in[i];
        out[i / 128 * 2 + 1] += in[i];
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, ctas, 1, 64, 1);
}

void kernel_bulk_store(struct samples_case *c, bool large)
{
    int ctas = kernels_size(c, large, 11);
    const int32_t *in = kernels_ints(c, "in", 64 * ctas, -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 64 * ctas, 0);

    for (int i = 0; i < 64 * ctas; i++)
        out[i] = 7 * in[i];
    samples_pass_all(c);
    samples_grid(c, ctas, 1, 64, 1);
}
