/* SPDX-License-Identifier: Apache-2.0 */
/* One-dimensional thread index split into rows, planes and volumes whose strides differ
   from their widths: `i = t % w, j = t / w % h, k = t / (w * h)` and `a[(k * q + j) * s +
   i]`. Such stores have closed forms that equal the slice. Usage: closed_rows_test [SEED
   COUNT] */
#include <inttypes.h>
#include <stdio.h>

#include "base/random.h"
#include "closed_testing.h"

enum { COUNT = 4000, WIDTH_MAX = 40 };

struct writer {
    struct text text;
    uint64_t chance;
    bool is_signed;
    bool is_wide; /* 64 bits */
};

static uint32_t draw(struct writer *w, uint32_t below)
{
    return (uint32_t)random_below(&w->chance, below);
}

/* Type of the dividend. */
static const char *divided(const struct writer *w)
{
    return w->is_wide ? w->is_signed ? "s64" : "u64" : w->is_signed ? "s32" : "u32";
}

/* Writes to = of / by or of % by, as one instruction or as a product and a difference. */
static void write_division(struct writer *w, const char *quotient, const char *rest,
                           const char *of, const char *by)
{
    const char *type = divided(w), *bits = w->is_wide ? "64" : "32";

    text_print(&w->text, "div.%s %%%s, %%%s, %%%s;\n", type, quotient, of, by);
    if (draw(w, 2))
        text_print(&w->text, "rem.%s %%%s, %%%s, %%%s;\n", type, rest, of, by);
    else
        text_print(&w->text, "mul.lo.s%s %%p_, %%%s, %%%s; sub.s%s %%%s, %%%s, %%p_;\n",
                   bits, quotient, by, bits, rest, of);
}

/* Writes guards that skip the threads at the ends of a row or plane, or in the last
   rows. */
static void write_guards(struct writer *w)
{
    static const char *const guards[] = {
        "setp.ge.%s %%q1, %%t, %%all; @%%q1 bra END;\n",
        "setp.lt.%s %%q1, %%i, 1; @%%q1 bra END;\n",
        "setp.ge.%s %%q1, %%j, %%rows; @%%q1 bra END;\n",
        "add.%s %%p_, %%w, -1; setp.ge.%s %%q1, %%i, %%p_; @%%q1 bra END;\n",
        "setp.eq.%s %%q1, %%j, 0; @%%q1 bra END;\n",
        "setp.gt.%s %%q1, %%k, 2; @%%q1 bra END;\n",
    };
    const char *type = divided(w);

    for (uint32_t n = 0; n < sizeof guards / sizeof *guards; n++)
        if (draw(w, n ? 4 : 2) == 0)
            text_print(&w->text, guards[n], type, type);
}

static void write_store(struct writer *w, int down, int along)
{
    text_print(&w->text,
               "mad.lo.s%s %%at, %%k, %%planes, %%j; add.s%s %%at, %%at, %d;\n"
               "mad.lo.s%s %%at, %%at, %%pitch, %%i; add.s%s %%at, %%at, %d;\n",
               w->is_wide ? "64" : "32", w->is_wide ? "64" : "32", down,
               w->is_wide ? "64" : "32", w->is_wide ? "64" : "32", along);
    if (w->is_wide)
        text_print(&w->text, "shl.b64 %%rd6, %%at, 2; add.s64 %%rd6, %%rd1, %%rd6;\n");
    else
        text_print(&w->text, "mul.wide.%s %%rd6, %%at, 4; add.s64 %%rd6, %%rd1, %%rd6;\n",
                   divided(w));
    text_print(&w->text, "st.global.u32 [%%rd6+1024], 1;\n");
}

/* Writes %i, %j and %k: first the plane, first the row, or both from one index. */
static void write_places(struct writer *w)
{
    const char *bits = w->is_wide ? "64" : "32";

    text_print(&w->text, "mul.lo.s%s %%wh, %%w, %%h;\n", bits);
    switch (draw(w, 5)) {
    case 0:
        write_division(w, "r", "i", "t", "w");
        write_division(w, "k", "j", "r", "h");
        break;
    case 1:
        write_division(w, "k", "r", "t", "wh");
        write_division(w, "j", "i", "r", "w");
        break;
    case 2:
        write_division(w, "r", "i", "t", "w");
        text_print(&w->text, "rem.%s %%j, %%r, %%h; div.%s %%k, %%t, %%wh;\n", divided(w),
                   divided(w));
        break;
    case 3: /* shifted by some rows, or every n-th row */
        write_division(w, "r", "i", "t", "w");
        text_print(&w->text, "mad.lo.s%s %%r, %%r, %u, %u;\n", bits, 1 + draw(w, 3),
                   draw(w, 9));
        write_division(w, "k", "j", "r", "h");
        break;
    default: /* two dimensions only */
        write_division(w, "j", "i", "t", "w");
        text_print(&w->text, "mov.b%s %%k, 0;\n", bits);
    }
}

/* Writes the index of the thread with an offset, which may contain a parameter or the row
   of CTAs. */
