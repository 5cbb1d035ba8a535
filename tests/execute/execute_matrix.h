/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Matrices in a rig's memory, accessed by element, and their product. */

#include "execute_testing.h"

#include <math.h>

/* Types of elements in memory: the bits of one, and its value. */
struct element {
    const char *word;
    unsigned bits;
    double (*value)(uint64_t bits);
};

static double of_f16(uint64_t b)
{
    int exponent = (int)(b >> 10 & 31);
    double digits = (double)(b & 0x3ff) + (exponent ? 1024 : 0);

    return (b >> 15 & 1 ? -1 : 1) * ldexp(digits, (exponent ? exponent : 1) - 25);
}

static double of_f32(uint64_t b)
{
    uint32_t bits = (uint32_t)b;
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double of_bf16(uint64_t b)
{
    return of_f32(b << 16);
}

static double of_tf32(uint64_t b)
{
    return of_f32(b & 0xffffe000);
}

static double of_f64(uint64_t b)
{
    double value;

    memcpy(&value, &b, sizeof value);
    return value;
}

static double of_s8(uint64_t b)
{
    return (double)(int8_t)b;
}

static double of_unsigned(uint64_t b)
{
    return (double)b;
}

static double of_s4(uint64_t b)
{
    return (double)((int)(b ^ 8) - 8);
}

static double of_s32(uint64_t b)
{
    return (double)(int32_t)(uint32_t)b;
}

static double of_e4m3(uint64_t b)
{
    int exponent = (int)(b >> 3 & 15);
    double digits = (double)(b & 7) + (exponent ? 8 : 0);

    return (b >> 7 & 1 ? -1 : 1) * ldexp(digits, (exponent ? exponent : 1) - 10);
}

static double of_e5m2(uint64_t b)
{
    return of_f16(b << 8);
}

static const struct element elements[] = {
    {"f16", 16, of_f16},    {"bf16", 16, of_bf16}, {"tf32", 32, of_tf32},
    {"f32", 32, of_f32},    {"f64", 64, of_f64},   {"s8", 8, of_s8},
    {"u8", 8, of_unsigned}, {"s4", 4, of_s4},      {"u4", 4, of_unsigned},
    {"b1", 1, of_unsigned}, {"s32", 32, of_s32},   {"e4m3", 8, of_e4m3},
    {"e5m2", 8, of_e5m2},
};

static inline const struct element *element(const char *word)
{
    for (size_t n = 0; n < sizeof elements / sizeof *elements; n++)
        if (strcmp(elements[n].word, word) == 0)
            return &elements[n];
    fail_msg("no element %s", word);
    return NULL;
}

/* A matrix in the rig's memory, from byte `at` on, in lines of `stride` elements. */
struct matrix {
    const struct element *e;
    unsigned rows, columns, stride, at;
    bool by_column;
};

static inline uint64_t where(const struct matrix *x, unsigned row, unsigned column)
{
    unsigned slow = x->by_column ? column : row, fast = x->by_column ? row : column;

    return 8 * (uint64_t)x->at + ((uint64_t)slow * x->stride + fast) * x->e->bits;
}

static inline uint64_t get(const struct rig *r, const struct matrix *x, unsigned row,
                           unsigned column)
{
    const unsigned char *memory = (const unsigned char *)r->memory;
    uint64_t at = where(x, row, column), bits = 0;

    memcpy(&bits, memory + at / 8, x->e->bits < 8 ? 1 : x->e->bits / 8);
    return x->e->bits < 8 ? bits >> at % 8 & ((1u << x->e->bits) - 1) : bits;
}

static inline void set(struct rig *r, const struct matrix *x, unsigned row, unsigned column,
                       uint64_t bits)
{
    unsigned char *memory = (unsigned char *)r->memory;
    uint64_t at = where(x, row, column);

    if (x->e->bits >= 8)
        memcpy(memory + at / 8, &bits, x->e->bits / 8);
    else
        memory[at / 8] = (unsigned char)(memory[at / 8] | bits << at % 8);
}

/* Small integers and quarters, exact in every type, so that no sum is rounded. */
static inline uint64_t some_bits(const struct element *e, unsigned n)
{
    static const uint16_t halves[] = {0x3c00, 0xbc00, 0x4000, 0x3800, 0xc200, 0, 0x3400};
    unsigned pick = n * 2654435761u >> 13;
    uint16_t half = halves[pick % 7];
    float single = (float)of_f16(half);
    double wide = (double)single;
    uint64_t bits = 0;

    if (e->value == of_f16)
        return half;
    if (e->value == of_e5m2)
        return half >> 8;
    if (e->value == of_e4m3)
        return (half >> 8 & 0x80) |
               (half & 0x7fff ? ((half >> 7 & 0x7f) - (8 << 3)) & 0x7f : 0);
    if (e->value == of_f64)
        memcpy(&bits, &wide, sizeof wide);
    else if (e->value == of_f32 || e->value == of_tf32 || e->value == of_bf16)
        memcpy(&bits, &single, sizeof single);
    else
        return pick & ((e->bits < 8 ? 1u << e->bits : 256u) - 1);
    if (e->value == of_tf32)
        bits |= n & 0x1fff; /* bits that the product must ignore */
    return e->value == of_bf16 ? bits >> 16 : bits;
}

static inline void fill(struct rig *r, const struct matrix *x, unsigned salt)
{
    for (unsigned i = 0; i < x->rows; i++)
        for (unsigned k = 0; k < x->columns; k++)
            set(r, x, i, k, some_bits(x->e, salt + i * 257 + k));
}

static inline double product(const struct rig *r, const struct matrix *a,
                             const struct matrix *b, const struct matrix *c, unsigned i,
                             unsigned j, bool is_and)
{
    double sum = c->e->value(get(r, c, i, j));

    for (unsigned k = 0; k < a->columns; k++) {
        double x = a->e->value(get(r, a, i, k)), y = b->e->value(get(r, b, k, j));

        sum += a->e->bits == 1 && !is_and ? (double)(x != y) : x * y;
    }
    return sum;
}

/* A variant of a product; registers of A, B, C, D; types. */
struct form {
    const char *shape;
    unsigned m, n, k, count[4];
    const char *ab, *c, *d, *types, *more;
};

static inline const char *register_of(const struct element *e, bool is_sum)
{
    return e->bits == 64 ? "%g" : is_sum && e->value == of_f32 ? "%e" : "%q";
}

static inline void list(struct text *t, const char *name, unsigned first, unsigned count)
{
    text_print(t, "{");
    for (unsigned n = 0; n < count; n++)
        text_print(t, "%s%s%u", n ? ", " : "", name, first + n);
    text_print(t, "}");
}

static const unsigned places[] = {0x100, 0x1000, 0x2000, 0x3000};

static inline void matrices_make(const struct form *f, unsigned columns, struct matrix m[4])
{
    const unsigned rows[] = {f->m, f->k, f->m, f->m}, sides[] = {f->k, f->n, f->n, f->n};
    const char *const words[] = {f->ab, f->ab, f->c, f->d};

    for (unsigned n = 0; n < 4; n++) {
        const struct element *e = element(words[n]);
        unsigned fast = columns >> n & 1 ? rows[n] : sides[n];
        /* Lines begin at multiples of 16 bytes, with gaps between them. */
        unsigned unit = 128 / e->bits;

        m[n] = (struct matrix){
            e, rows[n], sides[n], (fast / unit + 2) * unit, places[n], columns >> n & 1};
        if (e->bits == 1)
            m[n].stride = fast;
    }
}
