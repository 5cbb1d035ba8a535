/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive functions: each call has separate registers and variables. */
#include "execute_testing.h"

/* fib(x) = x < 2 ? x : fib(x - 1) + fib(x - 2) */
#define FIBONACCI                                                                          \
    ".visible .func (.param .b32 to) fib(.param .b32 x)\n{\n"                              \
    ".reg .pred %p<3>; .reg .b32 %r<8>; ld.param.u32 %r1, [x]; mov.u32 %r5, %r1;\n"        \
    "setp.lt.u32 %p1, %r1, 2; @%p1 bra OUT; sub.u32 %r2, %r1, 1;\n"                        \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"                             \
    "call.uni (b), fib, (a); ld.param.b32 %r3, [b]; }\n"                                   \
    "ld.param.u32 %r6, [x]; sub.u32 %r2, %r6, 2;\n"                                        \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"                             \
    "call (b), fib, (a); ld.param.b32 %r4, [b]; }\n"                                       \
    "add.u32 %r5, %r3, %r4; OUT: st.param.b32 [to], %r5; ret; }\n"

#define CALL(f)                                                                            \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;\n"                             \
    "call (b), " f ", (a); ld.param.b32 %r4, [b]; }\n"

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void each_call_has_separate_registers(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        rig_open(&r,
                 FIBONACCI RIG_KERNEL
                 "rem.u32 %r3, %r1, 11;\n" CALL("fib") "st.global.u32 [%rd1], %r4; }\n",
                 seed & 1);
        r.launch.block[0] = 96;
        r.launch.check = seed & 4;
        assert_int_equal(rig_run(&r, seed & 2 ? 7 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 96; i++)
            assert_int_equal(r.memory[i], fibonacci(i % 11));
        rig_close(&r);
    }
}

/* Two functions that call each other under a guard, and a third one without calls. */
#define TWO                                                                                \
    ".visible .func (.param .b32 to) odd(.param .b32 x);\n"                                \
    ".func (.param .b32 to) less(.param .b32 x)\n{\n"                                      \
    ".reg .b32 %r<3>; ld.param.u32 %r1, [x]; sub.u32 %r2, %r1, 1;\n"                       \
    "st.param.b32 [to], %r2; ret; }\n"                                                     \
    ".visible .func (.param .b32 to) even(.param .b32 x)\n{\n"                             \
    ".reg .pred %p<3>; .reg .b32 %r<8>; ld.param.u32 %r1, [x]; mov.u32 %r3, 100;\n"        \
    "setp.ne.u32 %p1, %r1, 0; .param .b32 a; .param .b32 b;\n"                             \
    "st.param.b32 [a], %r1; call (b), less, (a); ld.param.b32 %r2, [b];\n"                 \
    "st.param.b32 [a], %r2;\n"                                                             \
    "@%p1 call (b), odd, (a); @%p1 ld.param.b32 %r3, [b]; @%p1 add.u32 %r3, %r3, %r1;\n"   \
    "st.param.b32 [to], %r3; ret; }\n"                                                     \
    ".visible .func (.param .b32 to) odd(.param .b32 x)\n{\n"                              \
    ".reg .pred %p<3>; .reg .b32 %r<8>; ld.param.u32 %r1, [x]; mov.u32 %r3, 200;\n"        \
    "setp.eq.u32 %p1, %r1, 0; sub.u32 %r2, %r1, 1;\n"                                      \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"                             \
    "@!%p1 call (b), even, (a); @!%p1 ld.param.b32 %r3, [b]; }\n"                          \
    "@%p1 bra OUT; mad.lo.u32 %r3, %r1, 1000, %r3; OUT:\n"                                 \
    "st.param.b32 [to], %r3; ret; }\n"

static uint32_t odd(uint32_t x);
static uint32_t even(uint32_t x)
{
    return x ? odd(x - 1) + x : 100;
}

static uint32_t odd(uint32_t x)
{
    return x ? even(x - 1) + 1000 * x : 200;
}

