/* SPDX-License-Identifier: Apache-2.0 */
/* Read ranges of wrapped indices, x / n and x % n in every form that compilers give them.
   The ranges are few, contain every element that some thread reads, and little else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

enum { LAUNCHES = 400, CTAS_MAX = 40, WORD = 4, CASES = 3, PAD = 3 };

/* %r1 = x, the index of the thread; element %r9 of `a` is read if x < n. */
#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)\n{\n"                  \
    ".reg .pred %p<9>; .reg .b16 %rs<19>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"          \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; ld.param.u32 %r3, [m];\n"              \
    "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x;\n"                  \
    "mad.lo.s32 %r1, %r4, %r5, %r6; setp.ge.s32 %p1, %r1, %r2; @%p1 bra END;\n"
#define REST                                                                               \
    "\nmul.wide.s32 %rd2, %r9, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r9, [%rd2];\n"  \
    "END: ret;\n}\n"

#define ANY UINT32_MAX
#define NEVER (UINT32_MAX - 1)
#define PADDED (UINT32_MAX - 2) /* rows of m, PAD words apart */

/* %rd4 = x - 1 in 32 bits, widened without sign; %rd5 = m - 1; %p2 = x > 0 */
#define BEFORE                                                                             \
    "cvt.s64.s32 %rd3, %r1; shl.b64 %rd4, %rd3, 32; add.s64 %rd4, %rd4, -4294967296;\n"    \
    "shr.u64 %rd4, %rd4, 32; add.s32 %r7, %r3, -1; cvt.s64.s32 %rd5, %r7;\n"               \
    "setp.gt.s32 %p2, %r1, 0;\n"

static uint32_t around_1024(uint32_t x, uint32_t m)
{
    (void)m;
    return (x + 1023) % 1024;
}

static uint32_t around_1000(uint32_t x, uint32_t m)
{
    (void)m;
    return (x + 999) % 1000;
}

static uint32_t around_m(uint32_t x, uint32_t m)
{
    return (x + 1) % m;
}

static uint32_t row_of_1000(uint32_t x, uint32_t m)
{
    (void)m;
    return x / 1000 * 4096;
}

static uint32_t row_of_m(uint32_t x, uint32_t m)
{
    return x / m * 5000 + x % m;
}

static uint32_t padded_row_of_m(uint32_t x, uint32_t m)
{
    return x / m * (m + PAD) + x % m;
}

static uint32_t padded_plane_of_m(uint32_t x, uint32_t m)
{
    return (x / (4 * m) * 5 + x / m % 4) * (m + PAD) + x % m;
}

static uint32_t inserted(uint32_t x, uint32_t m)
{
    return (x & ~1008u) | (m & 63) << 4;
}

static uint32_t far_below_1000(uint32_t x, uint32_t m)
{
    return x < 1000 ? x + m : x;
}

static uint32_t near_below_1000(uint32_t x, uint32_t m)
{
    return x + 3000 - (x < 1000 ? m : 0);
}

static uint32_t by_more_bits(uint32_t x, uint32_t m)
{
    return x + ((x < 1000 ? ~((999 - x) >> 8) : (x - 1000) >> 8) & m);
}

static uint32_t before_or_last(uint32_t x, uint32_t m)
{
    return x ? x - 1 : m - 1;
}

static uint32_t before(uint32_t x, uint32_t m)
{
    (void)m;
    return x - 1;
}

static uint32_t twice_before(uint32_t x, uint32_t m)
{
    return 2 * before(x, m);
}

static uint32_t by_one_bit(uint32_t x, uint32_t m)
{
    return x + (x < 1000 ? m & 1 : 0);
}

