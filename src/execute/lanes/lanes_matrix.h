/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Matrix products: fragments are combined into matrices, multiplied, and split again. */

#include <math.h>

#include "execute/lanes/lanes_round.h"
#include "execute/matrix.h"

/* Largest number of elements of A or B, and of C. */
enum { FLOATS_MAX = 16 * 64, INTEGERS_MAX = 16 * 256, SUMS_MAX = 16 * 16 };

/* e4m3 has f16's digits with another exponent range and no infinity. */
static inline float float_of_8(uint32_t bits, enum matrix_kind kind)
{
    uint32_t sign = (bits & 0x80) << 8;

    if (kind == MATRIX_E5M2)
        return float_of_f16(bits << 8);
    if ((bits & 0x7f) == 0x7f)
        return f32_of_bits(NAN_F32);
    return 256.f * float_of_f16(sign | (bits & 0x7f) << 7);
}

/* Element `part` of every lane's register. Each loop is vectorized. */
static void lane_floats(const uint32_t *x, enum matrix_kind kind, unsigned part, float *out)
{
    unsigned by = part * matrix_bits(kind);

    switch (kind) {
    case MATRIX_F16:
        for (unsigned l = 0; l < LANES; l++)
            out[l] = float_of_f16(x[l] >> by & 0xffff);
        return;
    case MATRIX_BF16:
        for (unsigned l = 0; l < LANES; l++)
            out[l] = float_of_bf16(x[l] >> by & 0xffff);
        return;
    case MATRIX_TF32: /* ignores bits below the type's digits */
        for (unsigned l = 0; l < LANES; l++)
            out[l] = f32_of_bits(x[l] & 0xffffe000);
        return;
    default:
        for (unsigned l = 0; l < LANES; l++)
            out[l] = float_of_8(x[l] >> by & 0xff, kind);
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

/* Destination of the elements of one register: stride `axis` within a group, stride
   `across` between lines. */
struct matrix_block {
    size_t first, across, axis;
    unsigned run; /* elements per group */
};

static void block_floats(const void *x, enum matrix_kind kind, struct matrix_block b,
                         double *out)
{
    float values[LANES];

    out += b.first;
    for (unsigned l = 0; kind == MATRIX_F64 && l < LANES; l++)
        out[l / 4 * b.across + l % 4 * b.axis] = ((const double *)x)[l];
    for (unsigned part = 0; kind != MATRIX_F64 && part < b.run; part++) {
        lane_floats(x, kind, part, values);
        for (unsigned l = 0; l < LANES; l++)
            out[l / 4 * b.across + (l % 4 * b.run + part) * b.axis] = (double)values[l];
    }
}

static void block_integers(const uint32_t *x, enum matrix_kind kind, struct matrix_block b,
                           int32_t *out)
{
    unsigned bits = matrix_bits(kind);

    for (unsigned l = 0; l < LANES; l++) {
        int32_t *to = out + b.first + l / 4 * b.across + l % 4 * b.run * b.axis;

        for (unsigned p = 0; p < b.run; p++)
            to[p * b.axis] = element_integer(x[l] >> p * bits, kind);
    }
}

/* Block `index` of A in M x K, or of B in K x N. */
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

/* A of a sparse product as a dense matrix of M x K/2. */
static struct matrix_product packed_product(const struct matrix_product *p)
{
    struct matrix_product packed = *p;

    packed.k /= 2;
    return packed;
}

/* Bit `bit` of the metadata of a row, and the bits after it. Types of 16 and 32 bits have
   16 bits a thread and row, smaller types have 32. */
static uint32_t metadata_of(const struct op_registers *r, const struct matrix_product *p,
                            unsigned row, unsigned bit)
{
    const uint32_t *metadata = op_register(r, p->metadata);
    unsigned lane = row % MATRIX_LINES * 4, half = row / MATRIX_LINES;

    if (matrix_bits(p->a) >= 16) {
        unsigned threads = p->k * matrix_bits(p->a) / (16 * 16);

        return metadata[lane + p->selector * threads + bit / 16] >> (half * 16 + bit % 16);
    }
    return metadata[lane + p->selector * 2 + bit / 32 * 2 + half] >> bit % 32;
}

/* Column in M x K of an element of M x K/2: 2 of 4, 1 of 2 (tf32), or 2 pairs of 4. */
static unsigned sparse_column(const struct op_registers *r, const struct matrix_product *p,
                              unsigned row, unsigned at)
{
    switch (matrix_bits(p->a)) {
    case 32:
        return at * 2 + (metadata_of(r, p, row, at * 4) >> 1 & 1);
    case 4:
        return at / 4 * 8 + (metadata_of(r, p, row, at / 2 * 2) & 3) * 2 + at % 2;
    default:
        return at / 2 * 4 + (metadata_of(r, p, row, at * 2) & 3);
    }
}

static void gather_floats(const struct op_registers *r, const struct matrix_product *p,
                          double *a, double *b)
{
    const struct matrix_product of_a = p->is_sparse ? packed_product(p) : *p;

    for (unsigned n = 0; n < block_count(&of_a, false); n++)
        block_floats(op_register(r, p->a_at[n]), p->a, block_of(&of_a, false, n), a);
    for (unsigned n = 0; n < block_count(p, true); n++)
        block_floats(op_register(r, p->b_at[n]), p->b, block_of(p, true, n), b);
}

static void gather_integers(const struct op_registers *r, const struct matrix_product *p,
                            int32_t *a, int32_t *b)
{
    const struct matrix_product of_a = p->is_sparse ? packed_product(p) : *p;

    for (unsigned n = 0; n < block_count(&of_a, false); n++)
        block_integers(op_register(r, p->a_at[n]), p->a, block_of(&of_a, false, n), a);
    for (unsigned n = 0; n < block_count(p, true); n++)
        block_integers(op_register(r, p->b_at[n]), p->b, block_of(p, true, n), b);
}

/* Position of block n of C or D, and of an element in a block. */
static size_t block_in_c(const struct matrix_product *p, unsigned n)
{
    unsigned lines = p->m / MATRIX_LINES;

    return (size_t)MATRIX_LINES * (n % lines * p->n + n / lines);
}

static inline size_t place_in_c(const struct matrix_product *p, unsigned lane,
                                unsigned part)
{
    return (size_t)(lane / 4 * p->n + lane % 4 * 2 + part);
}

static unsigned c_blocks(const struct matrix_product *p)
{
    return p->m / MATRIX_LINES * (p->n / MATRIX_LINES);
}

static void read_floats(const struct op_registers *r, const struct matrix_product *p,
                        unsigned n, unsigned part, double *block)
{
    const void *at = op_register(r, p->c_at[p->c == MATRIX_F16 ? n : 2 * n + part]);

    if (p->c == MATRIX_F16)
        for (unsigned l = 0; l < LANES; l++)
            block[place_in_c(p, l, part)] =
                (double)float_of_f16(((const uint32_t *)at)[l] >> part * 16 & 0xffff);
    else if (p->c == MATRIX_F64)
        for (unsigned l = 0; l < LANES; l++)
            block[place_in_c(p, l, part)] = ((const double *)at)[l];
    else
        for (unsigned l = 0; l < LANES; l++)
            block[place_in_c(p, l, part)] = (double)((const float *)at)[l];
}

static void write_half(uint32_t *to, unsigned part, double value)
{
    uint32_t bits = narrow_16(value, FORMAT_F16, ROUND_NEAREST);

    *to = (*to & ~(UINT32_C(0xffff) << part * 16)) | bits << part * 16;
}

static void write_floats(const struct op_registers *r, const struct matrix_product *p,
                         unsigned n, unsigned part, const double *block)
{
    void *at = op_register(r, p->d_at[p->d == MATRIX_F16 ? n : 2 * n + part]);

    if (p->d == MATRIX_F16)
        for (unsigned l = 0; l < LANES; l++)
            write_half((uint32_t *)at + l, part, block[place_in_c(p, l, part)]);
    else if (p->d == MATRIX_F64)
        for (unsigned l = 0; l < LANES; l++)
            ((double *)at)[l] = block[place_in_c(p, l, part)];
    else
        for (unsigned l = 0; l < LANES; l++)
            ((float *)at)[l] = one_nan_f32((float)block[place_in_c(p, l, part)]);
}

/* A constant number of columns lets the compiler keep a row of sums in registers. */
static inline void add_products(const struct matrix_product *p, const double *a,
                                const double *b, double *c, unsigned columns)
{
    double sums[32];

    for (unsigned i = 0; i < p->m; i++, a += p->k, c += columns) {
        memcpy(sums, c, columns * sizeof *c);
        for (unsigned k = 0; k < p->k; k++) {
            double x = a[k];
#pragma omp simd
            for (unsigned j = 0; j < columns; j++)
                sums[j] += x * b[k * columns + j];
        }
        memcpy(c, sums, columns * sizeof *c);
    }
}

/* Elements of B without a partner in A have no effect, infinities and NaNs included. */
static void add_sparse_products(const struct op_registers *r,
                                const struct matrix_product *p, const double *a,
                                const double *b, double *c)
{
    for (unsigned i = 0; i < p->m; i++, a += p->k / 2, c += p->n)
        for (unsigned at = 0; at < p->k / 2u; at++) {
            const double *row = b + (size_t)sparse_column(r, p, i, at) * p->n;

            for (unsigned j = 0; j < p->n; j++)
                c[j] += a[at] * row[j];
        }
}

static void add_wide_products(const struct matrix_product *p, const double *a,
                              const double *b, double *c)
{
    for (unsigned i = 0; i < p->m; i++, c += p->n)
        for (unsigned k = 0; k < p->k; k++)
            for (unsigned j = 0; j < p->n; j++) {
                double x = a[i * p->k + k], y = b[k * p->n + j];

                c[j] = keep_nan(fma(x, y, c[j]), x, y, c[j]);
            }
}

static void multiply_floats(const struct op_registers *r, const struct matrix_product *p)
{
    double a[FLOATS_MAX], b[FLOATS_MAX], c[SUMS_MAX];

    gather_floats(r, p, a, b);
    for (unsigned n = 0; n < c_blocks(p); n++)
        for (unsigned part = 0; part < 2; part++)
            read_floats(r, p, n, part, c + block_in_c(p, n));
    if (p->is_sparse)
        add_sparse_products(r, p, a, b, c);
    else if (p->a == MATRIX_F64)
        add_wide_products(p, a, b, c);
    else if (p->n == 8)
        add_products(p, a, b, c, 8);
    else if (p->n == 16)
        add_products(p, a, b, c, 16);
    else
        add_products(p, a, b, c, 32);
    for (unsigned n = 0; n < c_blocks(p); n++)
        for (unsigned part = 0; part < 2; part++)
            write_floats(r, p, n, part, c + block_in_c(p, n));
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
    unsigned columns = p->is_sparse ? p->k / 2u : p->k;

    gather_integers(r, p, a, b);
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned at = 0; at < columns; at++)
            for (unsigned j = 0, k = p->is_sparse ? sparse_column(r, p, i, at) : at;
                 j < p->n; j++) {
                int32_t x = a[i * columns + at], y = b[k * p->n + j];

                products[i * p->n + j] += is_xor ? x ^ y : x * y;
            }
    for (unsigned n = 0; n < 2 * c_blocks(p); n++)
        for (unsigned l = 0; l < LANES; l++)
            c[block_in_c(p, n / 2) + place_in_c(p, l, n % 2)] =
                ((const int32_t *)op_register(r, p->c_at[n]))[l];
    for (unsigned n = 0; n < 2 * c_blocks(p); n++)
        for (unsigned l = 0; l < LANES; l++) {
            size_t at = block_in_c(p, n / 2) + place_in_c(p, l, n % 2);

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
