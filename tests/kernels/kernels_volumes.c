/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_fill.h"

static const double fused = 1e-5;

struct box {
    int nx, ny, nz, plane;
    int count;
};

static struct box box_of(const struct samples_case *c, bool large)
{
    struct box b = {kernels_size(c, large, 29), 17 + kernels_step(c), 11, 0, 0};

    b.plane = b.nx * b.ny;
    b.count = (b.plane * b.nz);
    return b;
}

static void pass_box(struct samples_case *c, const struct box *b)
{
    samples_pass_all(c);
    samples_pass_int(c, b->nx);
    samples_pass_int(c, b->ny);
    samples_pass_int(c, b->nz);
}

static bool is_inside(const struct box *b, int i)
{
    int x = i % b->nx, y = i / b->nx % b->ny, z = i / b->plane;

    return x > 0 && y > 0 && z > 0 && x < b->nx - 1 && y < b->ny - 1 && z < b->nz - 1;
}

static float laplace(const struct box *b, const float *in, int i)
{
    return in[i - 1] + in[i + 1] + in[i - b->nx] + in[i + b->nx] + in[i - b->plane] +
           in[i + b->plane] - 6.f * in[i];
}

static struct box heat(struct samples_case *c, bool large)
{
    struct box b = box_of(c, large);
    const float *in = kernels_floats(c, "in", b.count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, b.count, fused);

    for (int i = 0; i < b.plane * b.nz; i++)
        if (is_inside(&b, i))
            out[i] = in[i] + 0.1f * laplace(&b, in, i);
    pass_box(c, &b);
    samples_pass_float(c, 0.1f);
    return b;
}

void kernel_heat_box(struct samples_case *c, bool large)
{
    struct box b = heat(c, large);

    kernels_box(c, (const int[]){b.nx, b.ny, b.nz}, (const int[]){8, 4, 4});
}

void kernel_heat_march(struct samples_case *c, bool large)
{
    struct box b = heat(c, large);

    kernels_box(c, (const int[]){b.nx, b.ny, 1}, (const int[]){16, 8, 1});
}

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

void kernel_sum_27(struct samples_case *c, bool large)
{
    struct box b = box_of(c, large);
    const int32_t *in = kernels_ints(c, "in", b.count, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, b.count, 0);

    for (int i = 0; i < b.plane * b.nz; i++)
        for (int k = 0; k < 27; k++) {
            int x = clamped(i % b.nx + k % 3 - 1, b.nx),
                y = clamped(i / b.nx % b.ny + k / 3 % 3 - 1, b.ny),
                z = clamped(i / b.plane + k / 9 - 1, b.nz);

            out[i] += in[z * b.plane + y * b.nx + x];
        }
    pass_box(c, &b);
    kernels_box(c, (const int[]){b.nx, b.ny, b.nz}, (const int[]){16, 4, 1});
}

void kernel_wave_in_place(struct samples_case *c, bool large)
{
    struct box b = box_of(c, large);
    const float *now = kernels_floats(c, "now", b.count),
                *before = kernels_floats(c, "other", b.count);
    float *after = samples_output(c, fused);

    for (int i = 0; i < b.plane * b.nz; i++)
        if (is_inside(&b, i))
            after[i] = 2.f * now[i] - before[i] + 0.1f * laplace(&b, now, i);
    pass_box(c, &b);
    samples_pass_float(c, 0.1f);
    kernels_box(c, (const int[]){b.nx - 2, b.ny - 2, 4}, (const int[]){32, 4, 1});
}

void kernel_turn_axes(struct samples_case *c, bool large)
{
    struct box b = box_of(c, large);
    uint16_t *in = kernels_add(c, "in", SAMPLES_U16, b.count);
    uint16_t *out = kernels_zeros(c, "out", SAMPLES_U16, b.count, 0);

    for (int i = 0; i < b.plane * b.nz; i++) {
        int x = i % b.nx, y = i / b.nx % b.ny, z = i / b.plane;

        in[i] = (uint16_t)(i * 7 + 1);
        out[(x * b.ny + y) * b.nz + z] = in[i];
    }
    pass_box(c, &b);
    kernels_line(c, b.plane * b.nz, 128);
}