/* Code as nvcc 13 generates it. */
static const struct form {
    const char *body;
    uint32_t (*is)(uint32_t x, uint32_t m);
    uint32_t shift, period; /* 0: m; NEVER: one period, few ranges; ANY: any number of
                               ranges */
} forms[] = {
    {"add.s32 %r7, %r1, 1023; shr.s32 %r8, %r7, 31; shr.u32 %r8, %r8, 22;\n"
     "add.s32 %r8, %r7, %r8; and.b32 %r8, %r8, -1024; sub.s32 %r9, %r7, %r8;",
     around_1024, 1023, 1024},
    {"add.s32 %r7, %r1, 1023; shr.s32 %r8, %r7, 31; shr.u32 %r8, %r8, 22;\n"
     "add.s32 %r8, %r7, %r8; and.b32 %r8, %r8, 4193280; sub.s32 %r9, %r7, %r8;",
     around_1024, 1023, 1024},
    {"add.s32 %r7, %r1, -1; and.b32 %r9, %r7, 1023;", around_1024, 1023, 1024},
    {"add.s32 %r7, %r1, -1; mov.u32 %r8, 0; bfi.b32 %r9, %r7, %r8, 0, 10;", around_1024,
     1023, 1024},
    {"add.s32 %r7, %r1, 999; mul.hi.s32 %r8, %r7, 274877907; shr.u32 %r9, %r8, 31;\n"
     "shr.s32 %r8, %r8, 6; add.s32 %r8, %r8, %r9; mul.lo.s32 %r8, %r8, 1000;\n"
     "sub.s32 %r9, %r7, %r8;",
     around_1000, 999, 1000},
    {"add.s32 %r7, %r1, 999; cvt.u16.u32 %rs1, %r7; shr.u16 %rs2, %rs1, 3;\n"
     "mul.wide.u16 %r8, %rs2, 8389; shr.u32 %r8, %r8, 20; cvt.u16.u32 %rs3, %r8;\n"
     "mul.lo.s16 %rs3, %rs3, 1000; sub.s16 %rs4, %rs1, %rs3; cvt.u32.u16 %r9, %rs4;",
     around_1000, 999, 1000},
    {"add.s32 %r7, %r1, 1023; shl.b32 %r7, %r7, 2; and.b32 %r8, %r7, 4092;\n"
     "cvt.u64.u32 %rd3, %r8; add.s64 %rd1, %rd1, %rd3; mov.u32 %r9, 0;",
     around_1024, 1023, 1024},
    {"add.s32 %r7, %r1, 1; rem.s32 %r9, %r7, %r3;", around_m, 1, 0},
    {"mul.hi.u32 %r8, %r1, 274877907; shr.u32 %r8, %r8, 6; shl.b32 %r9, %r8, 12;",
     row_of_1000, 0, 1000},
    {"div.s32 %r7, %r1, %r3; mul.lo.s32 %r8, %r7, %r3; sub.s32 %r8, %r1, %r8;\n"
     "mad.lo.s32 %r9, %r7, 5000, %r8;",
     row_of_m, 0, 0},
    {"div.s32 %r7, %r1, %r3; rem.s32 %r8, %r1, %r3; add.s32 %r10, %r3, 3;\n"
     "mad.lo.s32 %r9, %r7, %r10, %r8;",
     padded_row_of_m, 0, PADDED},
    {"div.s32 %r7, %r1, %r3; rem.s32 %r8, %r1, %r3; rem.s32 %r11, %r7, 4;\n"
     "shl.b32 %r12, %r3, 2; div.s32 %r12, %r1, %r12; mad.lo.s32 %r11, %r12, 5, %r11;\n"
     "add.s32 %r10, %r3, 3; mad.lo.s32 %r9, %r11, %r10, %r8;",
     padded_plane_of_m, 0, ANY},
    {"bfi.b32 %r9, %r3, %r1, 4, 6;", inserted, 0, ANY},
    {"add.s32 %r7, %r1, -1000; shr.s32 %r8, %r7, 31; and.b32 %r8, %r8, %r3;\n"
     "add.s32 %r9, %r7, %r8; add.s32 %r9, %r9, 1000;",
     far_below_1000, 0, 1000},
    {"add.s32 %r7, %r1, -1000; shr.s32 %r8, %r7, 31; and.b32 %r8, %r3, %r8;\n"
     "add.s32 %r9, %r7, %r8; add.s32 %r9, %r9, 1000;",
     far_below_1000, 0, 1000},
    {"add.s32 %r7, %r1, -1000; shr.s32 %r8, %r7, 31; neg.s32 %r10, %r3;\n"
     "and.b32 %r8, %r8, %r10; add.s32 %r9, %r7, %r8; add.s32 %r9, %r9, 4000;",
     near_below_1000, 0, ANY},
    {"add.s32 %r7, %r1, -1000; shr.s32 %r8, %r7, 8; and.b32 %r8, %r8, %r3;\n"
     "add.s32 %r9, %r1, %r8;",
     by_more_bits, 0, ANY},
    {"add.s32 %r7, %r1, -1000; shr.u32 %r8, %r7, 31; and.b32 %r8, %r8, %r3;\n"
     "add.s32 %r9, %r1, %r8;",
     by_one_bit, 0, ANY},
    {BEFORE "selp.b64 %rd6, %rd4, %rd5, %p2; cvt.u32.u64 %r9, %rd6;", before_or_last, 0,
     NEVER},
    {BEFORE "selp.b64 %rd6, %rd4, %rd5, %p2; cvt.s64.s32 %rd7, %rd6;\n"
            "shl.b64 %rd7, %rd7, 2; add.s64 %rd1, %rd1, %rd7; mov.u32 %r9, 0;",
     before_or_last, 0, NEVER},
    {BEFORE "shl.b64 %rd7, %rd4, 2; add.s64 %rd1, %rd1, %rd7; mov.u32 %r9, 0;", before, 0,
     ANY},
    {BEFORE "setp.ge.s32 %p3, %r1, 0; selp.b64 %rd6, %rd4, %rd5, %p3;\n"
            "cvt.u32.u64 %r9, %rd6; add.s64 %rd7, %rd6, %rd5; sub.s64 %rd7, %rd7, %rd5;\n"
            "shl.b64 %rd7, %rd7, 1; shl.b64 %rd7, %rd7, 1; add.s64 %rd1, %rd1, %rd7;",
     twice_before, 0, ANY},
};

struct reader {
    struct ptx_module *module;
    struct access_analysis *analysis;
    const struct access_record *load;
};

