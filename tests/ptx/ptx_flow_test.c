/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, edges and dominators of small graphs, against graphs drawn by hand. */
#include "ptx_testing.h"

/* One letter for each block: its successors, its dominator and post-dominator ('-':
   none). */
struct expected {
    const char *successors, *dominator, *post_dominator;
};

/* True if `above` is on the chain of immediate dominators of `below`. */
static bool is_above(const struct ptx_flow *flow, uint32_t above, uint32_t below)
{
    int32_t at = (int32_t)below;

    while (at >= 0 && at != (int32_t)above)
        at = flow->blocks[at].dominator;
    return at >= 0;
}

static void check(const char *body, const struct expected *expected, uint32_t count)
{
    struct ptx_module *m = must_parse_body(body);
    const struct ptx_function *f = ptx_function_find(m, "k");
    struct arena arena = {0};
    const struct ptx_flow *flow = ptx_flow_build(f, &arena);

    assert_int_equal(flow->block_count, count);
    for (uint32_t b = 0; b < count; b++) {
        const struct ptx_block *block = &flow->blocks[b];
        char got[16] = "", dominator[] = "-", post_dominator[] = "-";

        for (uint32_t i = 0; i < block->successor_count; i++)
            got[i] = (char)('A' + block->successors[i]);
        if (block->dominator >= 0)
            dominator[0] = (char)('A' + block->dominator);
        if (block->post_dominator >= 0)
            post_dominator[0] = (char)('A' + block->post_dominator);
        assert_string_equal(got, expected[b].successors);
        assert_string_equal(dominator, expected[b].dominator);
        assert_string_equal(post_dominator, expected[b].post_dominator);
        for (uint32_t a = 0; a < count; a++)
            assert_int_equal(ptx_dominates(flow, a, b), is_above(flow, a, b));
        for (uint32_t i = 0; i < block->count; i++)
            assert_int_equal(flow->block_of[block->first + i], b);
        for (uint32_t i = 0; i < block->predecessor_count; i++) {
            const struct ptx_block *from = &flow->blocks[block->predecessors[i]];
            bool found = false;

            for (uint32_t k = 0; k < from->successor_count; k++)
                found |= from->successors[k] == b;
            assert_true(found);
        }
    }
    arena_clear(&arena);
    ptx_destroy(m);
}

static void straight_code_is_one_block(void **state)
{
    (void)state;
    check(
        "mov.u32 %r1, 0; bar.sync 0; call callee, (%r1); @%p1 st.global.u32 [g], %r1; ret;",
        (struct expected[]){{"", "-", "-"}}, 1);
    check("", NULL, 0);
}

static void a_guarded_branch_makes_a_triangle(void **state)
{
    (void)state;
    check("@%p1 bra L; mov.u32 %r1, 0; L: ret;",
          (struct expected[]){{"CB", "-", "C"}, {"C", "A", "C"}, {"", "A", "-"}}, 3);
}

static void two_arms_meet_again(void **state)
{
    (void)state;
    check("@!%p1 bra E; mov.u32 %r1, 0; bra.uni J; E: mov.u32 %r1, 1; J: ret;",
          (struct expected[]){
              {"CB", "-", "D"}, {"D", "A", "D"}, {"D", "A", "D"}, {"", "A", "-"}},
          4);
}

static void a_loop_leads_back(void **state)
{
    (void)state;
    check("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; @%p1 bra L; ret;",
          (struct expected[]){{"B", "-", "B"}, {"BC", "A", "C"}, {"", "B", "-"}}, 3);
}

static void a_guarded_ret_goes_on(void **state)
{
    (void)state;
    check("@%p1 ret; mov.u32 %r1, 0; @%p2 exit; trap;",
          (struct expected[]){{"B", "-", "-"}, {"C", "A", "-"}, {"", "B", "-"}}, 3);
}

static void an_endless_loop_has_no_way_out(void **state)
{
    (void)state;
    check("@%p1 bra D; L: bra L; D: ret;",
          (struct expected[]){{"CB", "-", "C"}, {"B", "A", "-"}, {"", "A", "-"}}, 3);
}

static void unreachable_blocks_have_no_dominator(void **state)
{
    (void)state;
    check("bra E; mov.u32 %r1, 0; E: ret;",
          (struct expected[]){{"C", "-", "C"}, {"C", "-", "C"}, {"", "A", "-"}}, 3);
}

static void a_table_leads_to_all_of_its_labels(void **state)
{
    (void)state;
    check("ts: .branchtargets X, Y, X, Z; brx.idx %r1, ts; X: ret; Y: mov.u32 %r1, 1; Z: "
          "ret;",
          (struct expected[]){
              {"BCD", "-", "-"}, {"", "A", "-"}, {"D", "A", "D"}, {"", "A", "-"}},
          4);
}

static void a_branch_to_the_end_leaves(void **state)
{
    (void)state;
    check("@%p1 bra E; mov.u32 %r1, 1; ret; E:",
          (struct expected[]){{"B", "-", "-"}, {"", "A", "-"}}, 2);
    check("@%p1 bra L; L: ret;", (struct expected[]){{"B", "-", "B"}, {"", "A", "-"}}, 2);
}

/* A loop with two entries: none of its nodes dominates the other. */
static void irreducible_loops_converge(void **state)
{
    (void)state;
    check("@%p1 bra Y; X: mov.u32 %r1, 0; Y: @%p2 bra X; ret;",
          (struct expected[]){
              {"CB", "-", "C"}, {"C", "A", "C"}, {"BD", "A", "D"}, {"", "C", "-"}},
          4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_is_one_block),
        cmocka_unit_test(a_guarded_branch_makes_a_triangle),
        cmocka_unit_test(two_arms_meet_again),
        cmocka_unit_test(a_loop_leads_back),
        cmocka_unit_test(a_guarded_ret_goes_on),
        cmocka_unit_test(an_endless_loop_has_no_way_out),
        cmocka_unit_test(unreachable_blocks_have_no_dominator),
        cmocka_unit_test(a_table_leads_to_all_of_its_labels),
        cmocka_unit_test(a_branch_to_the_end_leaves),
        cmocka_unit_test(irreducible_loops_converge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
