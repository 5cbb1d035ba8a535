/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant definitions: a value that both arms of a branch compute. */
#include "write_set_testing.h"

static const struct shape one = {1, 1, 3};

#define CHOOSE "ld.global.u32 %r6, [%rd4]; setp.eq.s32 %p1, %r6, 0;\n@%p1 bra L;\n"
#define STORE                                                                              \
    "mul.wide.s32 %rd6, %r7, 4; add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;\n"

/* The store after two arms of a branch that memory decides, in a loop of three iterations:
   %r8 counts them, %r9 adds up `step`. */
static char *in_loop(const char *step, const char *arm, const char *other)
{
    struct text t = {0};

    text_print(&t, "%s%s%s bra M;\nL: %s\nM: %s%s%s%s",
               "mov.u32 %r10, 5; mov.u32 %r8, 0; mov.u32 %r9, %r8;\nTOP:\n", CHOOSE, arm,
               other, STORE, "add.s32 %r8, %r8, 1; add.s32 %r9, %r9, ", step,
               "; setp.lt.s32 %p2, %r8, 3; @%p2 bra TOP;");
    return t.data;
}

static void expect_undecided(const char *step, const char *arm, const char *other)
{
    char *body = in_loop(step, arm, other);
    struct cut c = cut_text("", body, NULL);

    if (c.slice)
        fail_msg("%s: not refused", body);
    assert_non_null(strstr(c.err.text, "where it writes depends on what line"));
    free(body);
}

/* clang computes in each arm what nvcc computes ahead of the branch: memory decides the
   arm, not the value. */
static void a_value_of_both_arms_depends_on_no_branch(void **state)
{
    static const char same[] = "shl.b32 %r7, %r1, 1;";

    (void)state;
    expect_ranges(CHOOSE "shl.b32 %r7, %r1, 1; bra M;\nL: shl.b32 %r7, %r1, 1;\nM: " STORE,
                  one, true, "24+4");
    expect_ranges(CHOOSE "add.s32 %r8, %r6, 1; bra N;\nN: add.s32 %r7, %r1, 4; bra M;\n"
                         "L: add.s32 %r7, %r1, 4;\nM: " STORE,
                  one, true, "28+4");
    expect_undecided("%r10", same, "shl.b32 %r7, %r1, 2;");
    expect_undecided("%r10", same, "shl.b32 %r7, %r6, 1;");
    expect_undecided("%r10", same, "add.s32 %r1, %r1, 1; shl.b32 %r7, %r1, 1;");
    expect_undecided("%r10", same, "@%p2 shl.b32 %r7, %r1, 1;");
    expect_undecided("%r10", same,
                     "setp.eq.s32 %p3, %r6, 3; @%p3 bra M; shl.b32 %r7, %r1, 1;");
}

/* What one arm multiplies, clang has the loop add up for the other one. */
static void a_sum_in_steps_is_a_product(void **state)
{
    static const char sum[] = "mov.u32 %r7, %r9;", product[] = "mul.lo.s32 %r7, %r8, %r10;";
    char *body = in_loop("%r10", sum, product), *turned = in_loop("%r10", product, sum);

    (void)state;
    expect_ranges(body, one, true, "0+4 20+4 40+4");
    expect_ranges(turned, one, true, "0+4 20+4 40+4");
    expect_undecided("%r1", sum, product);
    expect_undecided("%r10", sum, "mul.lo.s32 %r7, %r8, %r1;");
    expect_undecided("%r10", sum, "mul.lo.s32 %r7, %r9, %r10;");
    expect_undecided("%r10", "add.s32 %r9, %r9, 1; mov.u32 %r7, %r9;", product);
    free(body);
    free(turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_of_both_arms_depends_on_no_branch),
        cmocka_unit_test(a_sum_in_steps_is_a_product),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
