/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages with their position, the line, and a caret below it. */
#include "ptx_testing.h"

#define LINES(head) PTX_HEAD head

static const struct {
    const char *text, *error;
} cases[] = {
    {"", "bad.ptx:1:1: expected '.version', found the end of the file\n\n^"},
    {"hello", "bad.ptx:1:1: expected a directive, found 'hello'\nhello\n^"},
    {".version seven\n", "bad.ptx:1:10: expected a version, found 'seven'\n"
                         ".version seven\n         ^"},
    {LINES(".visibl .entry k() {}\n"),
     "bad.ptx:4:1: expected a directive, found '.visibl'\n"
     ".visibl .entry k() {}\n^"},
    {LINES(".entry k(.param .u64) {}"), "bad.ptx:4:21: expected a name, found ')'\n"
                                        ".entry k(.param .u64) {}\n                    ^"},
    {LINES(".entry k()\n{\n\tret\n}\n"),
     "bad.ptx:7:1: expected an operand or ';', found '}'\n}\n^"},
    {LINES(".entry k()\n{ .reg .b32 %r<2>;\n\tmov.u32 %r1, 7 }\n"),
     "bad.ptx:6:17: expected ';' after operand, found '}'\n\tmov.u32 %r1, 7 }\n"
     "\t               ^"},
    {LINES(".entry k()\n{ .reg .b32 %r<2>; mov.u32 %r2, 7; }"),
     "bad.ptx:5:28: register '%r2' is not declared\n"
     "{ .reg .b32 %r<2>; mov.u32 %r2, 7; }\n                           ^"},
    {LINES(".entry k() { bra L2; L1: ret; }"),
     "bad.ptx:4:18: 'L2' is neither declared nor a label here\n"
     ".entry k() { bra L2; L1: ret; }\n                 ^"},
    {LINES(".entry k() { L1: L1: ret; }"),
     "bad.ptx:4:18: label 'L1' is defined twice\n"
     ".entry k() { L1: L1: ret; }\n                 ^"},
    {LINES(".entry k() { @%p1 ret; }"), "bad.ptx:4:15: predicate '%p1' is not declared\n"
                                        ".entry k() { @%p1 ret; }\n              ^"},
    {LINES(".entry k() { .reg .u32 a, a; }"),
     "bad.ptx:4:27: 'a' is declared twice\n"
     ".entry k() { .reg .u32 a, a; }\n                          ^"},
    {LINES(".entry k() { ld.global.u32 %r1, [0 }"),
     "bad.ptx:4:28: register '%r1' is not declared\n"
     ".entry k() { ld.global.u32 %r1, [0 }\n                           ^"},
    {LINES(".entry k() { st.u32 [0, 1; }"),
     "bad.ptx:4:26: expected ']' after the address, found ';'\n"
     ".entry k() { st.u32 [0, 1; }\n                         ^"},
    {LINES(".entry k() { mov.b32 {_, _, 1; }"),
     "bad.ptx:4:30: expected '}' after operand, found ';'\n"
     ".entry k() { mov.b32 {_, _, 1; }\n                             ^"},
    {LINES(".global .u32 x[2] = {1, 2, 3};"),
     "bad.ptx:4:28: 'x' has 2 elements, and this is one more\n"
     ".global .u32 x[2] = {1, 2, 3};\n                           ^"},
    {LINES(".global .align 3 .u32 x;"),
     "bad.ptx:4:16: alignment 3 is no power of two up to 1073741824\n"
     ".global .align 3 .u32 x;\n               ^"},
    {LINES(".global .u64 x = generic(y);"),
     "bad.ptx:4:26: 'y' is not declared\n"
     ".global .u64 x = generic(y);\n                         ^"},
    {LINES(".global .u32 x = 0x1g;"), "bad.ptx:4:18: expected a number, found '0x1g'\n"
                                      ".global .u32 x = 0x1g;\n                 ^"},
    {LINES(".global .f32 x = 0f12;"), "bad.ptx:4:18: expected a number, found '0f12'\n"
                                      ".global .f32 x = 0f12;\n                 ^"},
    {LINES("/* no end\n"),
     "bad.ptx:4:1: expected a directive, found an unterminated comment\n/* no end\n^"},
    {LINES(".pragma \"no end\n;"), "bad.ptx:4:9: expected ';', found an unterminated "
                                   "string\n.pragma \"no end\n        ^"},
    {LINES(".entry k() { \x01 }"),
     "bad.ptx:4:14: expected an instruction or '}', found '?'\n"
     ".entry k() { ? }\n             ^"},
    {LINES(".entry k() {"),
     "bad.ptx:4:13: expected an instruction or '}', found the end of the file\n"
     ".entry k() {\n            ^"},
};

static void errors_are_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proact_error err = {""};
        struct ptx_module *m = NULL;

        assert_int_equal(
            ptx_parse("bad.ptx", cases[i].text, strlen(cases[i].text), &m, &err),
            PROACT_EINVAL);
        assert_null(m);
        assert_string_equal(err.text, cases[i].error);
        assert_int_equal(
            ptx_parse("bad.ptx", cases[i].text, strlen(cases[i].text), &m, NULL),
            PROACT_EINVAL);
    }
}

/* The caret stays below its byte if the line does not fit into the message. */
static void long_lines_are_cut(void **state)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    struct text t = {0}, name = {0}, place = {0};

    (void)state;
    text_print(&t, PTX_HEAD ".global .u32 x[900] = {");
    for (int i = 0; i < 900; i++)
        text_print(&t, "%d, ", i);
    text_print(&place, ":4:%zu: 'oops' is not declared\n", t.length - strlen(PTX_HEAD) + 1);
    text_print(&t, "oops, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};\n");
    for (int i = 0; i < 50; i++)
        text_print(&name, "folder/");
    text_print(&name, "x.ptx");
    assert_int_equal(ptx_parse(name.data, t.data, t.length, &m, &err), PROACT_EINVAL);
    const char *line = strchr(err.text, '\n') + 1, *caret = strchr(line, '\n') + 1;

    assert_memory_equal(line + strlen(caret) - 1, "oops", 4);
    assert_non_null(strstr(err.text, place.data));
    text_clear(&t);
    text_clear(&name);
    text_clear(&place);
}

static void the_nesting_of_scopes_and_operands_is_limited(void **state)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    struct text t = {0};

    (void)state;
    text_print(&t, PTX_HEAD ".entry k() {");
    for (int i = 0; i < 100000; i++)
        text_print(&t, "{");
    assert_int_equal(ptx_parse("deep.ptx", t.data, t.length, &m, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, ": more than 100 nested scopes\n"));
    t.length = strlen(PTX_HEAD ".entry k() {");
    text_print(&t, "call ");
    for (int i = 0; i < 100000; i++)
        text_print(&t, "(");
    assert_int_equal(ptx_parse("deep.ptx", t.data, t.length, &m, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, ": operands are nested too deeply\n"));
    text_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_golden),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(the_nesting_of_scopes_and_operands_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
