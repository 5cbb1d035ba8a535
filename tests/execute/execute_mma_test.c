/* SPDX-License-Identifier: Apache-2.0 */
/* mma in every variant against the plain sum. Fragments have the layout of the PTX ISA. */
#include "execute_matrix.h"

/* A variant of mma. The test computes the layout of its fragments as words by lane. */
struct direct {
    const char *name;
    unsigned m, n, k, count[4]; /* registers of A, B, C, D */
    const char *a, *b, *c, *d;
};

static const struct direct directs[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, {2, 1, 4, 4}, "f16", "f16", "f32", "f32"},
    {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, {2, 1, 2, 2}, "f16", "f16", "f16", "f16"},
    {"m16n8k16.row.col.f32.f16.f16.f32",
     16,
     8,
     16,
     {4, 2, 4, 4},
     "f16",
     "f16",
     "f32",
     "f32"},
    {"m16n8k16.row.col.f16.f16.f16.f16",
     16,
     8,
     16,
     {4, 2, 2, 2},
     "f16",
     "f16",
     "f16",
     "f16"},
    {"m16n8k8.row.col.f32.bf16.bf16.f32",
     16,
     8,
     8,
     {2, 1, 4, 4},
     "bf16",
     "bf16",
     "f32",
     "f32"},
    {"m16n8k16.row.col.f32.bf16.bf16.f32",
     16,
     8,
     16,
     {4, 2, 4, 4},
     "bf16",
     "bf16",
     "f32",
     "f32"},
    {"m16n8k4.row.col.f32.tf32.tf32.f32",
     16,
     8,
     4,
     {2, 1, 4, 4},
     "tf32",
     "tf32",
     "f32",
     "f32"},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",
     16,
     8,
     8,
     {4, 2, 4, 4},
     "tf32",
     "tf32",
     "f32",
     "f32"},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, {1, 1, 2, 2}, "f64", "f64", "f64", "f64"},
    {"m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, {2, 1, 4, 4}, "f64", "f64", "f64", "f64"},
    {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, {4, 2, 4, 4}, "f64", "f64", "f64", "f64"},
    {"m16n8k16.row.col.f64.f64.f64.f64",
     16,
     8,
     16,
     {8, 4, 4, 4},
     "f64",
     "f64",
     "f64",
     "f64"},
    {"m8n8k16.row.col.s32.s8.u8.s32", 8, 8, 16, {1, 1, 2, 2}, "s8", "u8", "s32", "s32"},
    {"m16n8k16.row.col.satfinite.s32.s8.s8.s32",
     16,
     8,
     16,
     {2, 1, 4, 4},
     "s8",
     "s8",
     "s32",
     "s32"},
    {"m16n8k32.row.col.s32.u8.s8.s32", 16, 8, 32, {4, 2, 4, 4}, "u8", "s8", "s32", "s32"},
    {"m8n8k32.row.col.s32.s4.s4.s32", 8, 8, 32, {1, 1, 2, 2}, "s4", "s4", "s32", "s32"},
    {"m16n8k64.row.col.s32.s4.u4.s32", 16, 8, 64, {4, 2, 4, 4}, "s4", "u4", "s32", "s32"},
    {"m16n8k128.row.col.s32.b1.b1.s32.xor.popc",
     16,
     8,
     128,
     {2, 1, 4, 4},
     "b1",
     "b1",
     "s32",
     "s32"},
    {"m16n8k256.row.col.s32.b1.b1.s32.and.popc",
     16,
     8,
     256,
     {4, 2, 4, 4},
     "b1",
     "b1",
     "s32",
     "s32"},
    {"m16n8k32.row.col.f32.e4m3.e5m2.f32",
     16,
     8,
     32,
     {4, 2, 4, 4},
     "e4m3",
     "e5m2",
     "f32",
     "f32"},
};

/* Row and column of element i of lane l, PTX ISA "Matrix Fragments for mma". */
static void place_a(const struct direct *d, unsigned l, unsigned i, unsigned *row,
                    unsigned *column)
{
    unsigned bits = element(d->a)->bits, each = bits == 64 ? 1 : 32 / bits, n = i / each;

    *row = l / 4 + (d->m == 16 && n % 2 ? 8 : 0);
    *column = l % 4 * each + i % each + n / (d->m / 8) * 4 * each;
}

