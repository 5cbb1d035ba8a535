/* SPDX-License-Identifier: Apache-2.0 */
/* Warp exchanges in a slice. They determine write addresses unless memory determines the
   exchanged value or the participating lanes. */
#include "write_set_testing.h"

static const struct shape warps = {1, 64, 3}, warp = {1, 32, 3};

#define STORE                                                                              \
    "mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;"

static void participating_lanes_are_known(void **state)
{
    (void)state;
    expect_ranges("shfl.sync.idx.b32 %r6, %r5, 3, 31, -1;\n" STORE, warps, true,
                  "12+4 140+4");
    expect_ranges("shfl.sync.down.b32 %r7|%p1, %r5, 1, 31, -1;\n"
                  "selp.b32 %r6, %r7, 40, %p1;\n" STORE,
                  warp, true, "4+124 160+4");
    expect_ranges("setp.lt.s32 %p1, %r5, 5; vote.sync.ballot.b32 %r6, %p1, -1;\n"
                  "popc.b32 %r6, %r6;\n" STORE,
                  warps, true, "0+4 20+4");
    expect_ranges("setp.lt.s32 %p1, %r5, 5; vote.sync.any.pred %p2, %p1, -1;\n"
                  "selp.b32 %r6, 7, 9, %p2;\n" STORE,
                  warps, true, "28+4 36+4");
    expect_ranges("redux.sync.max.s32 %r6, %r5, -1;\n" STORE, warps, true, "124+4 252+4");
    expect_ranges("and.b32 %r6, %r5, 3; match.any.sync.b32 %r6, %r6, -1;\n"
                  "popc.b32 %r6, %r6;\n" STORE,
                  warps, true, "32+4");
    /* the lower half only */
    expect_ranges("setp.ge.s32 %p1, %r5, 16; @%p1 bra OUT;\n"
                  "redux.sync.max.s32 %r6, %r5, 0xffff;\n" STORE " OUT:",
                  warp, true, "60+4");
}

/* Memory splits the lanes before the exchange, but all lanes take part. */
static void lanes_that_memory_splits_take_part(void **state)
{
    (void)state;
    expect_ranges("ld.global.u32 %r7, [%rd4]; setp.ne.s32 %p1, %r7, 0; @%p1 bra L;\n"
                  "st.global.u32 [%rd1+512], 0;\n"
                  "L: shfl.sync.idx.b32 %r6, %r5, 3, 31, -1;\n" STORE,
                  warp, false, "12+4 512+4");
}

/* Each iteration has fewer lanes; the exchanged value is a constant. */
static void lanes_may_differ_between_iterations(void **state)
{
    (void)state;
    expect_ranges("mov.u32 %r7, 0; setp.ge.s32 %p1, %r5, 0;\n"
                  "LOOP: vote.sync.ballot.b32 %r6, %p1, -1; popc.b32 %r6, %r6;\n" STORE
                  "add.s32 %r7, %r7, 1; setp.le.s32 %p2, %r7, %r5; @%p2 bra LOOP;",
                  warp, true, "4+128");
}

static void loaded_values_are_unknown(void **state)
{
    (void)state;
    expect_refusal(
        "", "ld.global.u32 %r6, [%rd4];\nshfl.sync.idx.b32 %r6, %r6, 0, 31, -1;\n" STORE,
        "kernel 'k', t.ptx:14: where it writes depends on what line 12 reads");
    expect_refusal("",
                   "ld.global.u32 %r7, [%rd4];\nvote.sync.any.pred %p1, 1, %r7;\n"
                   "selp.b32 %r6, 7, 9, %p1; " STORE,
                   "kernel 'k', t.ptx:14: where it writes depends on what line 12 reads");
    /* memory selects the lanes: a path around the exchange, a loop */
    expect_refusal(
        "",
        "ld.global.u32 %r7, [%rd4]; setp.ne.s32 %p1, %r7, 0;\n@%p1 bra OUT;\n"
        "vote.sync.any.pred %p2, 1, -1;\nselp.b32 %r6, 7, 9, %p2; " STORE " OUT:",
        "kernel 'k', t.ptx:15: where it writes depends on what line 14 exchanges "
        "between threads that loaded values select");
    expect_refusal(
        "",
        "LOOP: redux.sync.add.s32 %r6, %r5, -1;\n" STORE
        "ld.global.u32 %r7, [%rd4]; setp.ne.s32 %p1, %r7, 0; @%p1 bra LOOP;",
        "kernel 'k', t.ptx:13: where it writes depends on what line 12 exchanges "
        "between threads that loaded values select");
}

/* The hardware selects a lane, or reports the active ones. */
static void machine_values_are_unknown(void **state)
{
    (void)state;
    expect_refusal(
        "", "elect.sync %r6|%p1, -1;\n" STORE,
        "kernel 'k', t.ptx:13: where it writes depends on what line 12 exchanges "
        "between threads");
    expect_refusal("", "activemask.b32 %r6;\n" STORE,
                   "kernel 'k', t.ptx:13: where it writes depends on what line 12 reads "
                   "from the hardware");
    expect_refusal(
        "", "vote.ballot.b32 %r6, 1;\n" STORE,
        "kernel 'k', t.ptx:13: where it writes depends on what line 12 exchanges "
        "between threads");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(participating_lanes_are_known),
        cmocka_unit_test(lanes_that_memory_splits_take_part),
        cmocka_unit_test(lanes_may_differ_between_iterations),
        cmocka_unit_test(loaded_values_are_unknown),
        cmocka_unit_test(machine_values_are_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
