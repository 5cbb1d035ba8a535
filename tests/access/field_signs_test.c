/* SPDX-License-Identifier: Apache-2.0 */
/* Signed narrow parameters and constants. Compilers load them without sign and extend the
   sign with the next instruction; the field has the declared sign. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/text.h"

/* A read of element tid.x + %r1 of `a`. */
#define HEAD                                                                               \
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 steps[4];\n"       \
    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"                                 \
    ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
#define REST                                                                               \
    "\nmov.u32 %r2, %tid.x; add.s32 %r3, %r2, %r1; mul.wide.s32 %rd1, %r3, 4;\n"           \
    "ld.param.u64 %rd2, [a]; add.s64 %rd3, %rd2, %rd1; ld.global.u32 %r4, [%rd3];\n"       \
    "ret;\n}\n"

static const struct reader {
    const char *body;
    unsigned char first[2]; /* bytes of n and of steps */
    int64_t moves;
} readers[] = {
    {"ld.param.u8 %h1, [n]; cvt.u32.u16 %r0, %h1; cvt.s32.s8 %r1, %r0;", {254, 0}, -2},
    {"ld.const.u8 %h1, [steps]; cvt.u32.u16 %r0, %h1; cvt.s32.s8 %r1, %r0;", {254, 0}, -2},
    {"ld.const.u8 %h1, [steps]; cvt.s16.s8 %h2, %h1; cvt.s32.s16 %r1, %h2;", {254, 0}, -2},
    {"ld.const.u16 %h1, [steps]; cvt.s32.s16 %r1, %h1;", {253, 255}, -3},
    {"ld.param.u16 %h1, [n]; cvt.s32.s16 %r1, %h1;", {253, 127}, 0x7ffd},
    {"ld.param.s8 %h1, [n]; cvt.u32.u8 %r1, %h1;", {254, 0}, 254},
    {"ld.const.u8 %h1, [steps]; cvt.u32.u8 %r1, %h1;", {254, 0}, 254},
    {"mov.u32 %r5, %ctaid.x; cvt.u64.u32 %rd4, %r5; mov.u64 %rd5, steps;\n"
     "add.s64 %rd5, %rd5, %rd4; ld.const.u8 %h1, [%rd5]; cvt.u32.u16 %r0, %h1;\n"
     "cvt.s32.s8 %r1, %r0;",
     {254, 0},
     -2},
};

static void check(const struct reader *r)
{
    unsigned char block[16] = {0}, steps[4] = {r->first[0], r->first[1]};
    struct access_span spans[ACCESS_SPANS_MAX];
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *m;
    uint32_t count;

    memcpy(block + 8, r->first, sizeof r->first);
    text_print(&text, "%s%s%s", HEAD, r->body, REST);
    if (ptx_parse("t.ptx", text.data, text.length, &m, &err))
        fail_msg("%s", err.text);
    text_clear(&text);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));
    const unsigned char **constants = must_calloc(m->symbol_count + 1u, sizeof *constants);

    for (uint32_t n = 0; n <= m->symbol_count; n++)
        constants[n] = steps; /* the module has no other constants */
    const struct access_launch l = {.ntid = {32, 1, 1},
                                    .nctaid = {1, 1, 1},
                                    .parameters = block,
                                    .parameter_bytes = sizeof block,
                                    .constants = constants};

    if (!access_extent(a, &a->records[a->record_count - 1], &l, NULL, spans, &count))
        fail_msg("%s: nothing is known", r->body);
    assert_int_equal(count, 1);
    assert_int_equal(spans[0].low, 4 * r->moves);
    assert_int_equal(spans[0].end, 4 * (r->moves + 32));
    free(constants);
    access_destroy(a);
    ptx_destroy(m);
}

static void fields_have_the_sign_of_their_extension(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        check(&readers[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_the_sign_of_their_extension),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
