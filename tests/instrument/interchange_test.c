/* SPDX-License-Identifier: Apache-2.0 */
/* Interchange of two dimensions of the grid in a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

static const char head[] =
    ".version 8.1\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 r) where()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, %ctaid.y;\n"
    "st.param.b32 [r], %r1;\nret;\n}\n"
    ".func (.param .b32 r) one()\n{\nst.param.b32 [r], 1;\nret;\n}\n"
    ".visible .entry k(.param .u64 t)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n"
    "ld.param.u64 %rd1, [t];\n";

static struct ptx_module *parse(const char *body)
{
    struct ptx_module *m;
    struct proact_error err;
    char text[4096];

    snprintf(text, sizeof text, "%s%sret;\n}\n", head, body);
    if (ptx_parse("turned.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static char *interchanged(const char *body, unsigned one, unsigned other)
{
    struct ptx_module *m = parse(body), *again;
    size_t bytes;
    struct proact_error err;
    char *text = instrument_interchange(m, ptx_function_find(m, "k"), one, other, &bytes);

    if (text && ptx_parse("turned.ptx", text, bytes, &again, &err))
        fail_msg("%s", err.text);
    if (text)
        ptx_destroy(again);
    ptx_destroy(m);
    return text;
}

#define ALL                                                                                \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n"             \
    "mad.lo.s32 %r4, %nctaid.x, %nctaid.y, %nctaid.z;\nmov.u32 %r5, %tid.y;\n"

static void two_dimensions_are_interchanged(void **state)
{
    static const struct {
        unsigned one, other;
        const char *becomes;
    } rows[] = {
        {1, 2,
         "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.z;\nmov.u32 %r3, %ctaid.y;\n"
         "mad.lo.s32 %r4, %nctaid.x, %nctaid.z, %nctaid.y;\nmov.u32 %r5, %tid.y;\n"},
        {0, 2,
         "mov.u32 %r1, %ctaid.z;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.x;\n"
         "mad.lo.s32 %r4, %nctaid.z, %nctaid.y, %nctaid.x;\nmov.u32 %r5, %tid.y;\n"},
        {1, 0,
         "mov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ctaid.z;\n"
         "mad.lo.s32 %r4, %nctaid.y, %nctaid.x, %nctaid.z;\nmov.u32 %r5, %tid.y;\n"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        char *text = interchanged(ALL, rows[n].one, rows[n].other);

        assert_non_null(text);
        if (!strstr(text, rows[n].becomes) || strncmp(text, head, strlen(head)) != 0)
            fail_msg("%s", text); /* other names are unchanged */
        free(text);
    }
}

static void kernels_that_observe_the_order_are_refused(void **state)
{
    static const struct {
        const char *body;
        bool is_safe;
    } rows[] = {
        {ALL, true},
        {"mov.u32 %r1, %tid.x;\n", false}, /* nothing to interchange */
        {ALL "mov.u32 %r6, %gridid;\n", true},
        {ALL "mov.u32 %r6, %clusterid.x;\n", false},
        {ALL "mov.u32 %r6, %cluster_ctarank;\n", false},
        {ALL "mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid;\n", false},
        {ALL "call (%r6), one, ();\n", true},
        {ALL "call (%r6), where, ();\n", false},
        {ALL "red.global.add.u32 [%rd1], %r1;\n", true},
        {ALL "atom.global.add.u32 %r6, [%rd1], %r1;\n", true}, /* the result is unused */
        {ALL "atom.global.add.u32 _, [%rd1], %r1;\n", true},
        {ALL "atom.global.add.u32 %r6, [%rd1], 1;\nst.global.u32 [%rd1+4], %r6;\n", false},
        {ALL "atom.shared.add.u32 %r6, [%r5], 1;\nst.global.u32 [%rd1+4], %r6;\n", true},
        {ALL "atom.global.exch.b32 %r6, [%rd1], %r1;\n", false},
        {ALL "atom.global.cas.b32 %r6, [%rd1], %r1, %r2;\n", false},
        {ALL "red.global.add.f32 [%rd1], %f1;\n", false},
        {ALL "red.global.max.u32 [%rd1], %r1;\n", true},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        char *text = interchanged(rows[n].body, 1, 2);

        if (!text == rows[n].is_safe)
            fail_msg("%s", rows[n].body);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensions_are_interchanged),
        cmocka_unit_test(kernels_that_observe_the_order_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
