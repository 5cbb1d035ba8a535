/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of a loop that continues where another loop has ended. They start after all
   iterations of the first loop if all threads run equally many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/text.h"

/* A walk down rows of 4096 bytes from the thread's word on; %rd2 is the address. */
#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)\n{\n"                  \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"                             \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];\n"              \
    "mov.u32 %r3, %tid.x; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2;\n"          \
    "mov.u32 %r4, 0; mov.u32 %r5, 0; setp.lt.s32 %p1, %r1, 1; @%p1 bra BEHIND;\n"
/* A second loop of two rows, whose load is checked. */
#define REST                                                                               \
    "\nBEHIND: ld.global.u32 %r9, [%rd2]; add.s64 %rd2, %rd2, 4096;\n"                     \
    "add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, 2; @%p2 bra BEHIND; ret;\n}\n"

/* A walk up from row n - 1: the leftover rows one by one, then four rows at once. The last
   load of the four is checked. */
#define ONE_BY_ONE                                                                         \
    "and.b32 %r6, %r1, 3; add.s32 %r7, %r1, -1; mul.wide.s32 %rd3, %r7, 4096;\n"           \
    "add.s64 %rd2, %rd2, %rd3; setp.eq.s32 %p3, %r6, 0; @%p3 bra MORE;\n"                  \
    "ONE: add.s64 %rd2, %rd2, -4096; add.s32 %r7, %r7, -1; add.s32 %r6, %r6, -1;\n"        \
    "setp.ne.s32 %p3, %r6, 0; @%p3 bra ONE;\n"                                             \
    "MORE: setp.lt.s32 %p4, %r1, 4; @%p4 bra BEHIND;\n"
#define FOUR_AT_ONCE                                                                       \
    "FOUR: ld.global.u32 %r9, [%rd2+-12288]; add.s64 %rd2, %rd2, -16384;\n"                \
    "add.s32 %r7, %r7, -4; setp.gt.s32 %p2, %r7, -1; @%p2 bra FOUR;\n"                     \
    "BEHIND: ret;\n}\n"

/* The same walk from row n - 2, in rows of n words. */
#define ONE_OF_PITCH                                                                       \
    "add.s32 %r8, %r1, -1; and.b32 %r6, %r8, 3; add.s32 %r7, %r1, -2;\n"                   \
    "mul.lo.s32 %r11, %r7, %r1; mul.wide.s32 %rd3, %r11, 4; add.s64 %rd2, %rd2, %rd3;\n"   \
    "neg.s32 %r12, %r1; mul.wide.s32 %rd5, %r12, 4; shl.b32 %r13, %r12, 2;\n"              \
    "mul.wide.s32 %rd6, %r13, 4; setp.lt.u32 %p5, %r7, 3;\n"                               \
    "setp.eq.s32 %p3, %r6, 0; @%p3 bra MORE;\n"                                            \
    "ONE: add.s64 %rd2, %rd2, %rd5; add.s32 %r7, %r7, -1; add.s32 %r6, %r6, -1;\n"         \
    "setp.ne.s32 %p3, %r6, 0; @%p3 bra ONE;\n"                                             \
    "MORE: @%p5 bra BEHIND;\n"
#define FOUR_OF_PITCH                                                                      \
    "FOUR: add.s64 %rd7, %rd2, %rd5; add.s64 %rd7, %rd7, %rd5;\n"                          \
    "add.s64 %rd7, %rd7, %rd5; ld.global.u32 %r9, [%rd7]; add.s64 %rd2, %rd2, %rd6;\n"     \
    "add.s32 %r7, %r7, -4; setp.gt.s32 %p2, %r7, -1; @%p2 bra FOUR;\n"                     \
    "BEHIND: ret;\n}\n"

enum { ROW = 4096, WORDS = 32 };

