/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of small kernels with one idea each. A row states the expression of the last
   access, or the reason why there is none. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/text.h"

/* Parameters: a pointer at 0, n at 8, m at 12, another pointer at 16, a struct at 24. %rd0
   is the pointer, %r0 is n, %r1 is m, %r2 is tid.x and %r3 is ctaid.x * ntid.x + tid.x. */
#define HEAD                                                                               \
    ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 counter; "       \
    ".const .align 8 .b8 shape[16]; .extern .const .align 4 .b8 far[16];\n"                \
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m, .param .u64 b, "       \
    ".param .align 8 .b8 s[24])\n{\n.reg .pred %p<9>; .reg .b32 %r<30>; "                  \
    ".reg .b64 %rd<30>; .reg .b16 %h<9>;\n.shared .align 4 .b8 tile[1024];\n"              \
    "ld.param.u64 %rd29, [a]; cvta.to.global.u64 %rd0, %rd29; ld.param.u32 %r0, [n];\n"    \
    "ld.param.u32 %r1, [m]; mov.u32 %r2, %tid.x; mov.u32 %r28, %ctaid.x;\n"                \
    "mov.u32 %r29, %ntid.x; mad.lo.s32 %r3, %r28, %r29, %r2;\n"

/* A store at %rd0 + 4 * %r9. */
#define STORE                                                                              \
    "mul.wide.s32 %rd9, %r9, 4; add.s64 %rd9, %rd0, %rd9; st.global.u32 [%rd9], %r0;"

static struct access_analysis *analyze(const char *body, struct ptx_module **m)
{
    struct proact_error err = {""};
    struct text t = {0};

    text_print(&t, "%s%s\nret;\n}\n", HEAD, body);
    if (ptx_parse("small", t.data, t.length, m, &err))
        fail_msg("%s", err.text);
    text_clear(&t);
    return access_analyze(*m, &(*m)->functions[0]);
}

static void describe(const struct access_analysis *a, char *into, size_t size)
{
    static const char *const bases[] = {"field", "variable", "shared", "local", "?"};
    const struct access_record *r = &a->records[a->record_count - 1];
    char form[200] = "";

    if (r->form)
        access_form_text(a, r->form, form, sizeof form);
    if (r->state == ACCESS_CLOSED && r->base == ACCESS_BASE_PARAMETER)
        snprintf(into, size, "[%" PRIu32 "] %s", a->symbols[r->base_symbol].offset, form);
    else if (r->state == ACCESS_CLOSED)
        snprintf(into, size, "%s %s", bases[r->base], form);
    else
        snprintf(into, size, "%s: %s", r->state == ACCESS_DATA ? "data" : "open",
                 r->reason);
}

