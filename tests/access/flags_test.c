/* SPDX-License-Identifier: Apache-2.0 */
/* Idempotent stores, and which of them store the same value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "access/shared_writes/flags.h"

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 to, .param .u32 value, .param .u64 other, .param .u8 "
    "c)\n"
    "{\n.reg .pred %p<4>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<12>;\n.reg .f32 %f<4>;\n"
    ".reg .b64 %rd<8>;\nld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [other];\n"
    "ld.param.u32 %r1, [value];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %nctaid.x;\n"
    "setp.gt.s32 %p1, %r2, 5;\nmul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
    "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\n";

/* Kinds and pointers in order, as "0:0 0:16 1:0"; those that stay atomics have a +. If
   `decide` is not NULL, it marks exactly the parameter bytes that determine the stored
   values. */
static const char *kinds(const char *body, const char *decide)
{
    static char listing[64];
    struct proact_error err;
    struct ptx_module *m;
    char text[4096], bytes[64] = "";

    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    if (ptx_parse("flags.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    struct access_flags flags = access_flags_find(m, &m->functions[0]);

    listing[0] = '\0';
    for (uint32_t n = 0; n < flags.count; n++) {
        const struct access_flag *f = &flags.flag[n];

        snprintf(listing + strlen(listing), sizeof listing - strlen(listing), "%s%u:%u%s",
                 n ? " " : "", f->kind, f->parameter, f->joint ? "+" : "");
        assert_int_not_equal(m->functions[0].instructions[f->instruction].opcode, PTX_LD);
    }
    for (uint32_t n = 0; n < m->functions[0].parameter_bytes; n++)
        bytes[n] = flags.decide[n] ? 'x' : '.';
    if (decide)
        assert_string_equal(bytes, decide);
    access_flags_clear(&flags);
    ptx_destroy(m);
    return listing;
}

static void equal_stores_of_all_threads_are_idempotent(void **state)
{
    (void)state;
    assert_string_equal(kinds("st.global.u32 [%rd1], 1;", NULL), "0:0");
    assert_string_equal(kinds("@%p1 st.volatile.global.u8 [%rd2+7], 1;", NULL), "0:16");
    assert_string_equal(kinds("mov.u16 %rs1, 1;\n@!%p1 st.u8 [%rd6], %rs1;", NULL), "0:0");
    assert_string_equal(kinds("mov.f32 %f1, 0f3F800000;\nst.global.f32 [%rd1], %f1;", NULL),
                        "0:0");
    assert_string_equal(kinds("st.global.u32 [%rd1], %r1;", "........xxxx............."),
                        "0:0");
    assert_string_equal(kinds("add.s32 %r4, %r1, %r3;\nst.global.u32 [%rd1], %r4;",
                              "........xxxx............."),
                        "0:0");
}

static void stores_of_equal_values_have_one_kind(void **state)
{
    (void)state;
    assert_string_equal(kinds("mov.u32 %r4, 1;\nst.global.u32 [%rd1], %r4;\n"
                              "st.global.u32 [%rd2], 1;\nst.global.u32 [%rd2], 2;",
                              NULL),
                        "0:0 0:16 1:16");
    assert_string_equal(kinds("st.global.u32 [%rd1], 1;\nst.global.u8 [%rd1], 1;", NULL),
                        "0:0 1:0");
    assert_string_equal(kinds("mov.u16 %rs1, 257;\nst.global.u8 [%rd1], %rs1;\n"
                              "st.global.u8 [%rd1+1], 1;",
                              NULL),
                        "0:0 0:0");
    assert_string_equal(kinds("ld.param.u32 %r4, [value];\nmov.u32 %r5, %r4;\n"
                              "st.global.u32 [%rd1], %r5;\nst.global.u32 [%rd1], %r1;",
                              NULL),
                        "0:0 0:0");
    assert_string_equal(kinds("ld.param.u8 %rs1, [c];\nst.global.u8 [%rd1], %rs1;\n"
                              "ld.param.u8 %rs2, [value];\nst.global.u8 [%rd1], %rs2;",
                              NULL),
                        "0:0 1:0");
}

static void repeatable_atomics_are_idempotent(void **state)
{
    static const char *const bodies[] = {
        "red.global.or.b32 [%rd1], 1;",
        "@%p1 red.relaxed.sys.global.and.b32 [%rd1], 1;",
        "atom.global.or.b32 %r4, [%rd1], 1;",
        "atom.or.b64 _, [%rd1], 1;",
        "atom.relaxed.gpu.global.max.s32 %r4, [%rd1], %r1;",
        "mov.u64 %rd7, 1;\natom.min.u64 %rd0, [%rd6], %rd7;",
        "atom.global.exch.b32 %r4, [%rd1], 1;",
        "atom.global.cas.b32 %r4, [%rd1], 0, 1;",
        "mov.u64 %rd7, 5;\n@%p1 atom.relaxed.sys.cas.b64 _, [%rd1+8], %rd7, -1;",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++)
        if (strcmp(kinds(bodies[n], NULL), "0:0") != 0)
            fail_msg("%s", bodies[n]);
    assert_string_equal(
        kinds("red.global.max.s32 [%rd1], %r1;", "........xxxx............."), "0:0");
}

/* An exchange counts as a store. Signed and unsigned minimum are different kinds. */
static void equal_atomics_have_one_kind(void **state)
{
    (void)state;
    assert_string_equal(
        kinds("red.global.or.b32 [%rd1], 1;\nred.global.or.b32 [%rd2], 1;\n"
              "red.global.or.b32 [%rd1], 2;\nred.global.and.b32 [%rd1], 1;\n"
              "red.global.or.b64 [%rd1], 1;\nst.global.u32 [%rd1], 1;\n"
              "atom.global.exch.b32 %r4, [%rd1], 1;",
              NULL),
        "0:0+ 0:16+ 1:0+ 2:0 3:0 4:0 4:0");
    assert_string_equal(
        kinds("red.global.max.s32 [%rd1], 1;\nred.global.max.u32 [%rd1], 1;\n"
              "red.global.max.s32 [%rd1], 1;\nred.global.min.s32 [%rd1], 1;\n"
              "red.global.min.u32 [%rd1], 1;",
              NULL),
        "0:0 1:0 0:0 2:0 3:0");
    assert_string_equal(kinds("atom.global.cas.b32 %r4, [%rd1], 0, 1;\n"
                              "atom.global.cas.b32 %r5, [%rd1], 0, 2;\n"
                              "atom.global.cas.b32 %r6, [%rd1], 3, 1;\n"
                              "atom.global.cas.b32 %r7, [%rd2], 0, 1;\n"
                              "atom.global.cas.b64 %rd7, [%rd1], 0, 1;\n"
                              "st.global.u32 [%rd1], 1;",
                              NULL),
                        "0:0 1:0 2:0 0:16 3:0 4:0");
}

/* Atomics with different values on bytes that may overlap stay atomics. They are idempotent
   if the bytes are disjoint or the operations differ. */
static void several_values_stay_atomics(void **state)
{
    (void)state;
    assert_string_equal(kinds("red.global.or.b32 [%rd1], 1;\nred.global.or.b32 [%rd1], 2;"
                              "\nred.global.or.b32 [%rd1], 1;",
                              NULL),
                        "0:0+ 1:0+ 0:0+");
    assert_string_equal(
        kinds("red.global.or.b32 [%rd1], 1;\nred.global.or.b32 [%rd1+4], 2;", NULL),
        "0:0 1:0");
    assert_string_equal(
        kinds("red.global.or.b32 [%rd1+4], 1;\nred.global.or.b32 [%rd1+2], 2;", NULL),
        "0:0+ 1:0+");
    assert_string_equal(
        kinds("red.global.or.b32 [%rd1], 1;\nred.global.or.b32 [%rd6], 2;", NULL),
        "0:0+ 1:0+");
    assert_string_equal(
        kinds("red.global.or.b32 [%rd6], 1;\nred.global.or.b32 [%rd6+4], %r1;", NULL),
        "0:0 1:0");
    assert_string_equal(
        kinds("red.global.min.s32 [%rd1], -1;\nred.global.max.s32 [%rd1], 2;", NULL),
        "0:0 1:0");
    assert_string_equal(
        kinds("atom.exch.b32 %r4, [%rd1], 1;\natom.exch.b32 %r5, [%rd1], 2;", NULL),
        "0:0 1:0");
}

/* Values that depend on the thread, the CTA, memory or the path, or on a register that is
   set twice. */
static void values_of_single_threads_are_not_idempotent(void **state)
{
    static const char *const bodies[] = {
        "st.global.u32 [%rd1], %r2;",
        "st.global.u32 [%rd4], 1;",
        "mov.u32 %r4, %ctaid.x;\nst.global.u32 [%rd1], %r4;",
        "ld.global.u32 %r4, [%rd2];\nst.global.u32 [%rd1], %r4;",
        "ld.global.u64 %rd7, [%rd2];\nst.global.u32 [%rd7], 1;",
        "selp.u32 %r4, 1, 2, %p1;\nst.global.u32 [%rd1], %r4;",
        "mov.u32 %r4, 1;\n@%p1 mov.u32 %r4, 2;\nst.global.u32 [%rd1], %r4;",
        "@%p1 mov.u32 %r4, 2;\nst.global.u32 [%rd1], %r4;",
        "mov.u32 %r4, 1;\nL: add.u32 %r4, %r4, 1;\nst.global.u32 [%rd1], %r4;\n@%p1 bra L;",
        "L: add.u32 %r4, %r4, 1;\nst.global.u32 [%rd1], %r4;\n@%p1 bra L;",
        "st.global.v2.u32 [%rd1], {%r1, %r1};",
        "st.global.cs.u32 [%rd1], 1;",
        "st.release.gpu.global.u32 [%rd1], 1;",
        /* values that differ, or operations that are not idempotent */
        "red.global.or.b32 [%rd1], %r2;",
        "red.global.or.b32 [%rd4], 1;",
        "red.global.add.u32 [%rd1], 1;",
        "red.global.xor.b32 [%rd1], 1;",
        "red.global.inc.u32 [%rd1], 1;",
        "atom.global.cas.b32 %r4, [%rd1], 0, %r2;",
        "atom.global.cas.b32 %r4, [%rd1], %r2, 1;",
        "atom.global.cas.b16 %rs1, [%rd1], 0, 1;",
        "atom.global.cas.b32 %r4, [%rd1], 0, 1;\nst.global.u32 [%rd4], %r4;",
        "red.global.max.f16x2 [%rd1], %r1;",
        "red.global.add.f32 [%rd1], 0f3F800000;",
        /* atomics whose result is used */
        "atom.global.or.b32 %r4, [%rd1], 1;\nst.global.u32 [%rd4], %r4;",
        "atom.global.or.b32 %r4, [%rd1], 1;\nsetp.eq.u32 %p2, %r4, 0;",
        "atom.global.or.b64 %rd7, [%rd1], 1;\nst.global.u32 [%rd7], %r2;",
        "atom.global.or.b32 %r4, [%rd1], 1;\nst.global.v2.u32 [%rd4], {%r2, %r4};",
        "atom.global.or.b32 %r2, [%rd1], 1;",
        /* release semantics, which order earlier stores, or CTA scope */
        "red.release.gpu.global.or.b32 [%rd1], 1;",
        "atom.acq_rel.sys.global.exch.b32 %r4, [%rd1], 1;",
        "red.cta.global.or.b32 [%rd1], 1;",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++)
        if (strcmp(kinds(bodies[n], NULL), "") != 0)
            fail_msg("%s", bodies[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stores_of_all_threads_are_idempotent),
        cmocka_unit_test(stores_of_equal_values_have_one_kind),
        cmocka_unit_test(repeatable_atomics_are_idempotent),
        cmocka_unit_test(equal_atomics_have_one_kind),
        cmocka_unit_test(several_values_stay_atomics),
        cmocka_unit_test(values_of_single_threads_are_not_idempotent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
