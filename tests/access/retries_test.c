/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of compare-and-swap that repeat only if the swap failed, and loops that wait for a
   value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/shared_writes/retries.h"
#include "base/text.h"

#define SWAP "atom.global.cas.b32 %r5, [%rd1], %r4, %r3;"

static const struct loop {
    const char *body;
    bool is_retry;
} cases[] = {
    /* stops where what is there is at least as large */
    {"L: mov.b32 %f2, %r4; setp.le.f32 %p2, %f1, %f2; @%p2 bra END;" SWAP
     "setp.ne.s32 %p3, %r4, %r5; mov.u32 %r4, %r5; @%p3 bra L;",
     true},
    /* the value follows from what was there; the result is used afterwards */
    {"L: mov.b32 %f2, %r4; add.f32 %f3, %f1, %f2; mov.b32 %r3, %f3;" SWAP
     "setp.eq.s32 %p3, %r5, %r4; mov.u32 %r4, %r5; @%p3 bra END; bra L;",
     true},
    /* in another loop */
    {"O: ld.global.u32 %r4, [%rd1]; L:" SWAP
     "setp.ne.s32 %p3, %r4, %r5; mov.u32 %r4, %r5; @%p3 bra L;"
     "add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 9; @%p4 bra O;",
     true},
    /* the outer loop waits for the returned value */
    {"O: ld.global.u32 %r4, [%rd1]; L:" SWAP
     "setp.ne.s32 %p3, %r4, %r5; mov.u32 %r4, %r5; @%p3 bra L;"
     "setp.ne.u32 %p4, %r4, 9; @%p4 bra O;",
     false},
    {"O: ld.global.u32 %r4, [%rd1]; L: setp.eq.u32 %p1, %r4, 0; @%p1 bra END;" SWAP
     "setp.ne.s32 %p3, %r4, %r5; mov.u32 %r4, %r5; @%p3 bra L; bra O;",
     false},
    /* a lock */
    {"L: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.u32 %p3, %r5, 0; @%p3 bra L;",
     false},
    /* repeats until a value is there, also after a success */
    {"L:" SWAP "setp.ne.s32 %p3, %r5, 7; mov.u32 %r4, %r5; @%p3 bra L;", false},
    {"L:" SWAP "setp.eq.s32 %p3, %r5, %r4; mov.u32 %r4, %r5; @%p3 bra L;", false},
    {"L:" SWAP "setp.ne.s32 %p3, %r5, %r4; setp.ne.s32 %p4, %r5, 7; or.pred %p3, %p3, %p4;"
     "mov.u32 %r4, %r5; @%p3 bra L;",
     false},
    /* compares with another value, or at another location */
    {"L:" SWAP "setp.ne.s32 %p3, %r4, %r5; @%p3 bra L;", false},
    {"L:" SWAP "setp.ne.s32 %p3, %r4, %r5; mov.u32 %r4, %r5; add.s64 %rd1, %rd1, 4;"
     "@%p3 bra L;",
     false},
};

static bool is_retry(const char *body)
{
    const struct access_reductions none = {0};
    struct text all = {0};
    struct ptx_module *m = NULL;
    struct proact_error err;
    bool any = false, *swaps;

    text_print(&all,
               ".version 8.0\n.target sm_80\n.address_size 64\n"
               ".visible .entry k(.param .u64 to, .param .f32 x)\n{\n.reg .pred %%p<9>;\n"
               ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;\n"
               "ld.param.u64 %%rd1, [to]; ld.param.f32 %%f1, [x]; mov.b32 %%r3, %%f1;\n"
               "ld.global.u32 %%r4, [%%rd1]; mov.u32 %%r6, 0;\n%s\n"
               "END: st.global.u32 [%%rd1+4], %%r6;\nret;\n}\n",
               body);
    if (ptx_parse("t.ptx", all.data, all.length, &m, &err))
        fail_msg("%s: %s", err.text, body);
    swaps = access_retries_find(&m->functions[0], &none);
    for (uint32_t n = 0; n < m->functions[0].instruction_count; n++)
        any |= swaps[n];
    free(swaps);
    ptx_destroy(m);
    text_clear(&all);
    return any;
}

static void loops_that_repeat_after_failure_wait_for_no_one(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        if (is_retry(cases[n].body) != cases[n].is_retry)
            fail_msg("%s: %s", cases[n].is_retry ? "waits" : "does not wait",
                     cases[n].body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_repeat_after_failure_wait_for_no_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
