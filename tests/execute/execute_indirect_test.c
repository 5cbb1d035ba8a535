/* SPDX-License-Identifier: Apache-2.0 */
/* Indirect calls: each lane calls the function in its register. */
#include "execute_testing.h"

#define FUNCTIONS                                                                          \
    ".visible .func (.param .b32 to) twice(.param .b32 x)\n{\n"                            \
    ".reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1;\n"                     \
    "st.param.b32 [to], %r2; ret;\n}\n"                                                    \
    ".visible .func (.param .b32 to) down(.param .b32 x)\n{\n"                             \
    ".reg .pred %p<2>; .reg .b32 %r<4>; ld.param.b32 %r1, [x]; mov.u32 %r2, 0;\n"          \
    "AGAIN: setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT; add.u32 %r2, %r2, 3;\n"                 \
    "sub.u32 %r1, %r1, 1; bra AGAIN; OUT: st.param.b32 [to], %r2; ret;\n}\n"               \
    ".visible .func other(.param .b64 x)\n{\nret;\n}\n"                                    \
    ".visible .global .align 8 .u64 table[3] = {twice, down, other};\n"

/* Thread i calls table[from[i]] with i, unless bit 2 of i is set. */
#define CALLER                                                                             \
    RIG_KERNEL                                                                             \
    "ld.global.u32 %r3, [%rd1+4000]; mul.wide.u32 %rd3, %r3, 8;\n"                         \
    "mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];\n"         \
    "and.b32 %r4, %r1, 4; setp.eq.u32 %p1, %r4, 0; mov.u32 %r5, 77;\n"                     \
    "{ .param .b32 given; .param .b32 back; st.param.b32 [given], %r1;\n"                  \
    "kind: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                            \
    "@%p1 call (back), %rd5, (given), kind; @%p1 ld.param.b32 %r5, [back]; }\n"            \
    "st.global.u32 [%rd1], %r5; }\n"

static void lanes_follow_their_register(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        rig_open(&r, FUNCTIONS CALLER, seed & 1);
        r.launch.block[0] = 96;
        for (uint32_t i = 0; i < 96; i++)
            r.memory[1000 + i] = i * 7 % 5 & 1;
        assert_int_equal(rig_run(&r, seed & 2 ? 5 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 96; i++)
            assert_int_equal(r.memory[i], i & 4 ? 77 : i * 7 % 5 & 1 ? 3 * i : 2 * i);
        rig_close(&r);
    }
}

static void a_call_of_an_invalid_address_traps(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, FUNCTIONS CALLER, true);
    r.launch.block[0] = 8;
    r.memory[1003] = 2;
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_non_null(strstr(r.fault, "thread (3,0,0)"));
    assert_non_null(strstr(r.fault, "trap"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_follow_their_register),
        cmocka_unit_test(a_call_of_an_invalid_address_traps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
