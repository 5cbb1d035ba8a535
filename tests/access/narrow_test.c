/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit quotients and remainders that compilers compute with 32 bits where the operands
   fit. Both paths give one expression; similar code does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"

/* The compiler's code; each test replaces one word. */
static const char *const words[] = {
    "or.b64 %rd4, %rd2, %rd3;",  "and.b64 %rd5, %rd4, -4294967296;",
    "setp.eq.s64 %p1, %rd5, 0;", "@%p1 bra FITS;",
    "div.u64 %rd6, %rd2, %rd3;", "mul.lo.s64 %rd8, %rd6, %rd3;",
    "sub.s64 %rd7, %rd2, %rd8;", "cvt.u32.u64 %r4, %rd3;",
    "cvt.u32.u64 %r5, %rd2;",    "div.u32 %r6, %r5, %r4;",
    "mul.lo.s32 %r7, %r6, %r4;", "sub.s32 %r8, %r5, %r7;",
    "cvt.u64.u32 %rd6, %r6;",    "cvt.u64.u32 %rd7, %r8;"};
enum { WORDS = sizeof words / sizeof words[0] };

static const struct {
    unsigned word;
    const char *is;
    bool quotient, rest; /* still recognized */
} others[] = {
    {WORDS, "", true, true},
    {0, "or.b64 %rd4, %rd3, %rd2;", true, true},
    {4, "div.s64 %rd6, %rd2, %rd3;", true, true},
    {5, "mul.lo.s64 %rd8, %rd3, %rd6;", true, true},
    {11, "rem.u32 %r8, %r5, %r4;", true, true},
    {0, "or.b64 %rd4, %rd2, %rd1;", false, false}, /* tests another register */
    {0, "mov.b64 %rd4, %rd2;", false, false},
    {0, "and.b64 %rd4, %rd2, %rd3;", false, false},
    {1, "and.b64 %rd5, %rd4, -8589934592;", false, false},
    {2, "setp.ne.s64 %p1, %rd5, 0;", false, false},
    {2, "setp.eq.s64 %p1, %rd5, 1;", false, false},
    {3, "@!%p1 bra FITS;", false, false},
    /* through another block, with one or more predecessors */
    {3, "@%p1 bra HOP; bra.uni WIDE; HOP: bra.uni FITS; WIDE:", true, true},
    {3, "@!%p1 bra HOP; bra.uni WIDE; HOP: bra.uni FITS; WIDE:", false, false},
    {3,
     "@%p1 bra HOP; setp.eq.s64 %p2, %rd1, 0; @%p2 bra HOP; bra.uni WIDE;\n"
     "HOP: bra.uni FITS; WIDE:",
     false, false},
    {4, "div.u64 %rd6, %rd3, %rd2;", false, false},
    {5, "mul.lo.s64 %rd8, %rd6, %rd2;", true, false},
    {6, "sub.s64 %rd7, %rd3, %rd8;", true, false},
    {7, "cvt.u32.u64 %r4, %rd1;", false, false},
    {8, "cvt.u32.u64 %r5, %rd1;", false, false},
    {9, "div.s32 %r6, %r5, %r4;", false, false},
    {10, "mul.lo.s32 %r7, %r6, %r5;", true, false},
    {11, "sub.s32 %r8, %r4, %r7;", true, false},
    {12, "cvt.s64.s32 %rd6, %r6;", false, true},
    {13, "cvt.s64.s32 %rd7, %r8;", true, false},
};
enum { OTHERS = sizeof others / sizeof others[0] };

/* True if the address that record `n` stores to is one expression without a phi value. */
static bool narrow_is_known(const struct access_analysis *a, uint32_t n)
{
    const struct access_record *r = &a->records[n];
    char form[200] = "";

    if (r->form)
        access_form_text(a, r->form, form, sizeof form);
    return r->state == ACCESS_CLOSED && !strchr(form, '{');
}

static void divided_by_fewer_bits_is_divided(void **state)
{
    (void)state;
    for (unsigned n = 0; n < OTHERS; n++) {
        struct proact_error err = {""};
        const char *w[WORDS];
        struct ptx_module *m;
        char text[4096];

        for (unsigned k = 0; k < WORDS; k++)
            w[k] = k == others[n].word ? others[n].is : words[k];
        int length = snprintf(
            text, sizeof text,
            ".version 7.0\n.target sm_75\n.address_size 64\n"
            ".visible .entry k(.param .u64 to, .param .u64 n)\n{\n"
            ".reg .pred %%p<3>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
            "ld.param.u64 %%rd1, [to]; cvta.to.global.u64 %%rd1, %%rd1;\n"
            "ld.param.u64 %%rd3, [n]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x;\n"
            "mov.u32 %%r3, %%tid.x; mul.wide.u32 %%rd2, %%r1, %%r2; cvt.u64.u32 %%rd9, "
            "%%r3;\n"
            "add.s64 %%rd2, %%rd2, %%rd9;\n%s %s %s\n%s\n%s %s %s\nbra.uni MEET;\n"
            "FITS:\n%s %s %s %s %s %s %s\nMEET:\n"
            "shl.b64 %%rd10, %%rd6, 2; add.s64 %%rd10, %%rd1, %%rd10;\n"
            "st.global.u32 [%%rd10], %%r1;\n"
            "shl.b64 %%rd11, %%rd7, 2; add.s64 %%rd11, %%rd1, %%rd11;\n"
            "st.global.u32 [%%rd11], %%r1;\nret;\n}\n",
            w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
            w[13]);

        assert_true(length > 0 && (size_t)length < sizeof text);
        if (ptx_parse("divided", text, (size_t)length, &m, &err))
            fail_msg("%s", err.text);
        struct access_analysis *a = access_analyze(m, &m->functions[0]);

        assert_int_equal(a->record_count, 2);
        if (narrow_is_known(a, 0) != others[n].quotient ||
            narrow_is_known(a, 1) != others[n].rest)
            fail_msg("'%s': quotient %d, rest %d", others[n].is, narrow_is_known(a, 0),
                     narrow_is_known(a, 1));
        access_destroy(a);
        ptx_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divided_by_fewer_bits_is_divided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