static const struct {
    const char *what, *body, *wanted;
} cases[] = {
    {"a flat index", "mov.u32 %r9, %r3; " STORE, "[0] 4*tid.x + 4*ntid.x*ctaid.x"},
    {"a power of two by shift", "shl.b32 %r9, %r28, 7; add.s32 %r9, %r9, %r2; " STORE,
     "[0] 4*tid.x + 512*ctaid.x"},
    {"disjoint bits", "shl.b32 %r8, %r28, 10; or.b32 %r9, %r8, %r2; " STORE,
     "[0] 4*tid.x + 4096*ctaid.x"},
    {"joined bits of a thread and its CTA",
     "shl.b32 %r8, %r28, 9; or.b32 %r9, %r8, %r2; " STORE, "[0] 4*tid.x + 2048*ctaid.x"},
    {"bits that may overlap", "shl.b32 %r8, %r28, 4; or.b32 %r9, %r8, %r2; " STORE,
     "[0] 4*or(16*ctaid.x, tid.x)"},
    {"a step of the whole grid's threads, in 64 bits",
     "mov.u32 %r4, %nctaid.y; mov.u32 %r5, %nctaid.z; mov.u32 %r6, %nctaid.x;\n"
     "mov.u32 %r7, %ntid.y; mov.u32 %r8, %ntid.z; mul.wide.u32 %rd1, %r4, %r5;\n"
     "cvt.u64.u32 %rd2, %r6; mul.lo.s64 %rd1, %rd1, %rd2; mul.wide.u32 %rd2, %r7, %r8;\n"
     "mul.lo.s64 %rd1, %rd1, %rd2; cvt.u64.u32 %rd2, %r29; mul.lo.s64 %rd1, %rd1, %rd2;\n"
     "mov.u32 %r9, %r2; L: " STORE " cvt.s64.s32 %rd3, %r9; add.s64 %rd3, %rd3, %rd1;\n"
     "cvt.u32.u64 %r9, %rd3; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L;",
     "[0] 4*tid.x + 4*ntid.x*ntid.y*ntid.z*nctaid.x*nctaid.y*nctaid.z*K0"},
    {"low bits masked", "and.b32 %r9, %r2, 31; " STORE, "[0] 4*and(tid.x, 31)"},
    {"high bits masked", "and.b32 %r9, %r0, -4; " STORE, "[0] 4*[8] - 4*and([8], 3)"},
    {"bfe", "bfe.u32 %r9, %r2, 5, 5; " STORE, "[0] 4*shr(tid.x, 5)"},
    {"bfi", "and.b32 %r8, %r2, 31; bfi.b32 %r9, %r28, %r8, 5, 27; " STORE,
     "[0] 128*ctaid.x + 4*and(tid.x, 31)"},
    {"shifts that undo each other",
     "shl.b32 %r8, %r2, 3; add.s32 %r8, %r8, 5; shr.u32 %r9, %r8, 3; " STORE,
     "[0] 4*tid.x"},
    {"clamped below and above",
     "add.s32 %r8, %r3, 1; min.s32 %r8, %r8, %r0; max.s32 %r9, %r8, 0; " STORE,
     "[0] 4*max(min(1 + tid.x + ntid.x*ctaid.x, [8]), 0)"},
    {"the same on the other side of 0", "add.s32 %r8, %r2, -3; abs.s32 %r9, %r8; " STORE,
     "[0] 4*max(-3 + tid.x, 3 - tid.x)"},
    {"min by selection", "setp.lt.s32 %p1, %r2, %r0; selp.b32 %r9, %r2, %r0, %p1; " STORE,
     "[0] 4*min(tid.x, [8])"},
    {"max by selection", "setp.lt.s32 %p1, %r2, %r0; selp.b32 %r9, %r0, %r2, %p1; " STORE,
     "[0] 4*max(tid.x, [8])"},
    {"another selection", "setp.lt.s32 %p1, %r2, %r0; selp.b32 %r9, 3, %r2, %p1; " STORE,
     "[0] 4*{3 | tid.x}"},
    {"the one ahead, or the first",
     "setp.eq.s32 %p1, %r2, 0; add.s32 %r8, %r2, -1; selp.b32 %r9, 0, %r8, %p1; " STORE,
     "[0] -4 + 4*max(tid.x, 1)"},
    {"three ahead, where it is not the first",
     "setp.ne.s32 %p1, %r2, 0; add.s32 %r8, %r2, -3; selp.b32 %r9, %r8, -2, %p1; " STORE,
     "[0] -12 + 4*max(tid.x, 1)"},
    {"the one ahead, or another",
     "setp.eq.s32 %p1, %r2, 0; add.s32 %r8, %r2, -1; selp.b32 %r9, 1, %r8, %p1; " STORE,
     "[0] 4*{1 | -1 + tid.x}"},
    {"taken again at the end of a loop",
     "mov.u32 %r9, %tid.x; mov.u32 %r8, 0; L: " STORE
     "add.s32 %r8, %r8, 1; mov.u32 %r9, %tid.x; setp.lt.s32 %p1, %r8, %r0; @%p1 bra L;",
     "[0] 4*tid.x"},
    {"another at the end of a loop",
     "mov.u32 %r9, %tid.x; mov.u32 %r8, 0; L: " STORE
     "add.s32 %r8, %r8, 1; mov.u32 %r9, %r1; setp.lt.s32 %p1, %r8, %r0; @%p1 bra L;",
     "open: has no closed form over the iterations of its loop (line 12)"},
    {"two that change places",
     "mov.u32 %r9, %r0; mov.u32 %r8, %r1; mov.u32 %r7, 0; L: " STORE
     "mov.u32 %r6, %r9; mov.u32 %r9, %r8; mov.u32 %r8, %r6; add.s32 %r7, %r7, 1; "
     "setp.lt.s32 %p1, %r7, %r0; @%p1 bra L;",
     "[0] 4*{[8] | [12]}"},
    {"two that change places, and one of them otherwise",
     "mov.u32 %r9, %r0; mov.u32 %r8, %r1; mov.u32 %r7, 0; L: " STORE
     "add.s32 %r6, %r9, 1; mov.u32 %r9, %r8; mov.u32 %r8, %r6; add.s32 %r7, %r7, 1; "
     "setp.lt.s32 %p1, %r7, %r0; @%p1 bra L;",
     "open: has no closed form over the iterations of its loop (line 12)"},
    {"a guarded assignment",
     "mov.u32 %r9, 7; setp.lt.s32 %p1, %r2, %r0; "
     "@%p1 mov.u32 %r9, %r2; " STORE,
     "[0] 4*{7 | tid.x}"},
    {"a field of a struct by its address",
     "mov.b64 %rd1, s; ld.param.u32 %r9, [%rd1+16]; " STORE, "[0] 4*[40]"},
    {"a pointer in a struct",
     "ld.param.u64 %rd1, [s+8]; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2; "
     "st.u32 [%rd1+4], %r0;",
     "[32] 4 + 4*tid.x"},
    {"a word read into a wide register",
     "ld.param.s32 %rd1, [n]; shl.b64 %rd1, %rd1, 2; add.s64 %rd1, %rd0, %rd1; "
     "st.global.u32 [%rd1], %r0;",
     "[0] 4*[8]"},
    {"a constant", "ld.const.u32 %r8, [shape+4]; mad.lo.s32 %r9, %r8, %r28, %r2; " STORE,
     "[0] 4*tid.x + 4*ctaid.x*shape.4"},
    {"two constants at once",
     "ld.const.v2.u32 {%r7, %r8}, [shape+8]; mad.lo.s32 %r9, %r7, %r2, %r8; " STORE,
     "[0] 4*shape.12 + 4*tid.x*shape.8"},
    {"a constant by its address",
     "mov.u64 %rd1, shape; add.s64 %rd1, %rd1, 8; ld.const.u16 %r9, [%rd1+6]; " STORE,
     "[0] 4*shape.14"},
    {"a constant of 64 bits",
     "ld.const.u64 %rd1, [shape]; add.s64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r0;",
     "[0] shape"},
    {"a constant that is an address, and a number",
     "ld.const.u64 %rd1, [shape]; cvta.to.global.u64 %rd1, %rd1; ld.param.u64 %rd2, [s]; "
     "add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r0;",
     "open: its base is not one pointer"},
    {"a constant that may be an address, and a number",
     "ld.const.u64 %rd1, [shape]; ld.param.u64 %rd2, [s]; "
     "add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r0;",
     "open: its base is not one pointer"},
    {"a constant is no base", "ld.const.u64 %rd1, [shape+8]; st.global.u32 [%rd1], %r0;",
     "open: its base is not one pointer"},
    {"a table of constants",
     "mov.u64 %rd1, shape; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2; "
     "ld.const.u32 %r9, [%rd1]; " STORE,
     "data: its address is read from memory (line 12)"},
    {"behind the end of a constant", "ld.const.u32 %r9, [shape+14]; " STORE,
     "data: its address is read from memory (line 12)"},
    {"a constant of another file", "ld.const.u32 %r9, [far]; " STORE,
     "data: its address is read from memory (line 12)"},
    {"a variable that is none", "ld.const.u32 %r9, [counter]; " STORE,
     "data: its address is read from memory (line 12)"},
    {"a constant is not to blame",
     "ld.const.u32 %r8, [shape];\nld.global.u32 %r9, [%rd0]; add.s32 %r9, %r8, %r9; " STORE,
     "data: its address is read from memory (line 13)"},
    {"a variable of the module", "atom.global.add.u32 %r9, [counter], 1;", "variable 0"},
    {"shared memory by a generic address",
     "mov.u32 %r8, tile; cvt.u64.u32 %rd1, %r8; cvta.shared.u64 %rd1, %rd1; "
     "st.u32 [%rd1+8], %r0;",
     "shared 8"},
    {"read from memory",
     "mul.wide.s32 %rd1, %r2, 4; add.s64 %rd1, %rd0, %rd1; ld.global.u32 %r9, "
     "[%rd1]; " STORE,
     "data: its address is read from memory (line 12)"},
    {"one of two pointers",
     "ld.param.u64 %rd1, [b]; cvta.to.global.u64 %rd1, %rd1; setp.lt.s32 %p1, %r2, %r0; "
     "selp.b64 %rd2, %rd0, %rd1, %p1; st.global.u32 [%rd2], %r0;",
     "open: its base is not one pointer"},
    {"a clock", "mov.u32 %r9, %clock; " STORE,
     "open: reads a special register that is not analyzed (line 12)"},
    {"a shuffle", "shfl.sync.down.b32 %r9, %r2, 1, 31, -1; " STORE,
     "open: depends on shfl, which is not analyzed (line 12)"},
    {"a copy behind our back", "cp.async.ca.shared.global [tile], [%rd0], 4;",
     "open: is copied asynchronously"},
    {"a loop",
     "mov.u32 %r9, %r3; L: " STORE
     "add.s32 %r9, %r9, %r1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L;",
     "[0] 4*tid.x + 4*ntid.x*ctaid.x + 4*[12]*K0"},
    {"after a loop",
     "mov.u32 %r9, %r2; L: add.s32 %r9, %r9, 2; setp.lt.s32 %p1, %r9, %r0; @%p1 bra "
     "L; " STORE,
     "[0] 4*tid.x + 8*T0"},
    {"after a loop that may be passed by",
     "mov.u32 %r9, %r2; setp.ge.s32 %p2, %r9, %r0; @%p2 bra M; "
     "L: add.s32 %r9, %r9, 2; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; M: " STORE,
     "[0] 4*tid.x + 8*T0"},
    {"after two loops that may be passed by together, or the second alone",
     "mov.u32 %r9, %r2; setp.ge.s32 %p2, %r9, %r0; @%p2 bra M; "
     "L: add.s32 %r9, %r9, 2; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; "
     "setp.ge.s32 %p2, %r9, %r1; @%p2 bra M; "
     "N: add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r1; @%p1 bra N; M: " STORE,
     "[0] 4*tid.x + 8*T0 + 4*T1"},
    {"after two loops, the second of which forgets the first",
     "mov.u32 %r9, %r2; L: add.s32 %r9, %r9, 2; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; "
     "setp.ge.s32 %p2, %r9, %r1; @%p2 bra M; mov.u32 %r9, %r2; "
     "N: add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r1; @%p1 bra N; M: " STORE,
     "[0] 4*{tid.x + 2*T0 | tid.x + T1}"},
    {"one way after a loop forgets it",
     "mov.u32 %r9, %r2; L: add.s32 %r9, %r9, 2; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; "
     "setp.lt.s32 %p2, %r1, 0; @%p2 bra M; mov.u32 %r9, %r2; M: " STORE,
     "[0] 4*{tid.x + 2*T0 | tid.x}"},
    {"a loop in a loop",
     "mov.u32 %r7, 0; M: mov.u32 %r9, %r7; L: " STORE
     "add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; "
     "add.s32 %r7, %r7, %r1; setp.lt.s32 %p2, %r7, %r0; @%p2 bra M;",
     "[0] 4*K0 + 4*[12]*K1"},
    {"halved each time",
     "mov.u32 %r9, %r0; L: " STORE
     "shr.u32 %r9, %r9, 1; setp.gt.s32 %p1, %r9, 0; @%p1 bra L;",
     "open: has no closed form over the iterations of its loop (line 12)"},
    {"a loop with two entries",
     "mov.u32 %r9, 0; setp.lt.s32 %p1, %r2, %r0; @%p1 bra M; L: add.s32 %r9, %r9, 1; "
     "M: " STORE "setp.lt.s32 %p2, %r9, %r0; @%p2 bra L;",
     "open: is carried around a loop with two entries (line 12)"},
};

