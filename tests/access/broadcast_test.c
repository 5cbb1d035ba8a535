/* SPDX-License-Identifier: Apache-2.0 */
/* Warp exchanges. An exchanged value has an expression if all lanes have the same value, in
   CTAs whose rows are complete warps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/text.h"

/* %rd0 is the array, %r0 is n, %r2 is tid.x and %r3 is the index of the thread in the row
   of the grid. */
#define HEAD                                                                               \
    ".version 7.0\n.target sm_75\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %p<9>; "               \
    ".reg .b32 %r<30>; .reg .b64 %rd<30>;\n"                                               \
    "ld.param.u64 %rd29, [a]; cvta.to.global.u64 %rd0, %rd29; ld.param.u32 %r0, [n];\n"    \
    "mov.u32 %r2, %tid.x; mov.u32 %r28, %ctaid.x; mov.u32 %r29, %ntid.x;\n"                \
    "mad.lo.s32 %r3, %r28, %r29, %r2;\n"

/* Expression of the address of a store by %r9, or the reason why there is none; then
   whether it holds in CTAs of 64 x 2 threads and of 48 x 2. */
static const char *described(const char *body)
{
    static char text[256];
    struct text t = {0};
    struct ptx_module *m;
    struct proact_error err = {""};

    text_print(&t, "%s%s%s", HEAD, body,
               "\nmul.wide.s32 %rd9, %r9, 4; add.s64 %rd9, %rd0, %rd9;\n"
               "st.global.u32 [%rd9], %r0;\nret;\n}\n");
    if (ptx_parse("small", t.data, t.length, &m, &err))
        fail_msg("%s", err.text);
    text_clear(&t);
    struct access_analysis *a = access_analyze(m, &m->functions[0]);
    const struct access_record *r = &a->records[a->record_count - 1];
    static const unsigned char block[12] = {[8] = 5};

    text[0] = '\0';
    if (r->state == ACCESS_CLOSED)
        access_form_text(a, r->form, text, sizeof text);
    else
        snprintf(text, sizeof text, "none");
    for (uint32_t row = 64; row >= 48 && r->state == ACCESS_CLOSED; row -= 16) {
        const struct access_launch l = {.ntid = {row, 2, 1},
                                        .nctaid = {9, 1, 1},
                                        .parameters = block,
                                        .parameter_bytes = sizeof block};

        strcat(text, access_check_wrap(a, r, &l, NULL, &err) ? ", no" : ", yes");
    }
    access_destroy(a);
    ptx_destroy(m);
    return text;
}

#define FIRST "shfl.sync.idx.b32 %r9, %r8, 0, 31, -1;"

static void warp_indices_have_an_expression(void **state)
{
    static const char *const rows[][2] = {
        {"shr.u32 %r8, %r2, 5;", "4*shr(tid.x, 5), yes, no"},
        {"shr.s32 %r8, %r2, 6;", "4*shr(tid.x, 6), yes, no"},
        {"div.u32 %r8, %r2, 96;", "4*div(tid.x, 96), yes, no"},
        {"shr.u32 %r8, %r3, 5;", "4*shr(tid.x + ntid.x*ctaid.x, 5), yes, no"},
        {"add.u32 %r8, %r2, 64; shr.u32 %r8, %r8, 5;", "4*shr(64 + tid.x, 5), yes, no"},
        {"mov.u32 %r8, %tid.y; mad.lo.u32 %r8, %r8, 3, %r28;",
         "12*tid.y + 4*ctaid.x, yes, no"},
        /* the same in the complete CTA or launch */
        {"mul.lo.u32 %r8, %r28, %r0;", "4*ctaid.x*[8], yes, yes"}};

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        char body[256];

        snprintf(body, sizeof body, "%s%s", rows[n][0], FIRST);
        assert_string_equal(described(body), rows[n][1]);
    }
    assert_string_equal(
        described("shr.u32 %r8, %r2, 5; shfl.sync.up.b32 %r9|%p1, %r8, 1, 0, -1;"),
        "4*shr(tid.x, 5), yes, no");
}

static void lane_values_have_no_expression(void **state)
{
    static const char *const bodies[] = {
        "mov.u32 %r8, %r2;",
        "shr.u32 %r8, %r2, 4;",
        "and.b32 %r8, %r2, 3;",
        "mov.u32 %r8, %laneid;",
        "add.u32 %r8, %r2, 5; shr.u32 %r8, %r8, 5;",
        "shl.b32 %r8, %r2, 1; shr.u32 %r8, %r8, 5;",
        "sub.s32 %r8, %r2, 64; div.s32 %r8, %r8, 32;", /* rounds towards zero */
        "add.u32 %r8, %r2, %r0; shr.u32 %r8, %r8, 5;",
        "mov.u32 %r8, %tid.y; mad.lo.u32 %r8, %r8, 32, %r2; and.b32 %r8, %r8, 48;"};

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        char body[256];

        snprintf(body, sizeof body, "%s%s", bodies[n], FIRST);
        if (strcmp(described(body), "none"))
            fail_msg("%s has a form: %s", bodies[n], described(body));
    }
}

/* Exchanges within parts of a warp or among selected lanes. */
static void partial_exchanges_have_no_expression(void **state)
{
    (void)state;
    assert_string_equal(
        described("shr.u32 %r8, %r2, 5; shfl.sync.idx.b32 %r9, %r8, 0, 31, 1;"), "none");
    assert_string_equal(
        described("shr.u32 %r8, %r2, 5; shfl.sync.idx.b32 %r9, %r8, 0, 4127, -1;"), "none");
    assert_string_equal(
        described("shr.u32 %r8, %r2, 5; shfl.sync.idx.b32 %r9, %r8, 0, 31, %r0;"), "none");
    assert_string_equal(described("shr.u32 %r8, %r2, 5; shfl.idx.b32 %r9, %r8, 0, 31;"),
                        "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warp_indices_have_an_expression),
        cmocka_unit_test(lane_values_have_no_expression),
        cmocka_unit_test(partial_exchanges_have_no_expression),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
