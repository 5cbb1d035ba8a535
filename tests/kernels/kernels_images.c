/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_fill.h"

static const double fused = 1e-5;

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int clamped(int i, int n)
{
    return i < 0 ? 0 : least(i, n - 1);
}

struct image {
    int width, height;
    int count;
};

static struct image image_of(const struct samples_case *c, bool large, int width,
                             int height)
{
    struct image m = {kernels_size(c, large, width), height + kernels_step(c), 0};

    m.count = (m.width * m.height);
    return m;
}

static void pass_image(struct samples_case *c, const struct image *m, int tile_x,
                       int tile_y)
{
    samples_pass_all(c);
    samples_pass_int(c, m->width);
    samples_pass_int(c, m->height);
    kernels_box(c, (const int[]){m->width, m->height, 1}, (const int[]){tile_x, tile_y, 1});
}

static const float taps[7] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};

void kernel_convolve_rows(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 61, 27);
    const float *in = kernels_floats(c, "in", m.count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, m.count, fused);

    for (int i = 0; i < m.width * m.height; i++)
        for (int k = -3; k <= 3; k++)
            out[i] +=
                taps[k + 3] * in[i / m.width * m.width + clamped(i % m.width + k, m.width)];
    pass_image(c, &m, 16, 8);
}

void kernel_convolve_columns(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 90, 23);
    const float *in = kernels_floats(c, "in", m.count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, m.count, fused);

    for (int i = 0; i < m.width * m.height; i++)
        for (int k = -3; k <= 3; k++)
            if (i / m.width + k >= 0 && i / m.width + k < m.height)
                out[i] += taps[k + 3] * in[i + k * m.width];
    pass_image(c, &m, 64, 4);
    c->grid.threads[1] = 1;
}

void kernel_diffuse_tile(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 77, 33);
    const float *in = kernels_floats(c, "in", m.count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, m.count, fused);
    int w = m.width;

    for (int i = 0; i < w * m.height; i++) {
        int x = i % w, y = i / w;

        out[i] = in[i];
        if (x > 0 && y > 0 && x < w - 1 && y < m.height - 1)
            out[i] += 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i]);
    }
    pass_image(c, &m, 16, 8);
}

void kernel_slope_tile(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 77, 33);
    const int32_t *in = kernels_ints(c, "in", m.count, -1000, 1000);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, m.count, 0);

    for (int i = 0; i < m.width * m.height; i++)
        out[i] = 2 * in[i] - (i % m.width ? in[i - 1] : 7) -
                 (i >= m.width ? in[i - m.width] : 9);
    pass_image(c, &m, 16, 8);
}

void kernel_life_periodic(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 45, 31);
    const unsigned char *in = kernels_octets(c, "in", m.count, 2);
    unsigned char *out = kernels_zeros(c, "out", SAMPLES_U8, m.count, 0);

    for (int i = 0; i < m.width * m.height; i++) {
        int alive = -in[i];

        for (int k = 0; k < 9; k++)
            alive += in[(i / m.width + k / 3 - 1 + m.height) % m.height * m.width +
                        (i % m.width + k % 3 - 1 + m.width) % m.width];
        out[i] = alive == 3 || (alive == 2 && in[i]);
    }
    pass_image(c, &m, 16, 16);
}

void kernel_constant_stride(struct samples_case *c, bool large)
{
    enum { PITCH = 128 };
    int rows = kernels_size(c, large, 37);
    const float *in = kernels_floats(c, "in", rows * PITCH);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, rows * PITCH, 0);

    for (int i = 0; i < rows * PITCH; i++)
        if (i % PITCH < PITCH - 1)
            out[i + 1] = in[i] + in[i - i % PITCH + PITCH - 1 - i % PITCH];
    samples_pass_all(c);
    samples_pass_int(c, rows);
    samples_grid(c, samples_parts(rows, 4), 1, 32, 4);
}

void kernel_clamped_box(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 50, 29);
    int reach = 2, w = m.width;
    const int32_t *in = kernels_ints(c, "in", m.count, -50, 50);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, m.count, 0);

    for (int i = 0; i < w * m.height; i++)
        for (int dy = -reach; dy <= reach; dy++)
            for (int dx = -reach; dx <= reach; dx++)
                if (i % w + dx == clamped(i % w + dx, w) &&
                    i / w + dy == clamped(i / w + dy, m.height))
                    out[i] += in[i + dy * w + dx];
    pass_image(c, &m, 32, 2);
    samples_pass_int(c, reach);
}

void kernel_transpose_padded(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 75, 43);
    const float *in = kernels_floats(c, "in", m.count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, m.count, 0);

    for (int i = 0; i < m.width * m.height; i++)
        out[i % m.width * m.height + i / m.width] = in[i];
    pass_image(c, &m, 32, 32);
    c->grid.threads[1] = 8;
}

struct pool {
    int channels, height, width, window, stride, pad, out_height, out_width;
};

