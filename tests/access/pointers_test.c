/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of pointer parameters among which a kernel selects, and the ranges that it reads
   through them. */
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

/* 4 pointers, a number, 2 pointers with a number after each. */
#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u32 n, .param .align 8 .b8 s[72], .param .u32 m)\n{\n"      \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"                             \
    "ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x;\n"                 \
    "mov.u32 %r4, %ctaid.x; mov.b64 %rd1, s;\n"

enum { N_AT = 0, S_AT = 8, M_AT = 80, BLOCK = 84 };

struct expected {
    uint32_t first, step, count; /* pointers in s; count 0: any pointer */
    int64_t low, end;            /* bytes from the pointer on; 0: unknown; negative: none */
};

static struct access_launch launch_of(const unsigned char *block)
{
    return (struct access_launch){.ntid = {8, 1, 1},
                                  .nctaid = {4, 1, 1},
                                  .parameters = block,
                                  .parameter_bytes = BLOCK,
                                  .ctaid_first = {1, 0, 0},
                                  .ctaid_end = {3, 1, 1}};
}

/* Checks the last access in CTAs 1 and 2 of 8 threads, with n = 3 and m = 2. */
static void expect(const char *body, struct expected e)
{
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *m;
    /* two tables, of bytes and of words */
    unsigned char block[BLOCK] = {
        [N_AT] = 3,      [M_AT] = 2,         [S_AT + 64] = 8,    [S_AT + 65] = 2,
        [S_AT + 66] = 5, [S_AT + 67] = 8,    [S_AT + 48] = 8,    [S_AT + 52] = 1,
        [S_AT + 56] = 3, [S_AT + 60] = 0xff, [S_AT + 63] = 0xff, [S_AT + 68] = 0xff};
    const struct access_launch l = launch_of(block);
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p = {0};
    uint32_t count;

    text_print(&text, "%s%s\nret;\n}\n", START, body);
    if (ptx_parse("t.ptx", text.data, text.length, &m, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));
    const struct access_record *r = &a->records[a->record_count - 1];
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);

    access_trips(a, &l, trips);
    if (access_pointers(a, r, &l, trips, &p) != (e.count != 0) || p.count != e.count ||
        (e.count && (p.first != S_AT + e.first || (e.count > 1 && p.step != e.step))))
        fail_msg("%s: %u, and %u more by %u", body, p.first, p.count, p.step);
    if (access_extent(a, r, &l, trips, spans, &count) != (e.end != 0) ||
        (e.end < 0 && count) ||
        (e.end > 0 && (count != 1 || spans[0].low != e.low || spans[0].end != e.end)))
        fail_msg("%s: reads others", body);
    free(trips);
    access_destroy(a);
    ptx_destroy(m);
    text_clear(&text);
}

/* A load of the thread's word through the pointer at offset %rd2. */
#define LOAD                                                                               \
    "add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3];\n"                               \
    "mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];\n"

static void an_offset_is_bounded_like_its_index(void **state)
{
    (void)state;
    expect("mul.wide.u32 %rd2, %r2, 8;" LOAD, (struct expected){16, 8, 1, 0, 32});
    expect("mul.wide.u32 %rd2, %r4, 8;" LOAD, (struct expected){8, 8, 2, 0, 32});
    expect("and.b32 %r5, %r3, 3; mul.wide.u32 %rd2, %r5, 8;" LOAD,
           (struct expected){0, 8, 4, 0, 32});
    /* the pointers with numbers between them */
    expect("and.b32 %r5, %r3, 1; mul.wide.u32 %rd2, %r5, 16; add.s64 %rd2, %rd2, 40;" LOAD,
           (struct expected){40, 16, 2, 0, 32});
    /* a guard bounds the index */
    expect("setp.ge.u32 %p1, %r3, %r2; @%p1 bra L; mul.wide.u32 %rd2, %r3, 8;\n" LOAD "L:",
           (struct expected){0, 8, 2, 0, 8});
    /* a loop over the pointers */
    expect("mov.u32 %r5, 0; mul.wide.u32 %rd5, %r3, 4;\n"
           "LOOP: ld.param.u64 %rd4, [%rd1]; add.s64 %rd6, %rd4, %rd5;\n"
           "ld.global.u32 %r9, [%rd6]; add.s64 %rd1, %rd1, 8; add.s32 %r5, %r5, 1;\n"
           "setp.lt.u32 %p1, %r5, %r1; @%p1 bra LOOP;",
           (struct expected){0, 8, 3, 0, 32});
    /* no thread reaches the load */
    expect("setp.gt.u32 %p1, %r1, 3; @!%p1 bra L; mul.wide.u32 %rd2, %r1, 8;\n" LOAD "L:",
           (struct expected){24, 8, 1, 0, -1});
}

