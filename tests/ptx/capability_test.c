/* SPDX-License-Identifier: Apache-2.0 */
/* Compute capabilities of instructions. With the argument `print` the program prints the
   one of each form of ptx_forms.def for capability.sh, which compares them with ptxas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ptx/ptx.h"

static const char *const ptx_forms[] = {
#define FORM(sm, text) text,
#include "execute/ptx_forms.def"
#undef FORM
};

static const char form_head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.const .u32 k[8];\n"
    ".func nothing() { ret; }\n.visible .entry kernel(.param .align 16 .b8 out[64])\n{\n"
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>;\n"
    ".reg .f32 %f<40>; .reg .f64 %d<20>; .reg .b128 %q<9>; .shared .align 16 .b8 s[64];\n"
    ".shared .align 8 .b64 m; .local .align 16 .b8 l[64]; targets: .branchtargets DONE;\n";

static unsigned form_capability(const char *form)
{
    struct text text = {0};
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    unsigned most = 0;

    text_print(&text, "%s%s;\nDONE: ret;\n}\n", form_head, form);
    if (ptx_parse("form.ptx", text.data, text.length, &m, &err))
        fail_msg("%s: %s", form, err.text);
    const struct ptx_function *f = &m->functions[m->function_count - 1];

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const unsigned least = ptx_capability(&f->instructions[n]);

        most = least > most ? least : most;
    }
    ptx_destroy(m);
    text_clear(&text);
    return most;
}

/* Rows with one modifier, with two, and instructions without a row. */
static void instructions_have_a_lowest_capability(void **state)
{
    static const struct {
        unsigned capability;
        const char *form;
    } rows[] = {
        {0, "add.f32 %f1, %f2, %f3"},
        {53, "add.f16 %h1, %h2, %h3"},
        {100, "add.rn.f32.f16 %f1, %h1, %f2"},
        {90, "add.u16x2 %r1, %r2, %r3"},
        {80, "fma.rn.bf16 %h1, %h2, %h3, %h4"},
        {90, "fma.rn.oob.bf16 %h1, %h2, %h3, %h4"},
        {50, "lop3.b32 %r1, %r2, %r3, %r4, 150"},
        {70, "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 150, %p2"},
        {72, "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4"},
        {75, "cvt.pack.sat.u4.s32.b32 %r1, %r2, %r3, %r4"},
        {80, "cvt.rn.bf16.f32 %h1, %f1"},
        {90, "cvt.rn.bf16.f16 %h1, %h2"},
        {0, "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1]"},
        {100, "ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1]"},
        {0, "ld.acquire.sys.global.u32 %r1, [%rd1]"},
        {90, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%d1, %d2, %d3, %d4}, {%d1, "
             "%d2}, {%d1}, {%d1, %d2, %d3, %d4}"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        if (form_capability(rows[n].form) != rows[n].capability)
            fail_msg("%s: %u, not %u", rows[n].form, form_capability(rows[n].form),
                     rows[n].capability);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_have_a_lowest_capability),
    };

    if (argc < 2 || strcmp(argv[1], "print") != 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t n = 0; n < sizeof ptx_forms / sizeof *ptx_forms; n++)
        printf("%u\t%s\n", form_capability(ptx_forms[n]), ptx_forms[n]);
    return 0;
}
