/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion of pointer tables in memory to parameters. Only tables that are read and not
   modified are promoted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

static const char head[] =
    ".version 8.1\n.target sm_80\n.address_size 64\n.const .align 8 .b8 c[64];\n"
    ".visible .entry k(.param .u64 t, .param .align 8 .b8 s[16], .param .u32 n)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<4>;\n";
#define POINTER "ld.param.u64 %rd1, [t];\ncvta.to.global.u64 %rd2, %rd1;\n"
#define INDEX "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd3, %r1, 8;\n"
#define READ "add.s64 %rd4, %rd2, %rd3;\nld.global.nc.u64 %rd5, [%rd4+8];\n"
#define GO "st.global.u32 [%rd5], %r1;\n"

static struct ptx_module *parse(const char *body)
{
    struct ptx_module *m;
    struct proact_error err;
    char text[4096];

    snprintf(text, sizeof text, "%s%sret;\n}\n", head, body);
    if (ptx_parse("table.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

/* The table of the variable, or of the pointer at byte 0 of the parameters. */
static struct instrument_table table_of(const struct ptx_module *m, bool is_variable)
{
    struct instrument_table t = {.variable = -1, .bytes = 48};

    for (uint32_t n = 0; is_variable && n < m->symbol_count; n++)
        if (strcmp(m->symbols[n].name, "c") == 0)
            t.variable = (int32_t)n + PTX_SYMBOL_MODULE;
    return t;
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void a_table_that_is_only_read_becomes_a_parameter(void **state)
{
    static const struct {
        const char *body, *becomes;
        bool is_variable;
    } rows[] = {
        {POINTER INDEX READ GO, "ld.param.u64 %rd5, [%proact_t", false},
        /* compared with NULL */
        {POINTER "setp.eq.s64 %p1, %rd1, 0;\n@%p1 ret;\n" INDEX READ GO,
         "ld.param.u64 %rd5, [%proact_t", false},
        /* a vector load, also under a predicate */
        {POINTER INDEX "add.s64 %rd4, %rd2, %rd3;\n@!%p1 ld.global.v2.u64 {%rd5, %rd6}, "
                       "[%rd4];\n" GO,
         "@!%p1 ld.param.v2.u64 {%rd5, %rd6}, [%proact_t", false},
        /* step by step, in one register */
        {POINTER "L: ld.global.u64 %rd5, [%rd2];\nadd.s64 %rd2, %rd2, 8;\n" GO
                 "setp.ne.s64 %p1, %rd5, 0;\n@%p1 bra L;\n",
         "add.s64 %proact_t3_1, %proact_t3_1, 8; add.s64 %rd2, %rd2, 8;", false},
        /* by a product, and from the end backwards */
        {POINTER INDEX "mad.wide.u32 %rd4, %r1, 16, %rd2;\nld.u64 %rd5, [%rd4];\n" GO,
         "mad.wide.u32 %proact_t", false},
        {POINTER INDEX "sub.s64 %rd4, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\n",
         "ld.param.f32 %f1, [%proact_t", false},
        {"ld.const.u64 %rd5, [c+16];\n" GO, "ld.param.u64 %rd5, [proact_table_3+16];",
         true},
        {"mov.u64 %rd2, c+8;\n" INDEX "add.s64 %rd4, %rd3, %rd2;\nld.const.u64 %rd5, "
         "[%rd4];\n" GO,
         "add.s64 %proact_t3_0, %proact_t3_0, 8; mov.u64 %rd2, c+8;", true},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct ptx_module *m = parse(rows[n].body), *again;
        const struct instrument_table t = table_of(m, rows[n].is_variable);
        bool *loads = instrument_table_loads(&m->functions[0], &t);
        struct proact_error err;
        size_t bytes;

        if (!loads)
            fail_msg("%s", rows[n].body);
        char *text = instrument_tables(m, &m->functions[0], &t, 1, &bytes);

        if (!strstr(text, rows[n].becomes) || strstr(text, "ld.global.u64") ||
            strstr(text, "ld.const"))
            fail_msg("%s", text);
        assert_int_equal(lines_of(text), lines_of(m->text));
        if (ptx_parse("table.ptx", text, bytes, &again, &err))
            fail_msg("%s", err.text);
        assert_int_equal(again->functions[0].parameter_count, 4);
        assert_int_equal(again->functions[0].symbols[3].bytes, 48);
        assert_int_equal(again->functions[0].symbols[3].offset % 16, 0);
        ptx_destroy(again);
        ptx_destroy(m);
        free(text);
        free(loads);
    }
}

static void other_tables_stay_in_memory(void **state)
{
    static const struct {
        const char *body;
        bool is_variable;
    } rows[] = {
        {"ret;\n", false},
        /* written; by an atomic; stored elsewhere; compared with another pointer */
        {POINTER INDEX READ "st.global.u64 [%rd4], %rd5;\n", false},
        {POINTER INDEX READ "atom.global.add.u64 %rd6, [%rd4], %rd5;\n", false},
        {POINTER INDEX READ "st.global.u64 [%rd5], %rd4;\n", false},
        {POINTER INDEX READ "setp.lt.u64 %p1, %rd4, %rd5;\n", false},
        /* it may be another pointer */
        {POINTER INDEX "@%p1 mov.u64 %rd2, 0;\n" READ, false},
        {POINTER INDEX "ld.param.u64 %rd6, [s];\nselp.b64 %rd2, %rd6, %rd1, %p1;\n" READ,
         false},
        {POINTER INDEX "and.b64 %rd2, %rd1, -16;\n" READ, false},
        {POINTER INDEX "add.s64 %rd2, %rd1, %rd1;\n" READ, false},
        /* loads of values that others may be writing */
        {POINTER INDEX
         "add.s64 %rd4, %rd2, %rd3;\nld.volatile.global.u64 %rd5, [%rd4];\n" GO,
         false},
        {POINTER INDEX "add.s64 %rd4, %rd2, %rd3;\nld.acquire.gpu.global.u64 %rd5, "
                       "[%rd4];\n" GO,
         false},
        {POINTER "prefetch.global.L2 [%rd2];\n" INDEX READ, false},
        {"mov.u64 %rd2, c;\nst.global.u64 [%rd3], %rd2;\nld.const.u64 %rd5, [c];\n", true},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct ptx_module *m = parse(rows[n].body);
        const struct instrument_table t = table_of(m, rows[n].is_variable);

        if (instrument_table_loads(&m->functions[0], &t))
            fail_msg("%s", rows[n].body);
        ptx_destroy(m);
    }
}

static void tables_fit_next_to_a_partition(void **state)
{
    struct ptx_module *m = parse(POINTER INDEX READ GO);
    struct instrument_table t = table_of(m, false);

    (void)state;
    t.bytes = 16384;
    assert_true(instrument_tables_fit(m, &m->functions[0], &t, 1));
    t.bytes = 32752;
    assert_false(instrument_tables_fit(m, &m->functions[0], &t, 1));
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_that_is_only_read_becomes_a_parameter),
        cmocka_unit_test(other_tables_stay_in_memory),
        cmocka_unit_test(tables_fit_next_to_a_partition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
