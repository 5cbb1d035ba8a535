/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter words from which a kernel derives a stored value that may be an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ptx/ptx.h"
#include "runtime/provenance/stored_address.h"

#define HEAD                                                                               \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n"                  \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"                               \
    "ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; ld.param.u32 %r0, [n];\n"             \
    "mul.wide.s32 %rd2, %r0, 4;\n"
#define TAIL "ret; }\n"

enum { OF_P = 1, OF_Q = 2 };

static void expect(const char *body, unsigned of)
{
    char text[2000];
    struct ptx_module *m;
    struct proact_error err = {""};
    const int length = snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);

    if (ptx_parse("k", text, (size_t)length, &m, &err))
        fail_msg("%s", err.text);
    struct stored_addresses found = stored_addresses_find(m, &m->functions[0], NULL);
    const unsigned is = (found.hang[0] ? OF_P : 0) | (found.hang[8] ? OF_Q : 0);

    if (is != of)
        fail_msg("%s: %u", body, is);
    stored_addresses_clear(&found);
    ptx_destroy(m);
}

static void values_derived_from_an_address_depend_on_it(void **state)
{
    (void)state;
    expect("st.global.u32 [%rd0], %r0;", 0);
    expect("add.s64 %rd3, %rd0, %rd2; st.global.u64 [%rd1], %rd3;", OF_P);
    expect("sub.s64 %rd3, %rd0, %rd1; st.global.u64 [%rd1], %rd3;", OF_P | OF_Q);
    expect("sub.s64 %rd3, %rd0, %rd2; st.global.u64 [%rd1], %rd3;", OF_P);
}

static void pointer_differences_are_numbers(void **state)
{
    (void)state;
    expect("add.s64 %rd3, %rd0, %rd2; sub.s64 %rd4, %rd3, %rd0; shr.u64 %rd4, %rd4, 2;\n"
           "st.global.u32 [%rd1], %rd4;",
           0);
    expect("add.s64 %rd3, %rd0, %rd2; mov.u64 %rd5, %rd3;\n"
           "LOOP: ld.global.u32 %r1, [%rd5]; setp.eq.s32 %p1, %r1, 0;\n"
           "add.s64 %rd5, %rd5, 4; @%p1 bra LOOP; sub.s64 %rd4, %rd5, %rd3;\n"
           "cvt.u32.u64 %r2, %rd4; st.global.u32 [%rd1], %r2;",
           0);
    /* from another parameter, or from one of two */
    expect("add.s64 %rd3, %rd0, %rd2; sub.s64 %rd4, %rd3, %rd1;\n"
           "st.global.u64 [%rd1], %rd4;",
           OF_P | OF_Q);
    expect("setp.eq.s32 %p1, %r0, 0; selp.b64 %rd3, %rd0, %rd1, %p1;\n"
           "sub.s64 %rd4, %rd3, %rd0; st.global.u64 [%rd1], %rd4;",
           OF_P | OF_Q);
}

/* A part of an address may be stored, although the registers are too narrow for an
   address. */
static void parts_of_an_address_are_no_numbers(void **state)
{
    (void)state;
    expect("cvt.u32.u64 %r1, %rd0; cvt.u64.u32 %rd3, %r1; add.s64 %rd4, %rd0, %rd3;\n"
           "sub.s64 %rd5, %rd4, %rd0; st.global.u64 [%rd1], %rd5;",
           OF_P);
    expect("mov.b64 {%r1, %r2}, %rd0; cvt.u64.u32 %rd3, %r2; add.s64 %rd4, %rd0, %rd3;\n"
           "sub.s64 %rd5, %rd4, %rd0; st.global.u64 [%rd1], %rd5;",
           OF_P);
    expect("shr.u64 %rd3, %rd0, 1; add.s64 %rd4, %rd0, %rd3; sub.s64 %rd5, %rd4, %rd0;\n"
           "st.global.u64 [%rd1], %rd5;",
           OF_P);
}

/* A load from a dynamic offset in a parameter depends on that parameter, and on no
   other. */
static void dynamic_offsets_stay_in_their_parameter(void **state)
{
    (void)state;
    expect("mov.b64 %rd3, q; add.s64 %rd3, %rd3, %rd2; ld.param.u64 %rd4, [%rd3];\n"
           "st.global.u64 [%rd0], %rd4;",
           OF_Q);
    expect("mov.b64 %rd3, n; add.s64 %rd3, %rd3, %rd2; ld.param.f64 %rd4, [%rd3];\n"
           "st.global.f64 [%rd0], %rd4;",
           0);
    expect("mov.b64 %rd3, p; mov.b64 %rd5, q; setp.eq.s32 %p1, %r0, 0;\n"
           "selp.b64 %rd3, %rd3, %rd5, %p1; ld.param.u64 %rd4, [%rd3];\n"
           "st.global.u64 [%rd0], %rd4;",
           OF_P | OF_Q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_derived_from_an_address_depend_on_it),
        cmocka_unit_test(pointer_differences_are_numbers),
        cmocka_unit_test(parts_of_an_address_are_no_numbers),
        cmocka_unit_test(dynamic_offsets_stay_in_their_parameter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
