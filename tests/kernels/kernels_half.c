/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision: small integers and quarters, which are exact. */
#include <string.h>

#include "kernels/kernels_fill.h"

/* For values with 11 bits and an exponent of -14 to 15. */
static uint16_t half_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xff;

    if (f == 0)
        return (uint16_t)sign;
    return (uint16_t)(sign | (exponent - 112) << 10 | (bits >> 13 & 0x3ff));
}

/* For values with 8 bits. */
static uint16_t bfloat_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* Quarters from -8 to 8. */
static float quarter(int i, int salt)
{
    return (float)((i * 37 + salt * 11) % 65 - 32) / 4;
}

static uint16_t *narrow(struct samples_case *c, const char *name, int n)
{
    return kernels_add(c, name, SAMPLES_U16, n);
}

static uint16_t *narrow_output(struct samples_case *c, const char *name, int n)
{
    return kernels_zeros(c, name, SAMPLES_U16, n, 0);
}

void kernel_half_axpy(struct samples_case *c, bool large)
{
    int n = 2 * kernels_size(c, large, 500);
    uint16_t *x = narrow(c, "x", n), *before = narrow(c, "y", n);
    uint16_t *y = samples_output(c, 0);

    for (int i = 0; i < n; i++) {
        x[i] = half_of(quarter(i, 1));
        before[i] = half_of(quarter(i, 2));
        y[i] = half_of(2.5f * quarter(i, 1) + quarter(i, 2));
    }
    samples_pass_all(c);
    samples_pass_float(c, 2.5f);
    samples_pass_int(c, n / 2);
    kernels_line(c, n / 2, 64);
}

void kernel_half_widen(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 700);
    uint16_t *in = narrow(c, "in", n);
    float *out = kernels_zeros(c, "out", SAMPLES_F32, n, 0);
    uint16_t *rounded = narrow_output(c, "rounded", n);

    for (int i = 0; i < n; i++) {
        in[i] = half_of(quarter(i, 3));
        out[i] = quarter(i, 3) * 3.f;
        rounded[i] = half_of(quarter(i, 3) + 1.f);
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, 128);
}

void kernel_bfloat_scale(struct samples_case *c, bool large)
{
    int n = kernels_size(c, large, 900);
    uint16_t *in = narrow(c, "in", n), *out = narrow_output(c, "out", n);

    for (int i = 0; i < n; i++) {
        in[i] = bfloat_of(quarter(i, 4));
        out[i] = bfloat_of(quarter(i, 4) * 3.f);
    }
    samples_pass_all(c);
    samples_pass_float(c, 3.f);
    samples_pass_int(c, n);
    samples_grid(c, 5, 1, 64, 1);
}

void kernel_bfloat_pairs(struct samples_case *c, bool large)
{
    int n = 2 * kernels_size(c, large, 400);
    uint16_t *a = narrow(c, "a", n), *b = narrow(c, "b", n),
             *sum = narrow_output(c, "sum", n);

    for (int i = 0; i < n; i++) {
        float x = quarter(i, 5), y = quarter(i, 6);

        a[i] = bfloat_of(x);
        b[i] = bfloat_of(y);
        sum[i] = bfloat_of(x + y > x ? x + y : x);
    }
    samples_pass_all(c);
    samples_pass_int(c, n / 2);
    kernels_line(c, n / 2, 64);
}
