/* SPDX-License-Identifier: Apache-2.0 */
/* Among which pointers of its parameters a kernel chooses, and what it reads from there. */
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

/* 4 pointers, a number, 2 pointers that have a number behind each. */
#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u32 n, .param .align 8 .b8 s[72], .param .u32 m)\n{\n"      \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"                             \
    "ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x;\n"                 \
    "mov.u32 %r4, %ctaid.x; mov.b64 %rd1, s;\n"

enum { N_AT = 0, S_AT = 8, M_AT = 80, BLOCK = 84 };

struct expected {
    uint32_t first, step, count; /* of s; count 0: any pointer */
    int64_t low, end;            /* bytes behind it; 0: not known; less: none */
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

/* In CTAs 1 and 2 of 8 threads; n is 3, m is 2. */
static void expect(const char *body, struct expected e)
{
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *m;
    /* and two tables: bytes, and words */
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

/* From the place in %rd2 on, the thread's word. */
#define LOAD                                                                               \
    "add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3];\n"                               \
    "mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];\n"

static void a_place_is_as_narrow_as_its_index(void **state)
{
    (void)state;
    expect("mul.wide.u32 %rd2, %r2, 8;" LOAD, (struct expected){16, 8, 1, 0, 32});
    expect("mul.wide.u32 %rd2, %r4, 8;" LOAD, (struct expected){8, 8, 2, 0, 32});
    expect("and.b32 %r5, %r3, 3; mul.wide.u32 %rd2, %r5, 8;" LOAD,
           (struct expected){0, 8, 4, 0, 32});
    /* those with numbers between them */
    expect("and.b32 %r5, %r3, 1; mul.wide.u32 %rd2, %r5, 16; add.s64 %rd2, %rd2, 40;" LOAD,
           (struct expected){40, 16, 2, 0, 32});
    /* a guard says how far */
    expect("setp.ge.u32 %p1, %r3, %r2; @%p1 bra L; mul.wide.u32 %rd2, %r3, 8;\n" LOAD "L:",
           (struct expected){0, 8, 2, 0, 8});
    /* a loop that walks through them */
    expect("mov.u32 %r5, 0; mul.wide.u32 %rd5, %r3, 4;\n"
           "LOOP: ld.param.u64 %rd4, [%rd1]; add.s64 %rd6, %rd4, %rd5;\n"
           "ld.global.u32 %r9, [%rd6]; add.s64 %rd1, %rd1, 8; add.s32 %r5, %r5, 1;\n"
           "setp.lt.u32 %p1, %r5, %r1; @%p1 bra LOOP;",
           (struct expected){0, 8, 3, 0, 32});
    /* nobody comes here */
    expect("setp.gt.u32 %p1, %r1, 3; @!%p1 bra L; mul.wide.u32 %rd2, %r1, 8;\n" LOAD "L:",
           (struct expected){24, 8, 1, 0, -1});
}

/* From a place behind %rd1, by the CTA's number. */
#define TABLE(by, type, at)                                                                \
    "mul.wide.u32 %rd5, %r4, " by "; add.s64 %rd3, %rd1, %rd5;\n"                          \
    "ld.param." type " %r5, [%rd3+" at "]; mul.wide.u32 %rd2, %r5, 8;\n"

static void a_table_among_the_parameters_is_named(void **state)
{
    (void)state;
    /* the bytes of CTAs 1 and 2, and no others */
    expect(TABLE("1", "u8", "64") LOAD, (struct expected){16, 8, 4, 0, 32});
    expect(TABLE("4", "u32", "48") LOAD, (struct expected){8, 8, 3, 0, 32});
    /* the word of the next CTA is negative: then it may wrap */
    expect(TABLE("4", "u32", "52") LOAD, (struct expected){0, 8, 9, 0, 32});
    /* it is not known which ones: what fits in a byte */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r4, [%rd7];\n" TABLE("1", "u8", "64")
               LOAD,
           (struct expected){0, 8, 9, 0, 32});
}

/* The thread's word of the first pointer, unless %p1. */
#define UNLESS                                                                             \
    "@%p1 bra L; ld.param.u64 %rd4, [s]; mul.wide.u32 %rd5, %r3, 4;\n"                     \
    "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];\nL:"

static void of_two_ways_in_the_one_that_nobody_takes_is_left_out(void **state)
{
    (void)state;
    /* thread < m or CTA > n */
    expect("setp.ge.u32 %p2, %r3, %r2; setp.le.u32 %p3, %r4, %r1;\n"
           "and.pred %p1, %p2, %p3;" UNLESS,
           (struct expected){0, 8, 1, 0, 8});
    expect("setp.lt.u32 %p2, %r3, %r2; setp.gt.u32 %p3, %r4, %r1;\n"
           "or.pred %p4, %p2, %p3; not.pred %p1, %p4;" UNLESS,
           (struct expected){0, 8, 1, 0, 8});
    /* one of three, and then one of two: 2 <= thread < 6 */
    expect("setp.ne.u32 %p2, %r4, 0; setp.ne.u32 %p3, %r4, 3; and.pred %p1, %p2, %p3;\n"
           "setp.ge.u32 %p2, %r3, 6; and.pred %p1, %p1, %p2; @%p1 bra L;\n"
           "setp.lt.u32 %p2, %r3, %r2; setp.le.u32 %p3, %r4, %r1;\n"
           "and.pred %p1, %p2, %p3;" UNLESS,
           (struct expected){0, 8, 1, 8, 24});
    /* neither */
    expect("setp.lt.u32 %p2, %r4, %r1; setp.ne.u32 %p3, %r4, 7; and.pred %p1, %p2, "
           "%p3;" UNLESS,
           (struct expected){0, 8, 1, 0, -1});
    /* of one of them nothing is known */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r5, [%rd7]; setp.ne.u32 %p2, %r5, 1;\n"
           "setp.ne.u32 %p3, %r4, 7; and.pred %p1, %p2, %p3;" UNLESS,
           (struct expected){0, 8, 1, 0, 32});
}

