/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that slices of small kernels keep, and kernels that have no slice. */
#include "write_set_testing.h"

static const struct shape one = {1, 1, 3}, warp = {2, 32, 3};

static void stores_of_every_width_are_followed(void **state)
{
    (void)state;
    expect_ranges("st.global.u32 [%rd3], %r1;", warp, true, "0+128");
    expect_ranges("st.global.b8 [%rd1+5], 1;", one, true, "5+1");
    expect_ranges("st.global.b16 [%rd1+-0], %h1;", one, true, "0+2");
    expect_ranges("st.global.v2.f32 [%rd1+8], {%f1, %f2};", one, true, "8+8");
    expect_ranges("st.global.v4.f32 [%rd1+16], {%f1, %f2, %f1, %f2};", one, true, "16+16");
    expect_ranges("st.release.sys.u32 [%rd1], %r1;", one, true, "0+4");
    expect_ranges("red.global.add.u32 [%rd3], %r1;", warp, true, "0+128");
    expect_ranges("atom.add.u64 %rd9, [%rd1+8], 1;", one, true, "8+8");
    expect_ranges("@%p1 bra L; st.u32 [%rd3], 0; L:", one, true, "0+4");
}

static void matrices_are_stored_by_lines(void **state)
{
    const struct shape warp_alone = {1, 32, 40};

    (void)state;
    expect_ranges("wmma.store.d.sync.aligned.row.m8n32k16.global.f16 [%rd1+32],\n"
                  "{%r2, %r2, %r2, %r2}, %r1;",
                  warp_alone, true,
                  "32+64 112+64 192+64 272+64 352+64 432+64 512+64 592+64");
    expect_ranges("wmma.store.d.sync.aligned.col.m8n32k16.f32 [%rd1],\n"
                  "{%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};",
                  warp_alone, true, "0+1024");
    expect_ranges("wmma.store.d.sync.aligned.row.m8n32k16.shared.f16 [%r1],\n"
                  "{%r2, %r2, %r2, %r2}, %r1;",
                  warp_alone, true, "");
    expect_refusal("",
                   "ld.global.u32 %r6, [%rd4];\n"
                   "wmma.store.d.sync.aligned.row.m8n32k16.global.f16 [%rd1],\n"
                   "{%r2, %r2, %r2, %r2}, %r6;",
                   "kernel 'k', t.ptx:13: where it writes depends on what line 12 reads");
}

static void a_matrix_is_stored_not_added(void **state)
{
    struct cut c = cut_text("",
                            "wmma.store.d.sync.aligned.row.m8n32k16.global.f16 [%rd1],\n"
                            "{%r2, %r2, %r2, %r2}, %r1; red.global.add.u32 [%rd3], %r1;",
                            NULL);

    (void)state;
    assert_non_null(c.slice);
    assert_int_equal(write_set_slice_info(c.slice).site_count, 2);
    assert_false(write_set_slice_info(c.slice).sites[0].is_atomic);
    assert_true(write_set_slice_info(c.slice).sites[1].is_atomic);
    write_set_slice_destroy(c.slice);
}

static void unused_instructions_are_removed(void **state)
{
    struct cut c = cut_text(".shared .b32 s[32];\n",
                            "ld.global.u32 %r6, [%rd4]; mov.u32 %r7, 0;\n"
                            "LOOP: ld.global.u32 %r8, [%rd4]; add.s32 %r6, %r6, %r8;\n"
                            "add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r8;\n"
                            "@%p1 bra LOOP; bar.sync 0; st.shared.u32 [s], %r6;\n"
                            "shfl.sync.down.b32 %r9, %r6, 1, 31, -1;\n"
                            "st.global.u32 [%rd3], %r9;",
                            NULL);

    (void)state;
    assert_non_null(c.slice);
    struct write_set_slice_info i = write_set_slice_info(c.slice);

    assert_true(i.is_exact);
    assert_int_equal(i.site_count, 1);
    assert_int_equal(i.kept, 8); /* out, three indices, mad, mul, add, the store */
    assert_null(strstr(i.text, "bar"));
    assert_null(strstr(i.text, "@"));
    assert_string_equal(i.name, "k__proact_slice");
    write_set_slice_destroy(c.slice);
}

