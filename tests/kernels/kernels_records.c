/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of pointers, records, vectors, tables of rows, narrow elements. */
#include <string.h>

#include "kernels/kernels_fill.h"

static const double fused = 1e-6;

void kernel_struct_of_pointers(struct samples_case *c, bool large)
{
    static const char *const name[] = {"x", "y", "vx", "vy"};
    int n = kernels_size(c, large, 1111);
    float dt = 0.5f, *a[4], *moved[2];

    for (int i = 0; i < 4; i++) {
        a[i] = kernels_floats(c, name[i], n);
        if (i < 2)
            moved[i] = samples_output(c, fused);
    }
    for (int i = 0; i < n; i++) {
        moved[0][i] += dt * a[2][i];
        moved[1][i] += dt * a[3][i];
    }
    unsigned char *value = samples_pass_bytes(c, 40, 8);

    for (int i = 0; i < 4; i++)
        samples_point(c, i, 8 * (size_t)i);
    memcpy(value + 32, &n, 4);
    memcpy(value + 36, &dt, 4);
    kernels_line(c, n, 128);
}

struct particle {
    float x[3];
    int32_t kind, hits;
    float life;
};

void kernel_records_in_place(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 500);

    memset(kernels_floats(c, "p", n * 6), 0, (size_t)n * 24);
    struct particle *before = c->arrays[0].content;

    for (int i = 0; i < n; i++)
        before[i] = (struct particle){.x = {(float)i, 1, 2}, .kind = 7, .life = 0.5f};
    struct particle *p = samples_output(c, 0);

    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++)
            p[i].x[d] += 0.25f * (float)(d + 1);
        p[i].hits++;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_float(c, 0.25f);
    kernels_line(c, n, 64);
}

void kernel_pointers_by_grid(struct samples_case *c, bool large)
{
    static const char *const name[] = {"row 0", "row 1", "row 2"};
    int n = kernels_size(c, large, 700);
    float *row[3];

    for (int r = 0; r < 3; r++)
        row[r] = kernels_zeros(c, name[r], SAMPLES_F32, n, 0);
    const float *in = kernels_floats(c, "in", n);

    for (int r = 0; r < 3; r++)
        for (int i = 0; i < n; i++)
            row[r][i] = in[i] * (float)(r + 1);
    unsigned char *value = samples_pass_bytes(c, 32, 8);

    for (int r = 0; r < 3; r++)
        samples_point(c, r, 8 * (size_t)r);
    memcpy(value + 24, &n, 4);
    samples_pass_array(c, 3);
    samples_grid(c, samples_parts(n, 128), 3, 128, 1);
}

void kernel_pointers_by_number(struct samples_case *c, bool large)
{
    static const char *const name[] = {"row 0", "row 1"};
    int n = kernels_size(c, large, 600), from = 0, count = 2, to = 2;
    const float *row[2];

    for (int r = 0; r < 2; r++)
        row[r] = kernels_floats(c, name[r], n);
    float *out = kernels_zeros(c, "row 2", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = row[0][i] + row[1][i];
    unsigned char *value = samples_pass_bytes(c, 32, 8);

    for (int r = 0; r < 3; r++)
        samples_point(c, r, 8 * (size_t)r);
    memcpy(value + 24, &n, 4);
    samples_pass_int(c, from);
    samples_pass_int(c, count);
    samples_pass_int(c, to);
    kernels_line(c, n, 128);
}

void kernel_pointer_for_all(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700), which = n % 2;
    const float *one = kernels_floats(c, "one", n);
    const float *other = kernels_floats(c, "other", n + 1);
    const float *from = which ? one : other + 1;
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = from[i] - from[i > 0 ? i - 1 : n - 1];
    samples_pass_all(c);
    samples_pass_int(c, which);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_pointers_in_line(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700), first = n / 3;
    const float *one = kernels_floats(c, "one", first + 1);
    const float *other = kernels_floats(c, "other", n - first);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = 2.f * (i < first ? one[i] : other[i - first]);
    samples_pass_all(c);
    samples_pass_int(c, first);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_pointer_of_three(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700), number = n % 11;
    const float *one = kernels_floats(c, "one", n + 4);
    const float *other = kernels_floats(c, "other", n + 2);
    const float *third = kernels_floats(c, "third", n + 3);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++) {
        const float *from = i / 128 < 2 ? one + 2 : number > 5 ? other : third + 1;

        for (int k = 0; k < 3; k++)
            out[i] += from[i + k];
    }
    samples_pass_all(c);
    samples_pass_int(c, number);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_pointers_in_turn(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700), turns = n % 4;
    const float *one = kernels_floats(c, "one", n), *other = kernels_floats(c, "other", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < turns; k++)
            out[i] += k & 1 ? one[i] : other[i];
    samples_pass_all(c);
    samples_pass_int(c, turns);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_pointers_that_turn(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700), turns = 5;
    const char *const names[] = {"one", "other", "third"};
    float *at[3];

    for (int k = 0; k < 3; k++) {
        kernels_floats(c, names[k], n);
        at[k] = samples_output(c, 0);
    }
    for (int k = 0; k < turns; k++) {
        float *last = at[2];

        for (int i = 0; i < n; i++)
            last[i] = 2.f * at[0][i] - at[1][i] + (float)k;
        at[2] = at[1];
        at[1] = at[0];
        at[0] = last;
    }
    samples_pass_all(c);
    samples_pass_int(c, turns);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_pointers_in_memory(struct samples_case *c, bool large)
{
    enum { ROWS = 5 };
    int n = kernels_size(c, large, 400);
    uint64_t *table = kernels_add(c, "table", SAMPLES_ADDRESS, ROWS);
    const float *in = kernels_floats(c, "in", (ROWS * n));
    float *out = kernels_zeros(c, "out", SAMPLES_F32, (ROWS * n), 0);

    for (int r = 0; r < ROWS; r++) {
        int at = (r * 3 + 1) % ROWS * n;

        table[r] = (uint64_t)2 << SAMPLES_PLACE_SHIFT | (uint64_t)at * 4;
        for (int i = 0; i < n; i++)
            out[at + i] = in[r * n + i] - 1.f;
    }
    samples_pass_array(c, 0);
    samples_pass_array(c, 1);
    samples_pass_int(c, ROWS);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_vector_four(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 555);
    const float *in = kernels_floats(c, "in", 4 * n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, 4 * n, 0);

    for (int i = 0; i < 4 * n; i++)
        out[i] = in[i / 4 * 4 + 3 - i % 4] * 2.5f;
    samples_pass_all(c);
    samples_pass_float(c, 2.5f);
    samples_pass_int(c, n);
    kernels_line(c, n, 96);
}

