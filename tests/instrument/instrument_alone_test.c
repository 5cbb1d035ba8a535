/* SPDX-License-Identifier: Apache-2.0 */
/* The text that is loaded for one version of a kernel. It omits the module's other kernels
   unless something refers to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

#define KERNEL(name, body)                                                                 \
    ".visible .entry " name "(\n\t.param .u64 " name "_out\n)\n{\n"                        \
    "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n"                                            \
    "\tld.param.u64 %rd1, [" name "_out];\n\tmov.u32 %r1, %tid.x;\n"                       \
    "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd2, %rd1, %rd2;\n" body                     \
    "\tst.global.u32 [%rd2], %r1;\n\tret;\n}\n\n"

static const char module[] = ".version 8.0\n.target sm_80\n.address_size 64\n\n" KERNEL(
    "before", "") KERNEL("listed", "")
    KERNEL("called", "") ".global .align 8 .u64 list[2] = {listed, 0};\n"
                         ".func helper()\n{\n\t.reg .b64 %rd<2>;\n\tmov.u64 %rd1, "
                         "called;\n\tret;\n}\n" KERNEL("wanted", "\tcall.uni helper, ();\n")
                             KERNEL("behind", "");

static unsigned line_of(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    unsigned line = 1;

    assert_non_null(at);
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}

static char *alone(const char *text, struct instrument_result *result)
{
    const struct instrument_request request = {
        .kernel = "wanted", .slot_count = 1, .only = INSTRUMENT_GRID};
    struct proact_error err;
    struct ptx_module *m, *made;
    size_t bytes;
    char *out;

    assert_int_equal(ptx_parse("m.ptx", text, strlen(text), &m, &err), PROACT_OK);
    assert_int_equal(instrument_kernel(m, &request, result, &out, &bytes, &err), PROACT_OK);
    if (ptx_parse("made.ptx", out, bytes, &made, &err))
        fail_msg("%s", err.text);
    ptx_destroy(made);
    ptx_destroy(m);
    return out;
}

static void unreferenced_kernels_are_left_out(void **state)
{
    struct instrument_result result;
    char *text = alone(module, &result);

    (void)state;
    assert_string_equal(result.refusal[INSTRUMENT_GRID].text, "");
    assert_non_null(strstr(text, ".entry wanted__proact_grid("));
    assert_non_null(strstr(text, ".entry listed("));
    assert_non_null(strstr(text, ".entry called("));
    assert_null(strstr(text, ".entry before("));
    assert_null(strstr(text, ".entry behind("));
    assert_null(strstr(text, ".entry wanted("));
    assert_null(strstr(text, "wanted__proact_inline"));
    assert_int_equal(line_of(text, ".func helper("), line_of(module, ".func helper("));
    free(text);
}

/* Refusals are reported for all versions, also for those that are not requested. */
static void unrequested_versions_are_refused(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                               ".visible .entry wanted(.param .u64 a)\n{\n"
                               ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\n"
                               "setmaxnreg.dec.sync.aligned.u32 24;\n"
                               "st.global.u64 [%rd1], %rd1;\nret;\n}\n";
    struct instrument_result result;

    (void)state;
    free(alone(text, &result));
    assert_string_equal(result.refusal[INSTRUMENT_GRID].text, "");
    assert_non_null(strstr(result.refusal[INSTRUMENT_COUNT].text, "setmaxnreg"));
    assert_non_null(strstr(result.refusal[INSTRUMENT_SEND].text, "setmaxnreg"));
}

static void a_kernel_that_refers_to_itself_stays(void **state)
{
    static const char itself[] = ".version 8.0\n.target sm_80\n.address_size 64\n\n" KERNEL(
        "wanted", "\tmov.u64 %rd3, wanted;\n");
    struct instrument_result result;
    char *text = alone(itself, &result);

    (void)state;
    assert_non_null(strstr(text, ".entry wanted("));
    free(text);
}

static void debug_sections_refer_to_all_kernels(void **state)
{
    char with[sizeof module + 64];
    struct instrument_result result;

    (void)state;
    snprintf(with, sizeof with, "%s.section .debug_info\n{\n.b64 before\n}\n", module);
    char *text = alone(with, &result);

    assert_non_null(strstr(text, ".entry before("));
    assert_non_null(strstr(text, ".entry behind("));
    free(text);
}

/* With CTA indices in one dimension the version has no instructions for the others. */
static void one_dimension_needs_no_division(void **state)
{
    static const char places[] = ".version 8.0\n.target sm_80\n.address_size 64\n" KERNEL(
        "wanted", "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ctaid.y;\n");
    struct instrument_request request = {
        .kernel = "wanted", .slot_count = 1, .only = INSTRUMENT_COUNT};
    struct instrument_result result;
    struct proact_error err;
    struct ptx_module *m;
    size_t bytes;

    (void)state;
    assert_int_equal(ptx_parse("m.ptx", places, strlen(places), &m, &err), PROACT_OK);
    for (int flat = 0; flat < 2; flat++) {
        char *text;

        request.places = flat ? INSTRUMENT_FLAT : INSTRUMENT_LINE;
        assert_int_equal(instrument_kernel(m, &request, &result, &text, &bytes, &err),
                         PROACT_OK);
        assert_int_equal(strstr(text, "%proact_d0, %proact_d0") == NULL, flat);
        assert_int_equal(strstr(text, "mov.u32 %proact_r1, 0;") != NULL, flat);
        assert_int_equal(strstr(text, "%tid.y") == NULL, flat);
        free(text);
    }
    ptx_destroy(m);
}

/* The text is the same whether or not the other versions are examined for refusals. */
static void texts_need_no_results(void **state)
{
    struct instrument_request request = {.kernel = "wanted", .slot_count = 1};
    struct instrument_result result;
    struct proact_error err;
    struct ptx_module *m;
    size_t bytes, bytes_alone;

    (void)state;
    assert_int_equal(ptx_parse("m.ptx", module, strlen(module), &m, &err), PROACT_OK);
    for (int kind = 0; kind < INSTRUMENT_CLONES; kind++) {
        char *text, *text_alone;

        request.only = (enum instrument_clone)kind;
        assert_int_equal(instrument_kernel(m, &request, &result, &text, &bytes, &err),
                         PROACT_OK);
        assert_int_equal(
            instrument_kernel(m, &request, NULL, &text_alone, &bytes_alone, &err),
            PROACT_OK);
        assert_string_equal(text, text_alone);
        free(text_alone);
        free(text);
    }
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_need_no_results),
        cmocka_unit_test(unrequested_versions_are_refused),
        cmocka_unit_test(unreferenced_kernels_are_left_out),
        cmocka_unit_test(a_kernel_that_refers_to_itself_stays),
        cmocka_unit_test(debug_sections_refer_to_all_kernels),
        cmocka_unit_test(one_dimension_needs_no_division),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
