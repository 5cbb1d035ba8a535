/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a module, and their positions in the source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/text.h"
#include "ptx/ptx.h"

static const char module[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".visible .entry first(.param .u64 to)\n{\n" /* 4, 5 */
                             ".reg .b64 %rd<3>;\n"
                             "\tld.param.u64 %rd1, [to];\n" /* 7: unknown */
                             "\t.loc 1 12 5\n"
                             "\tst.global.u64 [%rd1], %rd1;\n" /* 9 */
                             "\t.loc\t2 84 3, function_name $L__name, inlined_at 1 31 9\n"
                             "\tst.global.u64 [%rd1+8], %rd1;\n" /* 11 */
                             "\t.loc 3 1 1\n"
                             "\tret;\n}\n" /* 13: a file without a name */
                             ".visible .entry second()\n{\n"
                             "\tret;\n}\n" /* 17 */
                             ".visible .entry third()\n{\n"
                             "\t.loc 2 84 3, function_name $L__name, inlined_at 1 40 9\n"
                             "\t.loc 2 84 5, function_name $L__name, inlined_at 1 50 9\n"
                             "\t.loc 4 7 3, function_name $L__name, inlined_at 2 84 3\n"
                             "\tret;\n}\n" /* 24 */
                             "\t.file 1 \"/home/me/app.cu\"\n"
                             "\t.file\t2 \"atomics.hpp\", 5, 6\n"
                             "\t.file\t4 \"/opt/inner.h\"\n"
                             "$L__name:\n";

static void check(const char *sentence, const char *expected)
{
    struct proact_error err;
    struct ptx_module *m;
    const size_t bytes = (size_t)(strstr(module, "$L__name:\n") - module);
    char *got;

    if (ptx_parse("p.ptx", module, bytes, &m, &err))
        fail_msg("%s", err.text);
    got = ptx_with_sources(m, sentence);
    assert_string_equal(got, expected);
    free(got);
    ptx_destroy(m);
}

static void lines_are_followed_by_their_source(void **state)
{
    (void)state;
    check("line 9: a store", "line 9 [app.cu:12]: a store");
    check("kernel 'first', p.ptx:9: what line 11 reads",
          "kernel 'first', p.ptx:9 [app.cu:12]: what line 11 [atomics.hpp:84, from "
          "app.cu:31] reads");
    check("(line 10)", "(line 10 [atomics.hpp:84, from app.cu:31])");
}

/* For inlined functions the program's outermost call is named. */
static void the_outermost_call_is_named(void **state)
{
    (void)state;
    check("line 24", "line 24 [inner.h:7, from app.cu:40]");
}

static void other_text_is_unchanged(void **state)
{
    static const char *const same[] = {
        "line 7",  "line 13", "line 17",   "line 400", "line 0",    "line x",
        "lines 9", "p.ptx",   "app.ptx:9", "p.ptx:",   "outline 9", "no number",
    };

    (void)state;
    for (size_t n = 0; n < sizeof same / sizeof *same; n++)
        check(same[n], same[n]);
}

/* A debug build has a .loc for each line and no "inlined_at". */
static void a_long_text_is_searched_once(void **state)
{
    enum { LINES = 300000, SECONDS_MAX = 5 };
    struct proact_error err;
    struct ptx_module *m;
    struct text t = {0};

    (void)state;
    text_print(&t, ".version 8.0\n.target sm_80\n.address_size 64\n"
                   ".visible .entry k()\n{\n");
    for (unsigned n = 1; n <= LINES; n++)
        text_print(&t, ".loc 1 %u 5\n", n);
    text_print(&t, "ret;\n}\n.file 1 \"long.cu\"\n");
    if (ptx_parse("p.ptx", t.data, t.length, &m, &err))
        fail_msg("%s", err.text);
    const clock_t begun = clock();
    char *got = ptx_with_sources(m, "line 300005");

    assert_true(clock() - begun < SECONDS_MAX * CLOCKS_PER_SEC);
    assert_string_equal(got, "line 300005 [long.cu:300000]");
    free(got);
    ptx_destroy(m);
    text_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_followed_by_their_source),
        cmocka_unit_test(the_outermost_call_is_named),
        cmocka_unit_test(other_text_is_unchanged),
        cmocka_unit_test(a_long_text_is_searched_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
