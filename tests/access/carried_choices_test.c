/* SPDX-License-Identifier: Apache-2.0 */
/* Branch condition of the previous iteration as a bound of this one. It also bounds an
   expression with a phi value if the phi value is chosen before the loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/bounds/extent.h"
#include "base/memory.h"
#include "base/text.h"

/* Store to out[c + i], repeated while c + i + 1 < n. The value c is 3 or 0, chosen by the
   thread or by the iteration. */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
                           ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                           "ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;\n"
                           "ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x;\n"
                           "setp.gt.s32 %p0, %r1, 9; selp.b32 %r2, 3, 0, %p0;\n"
                           "mov.u32 %r3, 0;\nagain:\n"
                           "and.b32 %r4, %r3, 1; setp.eq.s32 %p1, %r4, 1;\n"
                           "selp.b32 %r5, 3, 0, %p1;\n"
                           "add.s32 %r6, CHOICE, %r3; mul.wide.s32 %rd2, %r6, 4;\n"
                           "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3;\n"
                           "add.s32 %r3, %r3, 1; add.s32 %r7, CHOICE, %r3;\n"
                           "setp.lt.s32 %p2, %r7, %r0;\n@%p2 bra again;\nret;\n}\n";

/* End of the last stored byte for `n` numbers, as far as the analysis knows. */
static int64_t last_place(const char *choice, uint32_t n)
{
    const uint32_t block[3] = {0, 0, n};
    struct access_launch launch = {.ntid = {32, 1, 1},
                                   .nctaid = {1, 1, 1},
                                   .parameters = (const unsigned char *)block,
                                   .parameter_bytes = sizeof block};
    struct proact_error err = {""};
    struct text of = {0};
    struct ptx_module *module;
    struct access_span spans[ACCESS_SPANS_MAX];
    uint32_t count;
    int64_t trips[2], last = 0;

    for (const char *at = text, *next; *at; at = next) {
        next = strstr(at, "CHOICE");
        next = next ? next : at + strlen(at);
        text_print(&of, "%.*s%s", (int)(next - at), at, *next ? choice : "");
        next += *next ? strlen("CHOICE") : 0;
    }
    assert_int_equal(ptx_parse("t", of.data, strlen(of.data), &module, &err), PROACT_OK);
    struct access_analysis *a = access_analyze(module, &module->functions[0]);

    assert_int_equal(a->loop_count, 1);
    assert_int_equal(a->record_count, 1);
    access_trips(a, &launch, trips);
    assert_true(access_extent(a, &a->records[0], &launch, trips, spans, &count));
    for (uint32_t i = 0; i < count; i++)
        last = spans[i].end > last ? spans[i].end : last;
    access_destroy(a);
    ptx_destroy(module);
    text_clear(&of);
    return last;
}

static void a_choice_by_thread_holds_in_every_iteration(void **state)
{
    (void)state;
    assert_int_equal(last_place("%r2", 6), 4 * 6);
}

/* At i = 2, c is 0 and 3 < 6 holds; at i = 3, c is 3. */
static void a_choice_by_iteration_does_not_hold_in_the_next(void **state)
{
    (void)state;
    assert_true(last_place("%r5", 6) >= 4 * (3 + 3 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_by_thread_holds_in_every_iteration),
        cmocka_unit_test(a_choice_by_iteration_does_not_hold_in_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
