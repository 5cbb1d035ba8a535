/* SPDX-License-Identifier: Apache-2.0 */
/* Idempotent stores in every kernel version: they are replaced by stores to the first
   replica. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 to)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"
    ".reg .b64 %rd<4>;\n.reg .b64 %to;\nld.param.u64 %to, [to];\nmov.u32 %r1, %tid.x;\n"
    "setp.gt.s32 %p1, %r1, 5;\nmov.u32 %r2, 7;\n";

/* True if some instruction of the function has this line. */
static bool is_on(const struct ptx_function *f, uint32_t line)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (f->instructions[n].line == line)
            return true;
    return false;
}

/* Checks the line numbers: instructions of the kernel keep their lines, and library code
   follows after them. */
static void has_its_lines(const struct ptx_function *kernel, const struct ptx_function *f,
                          enum instrument_clone kind)
{
    const uint32_t last = kernel->instructions[kernel->instruction_count - 1].line;

    for (uint32_t n = 0; n < kernel->instruction_count; n++)
        assert_true(is_on(f, kernel->instructions[n].line));
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (kind == INSTRUMENT_GRID || kind == INSTRUMENT_INLINE)
            assert_in_range(f->instructions[n].line, 1, last);
}

static char *clone(const char *flag, enum instrument_clone kind, bool joint,
                   struct proact_error *why)
{
    struct instrument_result result;
    struct proact_error err;
    struct ptx_module *m, *made;
    bool flags[16] = {false};
    char text[1024], *out;
    size_t bytes;

    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, flag);
    assert_int_equal(ptx_parse("flag.ptx", text, strlen(text), &m, &err), PROACT_OK);
    flags[m->functions[0].instruction_count - 2] = true;
    const struct instrument_request request = {.kernel = "k",
                                               .slot_count = 1,
                                               .flags = flags,
                                               .joint = joint ? flags : NULL,
                                               .only = kind};

    assert_int_equal(instrument_kernel(m, &request, &result, &out, &bytes, &err),
                     PROACT_OK);
    if (ptx_parse("made.ptx", out, bytes, &made, &err))
        fail_msg("%s", err.text);
    has_its_lines(&m->functions[0], &made->functions[0], kind);
    ptx_destroy(made);
    ptx_destroy(m);
    *why = result.refusal[kind];
    return out;
}

static const struct {
    const char *flag, *becomes;
    bool joint;
} cases[] = {
    {"@%p1 st.global.u8 [%to+3], 1;", "@%p1 st.volatile.global.u8 [%proact_d0+3], 1;",
     false},
    {"@%p1 atom.global.exch.b32 %r3, [%to], %r2;",
     "@%p1 st.volatile.global.b32 [%proact_d0+0], %r2;", false},
    {"red.relaxed.gpu.global.or.b32 [%to+4], 6;",
     "ld.volatile.global.b32 %proact_r0, [%proact_d0+4]; \t"
     "or.b32 %proact_r1, %proact_r0, 6; \t"
     "setp.ne.b32 %proact_p0, %proact_r1, %proact_r0; \t"
     "@%proact_p0 st.volatile.global.b32 [%proact_d0+4], %proact_r1;",
     false},
    {"@!%p1 atom.relaxed.sys.min.s64 %rd3, [%to], -9;",
     "@!%p1 ld.volatile.b64 %proact_d1, [%proact_d0+0]; \t"
     "min.s64 %proact_d2, %proact_d1, -9; \t"
     "setp.ne.and.b64 %proact_p0, %proact_d2, %proact_d1, !%p1; \t"
     "@%proact_p0 st.volatile.b64 [%proact_d0+0], %proact_d2;",
     false},
    {"@%p1 red.global.max.u32 [%to], %r2;",
     "@%p1 ld.volatile.global.b32 %proact_r0, [%proact_d0+0]; \t"
     "max.u32 %proact_r1, %proact_r0, %r2; \t"
     "setp.ne.and.b32 %proact_p0, %proact_r1, %proact_r0, %p1; \t"
     "@%proact_p0 st.volatile.global.b32 [%proact_d0+0], %proact_r1;",
     false},
    {"atom.global.cas.b32 %r3, [%to+8], 0, %r2;",
     "ld.volatile.global.b32 %proact_r0, [%proact_d0+8]; \t"
     "setp.eq.b32 %proact_p0, %proact_r0, 0; \t"
     "@%proact_p0 st.volatile.global.b32 [%proact_d0+8], %r2;",
     false},
    {"@!%p1 atom.relaxed.sys.cas.b64 _, [%to], %rd2, -1;",
     "@!%p1 ld.volatile.b64 %proact_d1, [%proact_d0+0]; \t"
     "setp.eq.and.b64 %proact_p0, %proact_d1, %rd2, !%p1; \t"
     "@%proact_p0 st.volatile.b64 [%proact_d0+0], -1;",
     false},
    {"@%p1 atom.global.or.b32 %r3, [%to+4], %r2;",
     "@%p1 ld.volatile.global.b32 %proact_r0, [%proact_d0+4]; \t"
     "or.b32 %proact_r1, %proact_r0, %r2; \t"
     "setp.ne.and.b32 %proact_p0, %proact_r1, %proact_r0, %p1; \t"
     "@%proact_p0 red.sys.global.or.b32 [%proact_d0+4], %r2;",
     true},
    {"red.relaxed.gpu.max.u64 [%to], 9;",
     "ld.volatile.b64 %proact_d1, [%proact_d0+0]; \t"
     "max.u64 %proact_d2, %proact_d1, 9; \t"
     "setp.ne.b64 %proact_p0, %proact_d2, %proact_d1; \t"
     "@%proact_p0 red.sys.max.u64 [%proact_d0+0], 9;",
     true},
    {"@%p1 atom.global.add.u32 %r3, [%to+4], 1;",
     "@%p1 atom.sys.global.add.u32 %r3, [%proact_d0+4], 1;", true},
    {"red.relaxed.gpu.global.xor.b32 [%to], %r2;",
     "red.relaxed.sys.global.xor.b32 [%proact_d0+0], %r2;", true},
    {"red.relaxed.add.u64 [%to+16], %rd2;",
     "red.relaxed.sys.add.u64 [%proact_d0+16], %rd2;", true},
    {"atom.relaxed.sys.global.add.u32 %r3, [%to], %r2;",
     "atom.relaxed.sys.global.add.u32 %r3, [%proact_d0+0], %r2;", true},
    /* indirect stores */
    {"@!%p1 st.global.v2.u32 [%to+8], {%r1, %r2};",
     "@!%p1 st.global.v2.u32 [%proact_d0+8], {%r1, %r2};", true},
    {"@%p1 ld.global.v2.u32 {%r1, %r2}, [%to+8];",
     "@%p1 ld.global.v2.u32 {%r1, %r2}, [%proact_d0+8];", true},
};

static void idempotent_stores_go_to_the_first_replica(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int kind = 0; kind < INSTRUMENT_CLONES; kind++) {
            struct proact_error why;
            char *text =
                clone(cases[n].flag, (enum instrument_clone)kind, cases[n].joint, &why);

            assert_string_equal(why.text, "");
            if (!strstr(text, cases[n].becomes) || strstr(text, "[%to"))
                fail_msg("%s becomes:\n%s", cases[n].flag, text);
            free(text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idempotent_stores_go_to_the_first_replica),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
