/* SPDX-License-Identifier: Apache-2.0 */
/* As many stores as a thread has that computes a tile, each with a guard of its own: they
   have closed forms, and these say what the slice says. */
#include "write_set_testing.h"

/* Thread t writes the words t + 8 k of those that are below n. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_stores_have_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