/* An offset in %rd2 from a table after %rd1, indexed by the CTA. */
#define TABLE(by, type, at)                                                                \
    "mul.wide.u32 %rd5, %r4, " by "; add.s64 %rd3, %rd1, %rd5;\n"                          \
    "ld.param." type " %r5, [%rd3+" at "]; mul.wide.u32 %rd2, %r5, 8;\n"

static void a_table_in_the_parameters_is_read(void **state)
{
    (void)state;
    /* exactly the bytes of CTAs 1 and 2 */
    expect(TABLE("1", "u8", "64") LOAD, (struct expected){16, 8, 4, 0, 32});
    expect(TABLE("4", "u32", "48") LOAD, (struct expected){8, 8, 3, 0, 32});
    /* the word of the next CTA is negative, so the offset may wrap */
    expect(TABLE("4", "u32", "52") LOAD, (struct expected){0, 8, 9, 0, 32});
    /* unknown entries: any offset that a byte can hold */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r4, [%rd7];\n" TABLE("1", "u8", "64")
               LOAD,
           (struct expected){0, 8, 9, 0, 32});
}

/* A load of the thread's word through the first pointer, skipped if %p1 is set. */
#define UNLESS                                                                             \
    "@%p1 bra L; ld.param.u64 %rd4, [s]; mul.wide.u32 %rd5, %r3, 4;\n"                     \
    "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];\nL:"

static void paths_that_no_thread_takes_are_left_out(void **state)
{
    (void)state;
    /* thread < m or CTA > n */
    expect("setp.ge.u32 %p2, %r3, %r2; setp.le.u32 %p3, %r4, %r1;\n"
           "and.pred %p1, %p2, %p3;" UNLESS,
           (struct expected){0, 8, 1, 0, 8});
    expect("setp.lt.u32 %p2, %r3, %r2; setp.gt.u32 %p3, %r4, %r1;\n"
           "or.pred %p4, %p2, %p3; not.pred %p1, %p4;" UNLESS,
           (struct expected){0, 8, 1, 0, 8});
    /* one of three conditions, then one of two: 2 <= thread < 6 */
    expect("setp.ne.u32 %p2, %r4, 0; setp.ne.u32 %p3, %r4, 3; and.pred %p1, %p2, %p3;\n"
           "setp.ge.u32 %p2, %r3, 6; and.pred %p1, %p1, %p2; @%p1 bra L;\n"
           "setp.lt.u32 %p2, %r3, %r2; setp.le.u32 %p3, %r4, %r1;\n"
           "and.pred %p1, %p2, %p3;" UNLESS,
           (struct expected){0, 8, 1, 8, 24});
    /* neither */
    expect("setp.lt.u32 %p2, %r4, %r1; setp.ne.u32 %p3, %r4, 7; and.pred %p1, %p2, "
           "%p3;" UNLESS,
           (struct expected){0, 8, 1, 0, -1});
    /* one condition is unknown */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r5, [%rd7]; setp.ne.u32 %p2, %r5, 1;\n"
           "setp.ne.u32 %p3, %r4, 7; and.pred %p1, %p2, %p3;" UNLESS,
           (struct expected){0, 8, 1, 0, 32});
}

