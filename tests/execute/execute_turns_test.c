/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of a CTA: what a device counts of its warps in each run. */
#include "execute_testing.h"

/* A device adds the longest warps of the runs: none may be ahead when a run ends. Warp 2
   loops 100 times before each barrier, and each warp `more` times more than the one before.
 */
static void warps_leave_a_barrier_together(void **state)
{
    enum { WARPS = 8, BARRIERS = 8 };
    struct rig r;

    (void)state;
    for (uint64_t n = 0; n < 40; n++) {
        const uint32_t more = n % 2 ? 40 : 0;

        rig_open(&r,
                 RIG_KERNEL
                 "shr.u32 %r5, %r1, 5; sub.u32 %r5, %r5, 2;\n"
                 "mad.lo.u32 %r5, %r5, %r2, 100;\n"
                 "mov.u32 %r3, 0; B: mov.u32 %r4, 0;\n"
                 "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r5; @%p1 bra L;\n"
                 "bar.sync 0; add.u32 %r3, %r3, 1;\n"
                 "setp.lt.u32 %p2, %r3, 8; @%p2 bra B; }\n",
                 true);
        r.launch.block[0] = WARPS * 32;
        r.parameters[1] = more;
        r.recounts = true;
        assert_int_equal(rig_run(&r, 1600, n / 2), EXECUTE_EXITED);
        const uint64_t of_the_last = BARRIERS * (3 * (100 + more * (WARPS - 3)) + 5) + 8;

        assert_in_range(r.all_longest, of_the_last, of_the_last * 105 / 100);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_leave_a_barrier_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
