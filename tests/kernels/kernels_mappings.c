/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_fill.h"

enum { TILE = 16 };

/* Tiles of 16 by 16 filled with their numbers. */
static void tiles(struct samples_case *c, bool large, int *across, int *down)
{
    int width = kernels_size(c, large, 87), height = 105 + kernels_step(c);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, (width * height), 0);

    for (int i = 0; i < width * height; i++)
        out[i] = i / width / TILE * 1000 + i % width / TILE;
    samples_pass_all(c);
    samples_pass_int(c, width);
    samples_pass_int(c, height);
    *across = samples_parts(width, TILE);
    *down = samples_parts(height, TILE);
}

void kernel_swizzled_tiles(struct samples_case *c, bool large)
{
    int across, down;

    tiles(c, large, &across, &down);
    samples_grid(c, across * down, 1, TILE * TILE, 1);
}

void kernel_persistent_tiles(struct samples_case *c, bool large)
{
    int across, down;

    tiles(c, large, &across, &down);
    samples_grid(c, 6, 1, TILE * TILE, 1);
}

void kernel_morton_tiles(struct samples_case *c, bool large)
{
    int across, down, side = 1;

    tiles(c, large, &across, &down);
    while (side < across || side < down)
        side *= 2;
    samples_grid(c, side * side, 1, TILE * TILE, 1);
}

/* Input and output of n integers. */
static int pair(struct samples_case *c, bool large, const int32_t **in, int32_t **out)
{
    int n = kernels_size(c, large, 1300);

    *in = kernels_ints(c, "in", n, -1000, 1000);
    *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
    return n;
}

void kernel_reversed_ctas(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = pair(c, large, &in, &out);

    for (int i = 0; i < n; i++)
        out[i] = in[i] + 5;
}

void kernel_leaves_early(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = pair(c, large, &in, &out);

    c->grid.ctas[0] += 3;
    for (int i = 0; i < n; i++) {
        int from = i / 64 * 64 + 63 - i % 64;

        out[i] = from < n ? in[from] : 0;
    }
}

void kernel_line_of_all(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 2000), per_plane = 2 * 3 * 24;
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = (int32_t)((int64_t)i * i);
    samples_pass_all(c);
    samples_pass_u64(c, (uint64_t)n);
    c->grid = (struct proact_grid){.ctas = {2, 3, (uint32_t)samples_parts(n, per_plane)},
                                   .threads = {4, 3, 2}};
}

void kernel_joined_bits(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1000) / 8 * 8;
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        out[i ^ 5] = i;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_walking_pointer(struct samples_case *c, bool large)
{
    int columns = kernels_size(c, large, 333), rows = 9;
    int n = (rows * columns);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 1e-6);

    for (int i = 0; i < rows * columns; i++)
        out[i] = (i < columns ? 0 : 0.5f * out[i - columns]) + in[i];
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, columns);
    kernels_line(c, columns, 64);
}

void kernel_chosen_array(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900), turn = kernels_step(c) + 1;
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *even = kernels_zeros(c, "even", SAMPLES_I32, n, 0),
            *odd = kernels_zeros(c, "odd", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        (turn % 2 ? odd : even)[i] = in[i] - turn;
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, turn);
    kernels_line(c, n, 128);
}

void kernel_chosen_by_data(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900);
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *high = kernels_zeros(c, "high", SAMPLES_I32, n, 0),
            *low = kernels_zeros(c, "low", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        (in[i] > 0 ? high : low)[i] = in[i];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_bounded_rows(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 300), room = 6;
    const int32_t *count = kernels_ints(c, "count", rows, 0, 10);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, (rows * room), 0);

    for (int i = 0; i < rows * room; i++)
        if (i % room < count[i / room])
            out[i] = i / room - i % room;
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_pass_int(c, room);
    kernels_line(c, rows, 64);
}

struct layer {
    int channels, height, width, filters;
};

static float convolved(const struct layer *l, const float *image, const float *weight,
                       int y, int x)
{
    float sum = 0;

    for (int k = 0; k < l->channels * 9; k++) {
        int fy = y + k / 3 % 3 - 1, fx = x + k % 3 - 1;

        if (fy >= 0 && fy < l->height && fx >= 0 && fx < l->width)
            sum += image[(k / 9 * l->height + fy) * l->width + fx] * weight[k];
    }
    return sum;
}

