/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels of linear addresses, guards and loops. Their closed forms, where they
   exist, equal the slice. Usage: closed_random_test [SEED COUNT] */
#include <inttypes.h>

#include "base/random.h"
#include "closed_testing.h"

enum { COUNT = 3000, DEPTH_MAX = 3, COUNTERS_MAX = 8 };

/* Text of a random kernel that follows K_START. */
struct writer {
    struct text text;
    uint64_t chance;
    uint32_t registers, labels;
    uint32_t counters[COUNTERS_MAX], counter_count; /* of the enclosing loops */
    uint32_t ends[DEPTH_MAX], depth;
    unsigned left; /* number of statements that may follow */
};

static uint32_t draw(struct writer *w, uint32_t below)
{
    return (uint32_t)random_below(&w->chance, below);
}

static void add_times(struct writer *w, uint32_t to, const char *name, uint32_t number)
{
    static const int factors[] = {1, 1, 1, -1, 2, 4, 32, 40, -3, 64};

    text_print(&w->text, "mad.lo.s32 %%v%u, %s%u, %d, %%v%u;\n", to, name, number,
               factors[draw(w, 10)], to);
}

/* Writes a register with a sum of indices, counters and a number, sometimes divided. */
static uint32_t write_sum(struct writer *w)
{
    static const char *const places[] = {"%r", "%r", "%r", "%r"};
    static const uint32_t numbers[] = {5, 3, 2, 1}; /* thread, CTA, both, n */
    uint32_t to = w->registers++;

    text_print(&w->text, "mov.b32 %%v%u, %u;\n", to, draw(w, 2) ? draw(w, 200) : 0);
    for (unsigned k = 0; k < 4; k++)
        if (draw(w, 5) < 2)
            add_times(w, to, places[k], numbers[k]);
    if (draw(w, 3) == 0)
        add_times(w, to, "%v", 0); /* row of CTAs */
    for (unsigned k = 0; k < w->counter_count; k++)
        if (draw(w, 2))
            add_times(w, to, "%v", w->counters[k]);
    if (draw(w, 20) == 0) {
        static const char *const operations[] = {"div.u32", "rem.u32", "shr.u32", "and.b32",
                                                 "div.s32", "rem.s32", "min.s32"};
        static const uint32_t by[] = {8, 16, 3, 31, 32, 5, 40};
        uint32_t k = draw(w, 8);

        if (k == 7)
            text_print(&w->text, "abs.s32 %%v%u, %%v%u;\n", to, to);
        else
            text_print(&w->text, "%s %%v%u, %%v%u, %u;\n", operations[k], to, to, by[k]);
    }
    return to;
}

static void write_store(struct writer *w)
{
    uint32_t at = write_sum(w);

    text_print(&w->text, "mul.wide.s32 %%w%u, %%v%u, 4; add.s64 %%x%u, %%rd1, %%w%u;\n", at,
               at, at, at);
    if (draw(w, 4))
        text_print(&w->text, "st.global.u32 [%%x%u+4096], 0;\n", at);
    else
        text_print(&w->text, "st.global.v2.u32 [%%x%u+8192], {%%r1, %%r1};\n", at);
}

/* Returns the number of the predicate. */
static uint32_t write_condition(struct writer *w)
{
    static const char *const relations[] = {"lt.s32", "le.s32", "gt.s32", "ge.s32",
                                            "eq.s32", "ne.s32", "lt.u32", "ge.u32"};
    uint32_t of = write_sum(w), to = w->registers++;

    text_print(&w->text, "setp.%s %%q%u, %%v%u, %u;\n", relations[draw(w, 8)], to, of,
               draw(w, 3) ? draw(w, 90) : 0);
    if (draw(w, 5) == 0) {
        uint32_t other = write_sum(w);

        text_print(&w->text, "setp.lt.%s.s32 %%q%u, %%v%u, 50, %%q%u;\n",
                   draw(w, 2) ? "and" : "or", to, other, to);
    }
    return to;
}

static void write_statements(struct writer *w, unsigned depth);

static void write_if(struct writer *w, unsigned depth)
{
    uint32_t condition = write_condition(w), other = w->labels++, end = w->labels++;

    text_print(&w->text, "@%%q%u bra L%u;\n", condition, other);
    write_statements(w, depth + 1);
    if (draw(w, 2)) {
        text_print(&w->text, "bra L%u; L%u:\n", end, other);
        write_statements(w, depth + 1);
    } else {
        text_print(&w->text, "L%u:\n", other);
    }
    text_print(&w->text, "L%u:\n", end);
}

