/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of numbers that are exact in every type and order. */
#include <string.h>

#include "kernels/kernels_fill.h"

enum type { HALF, BFLOAT, SINGLE, DOUBLE, OCTET, WORD };

/* M x N x K and the layouts of A, B, C. */
struct tensor {
    int m, n, k;
    enum type ab, c;
    bool a_by_column, b_by_column, c_by_column;
    float alpha, beta;
};

static enum samples_element element_of(enum type type)
{
    static const enum samples_element elements[] = {
        [HALF] = SAMPLES_U16,   [BFLOAT] = SAMPLES_U16, [SINGLE] = SAMPLES_F32,
        [DOUBLE] = SAMPLES_F64, [OCTET] = SAMPLES_U8,   [WORD] = SAMPLES_I32,
    };

    return elements[type];
}

/* For integers and quarters below 2048 and 256. */
static uint16_t half_bits(float f, enum type type)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    if (type == BFLOAT || f == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 |
                      (bits >> 13 & 0x3ff));
}

static void put(void *array, enum type type, int at, float value)
{
    if (type == HALF || type == BFLOAT)
        ((uint16_t *)array)[at] = half_bits(value, type);
    else if (type == SINGLE)
        ((float *)array)[at] = value;
    else if (type == DOUBLE)
        ((double *)array)[at] = (double)value;
    else if (type == OCTET)
        ((signed char *)array)[at] = (signed char)value;
    else
        ((int32_t *)array)[at] = (int32_t)value;
}

/* Integers from -3 to 3 for sums. */
static float value(struct samples_case *c, int array, int i, int j)
{
    return (float)((i * 7 + j * 13 + i * j % 11 + array * 5 + (int)(c->seed & 3)) % 7 - 3);
}

static void tensor_fill(struct samples_case *c, const struct tensor *t)
{
    void *a = kernels_add(c, "a", element_of(t->ab), t->m * t->k);
    void *b = kernels_add(c, "b", element_of(t->ab), t->k * t->n);
    void *before = kernels_add(c, "c", element_of(t->c), t->m * t->n);
    void *after = samples_output(c, 0);

    for (int i = 0; i < t->m; i++)
        for (int l = 0; l < t->k; l++)
            put(a, t->ab, t->a_by_column ? l * t->m + i : i * t->k + l, value(c, 0, i, l));
    for (int l = 0; l < t->k; l++)
        for (int j = 0; j < t->n; j++)
            put(b, t->ab, t->b_by_column ? j * t->k + l : l * t->n + j, value(c, 1, l, j));
    for (int i = 0; i < t->m; i++)
        for (int j = 0; j < t->n; j++) {
            int at = t->c_by_column ? j * t->m + i : i * t->n + j;
            float sum = 0;

            for (int l = 0; l < t->k; l++)
                sum += value(c, 0, i, l) * value(c, 1, l, j);
            put(before, t->c, at, value(c, 2, i, j));
            put(after, t->c, at, t->alpha * sum + t->beta * value(c, 2, i, j));
        }
    samples_pass_all(c);
}

/* Number of steps, which grows with the seed. */
static int steps(const struct samples_case *c, bool large)
{
    return 1 + kernels_step(c) % 3 + (large ? 4 : 0);
}

void kernel_wmma_tiles(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {16 * (s + 1), 64 * s, 48, HALF, SINGLE, false, false, false, 1, 0};

    tensor_fill(c, &t);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 64, t.m / 16, 128, 1);
}

void kernel_wmma_scaled(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {64 * s, 48, 32, HALF, HALF, true, true, true, 2, 0.5f};

    tensor_fill(c, &t);
    samples_pass_int(c, t.m);
    samples_pass_int(c, t.k);
    samples_pass_float(c, t.alpha);
    samples_pass_float(c, t.beta);
    samples_grid(c, t.m / 32, t.n / 16, 32, 2);
}

void kernel_wmma_bytes(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {24, 64 * s, 48, OCTET, WORD, false, false, false, 1, 0};

    tensor_fill(c, &t);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 32, t.m / 8, 32, 1);
}

void kernel_mma_by_hand(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {32, 24 * s, 40, HALF, SINGLE, false, false, false, 1, 0};

    tensor_fill(c, &t);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 8, t.m / 16, 32, 1);
}

void kernel_wmma_bfloat(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {48, 64 * s, 32, BFLOAT, SINGLE, false, true, false, 1, 1};

    tensor_fill(c, &t);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 32, t.m / 24, 32, 3);
}

void kernel_wmma_tf32(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {48, 32 * s, 24, SINGLE, SINGLE, false, false, false, 1, 0};

    tensor_fill(c, &t);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 16, t.m / 16, 32, 1);
}

void kernel_wmma_double(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {32 * s, 24, 20, DOUBLE, DOUBLE, true, false, true, 1, 0};

    tensor_fill(c, &t);
    samples_pass_int(c, t.m);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 8, t.m / 8, 32, 1);
}

void kernel_mma_from_memory(struct samples_case *c, bool large)
{
    int s = steps(c, large);
    struct tensor t = {32 * s, 24, 48, BFLOAT, SINGLE, false, true, false, 1, 0};

    tensor_fill(c, &t);
    samples_pass_int(c, t.n);
    samples_pass_int(c, t.k);
    samples_grid(c, t.n / 8, t.m / 16, 32, 1);
}
