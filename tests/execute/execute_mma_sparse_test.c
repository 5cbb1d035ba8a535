/* SPDX-License-Identifier: Apache-2.0 */
/* mma.sp in every variant against the product with A expanded by its metadata. */
#include "execute_matrix.h"

/* A variant: shape, registers of A, B, C and D, selectors, types. */
struct sparse {
    unsigned k, count[4], selectors;
    const char *a, *b, *c, *d, *more;
};

static const struct sparse variants[] = {
    {16, {2, 2, 2, 2}, 4, "f16", "f16", "f16", "f16", ""},
    {16, {2, 2, 4, 4}, 4, "f16", "f16", "f32", "f32", ""},
    {32, {4, 4, 2, 2}, 2, "f16", "f16", "f16", "f16", ""},
    {32, {4, 4, 4, 4}, 2, "f16", "f16", "f32", "f32", ""},
    {32, {4, 4, 4, 2}, 2, "f16", "f16", "f32", "f16", ""},
    {16, {2, 2, 4, 4}, 4, "bf16", "bf16", "f32", "f32", ""},
    {32, {4, 4, 4, 4}, 2, "bf16", "bf16", "f32", "f32", ""},
    {8, {2, 2, 4, 4}, 4, "tf32", "tf32", "f32", "f32", ""},
    {16, {4, 4, 4, 4}, 2, "tf32", "tf32", "f32", "f32", ""},
    {32, {2, 2, 4, 4}, 2, "e4m3", "e5m2", "f32", "f32", ""},
    {64, {4, 4, 4, 4}, 1, "e4m3", "e4m3", "f32", "f32", ""},
    {64, {4, 4, 4, 4}, 1, "e4m3", "e5m2", "f32", "f32", ""},
    {64, {4, 4, 4, 4}, 1, "e5m2", "e4m3", "f32", "f32", ""},
    {64, {4, 4, 4, 4}, 1, "e5m2", "e5m2", "f32", "f32", ""},
    {32, {2, 2, 4, 4}, 2, "u8", "u8", "s32", "s32", ""},
    {32, {2, 2, 4, 4}, 2, "u8", "s8", "s32", "s32", ".satfinite"},
    {32, {2, 2, 4, 4}, 2, "s8", "u8", "s32", "s32", ""},
    {32, {2, 2, 4, 4}, 2, "s8", "s8", "s32", "s32", ".satfinite"},
    {64, {4, 4, 4, 4}, 1, "u8", "u8", "s32", "s32", ".satfinite"},
    {64, {4, 4, 4, 4}, 1, "u8", "s8", "s32", "s32", ""},
    {64, {4, 4, 4, 4}, 1, "s8", "u8", "s32", "s32", ""},
    {64, {4, 4, 4, 4}, 1, "s8", "s8", "s32", "s32", ""},
    {64, {2, 2, 4, 4}, 2, "u4", "u4", "s32", "s32", ""},
    {64, {2, 2, 4, 4}, 2, "u4", "s4", "s32", "s32", ".satfinite"},
    {64, {2, 2, 4, 4}, 2, "s4", "u4", "s32", "s32", ""},
    {64, {2, 2, 4, 4}, 2, "s4", "s4", "s32", "s32", ""},
    {128, {4, 4, 4, 4}, 1, "u4", "u4", "s32", "s32", ""},
    {128, {4, 4, 4, 4}, 1, "u4", "s4", "s32", "s32", ""},
    {128, {4, 4, 4, 4}, 1, "s4", "u4", "s32", "s32", ".satfinite"},
    {128, {4, 4, 4, 4}, 1, "s4", "s4", "s32", "s32", ""},
};

enum { SP_A, SP_B, SP_C, SP_D, SP_AT = 0x8000, SP_STEP = 0x1000, SP_METADATA = 0xc000 };

/* What the test knows of one product: the kept columns of each row, by position in A. */
struct expansion {
    unsigned column[16][64];
    uint32_t metadata[32];
};

static unsigned bits_of(const struct sparse *s)
{
    return element(s->a)->bits;
}

/* Sets bits of the metadata of a row. PTX ISA, "Sparse matrix storage" and the figures of
   "Matrix fragments with sparse matrix A": 16-bit and 32-bit types have 16 bits of row g
   and 16 of row g + 8 in one thread; smaller types have 32 bits of one of these rows. */
static void metadata_put(struct expansion *x, const struct sparse *s, unsigned selector,
                         unsigned row, unsigned bit, uint32_t value)
{
    unsigned group = row % 8 * 4, threads = 4 / s->selectors, upper = row / 8;

    if (bits_of(s) >= 16)
        x->metadata[group + selector * threads + bit / 16] |= value
                                                              << (upper * 16 + bit % 16);
    else
        x->metadata[group + selector * threads + bit / 32 * 2 + upper] |= value << bit % 32;
}

