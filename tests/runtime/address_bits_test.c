/* SPDX-License-Identifier: Apache-2.0 */
/* Number of low bits of a pointer parameter that influence control flow or addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ptx/ptx.h"
#include "runtime/provenance/address_bits.h"

#define HEAD                                                                               \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n"                  \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"                               \
    "ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; ld.param.u32 %r0, [n];\n"
#define TAIL "ret; }\n"

static unsigned need(const char *body, uint32_t byte)
{
    char text[2000];
    struct ptx_module *m;
    struct proact_error err = {""};
    const int length = snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);

    if (ptx_parse("k", text, (size_t)length, &m, &err))
        fail_msg("%s", err.text);
    uint8_t *bits = address_bits_find(&m->functions[0], NULL);
    const unsigned is = bits[byte];

    free(bits);
    ptx_destroy(m);
    return is;
}

static void pointer_arithmetic_needs_no_bits(void **state)
{
    (void)state;
    assert_int_equal(need("mul.wide.s32 %rd2, %r0, 4; add.s64 %rd3, %rd0, %rd2;\n"
                          "st.global.u32 [%rd3], %r0;\n"
                          "setp.lt.u64 %p1, %rd3, %rd1; @%p1 st.global.u32 [%rd3+4], 0;\n",
                          0),
                     0);
    /* The element count between two pointers. */
    assert_int_equal(need("sub.s64 %rd2, %rd1, %rd0; shr.u64 %rd3, %rd2, 2;\n"
                          "cvt.u32.u64 %r1, %rd3; setp.lt.u32 %p1, %r0, %r1;\n"
                          "@%p1 st.global.u32 [%rd0], 0;\n",
                          0),
                     0);
}

/* An address loaded from a dynamic offset in a parameter depends on that parameter only. */
static void a_parameter_table_load_stays_in_its_parameter(void **state)
{
    static const char body[] = "mov.b64 %rd2, q; cvt.u64.u32 %rd3, %r0;\n"
                               "add.s64 %rd2, %rd2, %rd3; ld.param.u64 %rd4, [%rd2];\n"
                               "mul.lo.s64 %rd5, %rd4, 4; add.s64 %rd6, %rd0, %rd5;\n"
                               "st.global.u32 [%rd6], 0;\n";

    (void)state;
    assert_int_equal(need(body, 0), 0);
    assert_int_equal(need(body, 8), 64);
}

static void alignment_needs_low_bits(void **state)
{
    (void)state;
    assert_int_equal(need("and.b64 %rd2, %rd0, 15; setp.eq.s64 %p1, %rd2, 0;\n"
                          "@%p1 st.global.u32 [%rd0], 0;\n",
                          0),
                     4);
    assert_int_equal(need("or.b64 %rd2, %rd0, %rd1; and.b64 %rd3, %rd2, 7;\n"
                          "setp.eq.s64 %p1, %rd3, 0; @%p1 st.global.u32 [%rd0], 0;\n",
                          8),
                     3);
    assert_int_equal(need("shr.u64 %rd2, %rd0, 2; cvt.u32.u64 %r1, %rd2;\n"
                          "and.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4;\n"
                          "add.s64 %rd4, %rd0, %rd3; st.global.u32 [%rd4], 0;\n",
                          0),
                     4);
    assert_int_equal(need("add.s64 %rd2, %rd0, 127; and.b64 %rd3, %rd2, -128;\n"
                          "st.global.u32 [%rd3], 0;\n",
                          0),
                     7);
}

static void masks_need_what_they_change(void **state)
{
    (void)state;
    assert_int_equal(need("or.b64 %rd2, %rd0, 4096; st.global.u32 [%rd2], 0;\n", 0), 13);
    assert_int_equal(need("and.b64 %rd2, %rd0, -65536; ld.global.u32 %r1, [%rd2];\n", 0),
                     16);
    assert_int_equal(need("cvt.u64.u32 %rd2, %r0; xor.b64 %rd3, %rd0, %rd2;\n"
                          "st.global.u32 [%rd3], 0;\n",
                          0),
                     64);
    assert_int_equal(need("shr.u64 %rd2, %rd0, 12; setp.eq.s64 %p1, %rd2, 5;\n"
                          "@%p1 st.global.u32 [%rd1], 0;\n",
                          0),
                     64);
    assert_int_equal(need("or.b64 %rd2, %rd0, 4096; st.global.u64 [%rd1], %rd2;\n", 0), 0);
}

/* A by-value parameter with a table of addresses and a table of 64-bit lengths: only the
   lengths are inspected. */
static void tables_in_parameters_are_distinguished(void **state)
{
    static const char by_place[] =
        "cvt.u64.u32 %rd2, %r0; shl.b64 %rd3, %rd2, 3; mov.b64 %rd4, q;\n"
        "add.s64 %rd5, %rd4, %rd3; ld.param.u64 %rd6, [%rd5+8]; shr.u64 %rd7, %rd6, 12;\n"
        "setp.eq.s64 %p1, %rd7, 0; @%p1 st.global.u32 [%rd0], 0;\n";

    (void)state;
    assert_int_equal(need(by_place, 0), 0);
    assert_int_equal(need(by_place, 8), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointer_arithmetic_needs_no_bits),
        cmocka_unit_test(a_parameter_table_load_stays_in_its_parameter),
        cmocka_unit_test(alignment_needs_low_bits),
        cmocka_unit_test(masks_need_what_they_change),
        cmocka_unit_test(tables_in_parameters_are_distinguished),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