static void loops_over_parameters_run(void **state)
{
    (void)state;
    expect_ranges("mov.u32 %r6, 0; mov.u64 %rd6, %rd1;\n"
                  "LOOP: setp.ge.s32 %p1, %r6, %r1; @%p1 bra OUT;\n"
                  "st.global.u32 [%rd6], 0; add.s64 %rd6, %rd6, 64;\n"
                  "add.s32 %r6, %r6, 1; bra LOOP; OUT:",
                  one, true, "0+4 64+4 128+4");
    expect_ranges("add.cc.u32 %r6, %r1, -1; addc.u32 %r7, 0, 7;\n"
                  "mul.wide.u32 %rd6, %r7, 4; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0;",
                  one, true, "32+4"); /* the carry is 1 */
}

/* Checks the number of stores in the text of the slice, and whether the text has a backward
   branch. */
static void expect_text(const char *body, unsigned stores, bool goes_back)
{
    struct cut c = cut_text("", body, NULL);
    unsigned count = 0;

    assert_non_null(c.slice);
    const char *text = write_set_slice_info(c.slice).text;

    for (const char *at = text; (at = strstr(at, "st.global")); at++)
        count++;
    if (count != stores || !strstr(text, "@") == goes_back)
        fail_msg("%s: not %u stores, or a way back too many or few:\n%s", body, stores,
                 text);
    write_set_slice_destroy(c.slice);
}

static void prefetches_write_nothing(void **state)
{
    (void)state;
    expect_text("cp.async.bulk.prefetch.L2.global [%rd1], 256; st.global.u32 [%rd3], 0;", 1,
                false);
}

#define COUNT_TO_R1 "add.s32 %r6, %r6, 1; setp.lt.s32 %p1, %r6, %r1; @%p1 bra LOOP;\n"

static void loops_over_the_same_places_run_once(void **state)
{
    static const char *const again[] = {
        /* the final count is the store address */
        "mov.u32 %r6, 0; LOOP: st.global.u32 [%rd3], 0;\n" COUNT_TO_R1
        "mul.wide.s32 %rd6, %r6, 8; add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 1;",
        /* the count decides whether it stores */
        "mov.u32 %r6, 0; LOOP: setp.eq.s32 %p2, %r6, 1; @%p2 bra OVER;\n"
        "st.global.u32 [%rd3], 0; OVER: " COUNT_TO_R1,
        /* the loop has two exits */
        "mov.u32 %r6, 0; LOOP: setp.eq.s32 %p2, %r6, 1; @%p2 bra OUT;\n"
        "st.global.u32 [%rd3], 0;\n" COUNT_TO_R1 "st.global.u32 [%rd3+512], 0; OUT:",
        /* the previous iteration gives the store address */
        "mov.u32 %r6, 0; mov.u64 %rd6, %rd1; LOOP: st.global.u32 [%rd6], 0;\n"
        "add.s64 %rd6, %rd3, 256;\n" COUNT_TO_R1};

    (void)state;
    expect_text("mov.u32 %r6, 0; LOOP: st.global.u32 [%rd3], 0;\n" COUNT_TO_R1, 1, false);
    expect_text("mov.u32 %r6, 0; LOOP: setp.ge.s32 %p1, %r6, %r1; @%p1 bra OUT;\n"
                "mul.wide.s32 %rd6, %r1, 64; add.s64 %rd6, %rd3, %rd6;\n"
                "st.global.u32 [%rd6], 0; add.s32 %r6, %r6, 1; bra LOOP; OUT:",
                1, true); /* the entry of the loop is conditional */
    expect_ranges("mov.u32 %r6, 0; LOOP: st.global.u32 [%rd3], 0;\n" COUNT_TO_R1, warp,
                  true, "0+128");
    for (unsigned n = 0; n < sizeof again / sizeof *again; n++)
        expect_text(again[n], n == 0 || n == 2 ? 2 : 1, true);
    expect_ranges(again[0], one, true, "0+4 24+4");
    expect_ranges(again[1], one, true, "0+4");
    expect_ranges(again[2], one, true, "0+4");
    expect_ranges(again[3], one, true, "0+4 256+4");
}