void kernel_vector_tail(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1023);
    const float *in = kernels_floats(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);

    for (int i = 0; i < n; i++)
        out[i] = in[i] + 1.f;
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, samples_parts(n, 4), 64);
}

void kernel_vector_double(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 601);
    double *v = kernels_add(c, "v", SAMPLES_F64, 2 * n);

    for (int i = 0; i < 2 * n; i++)
        v[i] = i * 0.5;
    double *turned = samples_output(c, 0);

    for (int i = 0; i < n; i++) {
        turned[2 * i] = v[2 * i + 1];
        turned[2 * i + 1] = -v[2 * i];
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_complex_product(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 901);
    const float *a = kernels_floats(c, "a", 2 * n), *b = kernels_floats(c, "b", 2 * n);
    float *p = kernels_zeros(c, "c", SAMPLES_F32, 2 * n, fused);

    for (int i = 0; i < 2 * n; i += 2) {
        p[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
        p[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_grid(c, 5, 1, 64, 1);
}

void kernel_minmax_pairs(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 801);
    const int32_t *a = kernels_ints(c, "a", n, -99, 99),
                  *b = kernels_ints(c, "b", n, -99, 99);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 2 * n, 0);

    for (int i = 0; i < n; i++) {
        out[2 * i] = a[i] < b[i] ? a[i] : b[i];
        out[2 * i + 1] = a[i] > b[i] ? a[i] : b[i];
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 64);
}

void kernel_gray(struct samples_case *c, bool large)
{
    int width = kernels_size(c, large, 75), height = 41;
    int n = (width * height);
    const unsigned char *in = kernels_octets(c, "in", 3 * n, 256);
    unsigned char *out = kernels_zeros(c, "out", SAMPLES_U8, n, 0);

    for (int i = 0; i < n; i++)
        out[i] =
            (unsigned char)((77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2]) >>
                            8);
    samples_pass_all(c);
    samples_pass_int(c, width);
    samples_pass_int(c, height);
    kernels_box(c, (const int[]){width, height, 1}, (const int[]){32, 4, 1});
}

void kernel_short_delta(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1777);
    uint16_t *in = kernels_add(c, "in", SAMPLES_U16, n);
    uint16_t *out = kernels_zeros(c, "out", SAMPLES_U16, n, 0);
    uint32_t state = c->seed + 1;

    for (int i = 0; i < n; i++) {
        in[i] = (uint16_t)kernels_draw(&state);
        out[i] = (uint16_t)(in[i] - (i ? in[i - 1] : 0));
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_bool_marks(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1234);
    const int32_t *in = kernels_ints(c, "in", n, -500, 500);
    unsigned char *even = kernels_zeros(c, "even", SAMPLES_U8, n, 0);
    unsigned char *above = kernels_zeros(c, "large", SAMPLES_U8, n, 0);

    for (int i = 0; i < n; i++) {
        even[i] = in[i] % 2 == 0;
        above[i] = in[i] > 100;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    samples_pass_int(c, 100);
    kernels_line(c, n, 128);
}

void kernel_channels(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 1003);
    const unsigned char *in = kernels_octets(c, "in", 4 * n, 256);
    unsigned char *red = kernels_zeros(c, "red", SAMPLES_U8, n, 0),
                  *green = kernels_zeros(c, "green", SAMPLES_U8, n, 0),
                  *blue = kernels_zeros(c, "blue", SAMPLES_U8, n, 0);

    for (int i = 0; i < n; i++) {
        const unsigned char *p = in + 4 * i;

        red[i] = p[0];
        green[i] = p[1];
        blue[i] = p[2] > p[3] ? p[2] : p[3];
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}
