/* SPDX-License-Identifier: Apache-2.0 */
/* Read ranges where bits of a mask decide whether a thread reads, and where one of several
   operands is the pointer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/text.h"

#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 x, .param .u64 step, .param .u32 n, .param .u32 m)\n"   \
    "{\n.reg .pred %p<19>; .reg .b16 %rs<9>; .reg .b32 %r<29>; .reg .b64 %rd<19>;\n"       \
    ".shared .b8 room[64];\n"                                                              \
    "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [step]; ld.param.u32 %r1, [n];\n"          \
    "ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x; mul.wide.u32 %rd5, %r3, 4;\n"             \
    "add.s64 %rd6, %rd1, %rd5; mov.u32 %r20, room;\n"

/* Range of bytes from pointer x that the last access of `body` reads in 8 threads with n =
   3, m = 2 and step = 1000. `end` is 0 if the range is unknown and negative if no thread
   reads. */
static void expect(const char *body, int64_t low, int64_t end)
{
    const struct {
        uint64_t x, step;
        uint32_t n, m;
    } block = {0, 1000, 3, 2};
    const struct access_launch l = {.ntid = {8, 1, 1},
                                    .nctaid = {1, 1, 1},
                                    .parameters = (const unsigned char *)&block,
                                    .parameter_bytes = sizeof block};
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *m;
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p = {.count = 0};
    uint32_t count;
    int64_t first = INT64_MAX, last = -1;

    text_print(&text, "%s%s\nret;\n}\n", START, body);
    if (ptx_parse("t.ptx", text.data, text.length, &m, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));
    const struct access_record *r = &a->records[a->record_count - 1];
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);

    access_trips(a, &l, trips);
    const bool known = access_extent(a, r, &l, trips, spans, &count);

    for (uint32_t n = 0; known && n < count; n++) {
        first = spans[n].low < first ? spans[n].low : first;
        last = spans[n].end > last ? spans[n].end : last;
    }
    if (known != (end != 0) || last != (end ? end : -1) || (end > 0 && first != low) ||
        (end > 0 && (!access_pointers(a, r, &l, trips, &p) || p.count != 1 || p.first)))
        fail_msg("%s: from %lld to %lld", body, (long long)first, (long long)last);
    free(trips);
    access_destroy(a);
    ptx_destroy(m);
    text_clear(&text);
}

/* A load where %p1 is set, and a mask %r7: bit 0 is set for threads below 5, bit 1 for
   threads below n. */
#define LOAD " @%p1 ld.global.u32 %r9, [%rd6];"
#define MASK                                                                               \
    "setp.lt.u32 %p2, %r3, 5; setp.lt.u32 %p3, %r3, %r1; selp.u32 %r5, 1, 0, %p2;\n"       \
    "selp.u32 %r6, -1, 0, %p3; bfi.b32 %r7, %r6, %r5, 1, 1;\n"

static void a_bit_has_the_condition_that_set_it(void **state)
{
    (void)state;
    expect(MASK "and.b32 %r8, %r7, 1; setp.ne.u32 %p1, %r8, 0;" LOAD, 0, 20);
    expect(MASK "and.b32 %r8, %r7, 2; setp.ne.u32 %p1, %r8, 0;" LOAD, 0, 12);
    expect(MASK "and.b32 %r8, %r7, 2; setp.eq.u32 %p1, %r8, 0;" LOAD, 12, 32);
    expect(MASK "and.b32 %r8, %r7, 4; setp.ne.u32 %p1, %r8, 0;" LOAD, 0, -1);
    expect(MASK "setp.ne.u32 %p1, %r7, 0;" LOAD, 0, 20);
    /* shifted, widened, multiplied, combined */
    expect(MASK "shl.b32 %r8, %r7, 3; and.b32 %r8, %r8, 16; shr.u32 %r8, %r8, 4;\n"
                "setp.ne.u32 %p1, %r8, 0;" LOAD,
           0, 12);
    expect("setp.lt.u32 %p2, %r3, 5; selp.u16 %rs1, 1, 0, %p2;\n"
           "mul.wide.u16 %r5, %rs1, 8; or.b32 %r6, %r5, 4; and.b32 %r7, %r6, 8;\n"
           "setp.ne.u32 %p1, %r7, 0;" LOAD,
           0, 20);
    expect(MASK "cvt.u64.u32 %rd8, %r7; shl.b64 %rd8, %rd8, 40; shr.s64 %rd8, %rd8, 41;\n"
                "setp.ne.s64 %p1, %rd8, 0;" LOAD,
           0, 12);
    /* with another predicate, and cleared by a number */
    expect(MASK "and.b32 %r8, %r7, 1; setp.ne.u32 %p4, %r8, 0; setp.ge.u32 %p5, %r3, %r2;\n"
                "and.pred %p1, %p4, %p5;" LOAD,
           8, 20);
    expect(MASK "setp.gt.u32 %p4, %r1, 3; selp.b32 %r7, %r7, 0, %p4;\n"
                "and.b32 %r8, %r7, 1; setp.ne.u32 %p1, %r8, 0;" LOAD,
           0, -1);
    /* from either arm of a branch */
    expect(MASK "setp.lt.u32 %p4, %r3, 4; @%p4 bra L; mov.u32 %r7, 0;\n"
                "L: and.b32 %r8, %r7, 1; setp.ne.u32 %p1, %r8, 0;" LOAD,
           0, 20);
    /* the bits are unknown */
    expect(MASK "ld.global.u32 %r8, [%rd1]; or.b32 %r7, %r7, %r8; and.b32 %r8, %r7, 1;\n"
                "setp.ne.u32 %p1, %r8, 0;" LOAD,
           0, 32);
    expect(MASK "shl.b32 %r7, %r7, %r2; and.b32 %r8, %r7, 4; setp.ne.u32 %p1, %r8, 0;" LOAD,
           0, 32);
}