static void unknown_offsets_may_be_any_pointer(void **state)
{
    (void)state;
    /* unknown offset: any word of the parameter */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r5, [%rd7];\n"
           "mul.wide.u32 %rd2, %r5, 8;" LOAD,
           (struct expected){0, 8, 9, 0, 32});
    /* 2^30 * m may wrap before it is widened */
    expect("shl.b32 %r5, %r2, 30; mul.wide.s32 %rd2, %r5, 8;" LOAD,
           (struct expected){0, 8, 9, 0, 32});
    /* unknown range */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r5, [%rd7]; mul.wide.u32 %rd2, %r2, 8;\n"
           "add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3]; cvta.to.global.u64 %rd4, "
           "%rd4;\nmul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5;\n"
           "ld.global.u32 %r9, [%rd6];",
           (struct expected){16, 8, 1, 0, 0});
    /* the loaded value may be the pointer and the selected value a number */
    expect(
        "ld.param.u64 %rd7, [s]; ld.global.u64 %rd5, [%rd7]; mul.wide.u32 %rd2, %r2, 8;\n"
        "add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3];\n"
        "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];",
        (struct expected){.count = 0});
    /* two values are selected, and either may be the pointer */
    expect("mul.wide.u32 %rd2, %r2, 8; add.s64 %rd3, %rd1, %rd2;\n"
           "ld.param.u64 %rd4, [%rd3]; ld.param.u64 %rd5, [%rd3+8];\n"
           "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];",
           (struct expected){.count = 0});
}

/* Moves %rd2 in a loop of n iterations where a loaded value selects it, then loads through
   %rd2. */
#define MOVED(by)                                                                          \
    "ld.param.u64 %rd7, [s]; ld.param.u64 %rd8, [s+16]; mov.u32 %r5, 0;\n"                 \
    "LOOP: ld.global.u32 %r6, [%rd7]; setp.eq.s32 %p1, %r6, 0; @%p1 bra IN;\n" by          \
    "\nIN: add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r1; @%p2 bra LOOP;\n"               \
    "ld.global.u32 %r9, [%rd2];"

static void a_pointer_that_memory_advances_stays_in_its_array(void **state)
{
    (void)state;
    expect("ld.param.u64 %rd2, [s+8];" MOVED("add.s64 %rd2, %rd2, 4;"),
           (struct expected){8, 8, 1, 0, 0});
    expect("ld.param.u64 %rd2, [s+8];" MOVED(
               "mul.wide.s32 %rd3, %r6, 4; add.s64 %rd2, %rd2, %rd3;"),
           (struct expected){8, 8, 1, 0, 0});
    /* by a value that may be an address, or to an address from memory */
    expect("ld.param.u64 %rd2, [s+8];" MOVED("add.s64 %rd2, %rd2, %rd8;"),
           (struct expected){.count = 0});
    expect("ld.param.u64 %rd2, [s+8];" MOVED("ld.global.u64 %rd2, [%rd7];"),
           (struct expected){.count = 0});
    expect("ld.param.u64 %rd2, [s+8];" MOVED("ld.global.u64 %rd3, [%rd7];\n"
                                             "add.s64 %rd2, %rd2, %rd3;"),
           (struct expected){.count = 0});
    /* to another array, or from either of two arrays */
    expect("ld.param.u64 %rd2, [s+8];" MOVED("add.s64 %rd2, %rd8, 4;"),
           (struct expected){.count = 0});
    expect("ld.param.u64 %rd2, [s+8]; ld.param.u64 %rd9, [s+24]; ld.global.u32 %r6, "
           "[%rd9];\nsetp.eq.s32 %p3, %r6, 0; @%p3 bra L; mov.u64 %rd2, %rd9;\nL:" MOVED(
               "add.s64 %rd2, %rd2, 4;"),
           (struct expected){.count = 0});
}