static void repeated_stores_are_removed(void **state)
{
    (void)state;
    expect_text("st.global.u32 [%rd3], 0; mov.u32 %r6, 0; LOOP: st.global.u32 [%rd3], 1;\n"
                "st.global.u32 [%rd3], 2;\n" COUNT_TO_R1 "st.global.u32 [%rd3], 3;",
                1, false);
    expect_text("@%p1 st.global.u32 [%rd3], 0; st.global.u32 [%rd3], 1;", 2, true);
    expect_text("st.global.u32 [%rd3], 0; st.global.u32 [%rd3+4], 1;", 2, false);
    expect_text("st.global.u32 [%rd3], 0; st.global.u64 [%rd3], 1;", 2, false);
    expect_text("st.global.u32 [%rd3], 0; add.s64 %rd3, %rd3, 4; st.global.u32 [%rd3], 1;",
                2, false);
    expect_text("setp.eq.s32 %p1, %r2, 0; @%p1 bra OVER; st.global.u32 [%rd3], 0;\n"
                "OVER: st.global.u32 [%rd3], 0;",
                2, true);
}

static void a_masked_value_has_possible_values_only(void **state)
{
    (void)state;
    expect_ranges("and.b32 %r6, %r2, 1; setp.eq.s32 %p1, %r6, 3;\n"
                  "@%p1 bra OVER; st.global.u32 [%rd3], 0; OVER:",
                  warp, true, "0+128");
}

static void memory_as_a_guard_is_dropped(void **state)
{
    (void)state;
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 st.global.u32 [%rd3], 0;",
                  warp, false, "0+128");
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra OVER; st.global.u32 [%rd3], 0; OVER:",
                  warp, false, "0+128");
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 ret; st.global.u32 [%rd3], 0;",
                  warp, false, "0+128");
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "setp.lt.s32 %p2, %r5, 4; and.pred %p3, %p1, %p2;\n"
                  "@%p3 bra OVER; setp.gt.s32 %p4, %r5, 8; @%p4 bra OVER;\n"
                  "st.global.u32 [%rd3], 0; OVER:",
                  warp, false, "0+36"); /* the guard of the parameters stays */
}

static void both_arms_of_a_branch_run(void **state)
{
    (void)state;
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra ELSE; st.global.u32 [%rd1], 0; bra END;\n"
                  "ELSE: st.global.u32 [%rd1+8], 0; END: st.global.u32 [%rd1+16], 0;",
                  one, false, "0+4 8+4 16+4");
    /* a branch in each arm, with one common join */
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "setp.ne.s32 %p2, %r6, 7; @%p1 bra ELSE;\n"
                  "@%p2 bra B; st.global.u32 [%rd1], 0; bra END;\n"
                  "B: st.global.u32 [%rd1+8], 0; bra END;\n"
                  "ELSE: @%p2 bra D; st.global.u32 [%rd1+16], 0; bra END;\n"
                  "D: st.global.u32 [%rd1+24], 0; END: st.global.u32 [%rd1+32], 0;",
                  one, false, "0+4 8+4 16+4 24+4 32+4");
    /* one arm leaves the kernel, the other continues */
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra ON; st.global.u32 [%rd1], 0; ret;\n"
                  "ON: st.global.u32 [%rd1+8], 0;",
                  one, false, "0+4 8+4");
    /* registers that live in one arm only */
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra ELSE; mov.u32 %r7, 0;\n"
                  "L1: mul.wide.s32 %rd6, %r7, 8; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0; add.s32 %r7, %r7, 1;\n"
                  "setp.lt.s32 %p2, %r7, %r1; @%p2 bra L1; bra END;\n"
                  "ELSE: st.global.u32 [%rd1+100], 0; END:",
                  one, false, "0+4 8+4 16+4 100+4");
}