/* Loop of three iterations that advances by 32 bytes. The mask is cleared before the last
   two. */
#define ROUNDS(test, keep)                                                                 \
    MASK "mov.u32 %r10, 0;\n"                                                              \
         "LOOP: and.b32 %r8, %r7, 1; setp.ne.u32 %p1, %r8, 0;" test                        \
         " add.s64 %rd6, %rd6, 32; add.s32 %r10, %r10, 1;\n" keep                          \
         " setp.lt.u32 %p5, %r10, %r1; @%p5 bra LOOP;"

static void a_loop_clears_its_mask_ahead(void **state)
{
    (void)state;
    expect(ROUNDS(LOAD, ""), 0, 84);
    expect(ROUNDS(LOAD, "setp.lt.u32 %p4, %r10, %r2; selp.b32 %r7, %r7, 0, %p4;"), 0, 52);
    expect(ROUNDS(LOAD, "setp.ge.u32 %p4, %r10, %r2; selp.b32 %r7, 0, %r7, %p4;"), 0, 52);
    expect(ROUNDS(LOAD, "setp.lt.u32 %p4, %r10, 1; selp.b32 %r7, %r7, 0, %p4;"), 0, 20);
    /* the mask is set again: the later iterations are unknown */
    expect(ROUNDS(LOAD, "setp.lt.u32 %p4, %r10, %r2; selp.b32 %r7, %r7, 1, %p4;"), 0, 96);
    /* memory decides */
    expect("ld.global.u32 %r11, [%rd1];\n" ROUNDS(
               LOAD, "setp.lt.u32 %p4, %r10, %r11; selp.b32 %r7, %r7, 0, %p4;"),
           0, 84);
}

static void a_copy_of_no_bytes_reads_nothing(void **state)
{
    (void)state;
    expect(MASK "and.b32 %r8, %r7, 1; shl.b32 %r8, %r8, 2;\n"
                "cp.async.ca.shared.global [%r20], [%rd6], 4, %r8;",
           0, 20);
    expect("setp.lt.u32 %p2, %r3, 5; selp.u32 %r8, 0, 4, %p2;\n"
           "cp.async.ca.shared.global [%r20], [%rd6], 4, %r8;",
           20, 32);
    expect("setp.lt.u32 %p2, %r3, 5; cp.async.ca.shared.global [%r20], [%rd6], 4, %p2;", 20,
           32);
    expect("cp.async.ca.shared.global [%r20], [%rd6], 4, %r1;", 0, 32);
    expect("cp.async.ca.shared.global [%r20], [%rd6], 4;", 0, 32);
}

static void an_operand_added_to_a_pointer_is_a_number(void **state)
{
    (void)state;
    expect("add.s64 %rd7, %rd6, %rd2; ld.global.u32 %r9, [%rd7];", 0, 0);
    expect("ld.global.u32 %r9, [%rd6]; add.s64 %rd7, %rd6, %rd2;\n"
           "ld.global.u32 %r9, [%rd7];",
           1000, 1032);
    /* a 32-bit function is not an address either */
    expect("xor.b32 %r5, %r3, 1; cvt.u64.u32 %rd7, %r5; add.s64 %rd8, %rd1, %rd7;\n"
           "ld.global.u8 %r9, [%rd8]; add.s64 %rd8, %rd8, %rd2; ld.global.u8 %r9, [%rd8];",
           1000, 1008);
    /* either operand may be the pointer: a place in x, or x in another row */
    expect("mov.u64 %rd8, %rd1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;\n"
           "add.s64 %rd8, %rd1, 8;\nL: add.s64 %rd7, %rd8, %rd2;\n"
           "cvta.to.global.u64 %rd7, %rd7; ld.global.u32 %r9, [%rd7];",
           0, 0);
}

static void a_shift_by_a_parameter_has_bounds(void **state)
{
    (void)state;
    expect("shl.b32 %r5, %r3, %r2; mul.wide.u32 %rd7, %r5, 4; add.s64 %rd8, %rd1, %rd7;\n"
           "ld.global.u32 %r9, [%rd8];",
           0, 116);
    expect("shr.u32 %r5, %r3, %r2; mul.wide.u32 %rd7, %r5, 4; add.s64 %rd8, %rd1, %rd7;\n"
           "ld.global.u32 %r9, [%rd8];",
           0, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bit_has_the_condition_that_set_it),
        cmocka_unit_test(a_loop_clears_its_mask_ahead),
        cmocka_unit_test(a_copy_of_no_bytes_reads_nothing),
        cmocka_unit_test(an_operand_added_to_a_pointer_is_a_number),
        cmocka_unit_test(a_shift_by_a_parameter_has_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