/* Checks the rows of the last load, each with the words of 8 threads, for parameter n. */
static void expect_of(const char *body, const char *rest, uint32_t n, const uint32_t *rows,
                      uint32_t count)
{
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *module;
    unsigned char block[16] = {[8] = (unsigned char)n};
    const struct access_launch l = {.ntid = {8, 1, 1},
                                    .nctaid = {4, 1, 1},
                                    .parameters = block,
                                    .parameter_bytes = sizeof block};
    struct access_span spans[ACCESS_SPANS_MAX];
    uint32_t found, bytes = 0;

    text_print(&text, "%s%s%s", START, body, rest);
    if (ptx_parse("t.ptx", text.data, text.length, &module, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(module, ptx_function_find(module, "k"));
    const struct access_record *r = &a->records[a->record_count - 1];
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);

    access_trips(a, &l, trips);
    assert_true(access_extent(a, r, &l, trips, spans, &found));
    for (uint32_t s = 0; s < found; s++)
        bytes += (uint32_t)(spans[s].end - spans[s].low) * (spans[s].times + 1);
    for (uint32_t k = 0; k < count; k++) {
        bool covered = false;

        for (uint32_t s = 0; s < found; s++)
            covered |= access_span_holds(&spans[s], (int64_t)rows[k] * ROW, WORDS);
        if (!covered)
            fail_msg("%s: row %u is missing", body, rows[k]);
    }
    if ((bytes == count * WORDS) != (count < 5))
        fail_msg("%s: %u bytes", body, bytes);
    free(trips);
    access_destroy(a);
    ptx_destroy(module);
    text_clear(&text);
}

static void expect(const char *body, uint32_t n, const uint32_t *rows, uint32_t count)
{
    expect_of(body, REST, n, rows, count);
}

#define ROWS(...)                                                                          \
    (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4

static void the_second_loop_starts_at_the_end_of_the_first(void **state)
{
    (void)state;
    expect("LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p3, %r4, %r1; @%p3 bra LOOP;",
           3, ROWS(12, 13));
    expect("LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "setp.eq.s32 %p3, %r4, %r1; @!%p3 bra LOOP;",
           5, ROWS(20, 21));
    /* counts down from n without its last two bits */
    expect("and.b32 %r6, %r1, 3; sub.s32 %r4, %r1, %r6;\n"
           "LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, -4;\n"
           "setp.ne.s32 %p3, %r4, 0; @%p3 bra LOOP;",
           14, ROWS(12, 13));
    /* inverted test, unsigned */
    expect("LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 2;\n"
           "setp.ge.u32 %p3, %r4, %r1; @%p3 bra BEHIND; bra.uni LOOP;",
           7, ROWS(16, 17));
}

/* Some threads skip the first loop, by their index or by a loaded value: rows 0 and 1 count
   too. */
static void a_skipped_first_loop_adds_its_start(void **state)
{
    (void)state;
    expect("setp.gt.u32 %p5, %r3, 5; @%p5 bra BEHIND;\n"
           "LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p3, %r4, %r1; @%p3 bra LOOP;",
           3, ROWS(0, 1, 12, 13));
    expect("ld.global.u32 %r7, [%rd1]; setp.eq.s32 %p4, %r7, 0; @%p4 bra BEHIND;\n"
           "LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p3, %r4, %r1; @%p3 bra LOOP;",
           3, ROWS(0, 1, 12, 13));
    /* by a path around the guard */
    expect("setp.gt.u32 %p5, %r3, 5; @%p5 bra BESIDE; bra.uni LOOP;\n"
           "BESIDE: ld.global.u32 %r7, [%rd1]; setp.eq.s32 %p4, %r7, 0; @%p4 bra BEHIND;\n"
           "LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p3, %r4, %r1; @%p3 bra LOOP;",
           3, ROWS(0, 1, 12, 13));
}

/* The trip count of the first loop gives the start of the second one, and so its end: no
   row below 0. */
static void leftovers_of_the_first_loop_bound_the_second(void **state)
{
    (void)state;
    expect_of(ONE_BY_ONE, FOUR_AT_ONCE, 11, ROWS(0, 4));
    expect_of(ONE_BY_ONE, FOUR_AT_ONCE, 14, ROWS(0, 4, 8));
    expect_of(ONE_BY_ONE, FOUR_AT_ONCE, 8, ROWS(0, 4));
}

/* The trip counts of both loops are exact, also if the pitch of the rows is a parameter. No
   range reaches below row 0 or above row n - 2. */
static void trip_counts_after_leftovers_are_exact(void **state)
{
    (void)state;
    for (uint32_t n = 5; n < 200; n++) {
        struct text text = {0};
        struct ptx_module *module;
        unsigned char block[16] = {[8] = (unsigned char)n};
        const struct access_launch l = {.ntid = {8, 1, 1},
                                        .nctaid = {4, 1, 1},
                                        .parameters = block,
                                        .parameter_bytes = sizeof block};
        struct access_span spans[ACCESS_SPANS_MAX];
        int64_t trips[2], most = 4 * (int64_t)n * (n - 5) + WORDS;
        uint32_t count;

        text_print(&text, "%s%s%s", START, ONE_OF_PITCH, FOUR_OF_PITCH);
        assert_int_equal(ptx_parse("t.ptx", text.data, text.length, &module, NULL), 0);
        struct access_analysis *a = access_analyze(module, ptx_function_find(module, "k"));

        assert_int_equal(a->loop_count, 2);
        access_trips(a, &l, trips);
        assert_int_equal(trips[0], (n - 1) % 4);
        assert_int_equal(trips[1], (n - 1) / 4);
        assert_true(access_extent(a, &a->records[0], &l, trips, spans, &count));
        for (uint32_t i = 0; i < count; i++)
            assert_true(spans[i].low >= 0 &&
                        spans[i].end + spans[i].times * spans[i].stride <= most);
        access_destroy(a);
        ptx_destroy(module);
        text_clear(&text);
    }
}

/* Trip count of a loop that counts down by two from n, or from n - 1 where %p3 is set. It
   is 1 if n is 1. */
static int64_t rounds_of(const char *odd, uint32_t n)
{
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *module;
    unsigned char block[16] = {[8] = (unsigned char)n};
    const struct access_launch l = {.ntid = {8, 1, 1},
                                    .nctaid = {4, 1, 1},
                                    .parameters = block,
                                    .parameter_bytes = sizeof block};
    int64_t trips[] = {-1};

    text_print(&text, "%s%s%s", START, odd,
               "setp.gt.s32 %p4, %r1, 1; mov.u32 %r7, %r1; @!%p3 bra TWO;\n"
               "add.s32 %r7, %r1, -1;\n"
               "TWO: st.global.u32 [%rd2], %r7; add.s32 %r7, %r7, -2;\n"
               "setp.gt.and.s32 %p2, %r7, 0, %p4; @%p2 bra TWO;\nBEHIND: ret;\n}\n");
    if (ptx_parse("t.ptx", text.data, text.length, &module, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(module, ptx_function_find(module, "k"));

    assert_int_equal(a->loop_count, 1);
    access_trips(a, &l, trips);
    access_destroy(a);
    ptx_destroy(module);
    text_clear(&text);
    return trips[0];
}

static void a_start_chosen_by_parameters_gives_exact_trips(void **state)
{
    static const char plain[] = "and.b32 %r6, %r1, 1; setp.eq.s32 %p3, %r6, 1;\n";
    static const char differs[] =
        "and.b32 %r6, %r1, 1; setp.eq.b32 %p5, %r6, 1; mov.pred %p6, 0;\n"
        "xor.pred %p7, %p5, %p6; not.pred %p8, %p7; not.pred %p3, %p8;\n";
    static const char by_thread[] = "and.b32 %r6, %r3, 1; setp.eq.s32 %p3, %r6, 1;\n";
    static const char by_memory[] = "ld.global.u32 %r6, [%rd1]; setp.eq.s32 %p3, %r6, 1;\n";

    (void)state;
    assert_int_equal(rounds_of(plain, 7), 3);
    assert_int_equal(rounds_of(plain, 8), 4);
    assert_int_equal(rounds_of(plain, 1), 1);
    assert_int_equal(rounds_of(differs, 7), 3);
    assert_int_equal(rounds_of(differs, 8), 4);
    assert_int_equal(rounds_of(by_thread, 7), 4);
    assert_int_equal(rounds_of(by_memory, 7), 4);
}

/* Threads end at different iterations, or the end is unknown: all rows from 0 to the
   last. */
static void an_unknown_end_gives_all_rows_before_it(void **state)
{
    (void)state;
    expect("LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p3, %r4, %r3; @%p3 bra LOOP;",
           3, ROWS(0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29));
    expect("LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "ld.global.u32 %r7, [%rd1]; setp.eq.s32 %p4, %r7, 0; @%p4 bra BEHIND;\n"
           "setp.lt.s32 %p3, %r4, %r1; @%p3 bra LOOP;",
           3, ROWS(0, 1, 4, 5, 8, 9, 12, 13));
    /* one exit branch, but with a loaded value in its condition */
    expect("LOOP: add.s64 %rd2, %rd2, 16384; add.s32 %r4, %r4, 1;\n"
           "ld.global.u32 %r7, [%rd1]; setp.eq.s32 %p4, %r7, 0;\n"
           "setp.lt.and.s32 %p3, %r4, %r1, %p4; @%p3 bra LOOP;",
           3, ROWS(0, 1, 4, 5, 8, 9, 12, 13));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_loop_starts_at_the_end_of_the_first),
        cmocka_unit_test(a_skipped_first_loop_adds_its_start),
        cmocka_unit_test(leftovers_of_the_first_loop_bound_the_second),
        cmocka_unit_test(trip_counts_after_leftovers_are_exact),
        cmocka_unit_test(a_start_chosen_by_parameters_gives_exact_trips),
        cmocka_unit_test(an_unknown_end_gives_all_rows_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