static void stores_of_both_arms_run_once(void **state)
{
#define IF "ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0; setp.ne.s32 %p2, %r6, 7;\n"
#define ST "st.global.u32 [%rd3], %r6;"
#define FAR "st.global.u32 [%rd3+1024], %r6;"
#define AT(TO, OF)                                                                         \
    "mul.wide.s32 " TO ", " OF "; add.s64 " TO ", %rd1, " TO "; st.global.u32 [" TO        \
    "+8], %r6;"
#define OWN(OF, OTHER)                                                                     \
    "@%p1 bra ELSE; " AT("%rd6", OF) " bra END; ELSE: " AT("%rd7", OTHER) " END:"
#define OTHERS AT("%rd6", "%r2, 4") " bra END; ELSE: " AT("%rd7", "%r2, 4") " END:"
#define BOTH "@%p1 bra ELSE; " ST " bra END; ELSE: " ST " END:"
    static const struct {
        const char *body;
        bool is_exact;
        const char *ranges;
    } cases[] = {
        {IF BOTH, true, "0+128"},
        {IF "@%p1 bra ELSE; " ST " ret; ELSE: " ST, true, "0+128"},
        {IF "@%p1 bra ELSE; " ST FAR " bra END; ELSE: " FAR ST " END:", true,
         "0+128 1024+128"},
        {IF "@%p1 bra ELSE; " ST " bra END; ELSE: @%p2 bra D; " ST " bra END;\n"
            "D: " ST " END:",
         true, "0+128"},
        {IF "@%p1 bra ELSE; W: ld.global.u32 %r8, [%rd4]; setp.gt.s32 %p3, %r8, 5;\n"
            "@%p3 bra W; " ST " bra END; ELSE: " ST " END:",
         true, "0+128"},
        {"mov.u32 %r7, 0; L: mul.wide.s32 %rd6, %r7, 1024; add.s64 %rd6, %rd3, %rd6;\n" IF
         "@%p1 bra ELSE; st.global.u32 [%rd6], 0; bra END; ELSE: st.global.u32 [%rd6], 1;\n"
         "END: add.s32 %r7, %r7, 1; setp.lt.s32 %p3, %r7, %r1; @%p3 bra L;",
         true, "0+128 1024+128 2048+128"},
        /* one arm stores more, elsewhere, or not always */
        {IF "@%p1 bra ELSE; " ST " bra END; ELSE: " ST FAR " END:", false,
         "0+128 1024+128"},
        {IF "@%p1 bra ELSE; " ST " bra END; ELSE: " FAR " END:", false, "0+128 1024+128"},
        {IF "setp.lt.s32 %p3, %r2, 4; @%p1 bra ELSE; @%p3 " ST " bra END; ELSE: " ST
            " END:",
         false, "0+128"},
        {IF "@%p1 bra ELSE; L: ld.global.u32 %r8, [%rd4]; setp.gt.s32 %p3, %r8, 5;\n"
            "@%p3 bra END; " ST " bra L; ELSE: " ST " END:",
         false, "0+128"},
        {IF "@%p1 bra ELSE; @%p2 bra END; " ST " bra END; ELSE: " ST " END:", false,
         "0+128"},
        /* each arm with its own address, which is equal to the other one or not */
        {IF OWN("%r2, 4", "%r2, 4"), true, "8+128"},
        {IF OWN("%r2, 4", "%r5, 4"), false, "8+128"},
        {IF OWN("%r2, 4", "%r2, 0"), false, "8+128"},
        {IF OWN("%r2, 4; add.s32 %r2, %r2, 1", "%r2, 4"), true, "8+128"},
        {IF "@%p1 bra ELSE; add.s32 %r2, %r2, 1; bra.uni A; A: " OTHERS, false, "8+132"},
        /* memory decides whether the branch is reached */
        {IF "@%p2 bra END; " BOTH, false, "0+128"},
        {IF "@%p2 bra OUT; @%p1 bra END; " ST " bra OUT; END: " ST " OUT: " FAR, false,
         "0+128 1024+128"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        expect_ranges(cases[n].body, warp, cases[n].is_exact, cases[n].ranges);
    expect_text(IF BOTH, 1, false);
    expect_text(IF "@%p1 bra ELSE; " FAR " bra END; ELSE: add.s32 %r6, %r6, 1; END: " ST, 2,
                false); /* the slice contains nothing of the other arm */
#undef IF
#undef ST
#undef FAR
#undef BOTH
#undef OTHERS
#undef OWN
#undef AT
}

static void loops_that_memory_ends_run_once(void **state)
{
    (void)state;
    expect_ranges("LOOP: st.global.u32 [%rd3], 0; ld.global.u32 %r6, [%rd4];\n"
                  "setp.ne.s32 %p1, %r6, 0; @%p1 bra LOOP;",
                  warp, false, "0+128");
    expect_ranges("LOOP: ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra OUT; st.global.u32 [%rd3], 0; bra LOOP;\n"
                  "OUT: st.global.u32 [%rd3+1024], 0;",
                  warp, false, "0+128 1024+128");
    /* a loop over parameters in a loop over memory with two exits */
    expect_ranges("LOOP: ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra OUT; mov.u32 %r7, 0;\n"
                  "L1: mul.wide.s32 %rd6, %r7, 8; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0; add.s32 %r7, %r7, 1;\n"
                  "setp.lt.s32 %p2, %r7, %r1; @%p2 bra L1;\n"
                  "setp.ne.s32 %p3, %r6, 9; @%p3 bra LOOP;\n"
                  "st.global.u32 [%rd1+60], 0; OUT: st.global.u32 [%rd1+80], 0;",
                  one, false, "0+4 8+4 16+4 60+4 80+4");
    /* and the reverse */
    expect_ranges("mov.u32 %r7, 0; OUTER: mul.wide.s32 %rd6, %r7, 8;\n"
                  "add.s64 %rd6, %rd1, %rd6; ld.global.u32 %r9, [%rd4];\n"
                  "INNER: add.s32 %r9, %r9, -1; setp.lt.s32 %p1, %r9, 0;\n"
                  "@%p1 bra NEXT; st.global.u32 [%rd6], 0; bra INNER;\n"
                  "NEXT: add.s32 %r7, %r7, 1; setp.lt.s32 %p2, %r7, %r1;\n"
                  "@%p2 bra OUTER;",
                  one, false, "0+4 8+4 16+4");
}

/* Definitions in one register whose lifetimes do not overlap, as compilers write them. */
static void definitions_that_do_not_reach_do_not_count(void **state)
{
    (void)state;
    /* first the thread's index, then a loaded value */
    expect_ranges("mov.u32 %r6, %r2; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd7, %rd1, %rd6;\n"
                  "LOOP: mul.wide.s32 %rd8, %r6, 4; add.s64 %rd8, %rd2, %rd8;\n"
                  "ld.global.u32 %r7, [%rd8]; setp.ne.s32 %p1, %r7, %r6;\n"
                  "mov.u32 %r6, %r7; @%p1 bra LOOP; st.global.u32 [%rd7], %r6;",
                  warp, true, "0+128");
    /* the reverse: the loaded value is dead */
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "mov.u32 %r6, 2; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0;",
                  one, true, "8+4");
    /* a definition in one arm does not reach the other arm, in either order */
    expect_ranges(
        "ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0; mov.u64 %rd6, %rd1;\n"
        "@%p1 bra ELSE; add.s64 %rd6, %rd1, 64; st.global.u32 [%rd6], 0; bra END;\n"
        "ELSE: st.global.u32 [%rd6+8], 0; END:",
        one, false, "8+4 64+4");
    expect_ranges(
        "ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0; mov.u64 %rd6, %rd1;\n"
        "@%p1 bra ELSE; st.global.u32 [%rd6+8], 0; bra END;\n"
        "ELSE: add.s64 %rd6, %rd1, 64; st.global.u32 [%rd6], 0; END:",
        one, false, "8+4 64+4");
    /* memory decides whether the loop executes, not which of its iterations stores */
    expect_ranges("mov.u32 %r6, 0; ld.global.u32 %r7, [%rd4]; setp.ne.s32 %p1, %r7, 0;\n"
                  "@%p1 bra END; LOOP: setp.ge.s32 %p2, %r6, %r1; @%p2 bra NEXT;\n"
                  "mul.wide.s32 %rd6, %r6, 8; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0; NEXT: add.s32 %r6, %r6, 1;\n"
                  "setp.lt.s32 %p3, %r6, 9; @%p3 bra LOOP; END:",
                  one, false, "0+4 8+4 16+4");
    /* some definitions that reach the store may be loaded values, as the guard decides */
    expect_refusal("",
                   "mov.u32 %r6, 2; setp.ne.s32 %p1, %r2, 0;\n"
                   "@%p1 ld.global.u32 %r6, [%rd4];\nmul.wide.s32 %rd6, %r6, 4;\n"
                   "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:15: where it writes depends on what line 13 reads");
    /* there is only one carry flag */
    expect_refusal("",
                   "add.cc.u32 %r6, %r1, -1; ld.global.u32 %r7, [%rd4];\n"
                   "setp.ne.s32 %p1, %r7, 0; @%p1 bra ELSE;\n"
                   "addc.u32 %r8, 0, 7; mul.wide.u32 %rd6, %r8, 4;\n"
                   "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0; bra END;\n"
                   "ELSE: add.cc.u32 %r6, %r1, 1; addc.u32 %r8, 0, 7;\n"
                   "mul.wide.u32 %rd6, %r8, 4; add.s64 %rd6, %rd1, %rd6;\n"
                   "st.global.u32 [%rd6], 0; END:",
                   "kernel 'k', t.ptx:15: where it writes depends on what line 12 reads");
}

static void a_trap_is_not_taken(void **state)
{
    (void)state;
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 bra GOOD; trap; GOOD: st.global.u32 [%rd3], 0;",
                  warp, true, "0+128");
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 trap; st.global.u32 [%rd3], 0;",
                  warp, true, "0+128");
}

