/* SPDX-License-Identifier: Apache-2.0 */
/* ldmatrix, stmatrix and movmatrix: the distribution to lanes; and special cases of
   products. */
#include "execute_testing.h"

/* Thread t gives the address of line t of 16 bytes, in another order than that of
   memory. */
#define LINES                                                                              \
    RIG_KERNEL                                                                             \
    ".shared .align 16 .b8 all[1024];\n"                                                   \
    "mov.u32 %r20, all; mul.lo.u32 %r21, %r1, 16; add.u32 %r22, %r20, %r21;\n"             \
    "mul.wide.u32 %rd10, %r1, 16; add.s64 %rd11, %rd0, %rd10;\n"                           \
    "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd11+4096];\n"                               \
    "st.shared.v4.u32 [%r22], {%r4, %r5, %r6, %r7}; bar.sync 0;\n"                         \
    "mul.lo.u32 %r23, %r1, 11; and.b32 %r23, %r23, 31; mul.lo.u32 %r23, %r23, 16;\n"       \
    "add.u32 %r24, %r20, %r23;\n"

static uint16_t *halves(struct rig *r, unsigned byte)
{
    return (uint16_t *)(void *)((unsigned char *)r->memory + byte);
}

/* Element (line, column) of matrix `n`, whose line is given by thread 8 n + line. */
static uint16_t element(struct rig *r, unsigned n, unsigned line, unsigned column)
{
    return halves(r, 4096)[(8 * n + line) * 11 % 32 * 8 + column];
}

static void rows_load(unsigned count, bool trans, const char *space)
{
    struct text body = {NULL, 0, 0};
    struct rig r;

    text_print(&body, "%s", LINES "cvt.u64.u32 %rd5, %r24; cvta.shared.u64 %rd5, %rd5;\n");
    text_print(&body, "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 {", count,
               trans ? ".trans" : "", space);
    for (unsigned n = 0; n < count; n++)
        text_print(&body, "%s%%r%u", n ? ", " : "", 10 + n);
    text_print(&body, "}, [%s];\n", *space ? "%r24" : "%rd5");
    for (unsigned n = 0; n < count; n++)
        text_print(&body, "st.global.u32 [%%rd1+%u], %%r%u;\n", 128 * n, 10 + n);
    text_print(&body, "}\n");
    rig_open(&r, body.data, true);
    for (unsigned n = 0; n < 256; n++)
        halves(&r, 4096)[n] = (uint16_t)(n * 40503);
    rig_expect(&r, EXECUTE_EXITED);
    for (unsigned n = 0; n < count; n++)
        for (unsigned l = 0; l < 64; l++) {
            unsigned line = l / 8, column = l % 8;

            assert_int_equal(halves(&r, 128 * n)[l], trans ? element(&r, n, column, line)
                                                           : element(&r, n, line, column));
        }
    rig_close(&r);
    text_clear(&body);
}

static void each_lane_gets_its_fragment(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= 4; count *= 2)
        for (unsigned trans = 0; trans < 2; trans++) {
            rows_load(count, trans, ".shared");
            rows_load(count, trans, "");
        }
}

/* ldmatrix returns what stmatrix of the same variant stores; transposed, the other way
   around. */
static void stored_matrices_load_unchanged(void **state)
{
    struct text body = {NULL, 0, 0};
    struct rig r;

    (void)state;
    for (unsigned trans = 0; trans < 2; trans++)
        for (unsigned count = 1; count <= 4; count *= 2) {
            static const char *const lists[] = {"", "{%r4}", "{%r4, %r5}", "",
                                                "{%r4, %r5, %r6, %r7}"};

            text_print(&body, "%s", LINES);
            text_print(&body,
                       "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%r22], %s;\n"
                       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r10, %%r11, %%r12, "
                       "%%r13}, [%%r22];\n"
                       "movmatrix.sync.aligned.m8n8.trans.b16 %%r14, %%r10;\n"
                       "st.global.v4.u32 [%%rd11], {%%r10, %%r11, %%r12, %%r13};\n"
                       "st.global.u32 [%%rd1+2048], %%r14;\n}\n",
                       count, trans ? ".trans" : "", lists[count]);
            rig_open(&r, body.data, true);
            for (unsigned n = 0; n < 256; n++)
                halves(&r, 4096)[n] = (uint16_t)(n * 40503);
            rig_expect(&r, EXECUTE_EXITED);
            for (unsigned n = 0; n < count; n++)
                for (unsigned line = 0; line < 8; line++)
                    for (unsigned column = 0; column < 8; column++) {
                        unsigned a = line * 4 + column / 2, b = column * 4 + line / 2;
                        uint16_t plain = halves(&r, 4096)[a * 8 + 2 * n + column % 2];
                        uint16_t other = halves(&r, 4096)[b * 8 + 2 * n + line % 2];
                        uint16_t got = halves(&r, 0)[a * 8 + 2 * n + column % 2];
                        uint16_t turned = halves(&r, 2048)[a * 2 + column % 2];

                        assert_int_equal(got, trans ? other : plain);
                        if (n == 0)
                            assert_int_equal(turned, trans ? plain : other);
                    }
            rig_close(&r);
            text_clear(&body);
        }
}

static void a_line_is_aligned_to_16_bytes(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, LINES "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r24+8]; }", true);
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_non_null(strstr(r.fault, "no multiple of 16"));
    rig_close(&r);
}

