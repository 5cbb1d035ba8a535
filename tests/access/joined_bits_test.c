/* SPDX-License-Identifier: Apache-2.0 */
/* Indices whose parts are joined by `or` rather than added. Closed forms equal the slice
   where the parts overlap as well. Reads of such an index stay within its array. */
#include "access/access.h"
#include "access/form/range.h"
#include "write_set_testing.h"

enum { BITS_MOST = 12 };

#define PLACE                                                                              \
    "mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 1;"

static const struct joined {
    const char *body;
    uint32_t threads_most; /* of launches with closed forms; 0: none */
} cases[] = {
    {"shl.b32 %r6, %r3, 5; or.b32 %r6, %r6, %r5;" PLACE, 32},
    {"shl.b32 %r6, %r3, 5; xor.b32 %r6, %r5, %r6;" PLACE, 32},
    {"shl.b32 %r6, %r3, 7; shl.b32 %r7, %r5, 2; or.b32 %r6, %r7, %r6;" PLACE, 32},
    {"shl.b32 %r6, %r3, 7; shl.b32 %r7, %r5, 2; and.b32 %r7, %r7, 124;"
     "or.b32 %r6, %r7, %r6;" PLACE,
     64},
    {"shl.b32 %r6, %r3, 8; shl.b32 %r7, %r5, 2; or.b32 %r7, %r7, 3;"
     "or.b32 %r6, %r7, %r6;" PLACE,
     64},
    /* masks whose bits alternate */
    {"shl.b32 %r6, %r3, 5; and.b32 %r7, %r5, 20; and.b32 %r8, %r5, 11;"
     "or.b32 %r7, %r7, %r8; or.b32 %r6, %r7, %r6;" PLACE,
     64},
    /* a warp overlaps */
    {"shl.b32 %r6, %r3, 3; or.b32 %r6, %r6, %r5;" PLACE, 0},
    {"shl.b32 %r6, %r3, 5; sub.s32 %r7, %r5, 1; max.s32 %r7, %r7, 0;"
     "or.b32 %r6, %r6, %r7;" PLACE,
     0},
};

static void joined_indices_equal_slices(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct cut c = cut_text("", cases[n].body, NULL);

        assert_non_null(c.slice);
        for (uint32_t threads = 4; threads <= 64; threads += 4)
            for (uint32_t ctas = 1; ctas < 4; ctas++) {
                struct write_set *is =
                    run_alike(&c, (struct shape){ctas, threads, 0},
                              (struct write_set_launch){.limit = 100000}, cases[n].body);

                if (is->ctas_run && threads <= cases[n].threads_most)
                    fail_msg("%s: %u threads: %s", cases[n].body, threads, is->why_sliced);
                write_set_destroy(is);
            }
        write_set_slice_destroy(c.slice);
    }
}

/* With a block that overlaps, the form is not used. */
static void overlaps_are_refused(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; shl.b32 %r1, %r1, 7;\n"
        "mov.u32 %r2, %tid.x; or.b32 %r1, %r1, %r2; mul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2];\nret;\n}\n";
    unsigned char parameters[8] = {0};
    struct ptx_module *m = NULL;
    struct proact_error err;

    (void)state;
    assert_int_equal(ptx_parse("t.ptx", text, strlen(text), &m, &err), PROACT_OK);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));

    assert_int_equal(a->record_count, 1);
    assert_int_equal(a->records[0].state, ACCESS_CLOSED);
    for (uint32_t threads = 32; threads <= 256; threads *= 2) {
        const struct access_launch l = {
            {threads, 1, 1}, {4, 1, 1}, parameters, 8, NULL, {0}, {0}};

        assert_int_equal(access_check_wrap(a, &a->records[0], &l, NULL, &err) == PROACT_OK,
                         threads <= 128);
    }
    access_destroy(a);
    ptx_destroy(m);
}

/* Every interval of two arguments contains all results. */
static void intervals_of_joined_bits_hold(void **state)
{
    struct access_symbol y = {.kind = ACCESS_FUNCTION, .bits = 32};

    (void)state;
    for (unsigned which = 0; which < 2; which++)
        for (int64_t n = 0; n < BITS_MOST * BITS_MOST * BITS_MOST * BITS_MOST; n++) {
            const int64_t low = n % BITS_MOST, high = low + n / BITS_MOST % BITS_MOST,
                          from = n / (BITS_MOST * BITS_MOST) % BITS_MOST,
                          to = from + n / (BITS_MOST * BITS_MOST * BITS_MOST);
            struct range r;

            y.function = which ? ACCESS_OR : ACCESS_XOR;
            r = range_of_function(&y, (struct range){low, high}, (struct range){from, to});
            assert_true(r.high <= high + to);
            for (int64_t a = low; a <= high; a++)
                for (int64_t b = from; b <= to; b++) {
                    const int64_t is = which ? a | b : a ^ b;

                    if (is < r.low || is > r.high)
                        fail_msg("%d and %d are outside", (int)a, (int)b);
                }
        }
}

/* A block of the required size needs no mask of its index. */
static void required_blocks_need_no_mask(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n.reqntid 128\n{\n"
        ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; shl.b32 %r1, %r1, 9;\n"
        "mov.u32 %r2, %tid.x; shl.b32 %r2, %r2, 2; and.b32 %r2, %r2, 508;\n"
        "or.b32 %r1, %r2, %r1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
        "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2];\nret;\n}\n";
    struct ptx_module *m = NULL;
    struct proact_error err;
    char form[80];

    (void)state;
    assert_int_equal(ptx_parse("t.ptx", text, strlen(text), &m, &err), PROACT_OK);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));

    access_form_text(a, a->records[0].form, form, sizeof form);
    assert_string_equal(form, "16*tid.x + 2048*ctaid.x");
    access_destroy(a);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_indices_equal_slices),
        cmocka_unit_test(overlaps_are_refused),
        cmocka_unit_test(required_blocks_need_no_mask),
        cmocka_unit_test(intervals_of_joined_bits_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