static void each_kernel_has_its_expression(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ptx_module *m;
        struct access_analysis *a = analyze(cases[i].body, &m);
        char got[300];

        assert_true(a->record_count > 0);
        describe(a, got, sizeof got);
        if (strcmp(got, cases[i].wanted) != 0)
            fail_msg("%s: %s, not %s", cases[i].what, got, cases[i].wanted);
        access_destroy(a);
        ptx_destroy(m);
    }
}

/* Checks the last record for wrapping in a launch of `ctas` * `threads` with parameters n
   and m. */
static enum proact_status check(const char *body, uint32_t ctas, uint32_t threads,
                                int32_t n, int32_t count, int64_t *trips,
                                struct proact_error *err)
{
    unsigned char block[48] = {0};
    const struct access_launch l = {.ntid = {threads, 1, 1},
                                    .nctaid = {ctas, 1, 1},
                                    .parameters = block,
                                    .parameter_bytes = sizeof block};
    struct ptx_module *m;
    struct access_analysis *a = analyze(body, &m);
    enum proact_status status;
    int64_t none[4];

    memcpy(block + 8, &n, sizeof n);
    memcpy(block + 12, &count, sizeof count);
    assert_true(a->loop_count <= 4);
    access_trips(a, &l, trips ? trips : none);
    status = access_check_wrap(a, &a->records[a->record_count - 1], &l,
                               trips ? trips : none, err);
    access_destroy(a);
    ptx_destroy(m);
    return status;
}

