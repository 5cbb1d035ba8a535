/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of a kernel's textures: the parameters that they come from, and the line of any
   other source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

/* Line 6 is the first of the body, which reads through %t. */
static const char head[] =
    ".version 7.8\n.target sm_70\n.address_size 64\n.global .u64 kept;\n"
    ".visible .entry k(.param .u64 a, .param .align 16 .b8 s[48], .param .u64 b)\n{ "
    ".reg .pred %p; .reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %t; .reg .b64 %u; "
    ".reg .b64 %v; ";
static const char reads[] = "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1}];";
static const char elsewhere[] = "it reads through a texture that is not a parameter";

static const struct {
    const char *body;
    uint32_t count, offsets[3];
    const char *why; /* NULL: all sources are known */
    uint32_t line;
} cases[] = {
    {"add.s32 %r1, %r2, %r3;", 0, {0}, NULL, 0},
    {"ld.param.u64 %t, [a]; TEX", 1, {0}, NULL, 0},
    {"ld.param.u64 %t, [s+8]; TEX", 1, {24}, NULL, 0},
    {"ld.param.v2.u64 {%u, %t}, [s+16]; TEX", 1, {40}, NULL, 0},
    {"ld.param.u64 %u, [b]; mov.b64 %t, %u; TEX\ntxq.width.b32 %r2, [%u];",
     1,
     {64},
     NULL,
     0},
    {"ld.param.u64 %u, [a]; ld.param.u64 %v, [b]; selp.b64 %t, %u, %v, %p; TEX",
     2,
     {0, 64},
     NULL,
     0},
    /* the two textures are exchanged */
    {"ld.param.u64 %t, [a]; ld.param.u64 %u, [s]; $on: TEX mov.u64 %v, %t; "
     "mov.u64 %t, %u; mov.u64 %u, %v; @%p bra $on;",
     2,
     {0, 16},
     NULL,
     0},
    {"ld.param.u64 %t, [b]; tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f1, %f2}];",
     1,
     {64},
     NULL,
     0},
    {"ld.param.u64 %u, [a];\nld.global.u64 %t, [%u]; TEX", 0, {0}, elsewhere, 7},
    {"ld.param.u64 %u, [a];\nadd.s64 %t, %u, 8; TEX", 0, {0}, elsewhere, 7},
    {"mov.b64 %u, s;\nld.param.u64 %t, [%u]; TEX", 0, {0}, elsewhere, 7},
    {"ld.param.u32 %r2, [a]; ld.param.u32 %r3, [a+4];\nmov.b64 %t, {%r2, %r3}; TEX",
     0,
     {0},
     elsewhere,
     7},
    {"ld.param.u64 %u, [a];\nselp.b64 %t, %u, 0, %p; TEX", 0, {0}, elsewhere, 7},
    {"ld.param.u64 %t, [a];\n@%p ld.global.u64 %t, [kept]; TEX", 0, {0}, elsewhere, 7},
    {"ld.param.u64 %u, [a]; ld.param.u64 %t, [b]; TEX\n"
     "suld.b.1d.b32.trap {%r2}, [%u, {%r1}];",
     0,
     {0},
     "it has surfaces",
     7},
};

static struct ptx_module *parse(const char *body)
{
    const char *tex = strstr(body, "TEX");
    struct ptx_module *m = NULL;
    struct proact_error err;
    char text[2048];

    if (tex)
        snprintf(text, sizeof text, "%s%.*s%s%s\nret;\n}\n", head, (int)(tex - body), body,
                 reads, tex + 3);
    else
        snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    if (ptx_parse("t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void textures_come_from_parameters(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct ptx_module *m = parse(cases[n].body);
        struct instrument_textures t;

        instrument_textures(m, ptx_function_find(m, "k"), &t);
        if (!t.why != !cases[n].why || (t.why && !strstr(t.why, cases[n].why)))
            fail_msg("%s: %s", cases[n].body, t.why);
        if (t.why)
            assert_int_equal(t.line, cases[n].line);
        else
            assert_int_equal(t.count, cases[n].count);
        for (uint32_t k = 0; k < cases[n].count; k++)
            assert_true(t.offsets[0] == cases[n].offsets[k] ||
                        (t.count > 1 && t.offsets[1] == cases[n].offsets[k]));
        free(t.offsets);
        ptx_destroy(m);
    }
}

/* A called function may receive any texture. */
static void textures_of_called_functions_are_unknown(void **state)
{
    static const char text[] =
        ".version 7.8\n.target sm_70\n.address_size 64\n"
        ".func (.param .f32 r) f(.param .u64 t)\n{ .reg .f32 %f<5>; .reg .b32 %r1; "
        ".reg .b64 %t; ld.param.u64 %t, [t]; mov.u32 %r1, 0;\n"
        "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1}]; st.param.f32 [r], %f1; ret; "
        "}\n.visible .entry k(.param .u64 a)\n{ .reg .b64 %t; ld.param.u64 %t, [a];\n"
        "{ .param .u64 g; .param .f32 r; st.param.u64 [g], %t; call (r), f, (g); }\nret; }";
    struct ptx_module *m = NULL;
    struct proact_error err;
    struct instrument_textures t;

    (void)state;
    if (ptx_parse("t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    instrument_textures(m, ptx_function_find(m, "k"), &t);
    assert_non_null(t.why);
    assert_non_null(strstr(t.why, "a called function"));
    assert_int_equal(t.line, 6);
    free(t.offsets);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textures_come_from_parameters),
        cmocka_unit_test(textures_of_called_functions_are_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
