/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Products of matrices: fragments are put together, multiplied, and taken apart. */

#include <math.h>

#include "execute/lanes/lanes_round.h"
#include "execute/matrix.h"

/* The most elements of A or B, and of C. */
enum { FLOATS_MAX = 16 * 32, INTEGERS_MAX = 16 * 256, SUMS_MAX = 16 * 16 };

/* e4m3 has f16's digits with another exponent, and no infinity. */
static inline double float_of_8(uint32_t bits, enum matrix_kind kind)
{
    uint32_t sign = (bits & 0x80) << 8;

    if (kind == MATRIX_E5M2)
        return (double)float_of_f16(bits << 8);
    if ((bits & 0x7f) == 0x7f)
        return (double)f32_of_bits(NAN_F32);
    return 256.0 * (double)float_of_f16(sign | (bits & 0x7f) << 7);
}

static inline double element_float(uint32_t bits, enum matrix_kind kind)
{
    switch (kind) {
    case MATRIX_F16:
        return (double)float_of_f16(bits & 0xffff);
    case MATRIX_BF16:
        return (double)float_of_bf16(bits & 0xffff);
    case MATRIX_TF32: /* what is below its digits is not looked at */
        return (double)f32_of_bits(bits & 0xffffe000);
    case MATRIX_F32:
        return (double)f32_of_bits(bits);
    default:
        return float_of_8(bits & 0xff, kind);
    }
}

static inline int32_t element_integer(uint32_t bits, enum matrix_kind kind)
{
    unsigned unused = 32 - matrix_bits(kind);

    return kind == MATRIX_S8 || kind == MATRIX_S4 ? (int32_t)(bits << unused) >> unused
                                                  : (int32_t)(bits << unused >> unused);
}

static bool is_whole(enum matrix_kind kind)
{
    return kind == MATRIX_S32 || (kind >= MATRIX_B1 && kind <= MATRIX_U8);
}

/* Where the elements of one register go: `along` apart within a run, `across` from line to
   line. */
struct matrix_block {
    size_t first, across, along;
    unsigned run; /* elements */
};

static void block_floats(const uint32_t *x, enum matrix_kind kind, struct matrix_block b,
                         double *out)
{
    unsigned bits = matrix_bits(kind);

    for (unsigned l = 0; l < LANES; l++) {
        double *to = out + b.first + l / 4 * b.across + l % 4 * b.run * b.along;
        const uint64_t *wide = (const uint64_t *)(const void *)x;

        if (bits == 64)
            *to = f64_of_bits(wide[l]);
        for (unsigned p = 0; bits < 64 && p < b.run; p++)
            to[p * b.along] = element_float(x[l] >> p * bits, kind);
    }
}

static void block_integers(const uint32_t *x, enum matrix_kind kind, struct matrix_block b,
                           int32_t *out)
{
    unsigned bits = matrix_bits(kind);

    for (unsigned l = 0; l < LANES; l++) {
        int32_t *to = out + b.first + l / 4 * b.across + l % 4 * b.run * b.along;

        for (unsigned p = 0; p < b.run; p++)
            to[p * b.along] = element_integer(x[l] >> p * bits, kind);
    }
}

/* Block `index` of A as it lies in M x K, of B in K x N. */
static struct matrix_block block_of(const struct matrix_product *p, bool is_b,
                                    unsigned index)
{
    unsigned bits = matrix_bits(is_b ? p->b : p->a), run = bits == 64 ? 1 : 32 / bits;
    unsigned steps = is_b ? p->k / (MATRIX_RUNS * run) : p->m / MATRIX_LINES;
    size_t line = MATRIX_LINES * (is_b ? index / steps : index % steps);
    size_t at = (size_t)MATRIX_RUNS * run * (is_b ? index % steps : index / steps);

    if (is_b)
        return (struct matrix_block){at * p->n + line, 1, p->n, run};
    return (struct matrix_block){line * p->k + at, p->k, 1, run};
}

static unsigned block_count(const struct matrix_product *p, bool is_b)
{
    unsigned bits = matrix_bits(is_b ? p->b : p->a), run = bits == 64 ? 1 : 32 / bits;

    return (unsigned)(is_b ? p->n : p->m) * p->k / (LANES * run);
}

static void gather_floats(const struct op_registers *r, const struct matrix_product *p,
                          double *a, double *b)
{
    for (unsigned n = 0; n < block_count(p, false); n++)
        block_floats(op_register(r, p->a_at[n]), p->a, block_of(p, false, n), a);
    for (unsigned n = 0; n < block_count(p, true); n++)
        block_floats(op_register(r, p->b_at[n]), p->b, block_of(p, true, n), b);
}

static void gather_integers(const struct op_registers *r, const struct matrix_product *p,
                            int32_t *a, int32_t *b)
{
    for (unsigned n = 0; n < block_count(p, false); n++)
        block_integers(op_register(r, p->a_at[n]), p->a, block_of(p, false, n), a);
    for (unsigned n = 0; n < block_count(p, true); n++)
        block_integers(op_register(r, p->b_at[n]), p->b, block_of(p, true, n), b);
}