static void a_wrap_is_refused(void **state)
{
    static const char plain[] = "mov.u32 %r9, %r3; " STORE;
    static const char scaled[] = "mul.lo.s32 %r9, %r3, %r1; " STORE;
    static const char zeroed[] = "sub.s32 %r9, %r2, %r0; mul.wide.u32 %rd9, %r9, 4; "
                                 "add.s64 %rd9, %rd0, %rd9; st.global.u32 [%rd9], %r0;";
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(check(plain, 1 << 20, 1024, 0, 0, NULL, &err), PROACT_OK);
    assert_int_equal(check(plain, 1 << 22, 1024, 0, 0, NULL, &err), PROACT_EREFUSED);
    assert_string_equal(err.text,
                        "small:12: tid.x + ntid.x*ctaid.x may be between 0 and 4294967295, "
                        "outside its 32 bits (-2147483648 to 2147483647)");
    assert_int_equal(check(scaled, 1024, 1024, 0, 2047, NULL, &err), PROACT_OK);
    assert_int_equal(check(scaled, 1024, 1024, 0, 2049, NULL, &err), PROACT_EREFUSED);
    assert_int_equal(check(zeroed, 1, 32, 0, 0, NULL, &err), PROACT_OK);
    assert_int_equal(check(zeroed, 1, 32, 1, 0, NULL, &err), PROACT_EREFUSED);
}

