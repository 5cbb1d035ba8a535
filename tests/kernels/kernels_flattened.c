/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_fill.h"

/* Rows, and their position in a pitched array. */
struct field {
    int width, height, pitch;
};

static struct field field_of(const struct samples_case *c, bool large)
{
    struct field f = {kernels_size(c, large, 77), 23 + kernels_step(c), 0};

    f.pitch = f.width + 4 + kernels_step(c) % 3;
    return f;
}

static struct field smoothed(struct samples_case *c, bool large)
{
    const struct field f = field_of(c, large);
    const int count = (f.height + 4) * f.pitch;
    const float *in = kernels_floats(c, "in", count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, count, 1e-6);

    for (int t = 0; t < f.width * f.height; t++) {
        const int at = (t / f.width + 2) * f.pitch + t % f.width + 2;

        out[at] = 0.5f * (in[at - 1] + in[at + f.pitch]);
    }
    samples_pass_all(c);
    kernels_line(c, f.width * f.height, 96);
    return f;
}

static void smoothed_by_words(struct samples_case *c, bool large)
{
    const struct field f = smoothed(c, large);

    samples_pass_int(c, f.width);
    samples_pass_int(c, f.height);
    samples_pass_u64(c, (uint64_t)f.pitch);
}

static void smoothed_by_long_words(struct samples_case *c, bool large)
{
    const struct field f = smoothed(c, large);

    samples_pass_u64(c, (uint64_t)f.width);
    samples_pass_u64(c, (uint64_t)f.height);
    samples_pass_u64(c, (uint64_t)f.pitch);
}

void kernel_flattened_int(struct samples_case *c, bool large)
{
    smoothed_by_words(c, large);
}

void kernel_flattened_unsigned(struct samples_case *c, bool large)
{
    smoothed_by_words(c, large);
}

void kernel_flattened_long(struct samples_case *c, bool large)
{
    smoothed_by_long_words(c, large);
}

void kernel_flattened_size(struct samples_case *c, bool large)
{
    smoothed_by_long_words(c, large);
}

void kernel_flattened_arms(struct samples_case *c, bool large)
{
    const struct field f = field_of(c, large);
    const int count = (f.height + 4) * f.pitch;
    const float *in = kernels_floats(c, "in", count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, count, 1e-6);

    for (int t = 0; t < f.width * f.height; t++) {
        const int at = (t / f.width + 2) * f.pitch + t % f.width + 2;

        out[at] = in[at] > 0 ? in[at - 1] : 2 * in[at + f.pitch] * in[at - f.pitch];
    }
    samples_pass_all(c);
    samples_pass_int(c, f.width);
    samples_pass_int(c, f.height);
    samples_pass_u64(c, (uint64_t)f.pitch);
    kernels_line(c, f.width * f.height, 96);
}

static void volume(struct samples_case *c, bool large)
{
    const int width = kernels_size(c, large, 21), height = 9 + kernels_step(c), depth = 7,
              pitch = width + 3, plane = pitch * (height + 2);
    const float *in = kernels_floats(c, "in", plane * (depth + 1));
    float *out = kernels_zeros(c, "out", SAMPLES_F32, plane * (depth + 1), 1e-6);

    for (int t = 0; t < width * height * depth; t++) {
        const int at =
            t / (width * height) * plane + t / width % height * pitch + t % width;

        out[at + plane + pitch + 1] = in[at + plane + pitch + 1] - in[at];
    }
    samples_pass_all(c);
    samples_pass_int(c, width);
    samples_pass_int(c, height);
    samples_pass_int(c, depth);
    samples_pass_int(c, pitch);
    samples_pass_int(c, plane);
    kernels_line(c, width * height * depth, 64);
}

void kernel_flattened_volume(struct samples_case *c, bool large)
{
    volume(c, large);
}

void kernel_flattened_planes(struct samples_case *c, bool large)
{
    volume(c, large);
}

void kernel_flattened_constant(struct samples_case *c, bool large)
{
    const int rows = kernels_size(c, large, 40);
    const int32_t *in = kernels_ints(c, "in", 45 * rows, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 104 * rows, 0);

    for (int t = 0; t < 45 * rows; t++) {
        out[(2 * (t / 45) + 1) * 52 + t % 45] = in[t];
        out[2 * (t / 45) * 52 + t % 45 + 3] = -in[t];
    }
    samples_pass_all(c);
    samples_pass_int(c, rows);
    kernels_line(c, 45 * rows, 128);
}

/* Input and output of a field without a margin. */
static struct field plain(struct samples_case *c, bool large, const int32_t **in,
                          int32_t **out)
{
    const struct field f = field_of(c, large);

    *in = kernels_ints(c, "in", f.height * f.pitch, -99, 99);
    *out = kernels_zeros(c, "out", SAMPLES_I32, f.height * f.pitch, 0);
    samples_pass_all(c);
    samples_pass_int(c, f.width);
    samples_pass_int(c, f.height);
    samples_pass_int(c, f.pitch);
    return f;
}

void kernel_flattened_margin(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    const struct field f = plain(c, large, &in, &out);

    for (int j = 1; j < f.height - 1; j++)
        for (int i = 1; i < f.width - 1; i++) {
            const int at = j * f.pitch + i;

            out[at] = in[at - 1] - in[at + f.pitch] + in[at];
        }
    kernels_line(c, f.width * f.height, 96);
}

void kernel_flattened_turns(struct samples_case *c, bool large)
{
    const int32_t *in;
    int32_t *out;
    const struct field f = plain(c, large, &in, &out);

    for (int t = 0; t < f.width * f.height; t++)
        out[t / f.width * f.pitch + t % f.width] =
            2 * in[t / f.width * f.pitch + t % f.width];
    samples_grid(c, 5, 1, 96, 1);
}