/* Draws the kept columns: 1 of 2 for tf32, 2 of 4, or 2 pairs of 4 for 4-bit types. Threads
   that hold no metadata have all bits set. */
static void expand(struct expansion *x, const struct sparse *s, unsigned selector,
                   unsigned salt)
{
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    unsigned wide = bits_of(s) == 4 ? 2 : 1, threads = 4 / s->selectors;

    for (unsigned l = 0; l < 32; l++)
        x->metadata[l] = l % 4 / threads == selector ? 0 : UINT32_MAX;
    for (unsigned row = 0; row < 16; row++)
        for (unsigned n = 0; n < s->k / 2 / wide; n++) {
            unsigned draw = (row * 131 + n / 2 * 17 + salt) * 2654435761u >> 16;

            if (bits_of(s) == 32) {
                draw = (row * 131 + n * 17 + salt) * 2654435761u >> 20 & 1;
                metadata_put(x, s, selector, row, 4 * n, draw ? 0xe : 0x4);
                x->column[row][n] = 2 * n + draw;
                continue;
            }
            unsigned kept = pairs[draw % 6][n % 2];

            metadata_put(x, s, selector, row, 2 * n, kept);
            for (unsigned e = 0; e < wide; e++)
                x->column[row][n * wide + e] = (n / 2 * 4 + kept) * wide + e;
        }
}

/* Row and column of element i of lane l: of the packed A, of B, and of C and D. */
static void place(const struct sparse *s, unsigned which, unsigned l, unsigned i,
                  unsigned *row, unsigned *column)
{
    unsigned each = 32 / bits_of(s), n = i / each;

    if (which == SP_A) {
        *row = l / 4 + n % 2 * 8;
        *column = l % 4 * each + i % each + n / 2 * 4 * each;
    } else if (which == SP_B) {
        *row = l % 4 * each + i % each + n * 4 * each;
        *column = l / 4;
    } else {
        *row = l / 4 + i / 2 * 8;
        *column = l % 4 * 2 + i % 2;
    }
}

static void text_of(struct text *t, const struct sparse *s, unsigned selector,
                    const char *variant)
{
    text_print(t,
               "%s.reg .b32 %%q<50>; .reg .f32 %%e<50>;\n"
               "ld.global.b32 %%q49, [%%rd1+%u];\n",
               RIG_KERNEL, SP_METADATA);
    for (unsigned n = 0; n < SP_D; n++)
        for (unsigned k = 0; k < s->count[n]; k++)
            text_print(t, "ld.global.b32 %s%u, [%%rd1+%u];\n",
                       n == SP_C ? register_of(element(s->c), true) : "%q", 10 * n + k,
                       SP_AT + n * SP_STEP + k * 128);
    text_print(t, "mma.%s.sync.aligned.m16n8k%u.row.col%s.%s.%s.%s.%s ", variant, s->k,
               s->more, s->d, s->a, s->b, s->c);
    list(t, register_of(element(s->d), true), 30, s->count[SP_D]);
    text_print(t, ", ");
    list(t, "%q", 0, s->count[SP_A]);
    text_print(t, ", ");
    list(t, "%q", 10, s->count[SP_B]);
    text_print(t, ", ");
    list(t, register_of(element(s->c), true), 20, s->count[SP_C]);
    text_print(t, ", %%q49, %u;\n", selector);
    for (unsigned k = 0; k < s->count[SP_D]; k++)
        text_print(t, "st.global.b32 [%%rd1+%u], %s%u;\n", SP_AT + SP_D * SP_STEP + k * 128,
                   register_of(element(s->d), true), 30 + k);
    text_print(t, "}\n");
}

static void fragments_copy(struct rig *r, const struct sparse *s, const struct matrix *m,
                           unsigned which, bool back)
{
    unsigned each = 32 / m->e->bits;
    struct matrix loose = {m->e, 1, 0, 0, SP_AT + which * SP_STEP, false};

    for (unsigned i = 0; i < s->count[which] * each; i++)
        for (unsigned l = 0; l < 32; l++) {
            unsigned row, column, at = (i / each * 32 + l) * each + i % each;

            place(s, which, l, i, &row, &column);
            if (back)
                set(r, m, row, column, get(r, &loose, 0, at));
            else
                set(r, &loose, 0, at, get(r, m, row, column));
        }
}

static double expected(const struct rig *r, const struct matrix m[4],
                       const struct expansion *x, unsigned i, unsigned j)
{
    double dense[128] = {0}, sum = m[SP_C].e->value(get(r, &m[SP_C], i, j));

    for (unsigned at = 0; at < m[SP_A].columns; at++)
        dense[x->column[i][at]] = m[SP_A].e->value(get(r, &m[SP_A], i, at));
    for (unsigned k = 0; k < m[SP_B].rows; k++)
        sum += dense[k] * m[SP_B].e->value(get(r, &m[SP_B], k, j));
    return sum;
}

