/* SPDX-License-Identifier: Apache-2.0 */
/* Many guarded stores of a thread, as in a tiled kernel, and many CTAs, as in a large
   batch. They have closed forms that equal the slice. */
#include "write_set_testing.h"

/* Thread t writes the words t + 8 k that are below n. */
static struct cut cut_stores(unsigned count)
{
    struct text body = {0};

    for (unsigned k = 0; k < count; k++)
        text_print(&body,
                   "add.s32 %%r6, %%r2, %u; setp.ge.s32 %%p1, %%r6, %%r1; @%%p1 bra L%u;\n"
                   "st.global.u32 [%%rd3+%u], 0;\nL%u:\n",
                   8 * k, k, 32 * k, k);
    struct cut c = cut_text("", body.data, NULL);

    text_clear(&body);
    assert_non_null(c.slice);
    return c;
}

static void many_stores_have_forms(void **state)
{
    static const unsigned counts[] = {16, 64, 65, 128};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct cut c = cut_stores(counts[i]);

        for (uint32_t ctas = 1; ctas <= 8; ctas *= 2)
            for (uint32_t n = 0; n < WORDS; n += 1 + 5 * n) {
                const struct shape s = {ctas, 8 / ctas, n};
                struct write_set *is =
                    run_alike(&c, s, (struct write_set_launch){0}, "many stores");

                if (is->ctas_run)
                    fail_msg("%u stores: %s", counts[i], is->why_sliced);
                write_set_destroy(is);
            }
        write_set_slice_destroy(c.slice);
    }
}

/* Matrices of n by n words, one for each thread, written row by row. The rows of one CTA
   interleave with those of others. All CTAs are equal up to an offset, so only the first is
   evaluated. */
static void nested_rows_are_listed_once(void **state)
{
    static const struct write_set_pointer pointers[] = {{0, 0, 0}};
    static const struct write_set_array array = {"out", 0, (uint64_t)1 << 40};
    struct cut c = cut_text("",
                            "mul.lo.s32 %r6, %r1, %r1; mul.lo.s32 %r7, %r2, %r6;\n"
                            "mov.u32 %r8, 0;\nM: mov.u32 %r9, 0;\n"
                            "mad.lo.s32 %r10, %r8, %r1, %r7;\nL: add.s32 %r11, %r10, %r9;\n"
                            "mul.wide.s32 %rd5, %r11, 4; add.s64 %rd5, %rd1, %rd5;\n"
                            "st.global.u32 [%rd5], 0; add.s32 %r9, %r9, 1;\n"
                            "setp.lt.s32 %p1, %r9, %r1; @%p1 bra L; add.s32 %r8, %r8, 1;\n"
                            "setp.lt.s32 %p1, %r8, %r1; @%p1 bra M;",
                            NULL);
    struct block b = {.in = (uint64_t)1 << 50, .n = 2};
    struct write_set_launch many = {.grid = {1 << 20, 1, 1},
                                    .block = {4, 1, 1},
                                    .parameters = &b,
                                    .parameter_bytes = 20,
                                    .arrays = &array,
                                    .array_count = 1,
                                    .pointers = pointers,
                                    .pointer_count = 1,
                                    .limit = 100000};
    struct write_set *is;
    struct proact_error err;

    (void)state;
    for (uint32_t n = 1; n <= 7; n++) {
        is = run_alike(&c, (struct shape){4, 5, n}, (struct write_set_launch){0}, "rows");
        assert_int_equal(is->ctas_run, 0);
        write_set_destroy(is);
    }
    if (write_set_run(c.slice, &many, &is, &err))
        fail_msg("%s", err.text);
    assert_int_equal(is->ctas_run, 0);
    assert_in_range(is->places, 1, 100);
    assert_int_equal(is->arrays[0].bytes, (uint64_t)(1 << 20) * 4 * 4 * 4);
    write_set_destroy(is);
    write_set_slice_destroy(c.slice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_stores_have_forms),
        cmocka_unit_test(nested_rows_are_listed_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