#define WITH_FLOATS RIG_KERNEL ".reg .f32 %e<8>; .reg .b32 %q<8>;\n"
#define STORE_FLOATS                                                                       \
    "st.global.f32 [%rd1], %e4; st.global.f32 [%rd1+128], %e5;\n"                          \
    "st.global.f32 [%rd1+256], %e6; st.global.f32 [%rd1+384], %e7; }\n"

static void sums_are_rounded_once(void **state)
{
    struct rig r;
    float out;

    (void)state;
    /* 2^24 + 8 * (1 * 1/8), each product below half of the last bit: 2^24 + 1 is a tie */
    rig_open(&r,
             WITH_FLOATS
             "mov.b32 %q0, 0x3c003c00; mov.b32 %q1, 0x30003000; mov.f32 %e0, 0f4B800000;\n"
             "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%e4, %e5, %e6, %e7},\n"
             "{%q0, %q0, %q0, %q0}, {%q1, %q1}, {%e0, %e0, %e0, %e0};\n" STORE_FLOATS,
             true);
    rig_expect(&r, EXECUTE_EXITED);
    for (unsigned n = 0; n < 128; n++) {
        memcpy(&out, r.memory + n, sizeof out);
        assert_true(out == 16777218.f);
    }
    rig_close(&r);
}

static void integers_wrap_by_default(void **state)
{
    static const char *const words[] = {"", ".satfinite"};

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct text body = {NULL, 0, 0};
        struct rig r;

        text_print(&body,
                   "%smov.b32 %%q0, 0x01010101; mov.b32 %%q1, 2147483646;\n"
                   "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%q4, %%q5},\n"
                   "{%%q0}, {%%q0}, {%%q1, %%q1}; st.global.u32 [%%rd1], %%q4; }\n",
                   WITH_FLOATS, words[n]);
        rig_open(&r, body.data, true);
        rig_expect(&r, EXECUTE_EXITED);
        assert_int_equal(r.memory[7], n ? 0x7fffffffu : 0x8000000eu);
        rig_close(&r);
        text_clear(&body);
    }
}

#define MMA                                                                                \
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%q4, %q5}, {%q0}, {%q0}, {%q1, "      \
    "%q1};\n"

static void a_product_waits_for_the_whole_warp(void **state)
{
    struct rig r;

    (void)state;
    /* odd threads arrive later than even ones */
    rig_open(&r,
             WITH_FLOATS "mov.b32 %q0, 0x01010101; mov.b32 %q1, 5; and.b32 %r3, %r1, 1;\n"
                         "setp.eq.u32 %p1, %r3, 0; @%p1 bra ON; mov.b32 %q1, 6; ON:\n" MMA
                         "st.global.u32 [%rd1], %q4; }\n",
             true);
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.memory[4], 21);
    assert_int_equal(r.memory[5], 22);
    rig_close(&r);
    rig_open(&r, WITH_FLOATS "mov.b32 %q0, 1; mov.b32 %q1, 5;\n" MMA "}\n", true);
    r.launch.block[0] = 40;
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_non_null(strstr(r.fault, "thread (32,0,0)"));
    assert_non_null(strstr(r.fault, "needs all 32 threads of a warp, and 8 arrived"));
    rig_close(&r);
}

static void unsupported_variants_are_named(void **state)
{
    static const char *const bodies[] = {
        "wgmma.fence.sync.aligned;",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%e0, %e1, %e2, %e3, %e4, %e5,\n"
        "%e6, %e7}, {%q0, %q1}, {%q0, %q1}, {%e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%e0, %e1, %e2, %e3},\n"
        "{%q0, %q1}, {%q0, %q1}, {%e0, %e1, %e2, %e3}, %q0, 4;", /* no such threads */
        "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%q0}, [%rd1], %r1;",
        "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%rd2}, [%rd1], %r1;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%rd2}, [%r1];",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%q0},\n"
        "{%d3, %d4};",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%q0, %q1}, [%r1];",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        struct execute_program *program = NULL;
        struct proact_error err = {""};
        struct ptx_module *m = NULL;
        struct text all = {NULL, 0, 0};

        text_print(&all, RIG_HEAD "%s%s }\n", WITH_FLOATS, bodies[n]);
        assert_int_equal(ptx_parse("t.ptx", all.data, all.length, &m, &err), PROACT_OK);
        assert_int_equal(execute_program_create(m, &program, &err), PROACT_EREFUSED);
        assert_non_null(strstr(err.text, "cannot be executed: kernel 'k', PTX line 11"));
        ptx_destroy(m);
        text_clear(&all);
    }
}

/* A product of 16 x 8 x 16 in f16 takes four issue slots, as many as four additions. */
static void a_product_takes_its_issue_slots(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, RIG_KERNEL "}\n", true);
    rig_expect(&r, EXECUTE_EXITED);
    uint64_t empty = r.issued;

    rig_close(&r);
    rig_open(&r,
             RIG_KERNEL
             ".reg .f32 %e<8>; .reg .b32 %q<8>;\n"
             "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%e4, %e5, %e6, %e7},\n"
             "{%q0, %q0, %q0, %q0}, {%q1, %q1}, {%e0, %e0, %e0, %e0}; }\n",
             true);
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.issued, empty + 4);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_gets_its_fragment),
        cmocka_unit_test(stored_matrices_load_unchanged),
        cmocka_unit_test(a_line_is_aligned_to_16_bytes),
        cmocka_unit_test(sums_are_rounded_once),
        cmocka_unit_test(integers_wrap_by_default),
        cmocka_unit_test(a_product_waits_for_the_whole_warp),
        cmocka_unit_test(unsupported_variants_are_named),
        cmocka_unit_test(a_product_takes_its_issue_slots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
