/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: lanes diverge and reconverge. */
#include "execute_testing.h"

static void each(const char *body, uint32_t threads, uint32_t value,
                 uint32_t (*expect)(uint32_t i, uint32_t value))
{
    for (int hoist = 0; hoist < 2; hoist++)
        for (uint64_t budget = 3; budget < 1000000; budget *= 100) {
            struct rig r;

            rig_open(&r, body, hoist);
            r.launch.block[0] = threads;
            r.parameters[1] = value;
            assert_int_equal(rig_run(&r, budget, budget), EXECUTE_EXITED);
            for (uint32_t i = 0; i < threads; i++)
                if (r.memory[i] != expect(i, value))
                    fail_msg("thread %u: %u, not %u", i, r.memory[i], expect(i, value));
            rig_close(&r);
        }
}

static uint32_t nested_expect(uint32_t i, uint32_t value)
{
    uint32_t x = 0;

    if (i < value)
        x = i & 1 ? 10 : (i & 2 ? 20 : 30);
    else
        x = 40;
    return x + 1;
}

static void nested_ifs(void **state)
{
    (void)state;
    each(RIG_KERNEL "mov.u32 %r3, 0; setp.ge.u32 %p1, %r1, %r2; @%p1 bra ELSE;\n"
                    "and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra EVEN;\n"
                    "mov.u32 %r3, 10; bra JOIN;\n"
                    "EVEN: and.b32 %r5, %r1, 2; setp.ne.u32 %p3, %r5, 0;\n"
                    "@%p3 mov.u32 %r3, 20; @!%p3 mov.u32 %r3, 30; bra.uni JOIN;\n"
                    "ELSE: mov.u32 %r3, 40;\n"
                    "JOIN: add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3; ret; }\n",
         77, 41, nested_expect);
}