static void place_b(const struct direct *d, unsigned l, unsigned i, unsigned *row,
                    unsigned *column)
{
    unsigned bits = element(d->b)->bits, each = bits == 64 ? 1 : 32 / bits;

    *row = l % 4 * each + i % each + i / each * 4 * each;
    *column = l / 4;
}

static void place_c(unsigned l, unsigned i, unsigned *row, unsigned *column)
{
    *row = l / 4 + (i < 2 ? 0 : 8);
    *column = l % 4 * 2 + (i & 1);
}

enum { LOOSE_A, LOOSE_B, LOOSE_C, LOOSE_D };

/* Copies between matrix n in rows and the same matrix by lane. Register r of lane l is at
   word r * 32 + l, from byte 0x4000 on. */
static void fragment_copy(struct rig *r, const struct direct *d, struct matrix m[4],
                          unsigned n, bool back)
{
    unsigned each = m[n].e->bits == 64 ? 1 : 32 / m[n].e->bits;
    struct matrix loose = {m[n].e, 1, 0, 0, 0x4000 + n * 0x1000, false};

    for (unsigned i = 0; i < d->count[n] * each; i++)
        for (unsigned l = 0; l < 32; l++) {
            unsigned row, column, at = (i / each * 32 + l) * each + i % each;

            if (n == LOOSE_A)
                place_a(d, l, i, &row, &column);
            else if (n == LOOSE_B)
                place_b(d, l, i, &row, &column);
            else
                place_c(l, i, &row, &column);
            if (back)
                set(r, &m[n], row, column, get(r, &loose, 0, at));
            else
                set(r, &loose, 0, at, get(r, &m[n], row, column));
        }
}

static void direct_text(struct text *t, const struct direct *d, const struct matrix m[4])
{
    text_print(t, "%s",
               RIG_KERNEL ".reg .b32 %q<40>; .reg .f32 %e<40>; .reg .f64 %g<40>;\n"
                          "mul.wide.u32 %rd2, %r1, 8; add.s64 %rd4, %rd0, %rd2;\n");
    for (unsigned n = 0; n < 4; n++) {
        unsigned bytes = m[n].e->bits == 64 ? 8 : 4;

        if (n == LOOSE_D) {
            text_print(t, "mma.sync.aligned.%s ", d->name);
            for (unsigned k = 0; k < 4; k++) {
                unsigned at = (k + 3) % 4;

                list(t, register_of(m[at].e, at >= 2), 10 * at, d->count[at]);
                text_print(t, k < 3 ? ", " : ";\n");
            }
        }
        for (unsigned k = 0; k < d->count[n]; k++) {
            const char *name = register_of(m[n].e, n >= 2);
            unsigned at = 0x4000 + n * 0x1000 + k * 32 * bytes;
            const char *base = bytes == 8 ? "%rd4" : "%rd1";

            if (n < LOOSE_D)
                text_print(t, "ld.global.b%u %s%u, [%s+%u];\n", 8 * bytes, name, 10 * n + k,
                           base, at);
            else
                text_print(t, "st.global.b%u [%s+%u], %s%u;\n", 8 * bytes, base, at, name,
                           10 * n + k);
        }
    }
    text_print(t, "}\n");
}

static void direct_check(const struct direct *d)
{
    const struct form f = {
        .m = d->m, .n = d->n, .k = d->k, .ab = d->a, .c = d->c, .d = d->d};
    struct text body = {NULL, 0, 0};
    struct matrix m[4];
    struct rig r;

    matrices_make(&f, 2, m);
    m[1].e = element(d->b);
    direct_text(&body, d, m);
    rig_open(&r, body.data, true);
    for (unsigned n = 0; n < 3; n++) {
        fill(&r, &m[n], d->k * 53 + n);
        fragment_copy(&r, d, m, n, false);
    }
    rig_expect(&r, EXECUTE_EXITED);
    fragment_copy(&r, d, m, LOOSE_D, true);
    for (unsigned i = 0; i < d->m; i++)
        for (unsigned j = 0; j < d->n; j++) {
            double wanted =
                product(&r, &m[0], &m[1], &m[2], i, j, strstr(d->name, "and") != NULL);
            double got = m[3].e->value(get(&r, &m[3], i, j));

            if (got != wanted)
                fail_msg("mma %s: element (%u, %u) is %g, not %g", d->name, i, j, got,
                         wanted);
        }
    rig_close(&r);
    text_clear(&body);
}

static void every_form_of_mma_is_the_sum(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof directs / sizeof *directs; n++)
        direct_check(&directs[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_mma_is_the_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