static struct reader read_of(const char *body)
{
    struct text text = {0};
    struct proact_error err;
    struct reader r;

    text_print(&text, "%s%s%s", START, body, REST);
    if (ptx_parse("t.ptx", text.data, text.length, &r.module, &err))
        fail_msg("%s", err.text);
    text_clear(&text);
    r.analysis = access_analyze(r.module, ptx_function_find(r.module, "k"));
    r.load = &r.analysis->records[r.analysis->record_count - 1];
    assert_int_equal(r.load->state, ACCESS_CLOSED);
    return r;
}

/* Number of words in the ranges. */
static uint64_t words_of(const struct access_span *spans, uint32_t count)
{
    uint64_t words = 0;

    for (uint32_t s = 0; s < count; s++)
        words += (uint64_t)(spans[s].end - spans[s].low) / WORD * (spans[s].times + 1);
    return words;
}

static bool holds(const struct access_span *spans, uint32_t count, uint32_t place)
{
    for (uint32_t s = 0; s < count; s++)
        if (access_span_holds(&spans[s], (int64_t)place * WORD, WORD))
            return true;
    return false;
}

/* CTAs first to end - 1 of `width` threads; x < n. */
static void check(const struct form *f, const struct reader *r, const uint32_t launch[5])
{
    const uint32_t width = launch[0], first = launch[1], end = launch[2], n = launch[3],
                   m = launch[4], period = f->period && f->period != PADDED ? f->period : m;
    unsigned char block[16] = {0};
    struct access_launch l = {.ntid = {width, 1, 1},
                              .nctaid = {CTAS_MAX, 1, 1},
                              .ctaid_first = {first, 0, 0},
                              .ctaid_end = {end, 1, 1},
                              .parameters = block,
                              .parameter_bytes = sizeof block};
    struct access_span spans[ACCESS_SPANS_MAX];
    uint32_t count, x = first * width, last = end * width < n ? end * width : n;

    memcpy(block + 8, &n, sizeof n);
    memcpy(block + 12, &m, sizeof m);
    const uint32_t rows = x < last
                              ? (last - 1 + f->shift) / period - (x + f->shift) / period
                              : 0; /* number of rows that begin after the first element */
    const bool has_few = period != ANY && x < last && (f->period == PADDED || rows < CASES);

    if (!access_extent(r->analysis, r->load, &l, NULL, spans, &count)) {
        if (has_few)
            fail_msg("%s: CTAs %u to %u of %u, n %u, m %u: nothing is known", f->body,
                     first, end - 1, width, n, m);
        return;
    }
    for (; x < last; x++)
        if (!holds(spans, count, f->is(x, m)))
            fail_msg("%s: CTAs %u to %u of %u, n %u, m %u: element %u is missing", f->body,
                     first, end - 1, width, n, m, f->is(x, m));
    if (has_few && words_of(spans, count) >
                       last - first * width + (f->period == PADDED ? PAD * rows : 0))
        fail_msg("%s: CTAs %u to %u of %u, n %u, m %u: %lu words", f->body, first, end - 1,
                 width, n, m, (unsigned long)words_of(spans, count));
}

static void wrapped_indices_have_few_ranges(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct reader r = read_of(forms[i].body);

        for (int turn = 0; turn < LAUNCHES; turn++) {
            const uint32_t first = (uint32_t)random_below(&random, CTAS_MAX);
            const uint32_t launch[] = {
                32u << (uint32_t)random_below(&random, 4), first,
                first + 1 + (uint32_t)random_below(&random, CTAS_MAX - first),
                1 + (uint32_t)random_below(&random, 6000),
                1 + (uint32_t)random_below(&random, 3000)};

            check(&forms[i], &r, launch);
        }
        access_destroy(r.analysis);
        ptx_destroy(r.module);
    }
}

static void closes(struct access_span s, int64_t low, int64_t end)
{
    const struct access_span one = access_span_close(&s, 9, 32);
    const bool is_one = !one.times;

    assert_true(is_one || !memcmp(&one, &s, sizeof s));
    assert_int_equal(is_one, low < end);
    if (is_one) {
        assert_int_equal(one.low, low);
        assert_int_equal(one.end, end);
    }
}

static void rows_with_small_gaps_become_one_range(void **state)
{
    (void)state;
    closes((struct access_span){-8, 40, 60, 9}, -8, 580);
    closes((struct access_span){-8, 40, 80, 9}, -8, 760);   /* gaps of 32 bytes */
    closes((struct access_span){-8, 40, 81, 9}, 0, 0);      /* gaps of 33 bytes */
    closes((struct access_span){-8, 40, -60, 9}, -548, 40); /* backwards */
    closes((struct access_span){0, 16, 32, 9}, 0, 304);
    closes((struct access_span){0, 16, 33, 9}, 0, 0);  /* gap larger than a row */
    closes((struct access_span){-8, 40, 60, 8}, 0, 0); /* nine rows */
    closes((struct access_span){-8, 40, 20, 9}, -8, 220);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapped_indices_have_few_ranges),
        cmocka_unit_test(rows_with_small_gaps_become_one_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
