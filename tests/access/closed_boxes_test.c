/* SPDX-License-Identifier: Apache-2.0 */
/* Grid-stride loops that are unrolled by four. The number of leftover iterations differs
   between threads, but is equal for neighbours. All CTAs except the one where it changes
   have closed forms, which equal the slice. */
#include "write_set_testing.h"

/* %r2 is the index of the thread in a three-dimensional grid; %r16 is the number of threads
   of the grid. */
#define STRIDE                                                                             \
    "mov.u32 %r10, %ctaid.y; mov.u32 %r11, %ctaid.z; mov.u32 %r12, %nctaid.x;\n"           \
    "mov.u32 %r13, %nctaid.y; mov.u32 %r14, %nctaid.z; mad.lo.s32 %r15, %r11, %r13, "      \
    "%r10;\n"                                                                              \
    "mad.lo.s32 %r15, %r15, %r12, %r3; mad.lo.s32 %r2, %r15, %r4, %r5;\n"                  \
    "mul.lo.s32 %r16, %r12, %r13; mul.lo.s32 %r16, %r16, %r14;\n"                          \
    "mul.lo.s32 %r16, %r16, %r4; setp.ge.s32 %p1, %r2, %r1; @%p1 bra END;\n"
#define ONE                                                                                \
    "mul.wide.s32 %rd6, %r2, 4; add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 1;\n"      \
    "add.s32 %r2, %r2, %r16;\n"

static const char body[] =
    STRIDE "sub.s32 %r17, %r1, %r2; add.s32 %r17, %r17, -1; div.u32 %r17, %r17, %r16;\n"
           "add.s32 %r18, %r17, 1; and.b32 %r18, %r18, 3;\n"
           "setp.eq.s32 %p2, %r18, 0; @%p2 bra FOURS;\n"
           "ONES:" ONE "add.s32 %r18, %r18, -1; setp.ne.s32 %p3, %r18, 0; @%p3 bra ONES;\n"
           "FOURS: setp.lt.u32 %p4, %r17, 3; @%p4 bra END;\n"
           "FOUR:" ONE ONE ONE ONE "setp.lt.s32 %p5, %r2, %r1; @%p5 bra FOUR; END:";

static const uint32_t grids[][3] = {{7, 1, 1}, {4, 3, 1}, {3, 2, 4}, {1, 5, 2}, {16, 1, 1}};

static struct write_set *run(const struct cut *c, const uint32_t *grid, uint32_t n)
{
    return run_alike(c, (struct shape){grid[0], 8, n},
                     (struct write_set_launch){.grid = {grid[0], grid[1], grid[2]}},
                     "boxes of a grid");
}

static void all_but_one_cta_have_forms(void **state)
{
    struct cut c = cut_text("", body, NULL);
    unsigned closed = 0, parted = 0;

    (void)state;
    assert_non_null(c.slice);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (uint32_t n = 0; n < WORDS; n += 13) {
            struct write_set *is = run(&c, grids[g], n);

            if (is->ctas_run > 1)
                fail_msg("grid %zu, n %u: %u CTAs were run: %s", g, n, is->ctas_run,
                         is->why_sliced);
            assert_int_equal(is->why_sliced != NULL, is->ctas_run > 0);
            closed += !is->ctas_run;
            parted += is->ctas_run;
            write_set_destroy(is);
        }
    assert_in_range(closed, 20, 1000);
    assert_in_range(parted, 20, 1000);
    write_set_slice_destroy(c.slice);
}

/* The square of a thread index is in no CTA the sum of a thread term and a CTA term. */
static void ctas_without_closed_form_run_the_slice(void **state)
{
    struct cut c = cut_text("",
                            "mul.lo.s32 %r6, %r2, %r2; and.b32 %r6, %r6, 1020;\n"
                            "mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6;\n"
                            "st.global.u32 [%rd6], 1;",
                            NULL);
    static const uint32_t grid[] = {100, 1, 1};
    struct write_set *w = run(&c, grid, 5);

    (void)state;
    assert_int_equal(w->ctas_run, 100);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

/* Every second CTA has a closed form. The search does not halve the grid without limit; the
   slice covers the CTAs that were not examined. */
static void the_number_of_boxes_is_limited(void **state)
{
    struct cut c = cut_text("",
                            "and.b32 %r7, %r3, 1; mul.lo.s32 %r8, %r5, %r7;\n"
                            "and.b32 %r8, %r8, 3; setp.eq.s32 %p1, %r8, 0; @%p1 bra END;\n"
                            "LOOP: st.global.u32 [%rd3], 1; add.s32 %r8, %r8, -1;\n"
                            "setp.ne.s32 %p2, %r8, 0; @%p2 bra LOOP; END:",
                            NULL);
    static const uint32_t grid[] = {100, 1, 1};
    struct write_set *is = run(&c, grid, 5);

    (void)state;
    assert_in_range(is->ctas_run, 51, 99);
    write_set_destroy(is);
    write_set_slice_destroy(c.slice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_but_one_cta_have_forms),
        cmocka_unit_test(ctas_without_closed_form_run_the_slice),
        cmocka_unit_test(the_number_of_boxes_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