/* A masked index that may wrap, in[(t - n) & 16383], widened before the mask. Wrapping of t
   - n is allowed only where the remaining bits are the same. */
static void bits_that_a_mask_clears_may_wrap(void **state)
{
#define LEFT "sub.s32 %r9, %r2, %r0; mul.wide.u32 %rd9, %r9, 4; "
#define STORED "add.s64 %rd9, %rd0, %rd9; st.global.u32 [%rd9], %r0;"
    static const char masked[] = LEFT "and.b64 %rd9, %rd9, 65532; " STORED;
    static const char above[] = LEFT "and.b64 %rd9, %rd9, 17179869180; " STORED;
    static const char both[] =
        LEFT "and.b64 %rd1, %rd9, 65532; add.s64 %rd9, %rd9, %rd1; " STORED;
    static const char shifted[] =
        LEFT "shr.u64 %rd9, %rd9, 2; and.b64 %rd9, %rd9, 16383; " STORED;
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(check(masked, 1, 32, 1, 0, NULL, &err), PROACT_OK);
    assert_int_equal(check(above, 1, 32, 1, 0, NULL, &err), PROACT_EREFUSED);
    assert_int_equal(check(both, 1, 32, 1, 0, NULL, &err), PROACT_EREFUSED);
    assert_int_equal(check(shifted, 1, 32, 1, 0, NULL, &err), PROACT_EREFUSED);
#undef LEFT
#undef STORED
}

