/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter reads by name, in place of reads from a copy in local memory or through a
   register. Other code is unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .align 8 .b8 s[24], .param .u64 out, .param .u32 n)\n{\n"
    ".local .align 8 .b8 depot[24];\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"
    ".reg .b64 %SP;\n.reg .b64 %SPL;\n.reg .b64 %rd<16>;\n";
#define TAKE "mov.u64 %SPL, depot;\nadd.u64 %rd1, %SPL, 0;\n"
#define COPY                                                                               \
    "ld.param.u64 %rd2, [s];\nld.param.u64 %rd3, [s+8];\nld.param.u32 %r1, [s+16];\n"      \
    "st.local.u64 [%rd1], %rd2;\nst.local.u64 [%rd1+8], %rd3;\nst.local.u32 [%rd1+16], "   \
    "%r1;\n"
#define READ                                                                               \
    "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd4, %r2, 8;\nadd.s64 %rd5, %rd1, %rd4;\n"      \
    "ld.local.u64 %rd6, [%rd5];\nst.global.u32 [%rd6], %r1;\n"

/* Returns the new text, or NULL. */
static char *read_there(const char *body, struct ptx_module **m)
{
    struct proact_error err;
    char text[4096];
    size_t bytes;

    snprintf(text, sizeof text, "%s%sret;\n}\n", head, body);
    if (ptx_parse("copy.ptx", text, strlen(text), m, &err))
        fail_msg("%s", err.text);
    return instrument_read_parameters(*m, &bytes);
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void a_copied_parameter_is_read_directly(void **state)
{
    static const char *const bodies[] = {
        TAKE COPY READ,
        "mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\nadd.u64 %rd1, %SPL, 0;\n"
        "add.u64 %rd7, %SP, 0;\n" COPY READ,
        /* in a loop that steps through it */
        TAKE COPY "L: ld.local.u64 %rd6, [%rd1];\nadd.s64 %rd1, %rd1, 8;\n"
                  "ld.global.u32 %r3, [%rd6];\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\n",
        TAKE "ld.param.v2.u64 {%rd2, %rd3}, [s];\n"
             "st.local.v2.u64 [%rd1], {%rd2, %rd3};\nadd.s64 %rd1, %rd1, 8;\n"
             "ld.local.u64 %rd6, [%rd1];\n",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        struct ptx_module *m, *again;
        struct proact_error err;
        char *text = read_there(bodies[n], &m);

        if (!text)
            fail_msg("%s", bodies[n]);
        assert_null(strstr(text, "st.local"));
        assert_null(strstr(text, "ld.local"));
        assert_non_null(strstr(text, "mov.u64 %SPL, s;"));
        assert_non_null(strstr(text, "ld.param.u64 %rd6, ["));
        assert_int_equal(lines_of(text), lines_of(m->text));
        assert_int_equal(ptx_parse("copy.ptx", text, strlen(text), &again, &err), 0);
        ptx_destroy(again);
        ptx_destroy(m);
        free(text);
    }
}

static void a_modified_copy_stays(void **state)
{
    static const char *const bodies[] = {
        "ret;\n",
        /* another value, another offset, another parameter */
        TAKE COPY "st.local.u32 [%rd1+20], 7;\n" READ,
        TAKE COPY "st.local.u32 [%rd1+20], %r1;\n" READ,
        TAKE COPY "ld.param.u32 %r4, [n];\nst.local.u32 [%rd1+20], %r4;\n" READ,
        TAKE COPY "add.s32 %r4, %r1, 1;\nst.local.u32 [%rd1+16], %r4;\n" READ,
        /* a value that is set twice */
        TAKE COPY "mov.u32 %r1, 9;\n" READ,
        /* conditional, or stored again later */
        TAKE COPY "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.local.u32 [%rd1+16], %r1;\n" READ,
        TAKE COPY READ "st.local.u64 [%rd1], %rd2;\n",
        TAKE COPY "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.local.u64 [%rd1], %rd2;\nL: "
                  "ld.local.u64 %rd6, [%rd1];\n",
        TAKE "ld.local.u64 %rd6, [%rd1];\n" COPY READ,
        /* at an unknown offset */
        TAKE COPY "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd4, %r2, 8;\nadd.s64 %rd8, %rd1, "
                  "%rd4;\nst.local.u64 [%rd8], %rd2;\n" READ,
        /* the address is stored, compared, or used in other ways */
        TAKE COPY READ "ld.param.u64 %rd9, [out];\nst.global.u64 [%rd9], %rd1;\n",
        TAKE COPY "setp.eq.s64 %p1, %rd1, %rd2;\n" READ,
        TAKE COPY "cvta.local.u64 %SP, %SPL;\nld.u64 %rd7, [%SP];\n" READ,
        TAKE COPY "cvta.local.u64 %SP, %SPL;\nst.u64 [%SP], %rd2;\n" READ,
        TAKE COPY "atom.local.add.u32 %r5, [%rd1+16], 1;\n" READ,
        TAKE COPY "mul.lo.s64 %rd7, %rd1, 2;\n" READ,
        TAKE COPY "sub.s64 %rd7, %rd1, %rd1;\n" READ,
        TAKE COPY "add.s64 %rd7, %rd1, %rd1;\n" READ,
        TAKE COPY "mov.u64 %rd7, %rd1;\n@%p1 mov.u64 %rd7, 64;\nld.local.u64 %rd8, "
                  "[%rd7];\n" READ,
        TAKE COPY "ld.volatile.local.u64 %rd7, [%rd1];\n" READ,
        TAKE COPY "ld.local.u64 %rd7, [depot+8];\n" READ,
        "mov.u64 %SPL, depot+8;\nadd.u64 %rd1, %SPL, 0;\n" COPY READ,
        /* wider than the alignment of the parameter */
        TAKE COPY "ld.local.v2.u64 {%rd7, %rd8}, [%rd1];\n" READ,
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        struct ptx_module *m;
        char *text = read_there(bodies[n], &m);

        if (text)
            fail_msg("%s", bodies[n]);
        ptx_destroy(m);
    }
}

#define PLACE "mov.b64 %rd1, s;\nadd.s64 %rd2, %rd1, 16;\n"

static void a_constant_offset_becomes_a_name(void **state)
{
    static const struct {
        const char *body, *becomes, *is_gone;
    } rows[] = {
        {PLACE "ld.param.u64 %rd3, [%rd2+-8];\n", "ld.param.u64 %rd3, [s+8];", "%rd2,"},
        {PLACE "ld.param.u64 %rd3, [%rd2+-8];\n", "ld.param.u64 %rd3, [s+8];", "%rd1,"},
        {"mov.b64 %rd1, s+8;\nmov.b64 %rd2, %rd1;\nld.param.v2.u32 {%r1, %r2}, [%rd2];\n",
         "ld.param.v2.u32 {%r1, %r2}, [s+8];", "mov"},
        {PLACE "L: ld.param.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n",
         "ld.param.u32 %r1, [s+0];", "%rd2,"},
        /* another read of the register remains */
        {PLACE "ld.param.u64 %rd3, [%rd2];\nadd.s64 %rd4, %rd1, %rd3;\n"
               "ld.param.u32 %r1, [%rd4];\n",
         "ld.param.u64 %rd3, [s+16];", "add.s64 %rd2"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct ptx_module *m, *again;
        struct proact_error err;
        char *text = read_there(rows[n].body, &m);

        if (!text || !strstr(text, rows[n].becomes) || strstr(text, rows[n].is_gone))
            fail_msg("%s%s", rows[n].body, text ? text : "");
        assert_int_equal(lines_of(text), lines_of(m->text));
        assert_int_equal(ptx_parse("copy.ptx", text, strlen(text), &again, &err), 0);
        ptx_destroy(again);
        ptx_destroy(m);
        free(text);
    }
}

static void a_variable_offset_stays(void **state)
{
    static const char *const bodies[] = {
        PLACE "ld.param.u32 %r1, [n];\ncvt.u64.u32 %rd4, %r1;\nadd.s64 %rd3, %rd2, %rd4;\n"
              "ld.param.u32 %r2, [%rd3];\n",
        "mov.b64 %rd1, s;\nL: ld.param.u32 %r1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\n"
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n",
        "mov.b64 %rd1, s;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mov.b64 %rd1, out;\n"
        "ld.param.u64 %rd2, [%rd1];\n",
        "@%p1 mov.b64 %rd1, s;\nld.param.u64 %rd2, [%rd1];\n",
        "mov.b64 %rd1, s;\ncvta.param.u64 %rd2, %rd1;\nld.u64 %rd3, [%rd2];\n",
        "mov.b64 %rd1, s;\nsub.s64 %rd2, %rd1, 8;\nld.param.u64 %rd3, [%rd2+8];\n",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        struct ptx_module *m;
        char *text = read_there(bodies[n], &m);

        if (text)
            fail_msg("%s%s", bodies[n], text);
        ptx_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_offset_becomes_a_name),
        cmocka_unit_test(a_variable_offset_stays),
        cmocka_unit_test(a_copied_parameter_is_read_directly),
        cmocka_unit_test(a_modified_copy_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
