/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that start where a loop has ended, like the leftovers of an unrolled loop. Closed
   forms equal the slice, or are absent and the slice runs. */
#include "write_set_testing.h"

enum { LENGTHS = 14 };

/* %r6 is the position of the loop, which advances by four; the leftovers continue from
   there one by one. */
#define FOURS                                                                              \
    "LOOP: shl.b32 %r7, %r6, 2; mad.lo.s32 %r7, %r2, 64, %r7; mul.wide.s32 %rd6, %r7, "    \
    "4;\n"                                                                                 \
    "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0; add.s32 %r6, %r6, 4;\n"            \
    "add.s32 %r8, %r8, -4; setp.ge.s32 %p2, %r8, 4; @%p2 bra LOOP;\n"
#define START_FOURS "mov.u32 %r6, 0; mov.u32 %r8, %r1;\n"
#define PLACE                                                                              \
    "mad.lo.s32 %r9, %r2, 64, %r6; mul.wide.s32 %rd7, %r9, 4; add.s64 %rd7, %rd1, %rd7;\n"

static const struct ended {
    const char *body;
    bool is_closed; /* whenever n is at least 4 */
} cases[] = {
    {START_FOURS "setp.lt.s32 %p1, %r1, 4; @%p1 bra OVER;\n" FOURS "OVER:\n" PLACE
                 "st.global.u32 [%rd7+1024], 1;",
     true},
    /* one guard of both combines two conditions */
    {START_FOURS
     "setp.ge.s32 %p3, %r2, 7; setp.lt.s32 %p4, %r1, 1; or.pred %p3, %p3, %p4;\n"
     "@%p3 bra END; setp.lt.s32 %p1, %r1, 4; @%p1 bra OVER;\n" FOURS "OVER:\n" PLACE
     "st.global.u32 [%rd7+1024], 1; END:",
     true},
    /* some threads skip the loop */
    {START_FOURS "setp.ge.s32 %p1, %r2, 5; @%p1 bra OVER;\n" FOURS "OVER:\n" PLACE
                 "st.global.u32 [%rd7+1024], 1;",
     false},
    /* only one of the two stores follows complete loops of all threads */
    {START_FOURS "setp.ge.s32 %p1, %r2, 5; @%p1 bra OVER;\n" FOURS PLACE
                 "st.global.u32 [%rd7+1024], 1; OVER:\n" PLACE
                 "st.global.u32 [%rd7+1152], 1;",
     false},
    {START_FOURS
     "setp.ge.s32 %p3, %r2, 7; setp.lt.s32 %p4, %r1, 4; or.pred %p3, %p3, %p4;\n"
     "@%p3 bra OVER;\n" FOURS "OVER:\n" PLACE "st.global.u32 [%rd7+1024], 1;",
     false},
    /* the loop has two entries */
    {START_FOURS "setp.eq.s32 %p3, %r2, 0; @%p3 bra LOOP;\n"
                 "setp.lt.s32 %p1, %r1, 4; @%p1 bra OVER;\n"
                 "LOOP: add.s32 %r6, %r6, 4; add.s32 %r8, %r8, -4;\n"
                 "setp.ge.s32 %p2, %r8, 4; @%p2 bra LOOP; OVER:\n" PLACE
                 "st.global.u32 [%rd7+1024], 1;",
     false},
    /* the end of the loop is part of a quotient with the thread */
    {START_FOURS "setp.lt.s32 %p1, %r1, 4; @%p1 bra OVER;\n" FOURS "OVER:\n"
                 "add.s32 %r9, %r2, %r6; shr.u32 %r9, %r9, 2; mul.wide.u32 %rd7, %r9, 4;\n"
                 "add.s64 %rd7, %rd1, %rd7; st.global.u32 [%rd7+2048], 1;",
     false},
    /* and with the CTA, whose quotient may stay the same */
    {START_FOURS
     "setp.lt.s32 %p1, %r1, 4; @%p1 bra OVER;\n" FOURS "OVER:\n"
     "add.s32 %r9, %r3, %r6; shr.u32 %r9, %r9, 1; mad.lo.s32 %r9, %r5, 16, %r9;\n"
     "mul.wide.u32 %rd7, %r9, 4; add.s64 %rd7, %rd1, %rd7;\n"
     "st.global.u32 [%rd7+2048], 1;",
     false},
    /* the loop has another exit */
    {START_FOURS
     "setp.lt.s32 %p1, %r1, 4; @%p1 bra OVER;\n"
     "LOOP: setp.eq.s32 %p4, %r6, %r2; @%p4 bra OVER; add.s32 %r6, %r6, 4;\n"
     "add.s32 %r8, %r8, -4; setp.ge.s32 %p2, %r8, 4; @%p2 bra LOOP; OVER:\n" PLACE
     "st.global.u32 [%rd7+1024], 1;",
     false},
};

static void forms_with_ends_equal_slices(void **state)
{
    static const struct shape shapes[] = {{1, 8, 0}, {2, 4, 0}, {4, 2, 0}, {3, 3, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cut c = cut_text("", cases[i].body, NULL);

        assert_non_null(c.slice);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (uint32_t n = 0; n < LENGTHS; n++) {
                const struct shape s = {shapes[k].ctas, shapes[k].threads, n};
                struct write_set *is =
                    run_alike(&c, s, (struct write_set_launch){0}, cases[i].body);

                if (is->ctas_run && n >= 4 && cases[i].is_closed)
                    fail_msg("%s: n %u: %s", cases[i].body, n, is->why_sliced);
                write_set_destroy(is);
            }
        write_set_slice_destroy(c.slice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_with_ends_equal_slices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