static void a_guard_bounds_the_compared_value(void **state)
{
    static const char guarded[] = "mul.lo.s32 %r9, %r2, %r1; setp.ge.s32 %p1, %r9, %r0; "
                                  "@%p1 bra E; mul.wide.s32 %rd9, %r9, 4; "
                                  "add.s64 %rd9, %rd0, %rd9; st.global.u32 [%rd9], %r0; E:";
    static const char negative[] =
        "sub.s32 %r9, %r2, %r0; setp.lt.s32 %p1, %r9, 0; @%p1 bra E; "
        "mul.wide.u32 %rd9, %r9, 4; add.s64 %rd9, %rd0, %rd9; "
        "st.global.u32 [%rd9], %r0; E:";
    /* compared after widening: the guard depends on the property that it would have to
       prove */
    static const char widened[] =
        "cvt.s64.s32 %rd1, %r3; cvt.s64.s32 %rd2, %r0; setp.ge.s64 %p1, %rd1, %rd2; "
        "@%p1 bra E; shl.b64 %rd9, %rd1, 2; add.s64 %rd9, %rd0, %rd9; "
        "st.global.u32 [%rd9], %r0; E:";
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(check(widened, 1 << 20, 1024, 100, 0, NULL, &err), PROACT_OK);
    assert_int_equal(check(widened, 1 << 22, 1024, 100, 0, NULL, &err), PROACT_EREFUSED);
    assert_int_equal(check(guarded, 1, 1024, 100, 1 << 20, NULL, &err), PROACT_OK);
    /* a comparison that may wrap proves nothing */
    assert_int_equal(check(guarded, 1, 1024, 100, 1 << 22, NULL, &err), PROACT_EREFUSED);
    assert_int_equal(check(negative, 1, 32, 1, 0, NULL, &err), PROACT_OK);
}

/* Unsigned index in[(y - 1) * n + x - 1]. It may wrap unless the guards x > 0 and y > 0
   exist. */
static void guards_bound_together(void **state)
{
#define X "setp.eq.s32 %p1, %r2, 0; @%p1 bra E; "
#define Y "setp.eq.s32 %p2, %r28, 0; @%p2 bra E; "
#define AT                                                                                 \
    "add.s32 %r9, %r28, -1; mad.lo.s32 %r9, %r9, %r0, %r2; add.s32 %r9, %r9, -1; "         \
    "mul.wide.u32 %rd9, %r9, 4; add.s64 %rd9, %rd0, %rd9; st.global.u32 [%rd9], %r0; E:"
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(check(X Y AT, 8, 32, 32, 0, NULL, &err), PROACT_OK);
    assert_int_equal(check(Y X AT, 8, 32, 1, 0, NULL, &err), PROACT_OK);
    assert_int_equal(check(X AT, 8, 32, 32, 0, NULL, &err), PROACT_EREFUSED);
    assert_int_equal(check(Y AT, 8, 32, 32, 0, NULL, &err), PROACT_EREFUSED);
#undef X
#undef Y
#undef AT
}