static uint32_t collatz_expect(uint32_t i, uint32_t value)
{
    uint32_t steps = 0;

    (void)value;
    for (uint32_t n = i + 1; n != 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

static void loops_of_different_length(void **state)
{
    (void)state;
    each(RIG_KERNEL "add.u32 %r3, %r1, 1; mov.u32 %r4, 0;\n"
                    "TOP: setp.eq.u32 %p1, %r3, 1; @%p1 bra DONE;\n"
                    "and.b32 %r5, %r3, 1; setp.eq.u32 %p2, %r5, 1; @%p2 bra ODD;\n"
                    "shr.u32 %r3, %r3, 1; bra NEXT;\n"
                    "ODD: mul.lo.u32 %r3, %r3, 3; add.u32 %r3, %r3, 1;\n"
                    "NEXT: add.u32 %r4, %r4, 1; bra TOP;\n"
                    "DONE: st.global.u32 [%rd1], %r4; exit; }\n",
         100, 0, collatz_expect);
}

static uint32_t exits_expect(uint32_t i, uint32_t value)
{
    (void)value;
    return i % 3 == 0 ? 0 : i % 3 == 1 ? 5 : i;
}

static uint32_t negated_expect(uint32_t i, uint32_t value)
{
    const uint32_t even = ~i & 1, low = i < value;

    return 17 * (low & even) + 2 * (low | even) + 4 * (low ^ even) + 8 * (~low & even);
}

static void predicates_that_are_negated(void **state)
{
    (void)state;
    each(RIG_KERNEL
         "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; mov.u32 %r4, 0;\n"
         "setp.lt.and.u32 %p2|%p5, %r1, %r2, !%p1; setp.lt.or.u32 %p3, %r1, %r2, !%p1;\n"
         "setp.lt.xor.u32 %p4, %r1, %r2, !%p1; set.lt.and.u32.u32 %r5, %r1, %r2, !%p1;\n"
         "@%p2 add.u32 %r4, %r4, 1; @%p3 add.u32 %r4, %r4, 2; @%p4 add.u32 %r4, %r4, 4;\n"
         "@%p5 add.u32 %r4, %r4, 8; and.b32 %r5, %r5, 16; add.u32 %r4, %r4, %r5;\n"
         "st.global.u32 [%rd1], %r4; }\n",
         50, 13, negated_expect);
}

static void guarded_exits(void **state)
{
    (void)state;
    each(RIG_KERNEL
         "rem.u32 %r3, %r1, 3; setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 1;\n"
         "@%p1 exit; @%p2 st.global.u32 [%rd1], 5; @%p2 ret;\n"
         "st.global.u32 [%rd1], %r1; }\n",
         50, 0, exits_expect);
}

static uint32_t table_expect(uint32_t i, uint32_t value)
{
    static const uint32_t rows[4] = {7, 8, 9, 7};

    return rows[i & 3] + value;
}

static void branch_by_table(void **state)
{
    (void)state;
    each(RIG_KERNEL
         "and.b32 %r3, %r1, 3; mov.u32 %r4, 0;\n"
         "LIST: .branchtargets A, B, C, A;\n"
         "brx.idx %r3, LIST;\n"
         "A: mov.u32 %r4, 7; bra END; B: mov.u32 %r4, 8; bra END; C: mov.u32 %r4, 9;\n"
         "END: add.u32 %r4, %r4, %r2; st.global.u32 [%rd1], %r4; ret; }\n",
         64, 3, table_expect);
}

/* f(x, y) = g(x) + y for even x, y for odd x; g(x) = x * x. */
static const char calls[] =
    ".func (.param .b32 r) g(.param .b32 x)\n{ .reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n"
    ".func (.param .b32 r) f(.param .b32 x, .param .b32 y)\n"
    "{ .reg .b32 %r<9>; .reg .pred %p<2>;\n"
    "ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; mov.u32 %r5, 0;\n"
    "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra OUT;\n"
    "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r1;\n"
    "call.uni (q0), g, (p0); ld.param.b32 %r5, [q0]; }\n"
    "OUT: add.u32 %r6, %r5, %r2; st.param.b32 [r], %r6; ret; }\n" RIG_KERNEL
    "setp.lt.u32 %p1, %r1, 40; mov.u32 %r7, 99; @!%p1 bra SKIP;\n"
    "{ .param .b32 p0; .param .b32 p1; .param .b32 q0;\n"
    "st.param.b32 [p0+0], %r1; st.param.b32 [p1+0], %r2;\n"
    "call.uni (q0), f, (p0, p1); ld.param.b32 %r7, [q0+0]; }\n"
    "SKIP: st.global.u32 [%rd1], %r7; ret; }\n";

static uint32_t calls_expect(uint32_t i, uint32_t value)
{
    return i >= 40 ? 99 : (i & 1 ? 0 : i * i) + value;
}

static void calls_nest(void **state)
{
    (void)state;
    each(calls, 70, 1000, calls_expect);
}

/* Lanes 1 and up spin on a word that lane 0 sets after them. */
static uint32_t spin_expect(uint32_t i, uint32_t value)
{
    (void)value;
    return i == 0 ? 1 : 2;
}

static void lanes_that_spin_let_others_run(void **state)
{
    (void)state;
    each(RIG_KERNEL
         "setp.eq.u32 %p1, %r1, 0; @%p1 bra SETTER;\n"
         "SPIN: ld.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;\n"
         "st.global.u32 [%rd1], 2; ret;\n"
         "SETTER: st.global.u32 [%rd0], 1; ret; }\n",
         40, 0, spin_expect);
}

static void counters_count_what_lanes_pass(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r,
             RIG_KERNEL "setp.lt.u32 %p1, %r1, 8; @%p1 bra ONLY;\n" /* 5 + 2 */
                        "ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+4];\n"
                        "add.u32 %r5, %r3, %r4; and.b32 %r5, %r5, 0;\n"
                        "cvt.u64.u32 %rd2, %r5; add.s64 %rd2, %rd2, %rd1;\n"
                        "ld.global.u32 %r6, [%rd2]; ret;\n" /* 8 */
                        "ONLY: ret; }\n",                   /* 1 */
             true);
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.issued, 7 + 8 + 1);
    assert_int_equal(r.lanes, 32 * 7 + 24 * 8 + 8);
    assert_int_equal(r.longest, 16);
    assert_int_equal(r.stalls, 2); /* one stall for both first loads, one for the last load,
                                      which depends on them */
    rig_close(&r);
}

/* Lanes 16-31 wait for all lanes. The other lanes arrive one group after the other at a
   barrier of their half, complete it, and then reach the first barrier. */