static void what_is_not_known_is_all_of_it(void **state)
{
    (void)state;
    /* of the place: any word of the parameter */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r5, [%rd7];\n"
           "mul.wide.u32 %rd2, %r5, 8;" LOAD,
           (struct expected){0, 8, 9, 0, 32});
    /* 2^29 * m may wrap before it is widened */
    expect("shl.b32 %r5, %r2, 30; mul.wide.s32 %rd2, %r5, 8;" LOAD,
           (struct expected){0, 8, 9, 0, 32});
    /* of what is read there */
    expect("ld.param.u64 %rd7, [s]; ld.global.u32 %r5, [%rd7]; mul.wide.u32 %rd2, %r2, 8;\n"
           "add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3]; cvta.to.global.u64 %rd4, "
           "%rd4;\nmul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5;\n"
           "ld.global.u32 %r9, [%rd6];",
           (struct expected){16, 8, 1, 0, 0});
    /* what was read may be the pointer, and what was chosen a number */
    expect(
        "ld.param.u64 %rd7, [s]; ld.global.u64 %rd5, [%rd7]; mul.wide.u32 %rd2, %r2, 8;\n"
        "add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3];\n"
        "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];",
        (struct expected){.count = 0});
    /* two are chosen, and either may be the pointer */
    expect("mul.wide.u32 %rd2, %r2, 8; add.s64 %rd3, %rd1, %rd2;\n"
           "ld.param.u64 %rd4, [%rd3]; ld.param.u64 %rd5, [%rd3+8];\n"
           "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];",
           (struct expected){.count = 0});
}

/* As memory says, in each of n rounds; and then what is there. */
#define MOVED(by)                                                                          \
    "ld.param.u64 %rd7, [s]; ld.param.u64 %rd8, [s+16]; mov.u32 %r5, 0;\n"                 \
    "LOOP: ld.global.u32 %r6, [%rd7]; setp.eq.s32 %p1, %r6, 0; @%p1 bra IN;\n" by          \
    "\nIN: add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r1; @%p2 bra LOOP;\n"               \
    "ld.global.u32 %r9, [%rd2];"

static void what_memory_moves_on_stays_in_its_array(void **state)
{
    (void)state;
    expect("ld.param.u64 %rd2, [s+8];" MOVED("add.s64 %rd2, %rd2, 4;"),
           (struct expected){8, 8, 1, 0, 0});
    expect("ld.param.u64 %rd2, [s+8];" MOVED(
               "mul.wide.s32 %rd3, %r6, 4; add.s64 %rd2, %rd2, %rd3;"),
           (struct expected){8, 8, 1, 0, 0});
    /* by what may be an address, or from one that memory holds */
    expect("ld.param.u64 %rd2, [s+8];" MOVED("add.s64 %rd2, %rd2, %rd8;"),
           (struct expected){.count = 0});
    expect("ld.param.u64 %rd2, [s+8];" MOVED("ld.global.u64 %rd2, [%rd7];"),
           (struct expected){.count = 0});
    expect("ld.param.u64 %rd2, [s+8];" MOVED("ld.global.u64 %rd3, [%rd7];\n"
                                             "add.s64 %rd2, %rd2, %rd3;"),
           (struct expected){.count = 0});
    /* to another one, or from either */
    expect("ld.param.u64 %rd2, [s+8];" MOVED("add.s64 %rd2, %rd8, 4;"),
           (struct expected){.count = 0});
    expect("ld.param.u64 %rd2, [s+8]; ld.param.u64 %rd9, [s+24]; ld.global.u32 %r6, "
           "[%rd9];\nsetp.eq.s32 %p3, %r6, 0; @%p3 bra L; mov.u64 %rd2, %rd9;\nL:" MOVED(
               "add.s64 %rd2, %rd2, 4;"),
           (struct expected){.count = 0});
}

/* What is read behind each pointer, by its place in `s`: a row for each way that somebody
   may take, in CTAs 1 and 2 of 8 threads; end 0: not known. */
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

