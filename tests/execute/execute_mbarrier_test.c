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
        cmocka_unit_test(invalid_operands_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
