/* SPDX-License-Identifier: Apache-2.0 */
/* Indices divided by a number that is not a power of two, as the colours of pixels are.
   Their stores have closed forms that equal the slice. */
#include "write_set_testing.h"

/* Word i % 3 * n + i / 3 for i < 3 n, with signed and unsigned numbers. */
static const char *const planes[] = {
    "mul.lo.s32 %r6, %r1, 3; setp.ge.s32 %p1, %r2, %r6; @%p1 bra L;\n"
    "mul.hi.s32 %r7, %r2, 1431655766; shr.u32 %r8, %r7, 31; add.s32 %r9, %r7, %r8;\n"
    "mul.lo.s32 %r10, %r9, 3; sub.s32 %r11, %r2, %r10; mad.lo.s32 %r12, %r11, %r1, %r9;\n"
    "mul.wide.s32 %rd6, %r12, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], 1;\nL:\n",
    "mul.lo.s32 %r6, %r1, 3; setp.ge.u32 %p1, %r2, %r6; @%p1 bra L;\n"
    "mul.wide.u32 %rd8, %r2, -1431655765; shr.u64 %rd9, %rd8, 33; cvt.u32.u64 %r9, %rd9;\n"
    "mul.lo.s32 %r10, %r9, 3; sub.s32 %r11, %r2, %r10; mad.lo.s32 %r12, %r11, %r1, %r9;\n"
    "mul.wide.u32 %rd6, %r12, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], 1;\nL:\n",
};

static void planes_have_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        struct cut c = cut_text("", planes[i], NULL);

        assert_non_null(c.slice);
        for (uint32_t threads = 3; threads <= 96; threads *= 2)
            for (uint32_t ctas = 1; ctas < 9; ctas += 3) {
                const struct shape s = {ctas, threads, ctas * threads / 3};
                struct write_set *is =
                    run_alike(&c, s, (struct write_set_launch){0}, "planes of three");

                if (is->ctas_run)
                    fail_msg("planes %zu: %s", i, is->why_sliced);
                write_set_destroy(is);
            }
        write_set_slice_destroy(c.slice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_have_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