static void one_of_two_pointers_is_each_where_it_may_be_chosen(void **state)
{
    static const struct way both[] = {{0, 0, 32}, {8, 0, 32}},
                            parts[] = {{0, 0, 20}, {8, 20, 32}},
                            moved[] = {{0, 8, 40}, {8, 0, 32}},
                            unknown[] = {{0, 0, 0}, {8, 0, 0}};

    (void)state;
    /* which one, memory says */
    expect_ways("ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 0;\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                both, 2);
    /* the number n, which is 3 */
    expect_ways("setp.eq.u32 %p1, %r1, 3; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                &both[0], 1);
    expect_ways("setp.gt.u32 %p1, %r1, 3; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                &both[1], 1);
    /* the thread; the CTA, of which these are 1 and 2 */
    expect_ways("setp.lt.u32 %p1, %r3, 5; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH, parts,
                2);
    expect_ways("setp.eq.u32 %p1, %r4, 0; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                &both[1], 1);
    expect_ways("setp.eq.u32 %p1, %r4, 1; selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH, both,
                2);
    /* a guard of its own instruction, negated, too */
    expect_ways(
        "setp.ge.u32 %p1, %r3, 5; mov.u64 %rd4, %rd2; @%p1 mov.u64 %rd4, %rd3;" THROUGH,
        parts, 2);
    expect_ways(
        "setp.lt.u32 %p1, %r3, 5; mov.u64 %rd4, %rd2; @!%p1 mov.u64 %rd4, %rd3;" THROUGH,
        parts, 2);
    /* a branch around it; where it was moved, and read behind the join */
    expect_ways("setp.lt.u32 %p1, %r3, 5; mov.u64 %rd4, %rd2; @%p1 bra L;\n"
                "mov.u64 %rd4, %rd3;\nL:" THROUGH,
                parts, 2);
    expect_ways("setp.eq.u32 %p1, %r4, 1; add.s64 %rd4, %rd2, 8; @%p1 bra L;\n"
                "mov.u64 %rd4, %rd3;\nL:" THROUGH,
                moved, 2);
    /* an iteration says which, which is over when it is read */
    expect_ways("mov.u32 %r5, 0; mov.u64 %rd4, %rd2;\n"
                "LOOP: setp.eq.u32 %p2, %r5, 7; selp.b64 %rd4, %rd2, %rd3, %p2;\n"
                "add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra LOOP;" THROUGH,
                both, 2);
    /* what may wrap says nothing */
    expect_ways("shl.b32 %r5, %r1, 30; cvt.s64.s32 %rd7, %r5; setp.eq.s64 %p1, %rd7, 1;\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1;" THROUGH,
                both, 2);
    /* where from there, memory says */
    expect_ways(
        "setp.eq.u32 %p1, %r4, 1; selp.b64 %rd4, %rd2, %rd3, %p1;\n"
        "shl.b32 %r5, %r1, 30; mul.wide.s32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5;\n"
        "ld.global.u32 %r9, [%rd6];",
        unknown, 2);
}

static void others_may_be_any(void **state)
{
    (void)state;
    /* one of them is read from memory */
    expect_ways("ld.global.u64 %rd7, [%rd2]; setp.eq.u32 %p1, %r4, 1;\n"
                "selp.b64 %rd4, %rd2, %rd7, %p1;" THROUGH,
                NULL, 0);
    /* from where on, memory says */
    expect_ways("ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r4, 1;\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1; mul.wide.u32 %rd5, %r5, 4;\n"
                "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r9, [%rd6];",
                NULL, 0);
    /* either may be the pointer */
    expect_ways("setp.eq.u32 %p1, %r4, 1; ld.param.u64 %rd7, [s+16];\n"
                "selp.b64 %rd4, %rd2, %rd3, %p1; add.s64 %rd4, %rd4, %rd7;\n"
                "ld.param.u64 %rd8, [s+24]; add.s64 %rd4, %rd4, %rd8;" THROUGH,
                NULL, 0);
}

/* Of the 8 threads those that a quotient lets through, or not: their words of s[0]. */
static void a_quotient_keeps_its_dividend(void **state)
{
    static const struct {
        const char *leaves; /* by way of %p1 */
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
        /* (n - 1 - i) / m: negative, and then large, of i that are not below n. */
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

/* %rd5: the struct's second, which no cvta takes for one; %r9 and %rd6: from memory. */
static void a_pointer_that_nothing_marks_is_the_base(void **state)
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
        cmocka_unit_test(a_place_is_as_narrow_as_its_index),
        cmocka_unit_test(a_table_among_the_parameters_is_named),
        cmocka_unit_test(of_two_ways_in_the_one_that_nobody_takes_is_left_out),
        cmocka_unit_test(what_is_not_known_is_all_of_it),
        cmocka_unit_test(what_memory_moves_on_stays_in_its_array),
        cmocka_unit_test(a_quotient_keeps_its_dividend),
        cmocka_unit_test(one_of_two_pointers_is_each_where_it_may_be_chosen),
        cmocka_unit_test(others_may_be_any),
        cmocka_unit_test(a_pointer_that_nothing_marks_is_the_base),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