void kernel_convolve_channels(struct samples_case *c, bool large)
{
    struct layer l = {3, 19 + kernels_step(c), large ? 99 : 23, 4};
    int images = 2, plane = l.height * l.width;
    const float *in = kernels_floats(c, "in", (images * l.channels * plane)),
                *weight = kernels_floats(c, "weight", (l.filters * l.channels * 9));
    float *out = kernels_zeros(c, "out", SAMPLES_F32, (images * l.filters * plane), 1e-5);

    for (int i = 0; i < images * l.filters * plane; i++)
        out[i] = convolved(&l, in + i / plane / l.filters * l.channels * plane,
                           weight + i / plane % l.filters * l.channels * 9,
                           i % plane / l.width, i % l.width);
    samples_pass_all(c);
    samples_pass_int(c, l.channels);
    samples_pass_int(c, l.height);
    samples_pass_int(c, l.width);
    samples_pass_int(c, l.filters);
    kernels_box(c, (const int[]){l.width, l.height, images * l.filters},
                (const int[]){16, 4, 1});
}

void kernel_embed_rows(struct samples_case *c, bool large)
{
    int tokens = kernels_size(c, large, 40), width = 75, known = 50;
    const int32_t *token = kernels_ints(c, "token", tokens, 0, known);
    const float *table = kernels_floats(c, "table", (known * width));
    float *out = kernels_zeros(c, "out", SAMPLES_F32, (tokens * width), 0);

    for (int i = 0; i < tokens * width; i++)
        out[i] = table[token[i / width] * width + i % width];
    samples_pass_all(c);
    samples_pass_int(c, width);
    samples_grid(c, tokens, 1, 32, 1);
}

void kernel_sorted_runs(struct samples_case *c, bool large)
{
    int runs = kernels_size(c, large, 200);
    const int32_t *in = kernels_ints(c, "in", 8 * runs, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 8 * runs, 0);

    for (int i = 0; i < 8 * runs; i++) {
        int at = i;

        for (; at % 8 > 0 && out[at - 1] > in[i]; at--)
            out[at] = out[at - 1];
        out[at] = in[i];
    }
    samples_pass_all(c);
    samples_pass_int(c, runs);
    kernels_line(c, runs, 64);
}

void kernel_own_line_atomic(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900), ctas = samples_parts(n, 96);
    const unsigned char *in = kernels_octets(c, "in", n, 256);
    int32_t *lines = kernels_zeros(c, "lines", SAMPLES_I32, (ctas * 16), 0);

    for (int i = 0; i < n; i++)
        lines[i / 96 * 16 + in[i] % 16]++;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 96);
}

void kernel_all_write_one(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700);
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n + 1, 0);

    out[0] = n;
    for (int i = 0; i < n; i++)
        out[i + 1] = in[i];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_streamed(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 400);
    const float *in = kernels_floats(c, "in", 4 * n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, 4 * n, 0);
    const float *by = kernels_floats(c, "by", 1);

    for (int i = 0; i < 4 * n; i++)
        out[i] = in[i] * *by;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 96);
}

void kernel_assembled_store(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = pair(c, large, &in, &out);

    for (int i = 0; i < n; i++)
        out[i] = 3 * in[i];
}

void kernel_tiles_ahead(struct samples_case *c, bool large)
{
    int ctas = kernels_size(c, large, 7), tile_count = 3 + kernels_step(c) % 2;
    int n = (ctas * tile_count * 128);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = in[i / 128 * 128 + 127 - i % 128];
    samples_pass_all(c);
    samples_pass_int(c, tile_count);
    samples_grid(c, ctas, 1, 128, 1);
}

void kernel_group_copies(struct samples_case *c, bool large)
{
    int ctas = kernels_size(c, large, 9), each = 200;
    int32_t *in = kernels_ints(c, "in", (ctas * each), -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, (ctas * each), 0);

    for (int i = 0; i < ctas * each; i++)
        out[i] = in[i / each * each + each - 1 - i % each];
    samples_pass_all(c);
    samples_pass_int(c, each);
    samples_grid(c, ctas, 1, 64, 1);
    c->grid.dynamic_shared_bytes = (uint32_t)each * 4;
}

void kernel_either_space(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    int n = pair(c, large, &in, &out);

    for (int i = 0; i < n; i++) {
        int other = i / 64 * 64 + 63 - i % 64;

        out[i] = (in[i] > 0 ? 0 : in[i]) + (other < n && in[other] > 50);
    }
}