/* Writes a loop that counts to a number, to n, or to a value of the thread. The test is at
   the top, at the bottom, or both. */
static void write_loop(struct writer *w, unsigned depth)
{
    uint32_t counter = w->registers++, bound = w->registers++, test = w->registers++;
    uint32_t head = w->labels++, end = w->labels++, kind = draw(w, 3),
             step = 1 + draw(w, 2);

    if (kind == 0)
        text_print(&w->text, "mov.b32 %%v%u, %u;\n", bound, 1 + draw(w, 5));
    else if (kind == 1)
        text_print(&w->text, "and.b32 %%v%u, %%r1, 7;\n", bound);
    else
        text_print(&w->text, "sub.s32 %%v%u, 9, %%r5;\n", bound);
    text_print(&w->text, "mov.b32 %%v%u, 0;\nL%u:\n", counter, head);
    if (draw(w, 2))
        text_print(&w->text, "setp.ge.s32 %%q%u, %%v%u, %%v%u; @%%q%u bra L%u;\n", counter,
                   counter, bound, counter, end);
    w->ends[w->depth++] = end;
    w->counters[w->counter_count++] = counter;
    write_statements(w, depth + 1);
    w->counter_count--;
    w->depth--;
    text_print(&w->text,
               "add.s32 %%v%u, %%v%u, %u; setp.lt.s32 %%q%u, %%v%u, %%v%u;\n"
               "@%%q%u bra L%u; L%u:\n",
               counter, counter, step, test, counter, bound, test, head, end);
}

static void write_leaving(struct writer *w)
{
    uint32_t condition = write_condition(w);

    if (w->depth && draw(w, 3))
        text_print(&w->text, "@%%q%u bra L%u;\n", condition, w->ends[w->depth - 1]);
    else
        text_print(&w->text, "@%%q%u ret;\n", condition);
}

static void write_statements(struct writer *w, unsigned depth)
{
    for (unsigned n = 1 + draw(w, 3); n && w->left; n--) {
        uint32_t what = draw(w, 10);

        w->left--;
        if (what < 3 && depth < DEPTH_MAX)
            write_if(w, depth);
        else if (what < 5 && depth < DEPTH_MAX)
            write_loop(w, depth);
        else if (what == 5)
            write_leaving(w);
        else
            write_store(w);
    }
}

static char *write_kernel(uint64_t seed)
{
    struct writer w = {.chance = seed, .registers = 1, .labels = 1, .left = 10};
    struct text all = {0};

    while (w.left > 5)
        write_statements(&w, 0);
    text_print(&all,
               ".reg .b32 %%v<%u>; .reg .pred %%q<%u>; .reg .b64 %%w<%u>, %%x<%u>;\n"
               "mov.u32 %%v0, %%ctaid.y;\n%s",
               w.registers, w.registers, w.registers, w.registers, w.text.data);
    text_clear(&w.text);
    return all.data;
}

static void try_kernel(uint64_t seed, struct tally *tally)
{
    char *text = write_kernel(seed);
    struct cut c = cut_text("", text, NULL);

    if (!c.slice)
        fail_msg("%s\n%s", c.err.text, text);
    for (unsigned n = 0; n < 4; n++) {
        struct launched at = {.ctas = 1 + (uint32_t)random_below(&seed, 5),
                              .threads = 1 + (uint32_t)random_below(&seed, 70),
                              .n = (uint32_t)random_below(&seed, 100),
                              .lines = 1 + (uint32_t)random_below(&seed, 6),
                              .planes = 1 + (uint32_t)random_below(&seed, 2)};

        compare(&c, at, text, tally);
    }
    write_set_slice_destroy(c.slice);
    free(text);
}

struct request {
    uint64_t seed, count;
};

static void random_forms_equal_slices(void **state)
{
    const struct request *r = *state;
    struct tally tally = {0};

    for (uint64_t n = 0; n < r->count; n++)
        try_kernel(r->seed + n, &tally);
    print_message("%u launches by closed forms, %u by slices, %u fail\n", tally.closed,
                  tally.sliced, tally.failed);
    assert_true(tally.closed > tally.sliced / 8);
}