static void functions_may_call_each_other(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        rig_open(&r,
                 TWO RIG_KERNEL
                 "rem.u32 %r3, %r1, 19;\n" CALL("even") "st.global.u32 [%rd1], %r4; }\n",
                 seed & 1);
        r.launch.block[0] = 64;
        r.launch.check = seed & 4;
        assert_int_equal(rig_run(&r, seed & 2 ? 7 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(r.memory[i], even(i % 19));
        rig_close(&r);
    }
}

/* deep(x, &out): each call has a variable t, whose address it passes to the next call. */
#define DEEP                                                                               \
    ".visible .func deep(.param .b32 x, .param .b64 out)\n{\n"                             \
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                               \
    ".local .align 8 .b8 depot[16];\n"                                                     \
    "mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;\n"                                    \
    "ld.param.u32 %r1, [x]; ld.param.u64 %rd1, [out]; setp.eq.u32 %p1, %r1, 0;\n"          \
    "st.local.u32 [depot], 5; st.local.u32 [%rd2+4], %r1; @%p1 bra OUT;\n"                 \
    "sub.u32 %r2, %r1, 1; { .param .b32 a; .param .b64 b; st.param.b32 [a], %r2;\n"        \
    "st.param.b64 [b], %rd3; call deep, (a, b); }\n"                                       \
    "OUT: ld.local.u32 %r3, [%rd2]; ld.local.u32 %r4, [depot+4];\n"                        \
    "mad.lo.u32 %r3, %r3, 3, %r4; st.u32 [%rd1], %r3; ret; }\n"

static void each_call_has_separate_variables(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        rig_open(&r,
                 DEEP RIG_KERNEL "rem.u32 %r3, %r1, 9;\n"
                                 "{ .param .b32 a; .param .b64 b; st.param.b32 [a], %r3;\n"
                                 "st.param.b64 [b], %rd1; call deep, (a, b); } }\n",
                 seed & 1);
        r.launch.check = seed & 4;
        assert_int_equal(rig_run(&r, seed & 2 ? 7 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t t = 5;

            for (uint32_t x = 0; x <= i % 9; x++)
                t = 3 * t + x;
            assert_int_equal(r.memory[i], t);
        }
        rig_close(&r);
    }
}

/* A walk over functions in a table, where each calls the next one by address. */
#define WALK(name, by)                                                                     \
    ".visible .func (.param .b32 to) " name "(.param .b32 x)\n{\n"                         \
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>; ld.param.u32 %r1, [x];\n"        \
    "mov.u32 %r4, 1; setp.ne.u32 %p1, %r1, 0; sub.u32 %r2, %r1, 1;\n"                      \
    "mul.lo.u32 %r3, %r1, 7; rem.u32 %r3, %r3, 5; rem.u32 %r3, %r3, 3; mul.wide.u32 "      \
    "%rd3, %r3, 8; mov.u64 %rd4, "                                                         \
    "table;\n"                                                                             \
    "add.s64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];\n"                              \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"                             \
    "kind: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                            \
    "@%p1 call (b), %rd5, (a), kind; @%p1 ld.param.b32 %r4, [b]; }\n"                      \
    "mad.lo.u32 %r4, %r4, " by ", %r1; st.param.b32 [to], %r4; ret; }\n"

#define DECLARED(name) ".visible .func (.param .b32 to) " name "(.param .b32 x);\n"

static uint32_t walk(uint32_t which, uint32_t x)
{
    static const uint32_t by[] = {2, 3, 5};

    return (x ? walk(x * 7 % 5 % 3, x - 1) : 1) * by[which] + x;
}

static void addresses_of_functions_may_lead_back(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        rig_open(&r,
                 DECLARED("one") DECLARED("two")
                     DECLARED("three") ".visible .global .align 8 .u64 table[3] = {one, "
                                       "two, three};\n" WALK("one", "2") WALK("two", "3")
                                           WALK("three", "5") RIG_KERNEL
                 "rem.u32 %r3, %r1, 9;\n" CALL("two") "st.global.u32 [%rd1], %r4; }\n",
                 seed & 1);
        r.launch.check = seed & 4;
        assert_int_equal(rig_run(&r, seed & 2 ? 7 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(r.memory[i], walk(1, i % 9));
        rig_close(&r);
    }
}

static void expect_end(uint32_t requested, uint32_t wanted)
{
    struct rig r;
    unsigned needs = 0, has = 0;

    rig_open(
        &r,
        ".func down(.param .b32 x)\n{\n.reg .b32 %r<3>; ld.param.u32 %r1, [x];\n"
        "{ .param .b32 a; st.param.b32 [a], %r1;\ncall down, (a); }\nret; }\n" RIG_KERNEL
        "{ .param .b32 a; st.param.b32 [a], 1; call down, (a); } }\n",
        true);
    r.launch.block[0] = 40;
    r.launch.stack_bytes = requested;
    assert_int_equal(rig_run(&r, 100000000, 0), EXECUTE_TRAPPED);
    assert_non_null(
        strstr(r.fault, "kernel 'k', PTX line 8, CTA (0,0,0), thread (0,0,0): "));
    const char *at = strstr(r.fault, "functions that call themselves need ");

    assert_non_null(at);
    assert_int_equal(
        sscanf(at + 36, "%u bytes of stack, and a thread has %u", &needs, &has), 2);
    assert_int_equal(has, wanted);
    assert_in_range(needs, has + 1, has + 100);
    rig_close(&r);
}

static void a_stack_overflow_is_a_fault(void **state)
{
    (void)state;
    expect_end(0, STACK_BYTES);
    expect_end(1000, STACK_BYTES);
    expect_end(3 * STACK_BYTES, 3 * STACK_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_has_separate_registers),
        cmocka_unit_test(functions_may_call_each_other),
        cmocka_unit_test(each_call_has_separate_variables),
        cmocka_unit_test(addresses_of_functions_may_lead_back),
        cmocka_unit_test(a_stack_overflow_is_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