/* Range read through each pointer, by the offset of the pointer in `s`. There is one row
   for each pointer that some thread uses, in CTAs 1 and 2 of 8 threads; end 0: unknown. */
struct way {
    uint32_t place;
    int64_t low, end;
};

static void expect_ways(const char *body, const struct way *ways, uint32_t way_count)
{
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *m;
    unsigned char block[BLOCK] = {[N_AT] = 3, [M_AT] = 2};
    const struct access_launch l = launch_of(block);
    uint32_t each_count, found = 0;

    text_print(&text,
               "%sld.param.u64 %%rd2, [s]; ld.param.u64 %%rd3, [s+8];\n%s\nret;\n}\n",
               START, body);
    if (ptx_parse("t.ptx", text.data, text.length, &m, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));
    const struct access_record *r = &a->records[a->record_count - 1],
                               *each = access_either(r, &each_count);
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);

    access_trips(a, &l, trips);
    assert_int_equal(r->base, ACCESS_BASE_UNKNOWN);
    if (!ways != !r->either)
        fail_msg("%s: %u ways", body, r->either_count);
    for (uint32_t n = 0; ways && n < each_count; n++) {
        struct access_span spans[ACCESS_SPANS_MAX];
        struct access_pointers p;
        uint32_t count;
        bool known = access_extent(a, &each[n], &l, trips, spans, &count);

        assert_true(access_pointers(a, &each[n], &l, trips, &p) && p.count == 1);
        if (known && !count)
            continue;
        if (found == way_count || p.first != S_AT + ways[found].place ||
            known != (ways[found].end != 0) ||
            (known && (count != 1 || spans[0].low != ways[found].low ||
                       spans[0].end != ways[found].end)))
            fail_msg("%s: way %u is another one", body, n);
        found++;
    }
    assert_int_equal(found, way_count);
    free(trips);
    access_destroy(a);
    ptx_destroy(m);
    text_clear(&text);
}

#define THROUGH                                                                            \
    "mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];"