static void write_thread(struct writer *w)
{
    static const char *const more[] = {
        "", "add.s32 %r2, %r2, %r1;\n", "mad.lo.s32 %r2, %r3, 7, %r2;\n",
        "mad.lo.s32 %r2, %r5, 2, %r2;\n", "add.s32 %r2, %r2, 5;\n"};

    text_print(&w->text, "%s", more[draw(w, 5)]);
    text_print(&w->text, w->is_wide ? "cvt.u64.u32 %%t, %%r2;\n" : "mov.b32 %%t, %%r2;\n");
}

static void write_number(struct writer *w, const char *to, uint32_t least, uint32_t most)
{
    text_print(&w->text, "mov.b%s %%%s, %u;\n", w->is_wide ? "64" : "32", to,
               least + draw(w, most - least));
}

static char *write_kernel(uint64_t seed)
{
    struct writer w = {.chance = seed};

    w.is_signed = draw(&w, 2);
    w.is_wide = draw(&w, 2);
    text_print(&w.text, ".reg .b%s %%t, %%w, %%h, %%wh, %%i, %%j, %%k, %%r, %%p_, %%at;\n",
               w.is_wide ? "64" : "32");
    text_print(&w.text, ".reg .b%s %%all, %%rows, %%pitch, %%planes; .reg .pred %%q1;\n",
               w.is_wide ? "64" : "32");
    write_thread(&w);
    write_number(&w, "w", 1, WIDTH_MAX);
    if (draw(&w, 2)) /* a parameter, which may be 0 */
        text_print(&w.text,
                   w.is_wide ? "cvt.u64.u32 %%w, %%r1;\n" : "mov.b32 %%w, %%r1;\n");
    write_number(&w, "h", 1, 9);
    write_number(&w, "all", 1, 400);
    write_number(&w, "rows", 1, 9);
    write_number(&w, "pitch", 1, 2 * WIDTH_MAX);
    write_number(&w, "planes", 1, 12);
    write_places(&w);
    write_guards(&w);
    write_store(&w, 0, 0);
    if (draw(&w, 3) == 0)
        write_store(&w, (int)draw(&w, 3) - 1, (int)draw(&w, 3) - 1);
    text_print(&w.text, "END:\n");
    return w.text.data;
}

struct request {
    uint64_t seed, count;
};

static void try_kernel(uint64_t seed, struct tally *tally)
{
    char *text = write_kernel(seed);
    struct cut c = cut_text("", text, NULL);

    if (!c.slice)
        fail_msg("%s\n%s", c.err.text, text);
    for (unsigned n = 0; n < 4; n++) {
        const struct launched at = {.ctas = 1 + (uint32_t)random_below(&seed, 30),
                                    .threads = 1 + (uint32_t)random_below(&seed, 70),
                                    .n = (uint32_t)random_below(&seed, 2 * WIDTH_MAX),
                                    .lines = 1,
                                    .planes = 1};

        compare(&c, at, text, tally);
    }
    write_set_slice_destroy(c.slice);
    free(text);
}

static void row_forms_equal_slices(void **state)
{
    const struct request *r = *state;
    struct tally tally = {0};

    for (uint64_t n = 0; n < r->count; n++)
        try_kernel(r->seed + n, &tally);
    print_message("%u launches by closed forms, %u by slices, %u fail\n", tally.closed,
                  tally.sliced, tally.failed);
    assert_true(tally.closed > 7 * tally.sliced);
}

/* In a launch of 15 million threads no thread is evaluated alone. Of its 57690 CTAs only
   those where a row ends, and one between, are evaluated. */
static void only_ctas_at_row_ends_are_evaluated(void **state)
{
    static const char body[] =
        "mul.lo.s32 %r6, %r1, 3841; setp.ge.s32 %p1, %r2, %r6; @%p1 bra END;\n"
        "div.s32 %r7, %r2, %r1; mul.lo.s32 %r8, %r7, %r1; sub.s32 %r9, %r2, %r8;\n"
        "add.s32 %r10, %r1, 4; mad.lo.s32 %r11, %r7, %r10, %r9;\n"
        "mul.wide.s32 %rd6, %r11, 4; add.s64 %rd6, %rd1, %rd6;\n"
        "st.global.u32 [%rd6+8], 1; END:";
    const uint32_t width = 3845, rows = 3841, ctas = (width * rows + 255) / 256;
    const struct write_set_array array = {"out", 0, (width + 4) * (rows + 1) * 4};
    const struct write_set_pointer pointer = {0, 0, 0};
    struct block b = {.n = width};
    struct write_set_launch l = {.grid = {ctas, 1, 1},
                                 .block = {256},
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &array,
                                 .array_count = 1,
                                 .pointers = &pointer,
                                 .pointer_count = 1};
    struct cut c = cut_text("", body, NULL);
    struct write_set *w = NULL;

    (void)state;
    if (!c.slice || write_set_run(c.slice, &l, &w, &c.err))
        fail_msg("%s", c.err.text);
    assert_int_equal(w->ctas_run, 0);
    assert_int_equal(w->lanes, 0);
    assert_in_range(w->places, rows, 2 * rows);
    assert_int_equal(w->arrays[0].bytes, (uint64_t)width * rows * 4);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

int main(int argc, char **argv)
{
    struct request r = {.seed = argc > 2 ? strtoull(argv[1], NULL, 10) : 1,
                        .count = argc > 2 ? strtoull(argv[2], NULL, 10) : COUNT};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(row_forms_equal_slices, &r),
        cmocka_unit_test(only_ctas_at_row_ends_are_evaluated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
