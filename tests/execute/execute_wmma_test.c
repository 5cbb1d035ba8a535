/* SPDX-License-Identifier: Apache-2.0 */
/* wmma in every variant, by rows and by columns, in every space, against the plain sum. */
#include "execute_matrix.h"

static const struct form forms[] = {
    {"m16n16k16", 16, 16, 16, {8, 8, 8, 8}, "f16", "f32", "f32", ".f32.f32", ""},
    {"m16n16k16", 16, 16, 16, {8, 8, 4, 4}, "f16", "f16", "f16", ".f16.f16", ""},
    {"m16n16k16", 16, 16, 16, {8, 8, 8, 4}, "f16", "f32", "f16", ".f16.f32", ""},
    {"m32n8k16", 32, 8, 16, {8, 8, 8, 8}, "f16", "f32", "f32", ".f32.f32", ""},
    {"m8n32k16", 8, 32, 16, {8, 8, 4, 8}, "f16", "f16", "f32", ".f32.f16", ""},
    {"m16n16k16", 16, 16, 16, {4, 4, 8, 8}, "bf16", "f32", "f32", ".f32.bf16.bf16.f32", ""},
    {"m32n8k16", 32, 8, 16, {8, 2, 8, 8}, "bf16", "f32", "f32", ".f32.bf16.bf16.f32", ""},
    {"m8n32k16", 8, 32, 16, {2, 8, 8, 8}, "bf16", "f32", "f32", ".f32.bf16.bf16.f32", ""},
    {"m16n16k8", 16, 16, 8, {4, 4, 8, 8}, "tf32", "f32", "f32", ".f32.tf32.tf32.f32", ""},
    {"m8n8k4", 8, 8, 4, {1, 1, 2, 2}, "f64", "f64", "f64", ".f64.f64.f64.f64", ""},
    {"m16n16k16", 16, 16, 16, {2, 2, 8, 8}, "s8", "s32", "s32", ".s32.s8.s8.s32", ""},
    {"m32n8k16", 32, 8, 16, {4, 1, 8, 8}, "u8", "s32", "s32", ".s32.u8.u8.s32", ""},
    {"m8n32k16",
     8,
     32,
     16,
     {1, 4, 8, 8},
     "s8",
     "s32",
     "s32",
     ".s32.s8.s8.s32.satfinite",
     ""},
    {"m8n8k32", 8, 8, 32, {1, 1, 2, 2}, "s4", "s32", "s32", ".s32.s4.s4.s32", ""},
    {"m8n8k32", 8, 8, 32, {1, 1, 2, 2}, "u4", "s32", "s32", ".s32.u4.u4.s32", ""},
    {"m8n8k128",
     8,
     8,
     128,
     {1, 1, 2, 2},
     "b1",
     "s32",
     "s32",
     ".s32.b1.b1.s32",
     ".xor.popc"},
    {"m8n8k128",
     8,
     8,
     128,
     {1, 1, 2, 2},
     "b1",
     "s32",
     "s32",
     ".s32.b1.b1.s32",
     ".and.popc"},
};

/* Copies all of global memory to shared memory, or back. */
#define COPY(label, from, to)                                                              \
    "mov.u32 %r20, %r1; " label ": mul.wide.u32 %rd20, %r20, 4;\n"                         \
    "add.s64 %rd21, " from ", %rd20; add.s64 %rd22, " to ", %rd20;\n"                      \
    "ld.u32 %r21, [%rd21]; st.u32 [%rd22], %r21; add.u32 %r20, %r20, 32;\n"                \
    "setp.lt.u32 %p1, %r20, 4096; @%p1 bra " label "; bar.sync 0;\n"

static void product_text(struct text *t, const struct form *f, const struct matrix m[4],
                         const char *space)
{
    static const char *const names[] = {"load.a", "load.b", "load.c", "store.d"};
    bool is_shared = strncmp(space, ".shared", 7) == 0;

    text_print(t, "%s",
               RIG_KERNEL ".reg .b32 %q<40>; .reg .f32 %e<40>; .reg .f64 %g<40>;\n"
                          ".shared .align 16 .b8 all[16384];\n"
                          "mov.u64 %rd3, all; cvta.shared.u64 %rd4, %rd3;\n");
    text_print(t, "%s", is_shared ? COPY("IN", "%rd0", "%rd4") : "mov.u64 %rd3, %rd0;\n");
    for (unsigned n = 0; n < 4; n++) {
        const char *name = register_of(m[n].e, n >= 2);

        if (n == 3) {
            text_print(t, "wmma.mma%s.sync.aligned.%s.%s.%s%s%s ", f->more,
                       m[0].by_column ? "col" : "row", m[1].by_column ? "col" : "row",
                       f->shape, m[3].e->bits == 64 ? ".rn" : "", f->types);
            list(t, name, 30, f->count[3]);
            for (unsigned k = 0; k < 3; k++) {
                text_print(t, ", ");
                list(t, register_of(m[k].e, k == 2), 10 * k, f->count[k]);
            }
            text_print(t, ";\n");
        }
        text_print(t, "wmma.%s.sync.aligned.%s.%s%s.%s ", names[n],
                   m[n].by_column ? "col" : "row", f->shape, space, m[n].e->word);
        if (n < 3) {
            list(t, name, 10 * n, f->count[n]);
            text_print(t, ", [%%rd3+%u], %u;\n", m[n].at, m[n].stride);
        } else {
            text_print(t, "[%%rd3+%u], ", m[n].at);
            list(t, name, 30, f->count[3]);
            text_print(t, ", %u;\n", m[n].stride);
        }
    }
    text_print(t, "%s}\n", is_shared ? COPY("OUT", "%rd4", "%rd0") : "");
}

static void form_check(const struct form *f, unsigned columns, const char *space)
{
    struct text body = {NULL, 0, 0};
    struct matrix m[4];
    struct rig r;

    matrices_make(f, columns, m);
    product_text(&body, f, m, space);
    rig_open(&r, body.data, true);
    /* half of the variants have memory on another device, which answers later */
    r.remote = columns & 1 ? (uint64_t)(uintptr_t)r.memory + m[1].at : 0;
    r.waits = columns & 2;
    for (unsigned n = 0; n < 3; n++)
        fill(&r, &m[n], columns * 7919 + n * 31);
    rig_expect(&r, EXECUTE_EXITED);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            double wanted =
                product(&r, &m[0], &m[1], &m[2], i, j, strstr(f->more, "and") != NULL);
            double got = m[3].e->value(get(&r, &m[3], i, j));

            if (got != wanted)
                fail_msg("%s%s %s, columns %u, '%s': element (%u, %u) is %g, not %g",
                         f->shape, f->types, f->more, columns, space, i, j, got, wanted);
        }
    rig_close(&r);
    text_clear(&body);
}

static void every_form_of_wmma_is_the_sum(void **state)
{
    static const char *const spaces[] = {".global", ".shared", "", ".shared::cta"};

    (void)state;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
        for (unsigned columns = 0; columns < 16; columns++) {
            /* sub-byte elements have one layout only; C and D have the same layout here */
            if (element(forms[n].ab)->bits < 8 && (columns & 3) != 2)
                continue;
            form_check(&forms[n], columns, spaces[(columns + n) % 4]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_wmma_is_the_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
