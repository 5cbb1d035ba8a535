/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices and graphs with up to 11 entries in a row; some rows are empty. */
#include <math.h>
#include <string.h>

#include "kernels/kernels_fill.h"

static const double reordered = 1e-5;

struct rows {
    int count, entries;
    const int32_t *row, *column;
};

static struct rows rows_add(struct samples_case *c, bool large)
{
    struct rows r = {.count = kernels_size(c, large, 600)};
    int32_t *row = kernels_words(c, "row", r.count + 1);
    uint32_t state = c->seed + 11;

    for (int i = 0; i < r.count; i++)
        row[i + 1] = row[i] + (int32_t)(kernels_draw(&state) >> 8) % 12;
    r.entries = row[r.count];
    r.row = row;
    r.column = kernels_ints(c, "column", r.entries, 0, r.count);
    return r;
}

static int matrix_times_vector(struct samples_case *c, bool large)
{
    struct rows r = rows_add(c, large);
    const float *value = kernels_floats(c, "value", r.entries),
                *x = kernels_floats(c, "x", r.count);
    float *y = kernels_zeros(c, "y", SAMPLES_F32, r.count, reordered);

    for (int i = 0; i < r.count; i++)
        for (int e = r.row[i]; e < r.row[i + 1]; e++)
            y[i] += value[e] * x[r.column[e]];
    samples_pass_all(c);
    samples_pass_int(c, r.count);
    return r.count;
}

void kernel_spmv_row(struct samples_case *c, bool large)
{
    kernels_line(c, matrix_times_vector(c, large), 128);
}

void kernel_spmv_warp(struct samples_case *c, bool large)
{
    matrix_times_vector(c, large);
    samples_grid(c, 7, 1, 96, 1);
}

void kernel_spmv_ell(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 500), width = 6;
    int all = (rows * width);
    int32_t *column = kernels_ints(c, "column", all, -rows / 4, rows);
    const float *value = kernels_floats(c, "value", all), *x = kernels_floats(c, "x", rows);
    float *y = kernels_zeros(c, "y", SAMPLES_F32, rows, reordered);

    for (int r = 0; r < rows; r++)
        for (int at = r; at < rows * width && column[at] >= 0; at += rows)
            y[r] += value[at] * x[column[at]];
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, width);
    kernels_line(c, rows, 64);
}

/* A permutation of 0 to n - 1. */
static int32_t *shuffled(struct samples_case *c, int n)
{
    int32_t *a = kernels_words(c, "index", n);
    uint32_t state = c->seed + 3;

    for (int i = 0; i < n; i++) {
        int with = (int)(kernels_draw(&state) % (uint32_t)(i + 1));

        a[i] = a[with];
        a[with] = i;
    }
    return a;
}

static void moved(struct samples_case *c, bool large, bool to)
{
    int n = kernels_size(c, large, 1400);
    const int32_t *index = shuffled(c, n);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[to ? index[i] : i] = in[to ? i : index[i]];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_gather(struct samples_case *c, bool large)
{
    moved(c, large, false);
}

void kernel_scatter(struct samples_case *c, bool large)
{
    moved(c, large, true);
}

enum { CURRENT = 2 };

/* Levels -1 to CURRENT, and the levels after one step. */
static int32_t *levels(struct samples_case *c, const struct rows *r, int32_t **before)
{
    int32_t *level = kernels_ints(c, "level", r->count, -8, CURRENT + 1);

    for (int v = 0; v < r->count; v++)
        level[v] = level[v] < 0 ? -1 : level[v];
    *before = level;
    return samples_output(c, 0);
}

void kernel_bfs_level(struct samples_case *c, bool large)
{
    struct rows r = rows_add(c, large);
    int32_t *before, *level = levels(c, &r, &before);
    int32_t *more = kernels_zeros(c, "more", SAMPLES_I32, 1, 0);

    for (int v = 0; v < r.count; v++)
        for (int e = r.row[v]; before[v] == CURRENT && e < r.row[v + 1]; e++)
            if (level[r.column[e]] < 0) {
                level[r.column[e]] = CURRENT + 1;
                *more = 1;
            }
    samples_pass_all(c);
    samples_pass_int(c, r.count);
    samples_pass_int(c, CURRENT);
    kernels_line(c, r.count, 128);
}

void kernel_bfs_queue(struct samples_case *c, bool large)
{
    struct rows r = rows_add(c, large);
    int32_t *before, *level = levels(c, &r, &before);
    int32_t *front = kernels_words(c, "front", r.count), count = 0;

    for (int v = 0; v < r.count; v++)
        if (before[v] == CURRENT)
            front[count++] = v;
    int32_t *next = kernels_zeros(c, "next", SAMPLES_I32, r.count, 0);

    c->arrays[c->array_count - 1].is_set = true;
    int32_t *next_count = kernels_zeros(c, "next count", SAMPLES_I32, 1, 0);

    for (int i = 0; i < count; i++)
        for (int e = r.row[front[i]]; e < r.row[front[i] + 1]; e++)
            if (level[r.column[e]] < 0) {
                level[r.column[e]] = CURRENT + 1;
                next[(*next_count)++] = r.column[e];
            }
    for (int i = 0; i < 4; i++)
        samples_pass_array(c, i);
    samples_pass_int(c, count);
    samples_pass_array(c, 4);
    samples_pass_array(c, 5);
    samples_pass_int(c, CURRENT);
    kernels_line(c, count, 64);
}

void kernel_compact_fetch_atomic(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1600);
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    c->arrays[c->array_count - 1].is_set = true;
    int32_t *count = kernels_zeros(c, "count", SAMPLES_I32, 1, 0);

    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[(*count)++] = in[i];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_fetched_tiles(struct samples_case *c, bool large)
{
    enum { CTAS = 4, THREADS = 64 };
    int n = kernels_size(c, large, 1500);
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *next = kernels_zeros(c, "next", SAMPLES_I32, 1, 0);

    for (int i = 0; i < n; i++)
        out[i] = 3 * in[i];
    *next = samples_parts(n, THREADS) + CTAS; /* each CTA requests once more at the end */
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, CTAS, 1, THREADS, 1);
}