static void groups_that_wait_for_each_other_meet(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r,
             RIG_KERNEL
             "setp.lt.u32 %p1, %r1, 16; @%p1 bra HALF;\n"
             "ALL: bar.warp.sync -1; ld.global.u32 %r5, [%rd0+4000];\n"
             "st.global.u32 [%rd1], %r5; ret;\n"
             "HALF: setp.ge.u32 %p2, %r1, 2; @%p2 bra LATE;\n"
             "MEET: shfl.sync.bfly.b32 %r4, %r1, 2, 31, 0xffff; add.u32 %r4, %r4, 1;\n"
             "st.global.u32 [%rd1+8000], %r4; st.global.u32 [%rd0+4000], 7; bra ALL;\n"
             "LATE: bra MEET; }\n",
             true);
    r.launch.block[0] = 32;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(r.memory[i], 7);
        assert_int_equal(r.memory[2000 + i], i < 16 ? (i ^ 2) + 1 : 0);
    }
    rig_close(&r);
}

/* All lanes reach one barrier, half of them with a mask of their half only. */
static void lanes_wait_for_those_with_their_mask(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r,
             RIG_KERNEL
             "mov.u32 %r3, -1; setp.lt.u32 %p1, %r1, 16;\n"
             "@%p1 mov.u32 %r3, 0xffff; bra MEET;\n"
             "DONE: ld.global.u32 %r5, [%rd0+4000]; st.global.u32 [%rd1], %r5; ret;\n"
             "MEET: bar.warp.sync %r3; setp.eq.s32 %p2, %r3, -1; @%p2 bra DONE;\n"
             "st.global.u32 [%rd0+4000], 7; mov.u32 %r3, -1; bra MEET; }\n",
             true);
    r.launch.block[0] = 32;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.memory[i], 7);
    rig_close(&r);
}

/* Iterations in which lanes of a warp read the stores of their neighbours without a
   barrier, as programs for GPUs before Volta do. Lanes reconverge at the end of each
   divergent branch. */
static uint32_t neighbours_expect(uint32_t i, uint32_t value)
{
    uint32_t x[32], noted[32];

    for (uint32_t l = 0; l < 32; l++)
        x[l] = l;
    for (uint32_t round = 0; round < value; round++) {
        memcpy(noted, x, sizeof noted);
        for (uint32_t l = 0; l < 32; l++) {
            x[l] += noted[(l + 1) % 32];
            if (x[l] & 8)
                x[l] = 3 * x[l] + 1;
            else if (x[l] & 16)
                x[l] += 5;
        }
    }
    return x[i];
}

/* The block at the end of an iteration precedes the iteration in the text, and the code
   after the loop is in its middle. */
#define NEIGHBOURS                                                                         \
    RIG_KERNEL                                                                             \
    "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 31; mul.wide.u32 %rd2, %r3, 4;\n"              \
    "add.u64 %rd2, %rd0, %rd2; mov.u32 %r4, %r1; mov.u32 %r5, 0; bra.uni ROUND;\n"         \
    "NEXT: add.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, %r2; @%p1 bra ROUND;\n"              \
    "st.global.u32 [%rd1], %r4; ret;\n"                                                    \
    "ROUND: st.global.u32 [%rd1], %r4; ld.global.u32 %r6, [%rd2];\n"                       \
    "add.u32 %r4, %r4, %r6; and.b32 %r6, %r4, 8; setp.eq.u32 %p2, %r6, 0;\n"               \
    "@%p2 bra ELSE; mad.lo.u32 %r4, %r4, 3, 1; bra.uni NEXT;\n"                            \
    "ELSE: and.b32 %r6, %r4, 16; setp.eq.u32 %p3, %r6, 0; @%p3 bra NEXT;\n"                \
    "add.u32 %r4, %r4, 5; bra.uni NEXT; }\n"

static void lanes_reconverge_at_the_end_of_an_iteration(void **state)
{
    (void)state;
    each(NEIGHBOURS, 32, 1, neighbours_expect);
    each(NEIGHBOURS, 32, 40, neighbours_expect);
}

/* Longer than a time slice. */
static void reconverged_lanes_stay_together(void **state)
{
    (void)state;
    each(NEIGHBOURS, 32, 5000, neighbours_expect);
}

static uint32_t leavers_expect(uint32_t i, uint32_t value)
{
    uint32_t next = (i + 1) % 32;

    return (i % value + 1) * 7 + (next % value + 1) * 7;
}

/* The code after the loop is among the loop's blocks. */
static void lanes_reconverge_after_a_loop(void **state)
{
    (void)state;
    each(RIG_KERNEL
         "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 31; mul.wide.u32 %rd2, %r3, 4;\n"
         "add.u64 %rd2, %rd0, %rd2; rem.u32 %r4, %r1, %r2; mov.u32 %r5, 0;\n"
         "LOOP: add.u32 %r5, %r5, 7; setp.ne.u32 %p1, %r4, 0; @%p1 bra MORE;\n"
         "st.global.u32 [%rd1+4096], %r5; ld.global.u32 %r6, [%rd2+4096];\n"
         "add.u32 %r6, %r6, %r5; st.global.u32 [%rd1], %r6; ret;\n"
         "MORE: add.u32 %r4, %r4, -1; bra.uni LOOP; }\n",
         32, 5, leavers_expect);
}

