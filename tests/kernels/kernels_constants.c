/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_fill.h"

/* Values of constants.cu. */
enum { WIDTH = 75, HEIGHT = 41, PITCH = 83, FIRST = 5, CELLS = WIDTH * HEIGHT };

static const double fused = 1e-5;

void kernel_constant_shape(struct samples_case *c, bool large)
{
    const float *in = kernels_floats(c, "in", FIRST + PITCH * HEIGHT);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, FIRST + PITCH * HEIGHT, fused);

    (void)large;
    for (int n = 0; n < CELLS; n++) {
        int x = n % WIDTH, y = n / WIDTH, i = FIRST + y * PITCH + x;

        if (x && y && x + 1 < WIDTH && y + 1 < HEIGHT)
            out[i] = in[i - 1] + in[i + 1] + in[i - PITCH] + in[i + PITCH];
    }
    samples_pass_all(c);
    kernels_box(c, (const int[]){WIDTH, HEIGHT, 1}, (const int[]){16, 8, 1});
}

void kernel_constant_steps(struct samples_case *c, bool large)
{
    static const int step_x[5] = {0, 1, 0, -1, 0}, step_y[5] = {0, 0, 1, 0, -1};
    const float *in = kernels_floats(c, "in", 5 * CELLS);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, 5 * CELLS, 0);

    (void)large;
    for (int n = 0; n < 5 * CELLS; n++) {
        int k = n / CELLS, x = n % WIDTH, y = n % CELLS / WIDTH;
        int to_x = (x + step_x[k] + WIDTH) % WIDTH,
            to_y = (y + step_y[k] + HEIGHT) % HEIGHT;

        out[k * CELLS + to_y * WIDTH + to_x] = 0.5f * in[n];
    }
    samples_pass_all(c);
    samples_grid(c, samples_parts(WIDTH, 32), HEIGHT, 32, 1);
}

static void pull(struct samples_case *c)
{
    static const int step_x[5] = {0, 1, 0, -1, 0}, step_y[5] = {0, 0, 1, 0, -1},
                     behind[5] = {0, 3, 4, 1, 2};
    const float *in = kernels_floats(c, "in", 5 * CELLS);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, 5 * CELLS, 0);

    for (int n = 0; n < 5 * CELLS; n++) {
        int k = n / CELLS, here = n % CELLS, x = here % WIDTH, y = here / WIDTH;
        int at =
            (y - step_y[k] + HEIGHT) % HEIGHT * WIDTH + (x - step_x[k] + WIDTH) % WIDTH;

        out[n] = in[in[at] < 0 ? behind[k] * CELLS + here : k * CELLS + at];
    }
    samples_pass_all(c);
    samples_grid(c, samples_parts(WIDTH, 32), HEIGHT, 32, 1);
}

void kernel_constant_pulls(struct samples_case *c, bool large)
{
    (void)large;
    pull(c);
}

void kernel_constant_rounds(struct samples_case *c, bool large)
{
    (void)large;
    pull(c);
}

void kernel_constant_planes(struct samples_case *c, bool large)
{
    int planes = 6 + kernels_step(c);
    const float *in = kernels_floats(c, "in", planes * CELLS);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, planes * CELLS, 0);

    (void)large;
    for (int i = 0; i < planes * CELLS; i++)
        out[i] = 2 * in[i];
    samples_pass_all(c);
    kernels_line(c, planes * 64, 64);
}

void kernel_constant_order(struct samples_case *c, bool large)
{
    static const int reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    int n = kernels_size(c, large, 700);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n / 16 * 16; i++)
        out[i / 16 * 16 + reversed[i % 16]] = in[i];
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}