static void an_endless_loop_is_not_taken(void **state)
{
    (void)state;
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.gt.s32 %p1, %r6, 2;\n"
                  "@%p1 bra LOOP; st.global.u32 [%rd3], 0; ret;\n"
                  "LOOP: add.s32 %r6, %r6, 1; @%p1 bra LOOP; st.global.u32 [%rd1], %r6;\n"
                  "AGAIN: bra LOOP;",
                  warp, true, "0+128");
}

/* Line 12 is the first line of the body. */
static void addresses_from_memory_are_refused(void **state)
{
    (void)state;
    expect_refusal("", "ld.global.u64 %rd6, [%rd4];\nst.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:13: where it writes depends on what line 12 reads");
    expect_refusal("",
                   "mov.u64 %rd6, %rd1; ld.global.u32 %r6, [%rd4];\n"
                   "setp.ne.s32 %p1, %r6, 0; @%p1 bra L; add.s64 %rd6, %rd6, 8;\n"
                   "L: st.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:14: where it writes depends on what line 12 reads");
    expect_refusal("",
                   "mov.u64 %rd6, %rd1; ld.global.u32 %r6, [%rd4];\n"
                   "setp.ne.s32 %p1, %r6, 0; @%p1 add.s64 %rd6, %rd6, 8;\n"
                   "st.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:14: where it writes depends on what line 12 reads");
    /* a loaded value decides how far a loop moves its pointer */
    expect_refusal("",
                   "mov.u64 %rd6, %rd1; LOOP: st.global.u32 [%rd6], 0;\n"
                   "add.s64 %rd6, %rd6, 4; ld.global.u32 %r6, [%rd4];\n"
                   "setp.ne.s32 %p1, %r6, 0; @%p1 bra LOOP;",
                   "kernel 'k', t.ptx:12: where it writes depends on what line 13 reads");
    expect_refusal("",
                   "mov.u32 %r7, 0; LOOP: add.s32 %r7, %r7, 1; ld.global.u32 %r6, [%rd4];\n"
                   "setp.ne.s32 %p1, %r6, 0; @%p1 bra LOOP;\n"
                   "mul.wide.s32 %rd6, %r7, 4; add.s64 %rd6, %rd1, %rd6;\n"
                   "st.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:15: where it writes depends on what line 12 reads");
}