static void loops_are_bounded(void **state)
{
    static const struct {
        const char *what, *body;
        int32_t n, m;
        int64_t trips;
    } rows[] = {
        {"up to n by m",
         "mov.u32 %r9, 0; L: " STORE
         "add.s32 %r9, %r9, %r1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L;",
         100, 7, 15},
        {"up to n by nothing",
         "mov.u32 %r9, 0; L: " STORE
         "add.s32 %r9, %r9, %r1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L;",
         100, 0, -1},
        {"up to n by what wraps",
         "mov.u32 %r9, 0; L: " STORE
         "add.s32 %r9, %r9, %r1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L;",
         2000000000, 1500000000, -1},
        {"down to zero",
         "mov.u32 %r9, %r0; L: " STORE
         "add.s32 %r9, %r9, -4; setp.ne.s32 %p1, %r9, 0; @%p1 bra L;",
         100, 0, 25},
        {"down past zero",
         "mov.u32 %r9, %r0; L: " STORE
         "add.s32 %r9, %r9, -4; setp.ne.s32 %p1, %r9, 0; @%p1 bra L;",
         102, 0, -1},
        {"never entered",
         "mov.u32 %r9, 0; setp.lt.s32 %p2, %r0, 1; @%p2 bra E; L: " STORE
         "add.s32 %r9, %r9, %r1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; E:",
         0, 1, 0},
        {"tested at its start",
         "mov.u32 %r9, 0; L: setp.ge.s32 %p1, %r9, %r0; @%p1 bra E; " STORE
         "add.s32 %r9, %r9, 1; bra L; E:",
         10, 0, 11},
        {"up to the lesser of n and m from any thread",
         "min.s32 %r8, %r0, %r1; mov.u32 %r9, %r2; L: " STORE
         "add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r8; @%p1 bra L;",
         100, 7, 7},
        {"up to where it begins and m, or n",
         "add.s32 %r8, %r2, %r1; min.s32 %r8, %r8, %r0; mov.u32 %r9, %r2; L: " STORE
         "add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r8; @%p1 bra L;",
         100, 7, 7},
        {"up to n or m",
         "setp.lt.s32 %p2, %r2, 5; selp.b32 %r8, %r0, %r1, %p2; mov.u32 %r9, 0; L: " STORE
         "add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r8; @%p1 bra L;",
         4, 9, 9},
        {"with two ways out",
         "mov.u32 %r9, 0; L: setp.gt.s32 %p2, %r9, 5; @%p2 bra E; " STORE
         "add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r0; @%p1 bra L; E:",
         100, 0, 7},
        {"down by m",
         "mov.u32 %r9, %r0; L: " STORE
         "sub.s32 %r9, %r9, %r1; setp.gt.s32 %p1, %r9, 0; @%p1 bra L;",
         100, 7, 15},
        {"as often as is left of four",
         "add.s32 %r8, %r2, %r0; and.b32 %r8, %r8, 3; setp.eq.s32 %p2, %r8, 0; "
         "@%p2 bra E; mov.u32 %r9, %r8; L: " STORE
         "add.s32 %r9, %r9, -1; setp.ne.s32 %p1, %r9, 0; @%p1 bra L; E:",
         100, 0, 3},
        {"as often as is left, by its complement",
         "add.s32 %r8, %r2, %r0; and.b32 %r7, %r8, 3; setp.eq.s32 %p2, %r7, 3; "
         "@%p2 bra E; add.s32 %r8, %r8, 1; and.b32 %r9, %r8, 3; L: " STORE
         "add.s32 %r9, %r9, -1; setp.ne.s32 %p1, %r9, 0; @%p1 bra L; E:",
         100, 0, 3},
        {"by fours",
         "add.s32 %r8, %r2, %r0; setp.lt.s32 %p2, %r8, 4; @%p2 bra E; "
         "and.b32 %r7, %r8, 3; sub.s32 %r9, %r8, %r7; L: " STORE
         "add.s32 %r9, %r9, -4; setp.ne.s32 %p1, %r9, 0; @%p1 bra L; E:",
         10, 0, 10},
        {"by fours past zero",
         "add.s32 %r8, %r2, %r0; setp.lt.s32 %p2, %r8, 4; @%p2 bra E; "
         "and.b32 %r7, %r8, 1; sub.s32 %r9, %r8, %r7; L: " STORE
         "add.s32 %r9, %r9, -4; setp.ne.s32 %p1, %r9, 0; @%p1 bra L; E:",
         10, 0, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t trips[4] = {-2};

        check(rows[i].body, 1, 32, rows[i].n, rows[i].m, trips, NULL);
        if (trips[0] != rows[i].trips)
            fail_msg("%s: %" PRId64 " iterations, not %" PRId64, rows[i].what, trips[0],
                     rows[i].trips);
    }
}

static void guards_are_kept(void **state)
{
    struct ptx_module *m;
    struct access_analysis *a =
        analyze("setp.ge.s32 %p1, %r3, %r0; @%p1 ret; setp.eq.s32 %p2, %r2, 0; "
                "mov.u32 %r9, %r3; @!%p2 bra E; " STORE "E:",
                &m);
    const struct access_record *r = &a->records[0];
    unsigned char block[48] = {0};
    struct access_point p = {.ntid = {32, 1, 1},
                             .nctaid = {4, 1, 1},
                             .parameters = block,
                             .parameter_bytes = sizeof block};

    (void)state;
    block[8] = 40;
    assert_int_equal(r->guard_count, 2);
    assert_true(r->guards[0].negated);  /* not (i >= n) */
    assert_false(r->guards[1].negated); /* tid == 0 */
    for (p.ctaid[0] = 0; p.ctaid[0] < 4; p.ctaid[0]++) {
        uint32_t i = p.ctaid[0] * 32;

        assert_int_equal(access_holds(a, r->guards[0].condition, &p), i >= 40);
        assert_int_equal(access_holds(a, r->guards[1].condition, &p), 1);
    }
    access_destroy(a);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_has_its_expression),
        cmocka_unit_test(a_wrap_is_refused),
        cmocka_unit_test(bits_that_a_mask_clears_may_wrap),
        cmocka_unit_test(a_guard_bounds_the_compared_value),
        cmocka_unit_test(guards_bound_together),
        cmocka_unit_test(loops_are_bounded),
        cmocka_unit_test(guards_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