static void sparse_check(const struct sparse *s, unsigned selector, const char *variant)
{
    const unsigned rows[] = {16, s->k, 16, 16}, columns[] = {s->k / 2, 8, 8, 8};
    const char *const words[] = {s->a, s->b, s->c, s->d};
    struct text body = {NULL, 0, 0}, all = {NULL, 0, 0};
    struct expansion x;
    struct matrix m[4];
    struct rig r;

    text_of(&body, s, selector, variant);
    text_print(&all, ".version 8.5\n.target sm_90\n.address_size 64\n%s", body.data);
    rig_open_text(&r, "sparse.ptx", all.data, all.length, true);
    expand(&x, s, selector, s->k + selector * 7);
    memcpy(r.memory + SP_METADATA / 4, x.metadata, sizeof x.metadata);
    for (unsigned n = 0; n < 4; n++) {
        unsigned line = (columns[n] + 127) / 128 * 128;

        m[n] = (struct matrix){element(words[n]), rows[n], columns[n], line, 0, false};
        m[n].at = 0x10000 + n * 0x8000;
        if (n < SP_D) {
            fill(&r, &m[n], s->k * 53 + n + selector);
            fragments_copy(&r, s, &m[n], n, false);
        }
    }
    rig_expect(&r, EXECUTE_EXITED);
    fragments_copy(&r, s, &m[SP_D], SP_D, true);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 8; j++) {
            double wanted = expected(&r, m, &x, i, j);
            double got = m[SP_D].e->value(get(&r, &m[SP_D], i, j));

            if (got != wanted)
                fail_msg("%s m16n8k%u %s %s, selector %u: element (%u, %u) is %g, not %g",
                         variant, s->k, s->a, s->b, selector, i, j, got, wanted);
        }
    rig_close(&r);
    text_clear(&body);
    text_clear(&all);
}

static void every_form_of_mma_sp_is_the_sum(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof variants / sizeof *variants; n++)
        for (unsigned selector = 0; selector < variants[n].selectors; selector++) {
            sparse_check(&variants[n], selector, "sp");
            sparse_check(&variants[n], selector, "sp::ordered_metadata");
        }
}

/* A sum of products beyond s32. */
static void sums_saturate(void **state)
{
    static const char text[] = RIG_KERNEL
        "mov.b32 %r3, 0x7f7f7f7f; mov.b32 %r4, 0x44444444; mov.b32 %r5, "
        "0x7fffff00;\n"
        "mma.sp.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 "
        "{%r10, %r11, %r12, %r13}, {%r3, %r3}, {%r3, %r3}, {%r5, %r5, %r5, %r5}, "
        "%r4, 0;\n"
        "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%r20, %r21, %r22, %r23}, {%r3, %r3}, {%r3, %r3}, {%r5, %r5, %r5, %r5}, "
        "%r4, 1;\n"
        "st.global.b32 [%rd1], %r10; st.global.b32 [%rd1+128], %r23; }\n";
    struct rig r;

    (void)state;
    rig_open(&r, text, true);
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.memory[5], INT32_MAX);
    assert_int_equal(r.memory[37], 0x7fffff00u + 16 * 127 * 127);
    rig_close(&r);
}

static void wrong_selectors_are_refused(void **state)
{
    static const char *const wrong[] = {
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r5, %r6}, "
        "{%r7, "
        "%r8}, {%r3, %r4}, %r9, 4",
        "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r3, %r4, %r5, %r6}, {%r5, "
        "%r6}, {%r7, %r8}, {%r3, %r4, %r5, %r6}, %r9, 2",
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r5, %r6}, "
        "{%r7, "
        "%r8}, {%r3, %r4}",
        "mma.sp.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%d3, %d4, %d5, %d6}, {%d5}, "
        "{%d7}, {%d3, %d4, %d5, %d6}, %r9, 0",
    };

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct text body = {NULL, 0, 0};
        struct proact_error err = {""};
        struct ptx_module *m = NULL;
        struct execute_program *p = NULL;

        text_print(&body, "%s%s; ret; }\n", RIG_HEAD RIG_KERNEL, wrong[k]);
        assert_int_equal(ptx_parse("t.ptx", body.data, body.length, &m, &err), PROACT_OK);
        if (execute_program_create(m, &p, &err) != PROACT_EREFUSED)
            fail_msg("%s is not refused", wrong[k]);
        ptx_destroy(m);
        text_clear(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_mma_sp_is_the_sum),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(wrong_selectors_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
