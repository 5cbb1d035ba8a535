/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_fill.h"

enum { THREADS = 96, WARP = 32 };

static void pass(struct samples_case *c, int other, int n)
{
    samples_pass_all(c);
    if (other >= 0)
        samples_pass_int(c, other);
    samples_pass_int(c, n);
    kernels_line(c, n, THREADS);
}

void kernel_warp_rows(struct samples_case *c, bool large)
{
    int rows = kernels_size(c, large, 30), columns = 40 + kernels_step(c);
    const float *in = kernels_floats(c, "in", rows * columns);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, rows * columns, 0);

    for (int i = 0; i < rows * columns; i++)
        out[i] = in[i] * 2 + (float)(i / columns);
    samples_pass_all(c);
    samples_pass_int(c, columns);
    samples_pass_int(c, rows);
    kernels_line(c, rows * WARP, THREADS);
}

void kernel_warp_steps(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900);
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = in[i] > 50 ? -1 : in[i] / 3;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n / 2, THREADS);
}

void kernel_warp_packed(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900), every = 2 + kernels_step(c) % 5;
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0, to = 0; i < n; i++) {
        to = i % WARP ? to : i;
        if (i % every != 1)
            out[to++] = in[i];
    }
    pass(c, every, n);
}

void kernel_warp_base(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900), gap = kernels_step(c);
    int wide = (n + WARP - 1) / WARP * (WARP + gap);
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, wide, 0);

    for (int i = 0; i < n; i++)
        out[i / WARP * (WARP + gap) + i % WARP] = in[i] + 1;
    pass(c, gap, n);
}

void kernel_warp_kept(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900);
    const int32_t *in = kernels_ints(c, "in", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    for (int i = 0, to = 0; i < n; i++) {
        to = i % WARP ? to : i;
        if (in[i] > 0)
            out[to++] = in[i];
    }
    pass(c, -1, n);
}