/* Element `p` of a lane's run in block n of C or D: its register, and where it stands. */
static size_t place_in_c(const struct matrix_product *p, unsigned n, unsigned lane,
                         unsigned part)
{
    unsigned lines = p->m / MATRIX_LINES;
    size_t row = n % lines * MATRIX_LINES + lane / 4;

    return row * p->n + n / lines * MATRIX_LINES + lane % 4 * 2 + part;
}

static unsigned c_blocks(const struct matrix_product *p)
{
    return p->m / MATRIX_LINES * (p->n / MATRIX_LINES);
}

static double read_float(const struct op_registers *r, const op_place *at, unsigned n,
                         unsigned lane, unsigned part, enum matrix_kind kind)
{
    if (kind == MATRIX_F16) {
        const uint32_t *pair = op_register(r, at[n]);

        return (double)float_of_f16(pair[lane] >> part * 16 & 0xffff);
    }
    if (kind == MATRIX_F64)
        return ((const double *)op_register(r, at[2 * n + part]))[lane];
    return (double)((const float *)op_register(r, at[2 * n + part]))[lane];
}

static void write_float(const struct op_registers *r, const op_place *at, unsigned n,
                        unsigned lane, unsigned part, enum matrix_kind kind, double value)
{
    if (kind == MATRIX_F16) {
        uint32_t *pair = (uint32_t *)op_register(r, at[n]) + lane;
        uint32_t bits = narrow_16(value, FORMAT_F16, ROUND_NEAREST);

        *pair = (*pair & ~(UINT32_C(0xffff) << part * 16)) | bits << part * 16;
    } else if (kind == MATRIX_F64) {
        ((double *)op_register(r, at[2 * n + part]))[lane] = value;
    } else {
        ((float *)op_register(r, at[2 * n + part]))[lane] = one_nan_f32((float)value);
    }
}

static void multiply_floats(const struct op_registers *r, const struct matrix_product *p)
{
    double a[FLOATS_MAX], b[FLOATS_MAX], c[SUMS_MAX];
    bool is_wide = p->a == MATRIX_F64;

    gather_floats(r, p, a, b);
    for (unsigned n = 0; n < c_blocks(p); n++)
        for (unsigned l = 0; l < 2 * LANES; l++)
            c[place_in_c(p, n, l / 2, l % 2)] =
                read_float(r, p->c_at, n, l / 2, l % 2, p->c);
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned k = 0; k < p->k; k++) {
            double x = a[i * p->k + k], *sum = c + (size_t)i * p->n;
            const double *y = b + (size_t)k * p->n;

            if (is_wide)
                for (unsigned j = 0; j < p->n; j++)
                    sum[j] = keep_nan(fma(x, y[j], sum[j]), x, y[j], sum[j]);
            else
                for (unsigned j = 0; j < p->n; j++)
                    sum[j] += x * y[j];
        }
    for (unsigned n = 0; n < c_blocks(p); n++)
        for (unsigned l = 0; l < 2 * LANES; l++)
            write_float(r, p->d_at, n, l / 2, l % 2, p->d,
                        c[place_in_c(p, n, l / 2, l % 2)]);
}

static int32_t whole(const struct matrix_product *p, int64_t sum)
{
    if (p->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (int32_t)(uint32_t)(uint64_t)sum;
}

static void multiply_integers(const struct op_registers *r, const struct matrix_product *p)
{
    int32_t a[INTEGERS_MAX], b[INTEGERS_MAX], products[SUMS_MAX] = {0};
    int64_t c[SUMS_MAX];
    int32_t is_xor = p->a == MATRIX_B1 && !p->is_and;

    gather_integers(r, p, a, b);
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned k = 0; k < p->k; k++)
            for (unsigned j = 0; j < p->n; j++) {
                int32_t x = a[i * p->k + k], y = b[k * p->n + j];

                products[i * p->n + j] += is_xor ? x ^ y : x * y;
            }
    for (unsigned n = 0; n < 2 * c_blocks(p); n++)
        for (unsigned l = 0; l < LANES; l++)
            c[place_in_c(p, n / 2, l, n % 2)] =
                ((const int32_t *)op_register(r, p->c_at[n]))[l];
    for (unsigned n = 0; n < 2 * c_blocks(p); n++)
        for (unsigned l = 0; l < LANES; l++) {
            size_t at = place_in_c(p, n / 2, l, n % 2);

            ((int32_t *)op_register(r, p->d_at[n]))[l] = whole(p, c[at] + products[at]);
        }
}

static void multiply(const struct op_registers *r, const struct matrix_product *p)
{
    if (is_whole(p->a))
        multiply_integers(r, p);
    else
        multiply_floats(r, p);
}