static void other_sources_are_refused(void **state)
{
    (void)state;
    expect_refusal("",
                   "atom.global.add.u32 %r6, [%rd1], 1;\nmul.wide.u32 %rd6, %r6, 4;\n"
                   "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:14: where it writes depends on what line 12 reads");
    expect_refusal("",
                   "mov.u32 %r6, %smid;\nmul.wide.u32 %rd6, %r6, 4;\n"
                   "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;",
                   "kernel 'k', t.ptx:14: where it writes depends on what line 12 reads "
                   "from the hardware");
    expect_refusal(
        ".shared .b32 s[32];\n",
        "mov.u64 %rd6, s; cvta.shared.u64 %rd6, %rd6; setp.eq.s32 %p1, %r1, 7;\n"
        "selp.b64 %rd6, %rd6, %rd3, %p1; st.u32 [%rd6], 0;",
        "kernel 'k', t.ptx:14: where it writes depends on what line 13 takes the "
        "address of, in shared or local memory");
    expect_refusal("", "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;",
                   "kernel 'k', t.ptx:12: it writes by a bulk copy, which is not analyzed");
    expect_refusal("", "LOOP: bra LOOP;",
                   "kernel 'k', t.ptx:8: no path from here leads to its end");
}

static void calls_are_followed_only_if_harmless(void **state)
{
    static const char *const call =
        "{ .param .b64 a; st.param.b64 [a], %rd1; call.uni f, (a); }\n"
        "st.global.u32 [%rd3], 0;";
    struct cut c = cut_text(".func f(.param .b64 a)\n{\n.reg .b64 %rd1;\n.reg .b32 %r1;\n"
                            "ld.param.u64 %rd1, [a]; ld.u32 %r1, [%rd1]; ret;\n}\n",
                            call, NULL);

    (void)state;
    assert_non_null(c.slice);
    write_set_slice_destroy(c.slice);
    expect_refusal(".func f(.param .b64 a)\n{\n.reg .b64 %rd1;\n"
                   "ld.param.u64 %rd1, [a]; st.u32 [%rd1], 0; ret;\n}\n",
                   call, "kernel 'k', t.ptx:17: it calls a function that may write memory");
    expect_refusal(".extern .func f(.param .b64 a);\n", call,
                   "kernel 'k', t.ptx:13: it calls a function that may write memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_of_every_width_are_followed),
        cmocka_unit_test(matrices_are_stored_by_lines),
        cmocka_unit_test(a_matrix_is_stored_not_added),
        cmocka_unit_test(unused_instructions_are_removed),
        cmocka_unit_test(loops_over_parameters_run),
        cmocka_unit_test(prefetches_write_nothing),
        cmocka_unit_test(loops_over_the_same_places_run_once),
        cmocka_unit_test(repeated_stores_are_removed),
        cmocka_unit_test(a_masked_value_has_possible_values_only),
        cmocka_unit_test(memory_as_a_guard_is_dropped),
        cmocka_unit_test(both_arms_of_a_branch_run),
        cmocka_unit_test(stores_of_both_arms_run_once),
        cmocka_unit_test(loops_that_memory_ends_run_once),
        cmocka_unit_test(definitions_that_do_not_reach_do_not_count),
        cmocka_unit_test(a_trap_is_not_taken),
        cmocka_unit_test(an_endless_loop_is_not_taken),
        cmocka_unit_test(addresses_from_memory_are_refused),
        cmocka_unit_test(other_sources_are_refused),
        cmocka_unit_test(calls_are_followed_only_if_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