void kernel_spin_lock(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900);
    const int32_t *in = kernels_ints(c, "in", n, -100, 100);

    kernels_zeros(c, "lock", SAMPLES_I32, 1, 0);
    int32_t *total = kernels_zeros(c, "total", SAMPLES_I32, 1, 0);

    for (int i = 0; i < n; i++)
        *total += in[i];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

/* Points and centres on a grid of 1/8, so that distances are exact. */
static void on_grid(float *a, int count)
{
    for (int i = 0; i < count; i++)
        a[i] = rintf(a[i] * 64.f) / 8.f;
}

static int nearest_of(const float *centre, int k, float x, float y)
{
    int nearest = 0;
    float least = 1e30f;

    for (int i = 0; i < k; i++) {
        float dx = x - centre[2 * i], dy = y - centre[2 * i + 1];

        if (dx * dx + dy * dy < least) {
            least = dx * dx + dy * dy;
            nearest = i;
        }
    }
    return nearest;
}

void kernel_kmeans_assign(struct samples_case *c, bool large)
{
    enum { K = 7, THREADS = 96 };
    int n = kernels_size(c, large, 1000), ctas = samples_parts(n, THREADS);
    float *x = kernels_floats(c, "x", n), *y = kernels_floats(c, "y", n),
          *centre = kernels_floats(c, "centre", 2 * K);
    int32_t *cluster = kernels_zeros(c, "cluster", SAMPLES_I32, n, 0);
    int32_t *counts = kernels_zeros(c, "counts", SAMPLES_I32, (ctas * K), 0);

    on_grid(x, n);
    on_grid(y, n);
    on_grid(centre, 2 * K);
    for (int i = 0; i < n; i++) {
        cluster[i] = nearest_of(centre, K, x[i], y[i]);
        counts[i / THREADS * K + cluster[i]]++;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, K);
    samples_grid(c, ctas, 1, THREADS, 1);
}

void kernel_bodies_tile(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 170);
    const float *body = kernels_floats(c, "body", 4 * n);
    float *force = kernels_zeros(c, "force", SAMPLES_F32, 3 * n, 1e-4);

    for (int i = 0; i < n; i++) {
        double sum[3] = {0};

        for (int j = 0; j < n; j++) {
            double d[3], square = 0.01;

            for (int k = 0; k < 3; k++) {
                d[k] = (double)(body[4 * j + k] - body[4 * i + k]);
                square += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                sum[k] += (double)body[4 * j + 3] * d[k] / (square * sqrt(square));
        }
        for (int k = 0; k < 3; k++)
            force[3 * i + k] = (float)sum[k];
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_bitonic_step(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1000), distance = 4 << 3 * (kernels_step(c) % 3);
    int size = 2 * distance << (kernels_step(c) & 1);

    kernels_ints(c, "a", n, -1000, 1000);
    int32_t *a = samples_output(c, 0);

    for (int i = 0; i < n; i++) {
        int partner = i ^ distance, kept = a[i];

        if (partner <= i || partner >= n || (a[i] > a[partner]) != !(i & size))
            continue;
        a[i] = a[partner];
        a[partner] = kept;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, distance);
    samples_pass_int(c, size);
    kernels_line(c, n, 128);
}

void kernel_fft_pass(struct samples_case *c, bool large)
{
    int n = large ? 1 << 14 : 512 << (kernels_step(c) & 1),
        done = 8 << (kernels_step(c) & 3);
    const float *in = kernels_floats(c, "in", 2 * n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, 2 * n, 1e-6);
    float *factor = kernels_floats(c, "factor", n);

    for (int i = 0; i < n / 2; i++) {
        factor[2 * i] = (float)cos(-2 * 3.14159265358979 * i / n);
        factor[2 * i + 1] = (float)sin(-2 * 3.14159265358979 * i / n);
    }
    for (int i = 0; i < n / 2; i++) {
        int k = i % done, at = 2 * (2 * (i - k) + k);
        const float *w = factor + 2 * (k * (n / 2 / done)), *a = in + 2 * i, *b = a + n;
        float re = b[0] * w[0] - b[1] * w[1], im = b[0] * w[1] + b[1] * w[0];

        out[at] = a[0] + re;
        out[at + 1] = a[1] + im;
        out[at + 2 * done] = a[0] - re;
        out[at + 2 * done + 1] = a[1] - im;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, done);
    kernels_line(c, n / 2, 96);
}
