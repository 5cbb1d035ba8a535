/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion of variables to parameters: kernels receive the address of a variable as a
   parameter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

static struct ptx_module *read_text(const char *text)
{
    struct proact_error err;
    struct ptx_module *m;

    if (ptx_parse("variables.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static uint32_t number_of(const struct ptx_module *m, const char *name)
{
    uint32_t n = 0;

    while (n < m->symbol_count && strcmp(m->symbols[n].name, name) != 0)
        n++;
    assert_true(n < m->symbol_count);
    return n;
}

#define HEAD(version) ".version " version "\n.target sm_75\n.address_size 64\n"
#define TWO                                                                                \
    ".visible .global .align 4 .u32 count;\n.global .align 4 .u32 table[2] = {\n 3,\n "    \
    "4\n};\n"
#define BODY                                                                               \
    "{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"                          \
    "mov.u64 %rd1, table;\nL: @%p1 mov.u64 %rd2, table+4;\n@!%p1 mov.u64 %rd3, table+4;\n" \
    "atom.global.add.u32 %r1, [count], 1;\nst.global.u32 [table+4], %r1;\n"                \
    "cvta.global.u64 %rd1, count;\n@%p1 bra L;\nret;\n}\n"

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

static void addresses_become_parameters(void **state)
{
    static const char *const heads[][2] = {
        {".visible .entry k(.param .u32 a,\n.param .u64 b)\n", ".param .u64 b, "},
        {".visible .entry k()\n", "k("},
        {".visible .entry k\n", "k("},
    };

    (void)state;
    for (size_t n = 0; n < sizeof heads / sizeof *heads; n++) {
        char given[2048], expected[256];
        size_t bytes;

        snprintf(given, sizeof given, "%s%s%s", HEAD("7.5") TWO, heads[n][0], BODY);
        struct ptx_module *m = read_text(given), *again;
        bool *which = calloc(m->symbol_count + 1, sizeof *which);

        assert_non_null(which);
        which[number_of(m, "count")] = which[number_of(m, "table")] = true;
        assert_true(instrument_variable_moves(m, number_of(m, "count")));
        assert_true(instrument_variable_moves(m, number_of(m, "table")));
        assert_false(instrument_variable_moves(m, number_of(m, "k")));
        char *text = instrument_variables(m, which, &bytes);

        assert_int_equal(bytes, strlen(text));
        snprintf(expected, sizeof expected,
                 "%s.param .u64 proact_variable_count, .param .u64 proact_variable_table)",
                 heads[n][1]);
        has(text, expected);
        has(text, "{ .reg .b64 %proact_v<2>; ld.param.u64 %proact_v0, "
                  "[proact_variable_count]; ld.param.u64 %proact_v1, "
                  "[proact_variable_table];\n");
        has(text, "\nmov.u64 %rd1, %proact_v1;\n");
        has(text, "L: @%p1 add.s64 %rd2, %proact_v1, 4;\n");
        has(text, "\n@!%p1 add.s64 %rd3, %proact_v1, 4;\n");
        has(text, "[%proact_v0+0], 1;\nst.global.u32 [%proact_v1+4], %r1;\n");
        has(text, "cvta.global.u64 %rd1, %proact_v0;\n");
        assert_int_equal(lines_of(text), lines_of(given));
        again = read_text(text);
        assert_int_equal(again->functions[0].parameter_count,
                         m->functions[0].parameter_count + 2);
        assert_int_equal(again->symbol_count, m->symbol_count - 2);
        ptx_destroy(again);
        ptx_destroy(m);
        free(text);
        free(which);
    }
}

static void other_variables_are_unchanged(void **state)
{
    (void)state;
    struct ptx_module *m =
        read_text(HEAD("7.5") TWO ".visible .entry k()\n" BODY ".visible .entry other()\n"
                                  "{\nret;\n}\n");
    bool *which = calloc(m->symbol_count + 1, sizeof *which);
    size_t bytes;

    assert_non_null(which);
    which[number_of(m, "count")] = true;
    char *text = instrument_variables(m, which, &bytes);

    has(text, ".global .align 4 .u32 table[2] = {\n 3,\n 4\n};\n");
    has(text, "\nmov.u64 %rd1, table;\n");
    has(text, ".visible .entry other()\n{\nret;\n}\n");
    free(text);
    free(which);
    ptx_destroy(m);
}

#define V ".visible .global .align 4 .u32 v"
#define K ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
#define USE "st.global.u32 [v], 1;\nret;\n}\n"

static bool moves(const char *body)
{
    char text[1024];

    snprintf(text, sizeof text, "%s%s", HEAD("7.5"), body);
    struct ptx_module *m = read_text(text);
    const bool it_does = instrument_variable_moves(m, number_of(m, "v"));

    ptx_destroy(m);
    return it_does;
}

/* Variables that need one known address stay. */
static void variables_with_other_uses_stay(void **state)
{
    static const char *const stay[] = {
        ".extern .global .align 4 .u32 v;\n" K USE,
        ".visible .const .align 4 .u32 v;\n" K "ld.const.u32 %r1, [v];\nret;\n}\n",
        ".visible .global .attribute(.managed) .align 4 .u32 v;\n" K USE,
        V ";\n.visible .global .align 8 .u64 holds = v;\n" K USE,
        V ";\n.visible .global .align 8 .u64 holds[2] = {0, generic(v)};\n" K USE,
        ".visible .global .align 4 .u32 w, v;\n" K USE,
        ".visible .global .align 8 .u64 w;\n.visible .global .align 8 .u64 v = w;\n" K USE,
        /* used by a function, or in a kernel that others refer to */
        V ";\n.func f()\n{\nst.global.u32 [v], 1;\nret;\n}\n" K "call f;\nret;\n}\n",
        V ";\n" K USE ".visible .entry starts()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, k;\n"
          "ret;\n}\n",
        V ";\n" K USE ".visible .global .align 8 .u64 kernels = k;\n",
        /* an unsupported use */
        V ";\n" K "cvta.global.u64 %rd1, v+4;\nret;\n}\n",
        /* the parameter buffer of its kernel is full */
        V ";\n.visible .entry k(.param .b8 a[4336])\n{\n" USE,
    };
    static const char *const move[] = {
        V ";\n" K USE,
        V ";\n.visible .entry k(.param .b8 a[4320])\n{\n" USE,
    };

    (void)state;
    for (size_t n = 0; n < sizeof stay / sizeof *stay; n++)
        if (moves(stay[n]))
            fail_msg("%s", stay[n]);
    for (size_t n = 0; n < sizeof move / sizeof *move; n++)
        if (!moves(move[n]))
            fail_msg("%s", move[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_become_parameters),
        cmocka_unit_test(other_variables_are_unchanged),
        cmocka_unit_test(variables_with_other_uses_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
