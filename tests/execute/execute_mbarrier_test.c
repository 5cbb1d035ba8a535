/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers in shared memory, and bulk copies that they count. */
#include "execute_testing.h"

static void opened(struct rig *r, const char *body, uint32_t threads)
{
    rig_open(r, body, true);
    r->launch.block[0] = threads;
}

/* Thread 0 fetches 256 bytes, and all threads wait for them. Before that the current phase
   is incomplete and the one before it is complete. */
static void a_bulk_load_is_visible_to_waiters(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        opened(&r,
               ".shared .align 16 .b8 s[256];\n.shared .align 8 .b64 done;\n" RIG_KERNEL
               "mov.u32 %r3, s; mov.u32 %r4, done; mov.u32 %r5, 256;\n"
               "setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;\n"
               "mbarrier.init.shared.b64 [%r4], 1;\n"
               "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0;\n"
               "selp.u32 %r6, 1, 0, %p2; st.global.u32 [%rd0+4000], %r6;\n"
               "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 1;\n"
               "selp.u32 %r6, 1, 0, %p2; st.global.u32 [%rd0+4004], %r6;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%r3], [%rd0+8000], %r5, [%r4];\n"
               "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r4], %r5;\n"
               "MEET: bar.sync 0;\n"
               "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r4], 0;\n"
               "@!%p3 bra AGAIN;\n"
               "shl.b32 %r7, %r1, 2; add.u32 %r7, %r3, %r7; ld.shared.u32 %r8, [%r7];\n"
               "st.global.u32 [%rd1], %r8; }\n",
               64);
        for (uint32_t i = 0; i < 64; i++)
            r.memory[2000 + i] = 3 * i + 1;
        assert_int_equal(rig_run(&r, seed & 1 ? 5 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(r.memory[i], 3 * i + 1);
        assert_int_equal(r.memory[1000], 0);
        assert_int_equal(r.memory[1001], 1);
        rig_close(&r);
    }
}

/* Two iterations of 100 threads that wait with the phase token of their arrival. */
static void phases_follow_one_another(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        opened(&r,
               ".shared .align 8 .b64 met;\n.shared .align 4 .b8 s[400];\n" RIG_KERNEL
               "mov.u32 %r4, met; mov.u32 %r3, s; setp.ne.u32 %p1, %r1, 0;\n"
               "@!%p1 mbarrier.init.shared.b64 [%r4], 100; bar.sync 0; mov.u32 %r9, 0;\n"
               "shl.b32 %r5, %r1, 2; add.u32 %r5, %r3, %r5;\n"
               "mov.u32 %r6, 99; sub.u32 %r6, %r6, %r1; shl.b32 %r6, %r6, 2;\n"
               "add.u32 %r6, %r3, %r6;\n"
               "ROUND: add.u32 %r7, %r1, %r9; st.shared.u32 [%r5], %r7;\n"
               "mbarrier.arrive.shared.b64 %rd5, [%r4];\n"
               "cp.async.mbarrier.arrive.shared.b64 [%r4];\n"
               "WAIT: mbarrier.test_wait.shared.b64 %p2, [%r4], %rd5; @!%p2 bra WAIT;\n"
               "ld.shared.u32 %r8, [%r6];\n"
               "mbarrier.arrive.shared.b64 %rd6, [%r4];\n"
               "LEAVE: mbarrier.test_wait.shared.b64 %p3, [%r4], %rd6; @!%p3 bra LEAVE;\n"
               "add.u32 %r9, %r9, 1000; setp.lt.u32 %p4, %r9, 2000; @%p4 bra ROUND;\n"
               "st.global.u32 [%rd1], %r8; }\n",
               100);
        assert_int_equal(rig_run(&r, seed & 1 ? 7 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(r.memory[i], 1099 - i);
        rig_close(&r);
    }
}

/* Six arrivals a phase, of which three drop out: the next phase needs three. The state
 * before an arrival has the pending count of that time. */
static void arrivals_may_drop_out(void **state)
{
    struct rig r;

    (void)state;
    for (int hoist = 0; hoist < 2; hoist++) {
        rig_open(
            &r,
            ".shared .align 8 .b64 met;\n" RIG_KERNEL "mov.u32 %r4, met; mov.u32 %r5, 2;\n"
            "mbarrier.init.shared.b64 [%r4], 6;\n"
            "mbarrier.arrive.shared.b64 %rd5, [%r4], %r5;\n"
            "mbarrier.arrive_drop.release.cta.shared::cta.b64 %rd6, [%r4], %r5;\n"
            "mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64 %rd7, [%r4], 48;\n"
            "mbarrier.arrive.shared.b64 %rd8, [%r4];\n" /* only bytes are pending */
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r4], 16;\n"
            "mbarrier.test_wait.parity.shared.b64 %p1, [%r4], 0; selp.u32 %r6, 1, 0, %p1;\n"
            "mbarrier.complete_tx.shared.b64 [%r4], 32;\n"
            "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0; selp.u32 %r7, 1, 0, %p2;\n"
            "mbarrier.arrive_drop.shared.b64 %rd9, [%r4];\n"
            "mbarrier.arrive.shared.b64 _, [%r4], 2;\n"
            "mbarrier.test_wait.parity.shared.b64 %p3, [%r4], 1; selp.u32 %r8, 1, 0, %p3;\n"
            "mbarrier.arrive.shared.b64 %rd10, [%r4];\n"
            "mbarrier.pending_count.b64 %r10, %rd5; mbarrier.pending_count.b64 %r11, "
            "%rd6;\n"
            "mbarrier.pending_count.b64 %r12, %rd7; mbarrier.pending_count.b64 %r13, "
            "%rd8;\n"
            "mbarrier.pending_count.b64 %r14, %rd9; mbarrier.pending_count.b64 %r15, "
            "%rd10;\n"
            "st.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};\n"
            "st.global.v4.u32 [%rd0+16], {%r14, %r15, %r6, %r7};\n"
            "st.global.u32 [%rd0+32], %r8; }\n",
            hoist);
        r.launch.block[0] = 1;
        rig_expect(&r, EXECUTE_EXITED);
        const uint32_t expected[] = {6, 4, 2, 1, 3, 2, 0, 1, 1};

        assert_memory_equal(r.memory, expected, sizeof expected);
        rig_close(&r);
    }
}

/* Every thread adds to one word, and an mbarrier counts the bytes. */
static void reductions_are_counted(void **state)
{
    static const struct {
        const char *form;
        uint32_t start, expected;
        unsigned bytes;
    } rows[] = {
        {"add.u32", 5, 5 + 31 * 16, 4}, {"max.s32", 7, 31, 4}, {"min.u32", 7, 0, 4},
        {"or.b32", 64, 95, 4},          {"and.b32", 31, 0, 4}, {"xor.b32", 3, 3, 4},
        {"add.u64", 9, 9 + 31 * 16, 8},
    };

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[2048];
        struct rig r;

        snprintf(
            body, sizeof body,
            ".shared .align 8 .b64 met;\n.shared .align 8 .b64 sum;\n%s"
            "mov.u32 %%r4, met; mov.u32 %%r5, sum; cvt.u64.u32 %%rd5, %%r1;\n"
            "setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra MEET;\n"
            "mbarrier.init.shared.b64 [%%r4], 1; mov.u64 %%rd6, %u;\n"
            "st.shared.u64 [%%r5], %%rd6;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%%r4], %u; MEET: bar.sync 0;\n"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s "
            "[%%r5], %s, [%%r4];\n"
            "AGAIN: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r4], 0;\n"
            "@!%%p2 bra AGAIN; ld.shared.u32 %%r6, [%%r5];\n"
            "st.global.u32 [%%rd1], %%r6; }\n",
            RIG_KERNEL, rows[k].start, 32 * rows[k].bytes, rows[k].form,
            rows[k].bytes == 8 ? "%rd5" : "%r1");
        opened(&r, body, 32);
        rig_expect(&r, EXECUTE_EXITED);
        for (uint32_t i = 0; i < 32; i++)
            if (r.memory[i] != rows[k].expected)
                fail_msg("%s gives %u", rows[k].form, r.memory[i]);
        rig_close(&r);
    }
}

static void invalid_operands_are_reported(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"mbarrier.init.shared.b64 [%r4+4096], 1;", "of shared memory, which has"},
        {"mbarrier.init.shared.b64 [%r4+4], 1;", "no multiple of 8"},
        {"mov.u32 %r5, 20; mbarrier.init.shared.b64 [%r4], 1;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], "
         "%r5, [%r4];",
         "a bulk copy of 20 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text body = {NULL, 0, 0};
        struct rig r;

        text_print(&body,
                   ".shared .align 16 .b8 s[16];\n.shared .align 8 .b64 done;\n%s"
                   "mov.u32 %%r3, s; mov.u32 %%r4, done;\n%s }\n",
                   RIG_KERNEL, cases[i].text);
        opened(&r, body.data, 1);
        rig_expect(&r, EXECUTE_TRAPPED);
        if (!strstr(r.fault, cases[i].sentence))
            fail_msg("%s", r.fault);
        rig_close(&r);
        text_clear(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bulk_load_is_visible_to_waiters),
        cmocka_unit_test(phases_follow_one_another),
        cmocka_unit_test(arrivals_may_drop_out),
        cmocka_unit_test(reductions_are_counted),
        cmocka_unit_test(invalid_operands_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