/* Quotients and remainders of increasing and decreasing values, in all small shapes. A CTA
   run ends where the threads of a CTA reach the next quotient. */
static void carries_are_recognized(void **state)
{
    static const char *const operations[] = {"div.u32", "rem.u32", "div.s32", "rem.s32"};
    static const char *const of[] = {"add.s32 %r6, %r2, %r1;",
                                     "sub.s32 %r6, 60, %r2; add.s32 %r6, %r6, %r1;",
                                     "sub.s32 %r6, 60, %r3; add.s32 %r6, %r6, %r1;"};
    struct tally tally = {0};

    (void)state;
    for (uint32_t k = 0; k < 96; k++) {
        struct launched at = {1, 1, 0, 1, 1};
        struct text text = {0};

        text_print(&text,
                   "%s %s %%r6, %%r6, %u;\n"
                   "mul.wide.s32 %%rd5, %%r6, 4; add.s64 %%rd5, %%rd1, %%rd5;\n"
                   "st.global.u32 [%%rd5], 0;",
                   of[k / 32], operations[k % 4], 1 + k % 32 / 4);
        struct cut c = cut_text("", text.data, NULL);

        for (at.ctas = 1; at.ctas < 5; at.ctas++)
            for (at.threads = 1; at.threads < 10; at.threads++)
                for (at.n = 0; at.n < 9; at.n++)
                    compare(&c, at, text.data, &tally);
        write_set_slice_destroy(c.slice);
        text_clear(&text);
    }
    assert_int_equal(tally.sliced + tally.failed, 0);
}

/* Kernels with a margin, 1 <= x < n - 1 and 1 <= y. The rows of CTAs after the first row
   are equal. With one more guard, a quotient or a remainder, they are not all equal. */
static void lines_are_recognized(void **state)
{
    static const char *const more[] = {
        "", "mad.lo.s32 %v3, %v0, 3, %r2; setp.ge.s32 %q3, %v3, 60; @%q3 bra L1;\n",
        "shr.u32 %v3, %r2, 4; mad.lo.s32 %v2, %v3, 3, %v2;\n",
        "add.s32 %v3, %r2, %v0; and.b32 %v3, %v3, 15; mad.lo.s32 %v2, %v3, 7, %v2;\n",
        "mad.lo.s32 %v2, %v0, 44600, %v2;\n" /* the last rows leave the array */};
    struct tally tally = {0};

    (void)state;
    for (uint32_t k = 0; k < 5; k++) {
        struct launched at = {.planes = 2};
        struct text text = {0};

        text_print(&text,
                   ".reg .b32 %%v<4>; .reg .pred %%q<4>; .reg .b64 %%w<2>, %%x<2>;\n"
                   "mov.u32 %%v0, %%ctaid.y; setp.lt.s32 %%q0, %%r2, 1; @%%q0 bra L1;\n"
                   "sub.s32 %%v1, %%r1, 1; setp.ge.s32 %%q1, %%r2, %%v1; @%%q1 bra L1;\n"
                   "setp.lt.s32 %%q2, %%v0, 1; @%%q2 bra L1;\n"
                   "mad.lo.s32 %%v2, %%v0, 400, %%r2;\n%s"
                   "mul.wide.s32 %%w1, %%v2, 4; add.s64 %%x1, %%rd1, %%w1;\n"
                   "st.global.u32 [%%x1], 0;\nL1:\n",
                   more[k]);
        struct cut c = cut_text("", text.data, NULL);

        assert_non_null(c.slice);
        for (at.ctas = 1; at.ctas < 6; at.ctas++)
            for (at.threads = 1; at.threads < 70; at.threads += 15)
                for (at.n = 0; at.n < 120; at.n += 17)
                    for (at.lines = 1; at.lines < 8; at.lines += 2)
                        compare(&c, at, text.data, &tally);
        write_set_slice_destroy(c.slice);
        text_clear(&text);
    }
    assert_true(tally.closed > tally.sliced && tally.failed > 0);
}

int main(int argc, char **argv)
{
    struct request r = {.seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1,
                        .count = argc > 2 ? strtoull(argv[2], NULL, 0) : COUNT};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_are_recognized), cmocka_unit_test(lines_are_recognized),
        cmocka_unit_test_prestate(random_forms_equal_slices, &r)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