/* Lanes add to one address in turn, one in each iteration. Lanes after the `if` wait for
   the lane inside it, which waits for memory of another device. */
static void lanes_reconverge_after_remote_accesses(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r,
             RIG_KERNEL
             "and.b32 %r3, %r1, 3; and.b32 %r4, %r1, -4; cvt.u64.u32 %rd2, %r4;\n"
             "add.u64 %rd2, %rd0, %rd2; mov.u32 %r5, 0;\n"
             "ROUND: setp.ne.u32 %p1, %r3, %r5; @%p1 bra NEXT;\n"
             "ld.global.u32 %r6, [%rd2+4000]; mad.lo.u32 %r6, %r6, 3, %r1;\n"
             "st.global.u32 [%rd2+4000], %r6;\n"
             "NEXT: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4; @%p1 bra ROUND;\n"
             "ld.global.u32 %r6, [%rd2+4000]; st.global.u32 [%rd1], %r6; }\n",
             true);
    r.launch.block[0] = 32;
    r.remote = (uint64_t)(uintptr_t)(r.memory + 1000);
    r.waits = true;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t first = i & ~3u, sum = 0;

        for (uint32_t lane = first; lane < first + 4; lane++)
            sum = sum * 3 + lane;
        assert_int_equal(r.memory[i], sum);
    }
    rig_close(&r);
}

/* A vector register and its elements by both sets of names, also of a range. */
static void vector_registers_have_elements(void **state)
{
    for (int hoist = 0; hoist < 2; hoist++) {
        struct rig r;

        (void)state;
        rig_open(
            &r,
            RIG_KERNEL
            ".reg .v4 .u32 v, w, %q<3>; .reg .v2 .f64 pair;\n"
            "ld.global.v4.u32 v, [%rd0+4096]; mov.u32 w.x, v.w; add.u32 w.y, v.z, v.r;\n"
            "mov.u32 w.z, v.g; mov.b32 w.a, 7; st.global.v4.u32 [%rd0], w;\n"
            "mov.v4.u32 %q1, v; mov.u32 %q2.b, %q1.y; st.global.u32 [%rd0+16], %q2.z;\n"
            "ld.global.v2.f64 pair, [%rd0+4112]; add.f64 pair.y, pair.x, pair.y;\n"
            "st.global.f64 [%rd0+24], pair.g; mov.v4.u32 v, {5, w.x, w.y, w.z};\n"
            "st.global.v4.u32 [%rd0+32], v; }\n",
            hoist);
        r.launch.block[0] = 1;
        for (uint32_t i = 0; i < 4; i++)
            r.memory[1024 + i] = 10 + i;
        memcpy(r.memory + 1028, (const double[]){1.5, 2.25}, 16);
        rig_expect(&r, EXECUTE_EXITED);
        const uint32_t expected[] = {13, 22, 11, 7, 11}, last[] = {5, 13, 22, 11};
        const double sum = 3.75;

        assert_memory_equal(r.memory, expected, sizeof expected);
        assert_memory_equal(r.memory + 6, &sum, sizeof sum);
        assert_memory_equal(r.memory + 8, last, sizeof last);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_ifs),
        cmocka_unit_test(loops_of_different_length),
        cmocka_unit_test(predicates_that_are_negated),
        cmocka_unit_test(guarded_exits),
        cmocka_unit_test(branch_by_table),
        cmocka_unit_test(calls_nest),
        cmocka_unit_test(lanes_that_spin_let_others_run),
        cmocka_unit_test(counters_count_what_lanes_pass),
        cmocka_unit_test(groups_that_wait_for_each_other_meet),
        cmocka_unit_test(lanes_wait_for_those_with_their_mask),
        cmocka_unit_test(lanes_reconverge_at_the_end_of_an_iteration),
        cmocka_unit_test(reconverged_lanes_stay_together),
        cmocka_unit_test(lanes_reconverge_after_a_loop),
        cmocka_unit_test(vector_registers_have_elements),
        cmocka_unit_test(lanes_reconverge_after_remote_accesses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