static void selected_pointers_have_the_ranges_of_their_condition(void **state)
{
    static const struct way both[] = {{0, 0, 32}, {8, 0, 32}},
                            parts[] = {{0, 0, 20}, {8, 20, 32}},
                            moved[] = {{0, 8, 40}, {8, 0, 32}},
                            unknown[] = {{0, 0, 0}, {8, 0, 0}};

    (void)state;
    /* memory selects */
    expect_ways("ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 0;\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                both, 2);
    /* the number n, which is 3, selects */
    expect_ways("setp.eq.u32 %p1, %r1, 3; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                &both[0], 1);
    expect_ways("setp.gt.u32 %p1, %r1, 3; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                &both[1], 1);
    /* the thread selects; the CTA, 1 or 2, selects */
    expect_ways("setp.lt.u32 %p1, %r3, 5; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH, parts,
                2);
    expect_ways("setp.eq.u32 %p1, %r4, 0; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                &both[1], 1);
    expect_ways("setp.eq.u32 %p1, %r4, 1; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH, both,
                2);
    /* a guarded instruction, also negated */
    expect_ways(
        "setp.ge.u32 %p1, %r3, 5; mov.u64 %rd4, %rd2; @%p1 mov.u64 %rd4, %rd3;" THROUGH,
        parts, 2);
    expect_ways(
        "setp.lt.u32 %p1, %r3, 5; mov.u64 %rd4, %rd2; @!%p1 mov.u64 %rd4, %rd3;" THROUGH,
        parts, 2);
    /* a branch; also with an offset, and a load after the join */
    expect_ways("setp.lt.u32 %p1, %r3, 5; mov.u64 %rd4, %rd2; @%p1 bra L;\n"
                "mov.u64 %rd4, %rd3;\nL:" THROUGH,
                parts, 2);
    expect_ways("setp.eq.u32 %p1, %r4, 1; add.s64 %rd4, %rd2, 8; @%p1 bra L;\n"
                "mov.u64 %rd4, %rd3;\nL:" THROUGH,
                moved, 2);
    /* an iteration selects that has ended at the load */
    expect_ways("mov.u32 %r5, 0; mov.u64 %rd4, %rd2;\n"
                "LOOP: setp.eq.u32 %p2, %r5, 7; selp.b64 %rd4, %rd2, %rd3, %p2;\n"
                "add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra LOOP;" THROUGH,
                both, 2);
    /* a condition that may wrap proves nothing */
    expect_ways("shl.b32 %r5, %r1, 30; cvt.s64.s32 %rd7, %r5; setp.eq.s64 %p1, %rd7, 1;\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                both, 2);
    /* memory determines the offset */
    expect_ways(
        "setp.eq.u32 %p1, %r4, 1; selp.b64 %rd4, %rd2, %rd3, %p1;\n"
        "shl.b32 %r5, %r1, 30; mul.wide.s32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5;\n"
        "ld.global.u32 %r9, [%rd6];",
        unknown, 2);
}

static void other_pointers_may_be_any(void **state)
{
    (void)state;
    /* one pointer is loaded from memory */
    expect_ways("ld.global.u64 %rd7, [%rd2]; setp.eq.u32 %p1, %r4, 1;\n"
                "selp.b64 %rd4, %rd2, %rd7, %p1;" THROUGH,
                NULL, 0);
    /* the offset is loaded from memory */
    expect_ways("ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r4, 1;\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1; mul.wide.u32 %rd5, %r5, 4;\n"
                "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];",
                NULL, 0);
    /* either operand may be the pointer */
    expect_ways("setp.eq.u32 %p1, %r4, 1; ld.param.u64 %rd7, [s+16];\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1; add.s64 %rd4, %rd4, %rd7;\n"
                "ld.param.u64 %rd8, [s+24]; add.s64 %rd4, %rd4, %rd8;" THROUGH,
                NULL, 0);
}

/* Words of s[0] that the 8 threads read if a condition on a quotient does not skip them. */
static void a_quotient_keeps_its_dividend(void **state)
{
    static const struct {
        const char *leaves; /* sets %p1 */
        int64_t low, end;
    } rows[] = {
        {"and.b32 %r5, %r3, -4; setp.eq.s32 %p1, %r5, 0;", 16, 32},
        {"and.b32 %r5, %r3, -4; setp.eq.s32 %p1, %r5, 4;", 0, 16},
        {"and.b32 %r5, %r3, -2; setp.eq.s32 %p1, %r5, 2;", 0, 32},
        {"and.b32 %r5, %r3, -2; setp.lt.s32 %p1, %r5, 4;", 16, 32},
        {"shr.u32 %r5, %r3, 1; setp.lt.u32 %p1, %r5, 2;", 16, 32},
        {"shr.u32 %r5, %r3, 1; setp.gt.u32 %p1, %r5, 2;", 0, 24},
        {"div.u32 %r5, %r3, %r1; setp.eq.u32 %p1, %r5, 0;", 12, 32},
        {"div.s32 %r5, %r3, %r1; setp.ge.s32 %p1, %r5, %r2;", 0, 24},
        {"div.s32 %r5, %r3, %r1; setp.ne.s32 %p1, %r5, 1;", 12, 24},
        /* (n - 1 - i) / m is negative, and large as an unsigned number, for i not below
           n. */
        {"sub.s32 %r5, %r1, %r3; add.s32 %r5, %r5, -1; div.u32 %r5, %r5, %r2;\n"
         "setp.lt.u32 %p1, %r5, 1;",
         0, 32},
        {"setp.ge.s32 %p2, %r3, %r1; @%p2 bra L; sub.s32 %r5, %r1, %r3;\n"
         "add.s32 %r5, %r5, -1; div.u32 %r5, %r5, %r2; setp.lt.u32 %p1, %r5, 1;",
         0, 4},
        {"setp.ge.s32 %p2, %r3, %r1; @%p2 bra L; sub.s32 %r5, %r1, %r3;\n"
         "add.s32 %r5, %r5, -1; div.u32 %r5, %r5, %r2; setp.lt.u32 %p1, %r5, 2;",
         0, -1},
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct text body = {0};

        text_print(&body,
                   "ld.param.u64 %%rd4, [s]; mul.wide.u32 %%rd5, %%r3, 4;\n"
                   "add.s64 %%rd6, %%rd4, %%rd5; %s @%%p1 bra L;\n"
                   "ld.global.u32 %%r9, [%%rd6];\nL:",
                   rows[n].leaves);
        expect(body.data, (struct expected){0, 8, 1, rows[n].low, rows[n].end});
        text_clear(&body);
    }
}

/* %rd5 is the second pointer of the struct, without a cvta; %r9 and %rd6 are loaded
   values. */
static void a_pointer_without_cvta_is_the_base(void **state)
{
    static const char *const head = "ld.param.u64 %rd5, [s+8]; ld.param.u64 %rd7, [s]; "
                                    "ld.global.u32 %r9, [%rd7]; "
                                    "ld.global.u64 %rd6, [%rd7];";
    static const struct {
        const char *address;
        bool is;
    } bases[] = {
        {"mul.wide.s32 %rd1, %r9, 2; add.s64 %rd1, %rd5, %rd1;", true},
        {"cvt.u64.u32 %rd1, %r9; add.s64 %rd1, %rd5, %rd1;", true},
        {"mad.lo.s64 %rd1, %rd6, 4, %rd5;", true},
        {"mul.wide.s32 %rd1, %r9, 2; add.s64 %rd1, %rd5, %rd1; and.b64 %rd1, %rd1, -4;",
         true},
        {"add.s64 %rd1, %rd5, %rd6;", false},
        {"sub.s64 %rd1, %rd5, %rd6;", false},
        {"and.b64 %rd1, %rd6, -8; add.s64 %rd1, %rd1, %rd5;", false},
        {"mov.b64 %rd1, {%r9, %r9}; add.s64 %rd1, %rd1, %rd5;", false},
        {"cvt.u64.u32 %rd1, %r9; shl.b64 %rd2, %rd1, 32; add.s64 %rd1, %rd1, %rd2; "
         "add.s64 %rd1, %rd1, %rd5;",
         false},
        {"selp.b64 %rd1, %rd6, 8, %p1; add.s64 %rd1, %rd1, %rd5;", false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof bases / sizeof *bases; n++) {
        struct text text = {0};
        struct proact_error err;
        struct ptx_module *m;

        text_print(&text, "%s%s%s .reg .b16 %%h<3>; %s\nret;\n}\n", START, head,
                   bases[n].address, "atom.add.noftz.f16 %h1, [%rd1], %h2;");
        if (ptx_parse("t.ptx", text.data, text.length, &m, &err))
            fail_msg("%s", err.text);
        struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));
        const struct access_record *r = &a->records[a->record_count - 1];

        if ((r->base == ACCESS_BASE_PARAMETER) != bases[n].is ||
            (bases[n].is && a->symbols[r->base_symbol].offset != S_AT + 8))
            fail_msg("%s: base %d", bases[n].address, (int)r->base);
        assert_int_not_equal(r->state, ACCESS_CLOSED);
        access_destroy(a);
        ptx_destroy(m);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_offset_is_bounded_like_its_index),
        cmocka_unit_test(a_table_in_the_parameters_is_read),
        cmocka_unit_test(paths_that_no_thread_takes_are_left_out),
        cmocka_unit_test(unknown_offsets_may_be_any_pointer),
        cmocka_unit_test(a_pointer_that_memory_advances_stays_in_its_array),
        cmocka_unit_test(a_quotient_keeps_its_dividend),
        cmocka_unit_test(selected_pointers_have_the_ranges_of_their_condition),
        cmocka_unit_test(other_pointers_may_be_any),
        cmocka_unit_test(a_pointer_without_cvta_is_the_base),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
