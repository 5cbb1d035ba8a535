/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise kernels, sums and histograms. The tolerance covers fused and separate
   products and sums. */
#include <math.h>
#include <string.h>

#include "samples/samples_fill.h"

static const double fused = 1e-6;
static const double reordered = 1e-4;

static int elements(bool large)
{
    return large ? 1 << 22 : 5000;
}

/* a, b and a + b; elements that are not written keep their content. */
static int sum_arrays(struct samples_case *c, bool large)
{
    int n = elements(large);
    const float *a = samples_floats(c, "a", (size_t)n),
                *b = samples_floats(c, "b", (size_t)n);

    samples_floats(c, "c", (size_t)n);
    float *sum = samples_output(c, 0);

    for (int i = 0; i < n; i++)
        sum[i] = a[i] + b[i];
    samples_pass_all(c);
    return n;
}

void fill_vecadd(struct samples_case *c, bool large)
{
    int n = sum_arrays(c, large);

    samples_map(c, samples_contiguous(192 * 4));
    samples_pass_int(c, n);
    samples_grid(c, samples_parts(n, 192), 1, 192, 1);
}

/* The same ranges as a table. */
void fill_vecadd64(struct samples_case *c, bool large)
{
    int n = sum_arrays(c, large), ctas = samples_parts(n, 192);
    uint32_t *first = arena_alloc(&c->arena, ((size_t)ctas + 1) * sizeof *first);
    struct proact_range *ranges = arena_alloc(&c->arena, (size_t)ctas * sizeof *ranges);

    for (int i = 0; i < ctas; i++) {
        first[i + 1] = (uint32_t)i + 1;
        ranges[i] =
            (struct proact_range){.first_byte = (uint64_t)i * 192 * 4, .bytes = 192 * 4};
    }
    samples_map(c, (struct proact_map){.kind = PROACT_MAP_TABLE,
                                       .range_offsets = first,
                                       .ranges = ranges,
                                       .cta_count = (uint32_t)ctas});
    samples_pass_u64(c, (uint64_t)n);
    samples_grid(c, ctas, 1, 192, 1);
}

void fill_vecadd4(struct samples_case *c, bool large)
{
    int n = sum_arrays(c, large);

    samples_map(c, samples_contiguous(256 * 16));
    samples_pass_int(c, n / 4);
    samples_grid(c, samples_parts(n / 4, 256), 1, 256, 1);
}

void fill_saxpy_gs(struct samples_case *c, bool large)
{
    enum { CTAS = 7, THREADS = 128 };
    int n = elements(large);
    const float *x = samples_floats(c, "x", (size_t)n),
                *y = samples_floats(c, "y", (size_t)n);
    float *sum = samples_output(c, fused);

    for (int i = 0; i < n; i++)
        sum[i] = fmaf(2.5f, x[i], y[i]);
    samples_map(
        c, (struct proact_map){.kind = PROACT_MAP_STRIDED,
                               .range_bytes = THREADS * 4,
                               .range_count = (uint64_t)samples_parts(n, CTAS * THREADS),
                               .stride_bytes = CTAS * THREADS * 4,
                               .cta_stride_bytes = THREADS * 4});
    samples_pass_float(c, 2.5f);
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, CTAS, 1, THREADS, 1);
}

void fill_coarsen(struct samples_case *c, bool large)
{
    int n = elements(large);
    const float *a = samples_floats(c, "a", (size_t)n);

    samples_floats(c, "c", (size_t)n);
    float *twice = samples_output(c, 0);

    for (int i = 0; i < n; i++)
        twice[i] = 2.f * a[i];
    samples_map(c, samples_contiguous(512 * 4));
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, samples_parts(n, 512), 1, 128, 1);
}

enum { BINS = 256, HISTOGRAM_CTAS = 5, HISTOGRAM_THREADS = 96 };

static int histogram_data(struct samples_case *c, bool large)
{
    int n = large ? 1 << 22 : 7001;
    unsigned char *data = samples_octets(c, "data", (size_t)n);
    uint32_t seed = 3;

    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (unsigned char)(seed >> 27 ? seed >> 24 : 7); /* most in one bin */
    }
    return n;
}

void fill_hist(struct samples_case *c, bool large)
{
    int n = histogram_data(c, large);
    const unsigned char *data = c->arrays[0].content;

    samples_ints(c, "bins", BINS);
    int32_t *bins = samples_output(c, 0);

    for (int i = 0; i < n; i++)
        bins[data[i]]++;
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, HISTOGRAM_CTAS, 1, HISTOGRAM_THREADS, 1);
}

void fill_hist_part(struct samples_case *c, bool large)
{
    int n = histogram_data(c, large);
    const unsigned char *data = c->arrays[0].content;

    samples_ints(c, "part", BINS * HISTOGRAM_CTAS);
    int32_t *part = samples_output(c, 0);

    for (int i = 0; i < n; i++)
        part[i / HISTOGRAM_THREADS % HISTOGRAM_CTAS * BINS + data[i]]++;
    samples_map(c, samples_contiguous(BINS * 4));
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, HISTOGRAM_CTAS, 1, HISTOGRAM_THREADS, 1);
}

/* Blocks of `share` elements, assigned cyclically to the CTAs (0: one CTA for each
   block). */
static void sum_by_cta(struct samples_case *c, bool large, int ctas, int share)
{
    int n = large ? 1 << 22 : 6001;

    if (!ctas)
        ctas = samples_parts(n, share);
    const float *in = samples_floats(c, "in", (size_t)n);
    double *sum = arena_alloc(&c->arena, (size_t)ctas * sizeof *sum);

    samples_floats(c, "out", (size_t)ctas);
    float *out = samples_output(c, reordered);

    for (int i = 0; i < n; i++)
        sum[i / share % ctas] += (double)in[i];
    for (int i = 0; i < ctas; i++)
        out[i] = (float)sum[i];
    samples_map(c, samples_contiguous(4));
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, ctas, 1, 256, 1);
}

void fill_reduce(struct samples_case *c, bool large)
{
    sum_by_cta(c, large, 6, 256);
}

void fill_reduce_smem(struct samples_case *c, bool large)
{
    sum_by_cta(c, large, 0, 512);
}