static float pooled(const struct pool *p, const float *plane, int oy, int ox)
{
    float most = -1e30f;

    for (int k = 0; k < p->window * p->window; k++) {
        int y = oy * p->stride - p->pad + k / p->window,
            x = ox * p->stride - p->pad + k % p->window;

        if (y >= 0 && y < p->height && x >= 0 && x < p->width &&
            plane[y * p->width + x] > most)
            most = plane[y * p->width + x];
    }
    return most;
}

void kernel_max_pool(struct samples_case *c, bool large)
{
    struct pool p = {large ? 40 : 5, 21 + kernels_step(c), 26, 3, 2, 1, 0, 13};

    p.out_height = (p.height - 1) / 2 + 1;
    const float *in = kernels_floats(c, "in", (p.channels * p.height * p.width));
    int each = p.out_height * p.out_width;
    float *out = kernels_zeros(c, "out", SAMPLES_F32, (p.channels * each), 0);

    for (int i = 0; i < p.channels * each; i++)
        out[i] = pooled(&p, in + i / each * p.height * p.width, i % each / p.out_width,
                        i % p.out_width);
    samples_pass_all(c);
    *(struct pool *)samples_pass_bytes(c, sizeof p, 4) = p;
    samples_grid(c, 6, 1, 64, 1);
}

void kernel_double_size(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 39, 22);
    const unsigned char *in = kernels_octets(c, "in", m.count, 256);
    unsigned char *out = kernels_zeros(c, "out", SAMPLES_U8, 4 * m.count, 0);
    int w = m.width;

    for (int i = 0; i < w * m.height; i++) {
        unsigned char *to = out + 4 * (i / w) * w + 2 * (i % w), v = in[i],
                      next = in[i / w * w + clamped(i % w + 1, w)];

        to[0] = to[2 * w] = v;
        to[1] = (unsigned char)((v + next) / 2);
        to[2 * w + 1] = next;
    }
    pass_image(c, &m, 16, 4);
}

/* All values are powers of two: every product is exact, fused or not. */
void kernel_mandelbrot(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 40, 30);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, m.count, 0);
    int limit = 4; /* before rounding begins */

    for (int k = 0; k < m.width * m.height; k++) {
        int x = k % m.width, y = k / m.width;
        float cr = -2.f + (float)x * 0.0625f, ci = -1.f + (float)y * 0.0625f, r = 0, i = 0;

        for (; out[k] < limit && r * r + i * i < 4.f; out[k]++) {
            float next = r * r - i * i + cr;

            i = 2.f * r * i + ci;
            r = next;
        }
    }
    pass_image(c, &m, 16, 4);
    samples_pass_float(c, -2.f);
    samples_pass_float(c, -1.f);
    samples_pass_float(c, 0.0625f);
    samples_pass_int(c, limit);
}

void kernel_pitched_rows(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 70, 19);
    int in_pitch = (m.width + 15) / 16 * 16, out_pitch = in_pitch + 32;
    const int32_t *in = kernels_ints(c, "in", (in_pitch * m.height), -1000, 1000);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, (out_pitch * m.height), 0);

    for (int i = 0; i < m.width * m.height; i++)
        out[i / m.width * out_pitch + i % m.width] =
            2 * in[i / m.width * in_pitch + i % m.width];
    samples_pass_array(c, 0);
    samples_pass_u64(c, (uint64_t)in_pitch * 4);
    samples_pass_array(c, 1);
    samples_pass_u64(c, (uint64_t)out_pitch * 4);
    samples_pass_int(c, m.width);
    samples_pass_int(c, m.height);
    samples_grid(c, samples_parts(m.width, 32), 3, 32, 4);
}

void kernel_lattice_push(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 44, 25);
    int w = m.width, h = m.height, plane = w * h;
    const float *in = kernels_floats(c, "in", 5 * m.count);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, 5 * m.count, fused);

    for (int i = 0; i < plane; i++) {
        int x = i % w, y = i / w;
        float sum = 0;

        for (int d = 0; d < 5; d++)
            sum += in[d * plane + i];
        sum *= 0.2f;
        out[i] = in[i] + 0.5f * (sum - in[i]);
        out[plane + y * w + (x + 1) % w] = sum;
        out[2 * plane + y * w + (x + w - 1) % w] = sum;
        out[3 * plane + (y + 1) % h * w + x] = sum;
        out[4 * plane + (y + h - 1) % h * w + x] = sum;
    }
    pass_image(c, &m, 16, 8);
}

void kernel_there_and_back(struct samples_case *c, bool large)
{
    struct image m = image_of(c, large, 90, 14);
    const int32_t *in = kernels_ints(c, "in", m.count, -1000, 1000);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, m.count, 0);
    int w = m.width, last = (m.height - 1) * w;

    for (int x = 0; x < w; x++) {
        int sum = 0;

        for (int i = x; i <= last + x; i += w)
            out[i] = sum += in[i];
        sum = 3 * in[last + x];
        for (int i = last + x; i >= 0; i -= w)
            out[i] += sum -= in[i];
    }
    samples_pass_all(c);
    samples_pass_int(c, w);
    samples_pass_int(c, m.height);
    samples_grid(c, samples_parts(w, 32), 1, 32, 1);
}
