/* SPDX-License-Identifier: Apache-2.0 */
/* Linking of separately compiled modules. With file names as arguments, the program links
   them and prints the result. */
#include "base/memory.h"
#include "ptx/link/ptx_link.h"
#include "ptx_testing.h"

enum { MODULES_MAX = 8 };

/* The names of the modules are a.ptx, b.ptx, ... */
static enum proact_status link_texts(const char *const texts[], char **out,
                                     struct proact_error *err)
{
    struct ptx_module *modules[MODULES_MAX] = {NULL};
    enum proact_status status;
    size_t count = 0, bytes = 0;

    for (; texts[count]; count++) {
        char name[] = "a.ptx";
        struct text text = {0};

        name[0] = (char)('a' + count);
        text_print(&text, PTX_HEAD "%s", texts[count]);
        if (ptx_parse(name, text.data, text.length, &modules[count], err))
            fail_msg("%s", err->text);
        text_clear(&text);
    }
    status = ptx_link((const struct ptx_module *const *)modules, count, out, &bytes, err);
    assert_true(status || strlen(*out) == bytes);
    for (size_t i = 0; i < count; i++)
        ptx_destroy(modules[i]);
    return status;
}

#define LINK(...) must_link((const char *const[]){__VA_ARGS__, NULL})
#define REFUSE(sentence, ...)                                                              \
    must_refuse(sentence, (const char *const[]){__VA_ARGS__, NULL})

static char *must_link(const char *const texts[])
{
    struct proact_error err = {""};
    char *out = NULL;

    if (link_texts(texts, &out, &err))
        fail_msg("%s", err.text);
    ptx_destroy(must_parse(out));
    return out;
}

