/* SPDX-License-Identifier: Apache-2.0 */
/* Dense products: M x K times K x N. The reference uses double precision. */
#include "samples/samples_fill.h"

static const double reordered = 1e-5;

struct sizes {
    int m, n, k;
    bool by_columns; /* A and C */
};

/* Arrays A, B and C. */
static void product(struct samples_case *c, struct sizes s)
{
    const float *a = samples_floats(c, "A", (size_t)s.m * (size_t)s.k);
    const float *b = samples_floats(c, "B", (size_t)s.k * (size_t)s.n);

    samples_floats(c, "C", (size_t)s.m * (size_t)s.n);
    float *out = samples_output(c, reordered);

    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) {
            double sum = 0;

            for (int k = 0; k < s.k; k++)
                sum += (double)a[s.by_columns ? k * s.m + i : i * s.k + k] *
                       (double)b[k * s.n + j];
            out[s.by_columns ? j * s.m + i : i * s.n + j] = (float)sum;
        }
}

static struct proact_map tiles(int row_elements, int tile_elements)
{
    return (struct proact_map){.kind = PROACT_MAP_STENCIL,
                               .range_bytes = (uint64_t)tile_elements * 4,
                               .stride_bytes = (uint64_t)row_elements * 4,
                               .rows_per_cta = 16};
}

static void pass_sizes(struct samples_case *c, struct sizes s)
{
    samples_pass_int(c, s.m);
    samples_pass_int(c, s.n);
    samples_pass_int(c, s.k);
}

void fill_sgemm(struct samples_case *c, bool large)
{
    struct sizes s = large ? (struct sizes){.m = 256, .n = 256, .k = 256}
                           : (struct sizes){.m = 61, .n = 45, .k = 77};

    product(c, s);
    samples_map(c, tiles(s.n, 16));
    samples_pass_all(c);
    pass_sizes(c, s);
    samples_grid(c, samples_parts(s.n, 16), samples_parts(s.m, 16), 16, 16);
}

void fill_sgemm_amge(struct samples_case *c, bool large)
{
    struct sizes s = large
                         ? (struct sizes){.m = 256, .n = 256, .k = 256, .by_columns = true}
                         : (struct sizes){.m = 128, .n = 48, .k = 32, .by_columns = true};

    product(c, s);
    samples_map(c, tiles(s.m, 64)); /* rows of this map are columns of C */
    samples_pass_array(c, 2);
    samples_pass_array(c, 0);
    samples_pass_array(c, 1);
    pass_sizes(c, s);
    samples_grid(c, s.m / 64, s.n / 16, 16, 4);
}

void fill_nd_sgemm(struct samples_case *c, bool large)
{
    struct sizes s = large ? (struct sizes){.m = 256, .n = 256, .k = 256}
                           : (struct sizes){.m = 64, .n = 48, .k = 80};

    product(c, s);
    samples_map(c, tiles(s.n, 16));
    samples_pass_struct(c, 2, (const int[]){s.m, s.n, s.n, 1}, 4);
    samples_pass_struct(c, 0, (const int[]){s.m, s.k, s.k, 1}, 4);
    samples_pass_struct(c, 1, (const int[]){s.k, s.n, s.n, 1}, 4);
    samples_grid(c, s.n / 16, s.m / 16, 16, 16);
}

void fill_sgemv(struct samples_case *c, bool large)
{
    int m = large ? 2000 : 123, n = large ? 1024 : 71;
    const float *a = samples_floats(c, "A", (size_t)m * (size_t)n);
    const float *x = samples_floats(c, "x", (size_t)n);

    samples_floats(c, "y", (size_t)m);
    float *y = samples_output(c, reordered);

    for (int i = 0; i < m; i++) {
        double sum = 0;

        for (int j = 0; j < n; j++)
            sum += (double)a[i * n + j] * (double)x[j];
        y[i] = (float)sum;
    }
    samples_map(c, samples_contiguous(64 * 4));
    samples_pass_all(c);
    samples_pass_int(c, m);
    samples_pass_int(c, n);
    samples_grid(c, samples_parts(m, 64), 1, 64, 1);
}