static void must_refuse(const char *sentence, const char *const texts[])
{
    struct proact_error err = {""};
    char *out = NULL;

    assert_int_equal(link_texts(texts, &out, &err), PROACT_EINVAL);
    assert_null(out);
    assert_string_equal(err.text, sentence);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Checks that the parts occur in the text in this order, and frees the text. */
#define IN_ORDER(text, ...) in_order(text, (const char *const[]){__VA_ARGS__, NULL})

static void in_order(char *text, const char *const parts[])
{
    const char *at = text;

    for (; *parts; parts++) {
        const char *found = strstr(at, *parts);

        if (!found)
            fail_msg("no '%s' behind\n%.*s in\n%s", *parts, 40, at, text);
        at = found + strlen(*parts);
    }
    free(text);
}

static void a_declaration_gets_the_definition_of_another_module(void **state)
{
    char *text = LINK(".extern .func (.param .b32 r) f(.param .b32 a);\n"
                      ".extern .const .align 4 .b8 c[8];\n.extern .global .u32 g;\n"
                      ".entry k() { .reg .b32 %x; .param .b32 p; .param .b32 q;\n"
                      "st.param.b32 [p], 3; call (q), f, (p); ld.const.u32 %x, [c+4];\n"
                      "ld.global.u32 %x, [g]; ret; }\n",
                      ".visible .global .u32 g = 7;\n.visible .const .align 4 .b8 c[8];\n"
                      ".visible .func (.param .b32 r) f(.param .b32 a) { ret; }\n");

    (void)state;
    assert_int_equal(count_of(text, ".extern"), 0);
    assert_int_equal(count_of(text, ".version"), 1);
    IN_ORDER(text, ".visible .func (.param .b32 r) f(.param .b32 a) ;",
             ".visible .global .u32 g = 7;", ".visible .const .align 4 .b8 c[8];",
             "call (q), f, (p)", "f(.param .b32 a) { ret; }");
}

static void the_first_of_two_weak_definitions_is_used(void **state)
{
    char *text = LINK(".weak .func t();\n.weak .global .u32 i = 1;\n"
                      ".weak .func t() { exit; }\n.weak .entry k() { call t; ret; }\n",
                      ".weak .global .u32 i = 1;\n.weak .func t() { ret; }\n"
                      ".weak .entry k() { call t; call t; ret; }\n");

    (void)state;
    assert_int_equal(count_of(text, ".weak .func t()"), 2); /* prototype and body */
    assert_int_equal(count_of(text, "{ ret; }"), 0);
    assert_int_equal(count_of(text, ".u32 i"), 1);
    assert_int_equal(count_of(text, ".entry"), 1);
    free(text);
}

static void a_strong_definition_precedes_weak_ones(void **state)
{
    (void)state;
    IN_ORDER(LINK(".weak .func f() { exit; }\n.entry k() { call f; ret; }\n",
                  ".visible .func f() { ret; }\n", ".weak .func f() { trap; }\n"),
             ".visible .func f() ;", "call f", ".visible .func f() { ret; }");
}

/* Each file has a separate `s`; s__2 is taken. */
static void names_of_a_file_are_distinguished(void **state)
{
    char *text =
        LINK(".global .b8 s[3] = {65, 66};\n.visible .global .u64 p = s;\n"
             ".func h() { ret; }\n.entry k() { call h; ret; }\n",
             ".global .b8 s[3] = {67, 68};\n.visible .global .u64 q = generic(s)+1;\n"
             ".visible .global .u32 s__2;\n.func h();\n.func h() { exit; }\n"
             ".entry l() { .reg .b64 %x; call h; mov.u64 %x, s;\n"
             "ld.global.u64 %x, [s+8]; ret; }\n"
             ".entry m() { .local .b32 s; .reg .b64 %x; mov.u64 %x, s; ret; }\n");

    (void)state;
    IN_ORDER(text, ".func h() ;", ".func h__2() ;", ".b8 s[3] = {65, 66}", "p = s;",
             ".b8 s__3[3] = {67, 68}", "q = generic(s__3)+1", "s__2;",
             ".entry k() { call h;", "call h__2; mov.u64 %x, s__3;", "[s__3+8]",
             ".local .b32 s;", "mov.u64 %x, s;");
}

static void a_local_name_yields_to_a_shared_one(void **state)
{
    (void)state;
    IN_ORDER(LINK(".func f() { ret; }\n.entry k() { call f; ret; }\n",
                  ".visible .func f() { exit; }\n"),
             "call f__1", ".visible .func f() { exit; }");
}

static void a_variable_follows_those_that_it_points_to(void **state)
{
    (void)state;
    IN_ORDER(LINK(".extern .global .u64 b;\n.visible .global .u64 a = generic(b);\n"
                  ".visible .global .u64 c = 3;\n",
                  ".extern .global .u64 c;\n.extern .func f();\n"
                  ".visible .global .u64 b[2] = {c, f};\n",
                  ".visible .func f() { ret; }\n"),
             "f() ;", "u64 c = 3", "b[2] = {c, f}", "a = generic(b)");
}

/* ptxas requires a declaration of one of them. */
static void variables_may_hold_each_other_s_addresses(void **state)
{
    (void)state;
    IN_ORDER(LINK(".extern .global .align 8 .u64 b;\n"
                  ".visible .global .align 8 .u64 a = generic(b);\n",
                  ".extern .global .align 8 .u64 a;\n"
                  ".visible .global .align 8 .u64 b = generic(a);\n"),
             ".extern .global .align 8 .u64 a ;",
             ".visible .global .align 8 .u64 b = ", ".visible .global .align 8 .u64 a = ");
}

static void an_alias_names_its_target(void **state)
{
    char *text = LINK(".extern .func one();\n.entry k() { call one; ret; }\n",
                      ".visible .func two() { ret; }\n.visible .func one();\n"
                      ".alias one, two;\n");

    (void)state;
    assert_int_equal(count_of(text, "one"), 0);
    IN_ORDER(text, "two() ;", "call two;", "two() { ret; }");
}

static void dynamic_shared_memory_is_aligned_for_all(void **state)
{
    char *text = LINK(".extern .shared .align 4 .b8 s[];\n.entry k() { .reg .u64 %x;\n"
                      "mov.u64 %x, s; ret; }\n",
                      ".extern .shared .align 16 .b8 s[];\n.entry l() { .reg .u64 %x;\n"
                      "mov.u64 %x, s; ret; }\n");

    (void)state;
    assert_int_equal(count_of(text, ".shared"), 1);
    IN_ORDER(text, ".extern .shared .align 16 .b8 s[]", "k()");
}

static void line_directives_are_removed(void **state)
{
    char *text = LINK(".file 1 \"a.cu\"\n.entry k()\n{\n.loc 1 3 5\nret;\n.loc 1 4 1\n}\n"
                      ".section .debug_str { .b8 1 }\n");

    (void)state;
    assert_int_equal(count_of(text, ".loc") + count_of(text, ".file"), 0);
    assert_int_equal(count_of(text, ".section"), 0);
    IN_ORDER(text, "ret;", "}");
}

static void system_functions_stay_declared(void **state)
{
    char *text =
        LINK(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
             ".entry k() { .param .b64 a; .param .b64 b; .param .b32 r;\n"
             "call (r), vprintf, (a, b); ret; }\n",
             ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n");

    (void)state;
    assert_int_equal(count_of(text, ".extern .func"), 1);
    free(text);
}

static void mismatches_are_reported(void **state)
{
    (void)state;
    REFUSE("'f' is defined in a.ptx and in c.ptx", ".visible .func f() { ret; }\n",
           ".weak .func f() { ret; }\n", ".visible .func f() { exit; }\n");
    REFUSE("'f', which 'k' of b.ptx uses, is not defined", "",
           ".extern .func f();\n.entry k() { call f; ret; }\n");
    REFUSE("'g', which 'k' of a.ptx uses, is not defined",
           ".extern .global .u32 g;\n.entry k() { .reg .b32 %x; ld.global.u32 %x, [g+4];\n"
           "ret; }\n");
    REFUSE("'g', which 'p' of a.ptx uses, is not defined",
           ".extern .global .u32 g;\n.visible .global .u64 p = generic(g);\n");
    REFUSE("'f' is a variable in one file and a function in b.ptx",
           ".extern .global .u32 f;\n", ".visible .func f() { ret; }\n");
    REFUSE("two files have a kernel 'k'", ".entry k() { ret; }\n",
           ".entry k() { exit; }\n");
    REFUSE("a.ptx: 'b' and 1 more are one declaration, which is not linked",
           ".global .u32 a, b;\n");
}

static void the_newest_target_is_used(void **state)
{
    struct proact_error err = {""};
    static const char *const texts[] = {
        ".version 7.8\n.target sm_90, debug\n.address_size 64\n",
        ".version 8.1\n.target sm_80\n.address_size 64\n",
        ".version 8.0\n.target sm_90a\n.address_size 64\n",
    };
    struct ptx_module *modules[3];
    size_t bytes;
    char *out;

    (void)state;
    for (int i = 0; i < 3; i++)
        modules[i] = must_parse(texts[i]);
    assert_int_equal(
        ptx_link((const struct ptx_module *const *)modules, 3, &out, &bytes, &err), 0);
    assert_string_equal(out, ".version 8.1\n.target sm_90a\n.address_size 64\n\n");
    free(out);
    for (int i = 0; i < 3; i++)
        ptx_destroy(modules[i]);
}

static int print_files(int count, char **paths)
{
    struct ptx_module **modules = must_calloc((size_t)count, sizeof *modules);
    struct proact_error err = {""};
    size_t bytes = 0;
    char *text = NULL;
    enum proact_status status = PROACT_OK;

    for (int i = 0; i < count && !status; i++) {
        if (!(status = file_read(paths[i], &text, &bytes, &err)))
            status = ptx_parse(paths[i], text, bytes, &modules[i], &err);
        free(text);
        text = NULL;
    }
    if (!status)
        status = ptx_link((const struct ptx_module *const *)modules, (size_t)count, &text,
                          &bytes, &err);
    printf("%s", status ? err.text : text);
    free(text);
    for (int i = 0; i < count; i++)
        ptx_destroy(modules[i]);
    free(modules);
    return status != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_declaration_gets_the_definition_of_another_module),
        cmocka_unit_test(the_first_of_two_weak_definitions_is_used),
        cmocka_unit_test(a_strong_definition_precedes_weak_ones),
        cmocka_unit_test(names_of_a_file_are_distinguished),
        cmocka_unit_test(a_local_name_yields_to_a_shared_one),
        cmocka_unit_test(a_variable_follows_those_that_it_points_to),
        cmocka_unit_test(variables_may_hold_each_other_s_addresses),
        cmocka_unit_test(an_alias_names_its_target),
        cmocka_unit_test(dynamic_shared_memory_is_aligned_for_all),
        cmocka_unit_test(line_directives_are_removed),
        cmocka_unit_test(system_functions_stay_declared),
        cmocka_unit_test(mismatches_are_reported),
        cmocka_unit_test(the_newest_target_is_used),
    };

    return argc > 1 ? print_files(argc - 1, argv + 1)
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
