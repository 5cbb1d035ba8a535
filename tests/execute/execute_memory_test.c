/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomics of every space and width, and faults at run time. */
#include "execute_testing.h"

static void opened(struct rig *r, const char *body, uint32_t threads)
{
    rig_open(r, body, true);
    r->launch.block[0] = threads;
}

static void widths_extend_and_cut(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL
           "st.global.u8 [%rd1+4000], 0x80; st.global.u16 [%rd1+4002], 0x8001;\n"
           "ld.global.s8 %r3, [%rd1+4000]; ld.global.u8 %r4, [%rd1+4000];\n"
           "ld.global.s16 %r5, [%rd1+4002]; ld.global.u16 %h1, [%rd1+4002];\n"
           "cvt.u32.u16 %r6, %h1; ld.global.s16 %rd5, [%rd1+4002];\n"
           "ld.global.u32 %rd6, [%rd1+4000]; shr.u64 %rd5, %rd5, 16;\n"
           "cvt.u32.u64 %r7, %rd5; shr.u64 %rd6, %rd6, 16; cvt.u32.u64 %r8, %rd6;\n"
           "st.global.u32 [%rd1+8000], %r3; st.global.u32 [%rd1+12000], %r4;\n"
           "st.global.u32 [%rd1+16000], %r5; st.global.u32 [%rd1+20000], %r6;\n"
           "st.global.u32 [%rd1+24000], %r7; st.global.u32 [%rd1+28000], %r8; }\n",
           45);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 45; i++) {
        const uint32_t *m = r.memory + i;

        assert_int_equal(m[2000], 0xffffff80);
        assert_int_equal(m[3000], 0x80);
        assert_int_equal(m[4000], 0xffff8001);
        assert_int_equal(m[5000], 0x8001);
        assert_int_equal(m[6000], 0xffffffff);
        assert_int_equal(m[7000], 0x8001);
    }
    rig_close(&r);
}

static void vectors_of_elements(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd0, %rd3;\n"
                      "add.u32 %r3, %r1, 1; add.u32 %r4, %r1, 2; add.u32 %r5, %r1, 3;\n"
                      "st.global.v4.u32 [%rd4], {%r1, %r3, %r4, %r5};\n"
                      "ld.global.v2.u64 {%rd5, %rd6}, [%rd4];\n"
                      "mov.b64 {%r6, %r7}, %rd5; mov.b64 %rd7, {%r7, %r6};\n"
                      "ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd4]; mov.b32 %r8, %f4;\n"
                      "mov.b32 {%h1, %h2}, %r8; mov.b32 %r9, {%h2, %h1};\n"
                      "st.global.v2.u32 [%rd4+16000], {%r7, %r9};\n"
                      "st.global.u64 [%rd4+16008], %rd7; }\n",
           64);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t *m = r.memory + 4 * i;

        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(m[k], i + k);
        assert_int_equal(m[4000], i + 1);
        assert_int_equal(m[4001], (i + 3) << 16);
        assert_int_equal(m[4002], i + 1);
        assert_int_equal(m[4003], i);
    }
    rig_close(&r);
}

static void spaces_and_generic_addresses(void **state)
{
    struct rig r;

    (void)state;
    opened(
        &r,
        ".global .align 4 .u32 g[3] = {5, 6, 7};\n.const .align 4 .u32 c[2] = {40, 50};\n"
        ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 8 .b8 "
        "fixed[40];\n" RIG_KERNEL ".local .align 8 .b8 stack[32];\n"
        "mov.u64 %rd3, stack; cvta.local.u64 %rd4, %rd3;\n"
        "st.local.u32 [%rd3+4], %r1; ld.u32 %r3, [%rd4+4];\n" /* r3 = tid */
        "mov.u64 %rd5, g; cvta.global.u64 %rd6, %rd5; ld.u32 %r4, [%rd6+8];\n"
        "ld.const.u32 %r5, [c+4]; mov.u64 %rd7, c; ld.const.u32 %r6, [%rd7];\n"
        "mov.u32 %r7, dynamic; shl.b32 %r8, %r1, 2; add.u32 %r8, %r7, %r8;\n"
        "st.shared.u32 [%r8], %r1; cvt.u64.u32 %rd8, %r8;\n"
        "cvta.shared.u64 %rd9, %rd8; ld.u32 %r9, [%rd9];\n" /* r9 = tid */
        "setp.lt.u32 %p1, %r1, 9; selp.b64 %rd10, %rd9, %rd4, %p1;\n"
        "setp.gt.u32 %p2, %r1, 20; selp.b64 %rd10, %rd1, %rd10, %p2;\n"
        "st.u32 [%rd10], 1000; ld.u32 %r10, [%rd10];\n" /* all three at once */
        "isspacep.shared %p3, %rd10; selp.u32 %r11, 1, 0, %p3;\n"
        "isspacep.global %p4, %rd10; selp.u32 %r12, 2, 0, %p4;\n"
        "cvta.to.shared.u64 %rd11, %rd9; sub.u64 %rd11, %rd11, %rd8;\n"
        "cvt.u32.u64 %r13, %rd11; add.u32 %r3, %r3, %r9; add.u32 %r4, %r4, %r5;\n"
        "add.u32 %r4, %r4, %r6; or.b32 %r11, %r11, %r12;\n"
        "st.global.u32 [%rd1+4000], %r3; st.global.u32 [%rd1+8000], %r4;\n"
        "st.global.u32 [%rd1+12000], %r10; st.global.u32 [%rd1+16000], %r11;\n"
        "st.global.u32 [%rd1+20000], %r13; st.global.u32 [%rd1+24000], %r7; }\n",
        32);
    r.launch.dynamic_shared_bytes = 128;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *m = r.memory + i;

        assert_int_equal(m[0], i > 20 ? 1000 : 0);
        assert_int_equal(m[1000], 2 * i);
        assert_int_equal(m[2000], 7 + 50 + 40);
        assert_int_equal(m[3000], 1000);
        assert_int_equal(m[4000], i < 9 ? 1 : i > 20 ? 2 : 0);
        assert_int_equal(m[5000], 0);
        assert_int_equal(m[6000], 0);
    }
    rig_close(&r);
}

/* Rows of 16 lanes, reversed rows, one word for all lanes, one word for each half. Full and
   partial warps give the same result as lane by lane. */
static void shapes_do_not_matter(void **state)
{
    static const char *const index[] = {
        "and.b32 %r4, %r1, 15;\n", "shr.u32 %r4, %r1, 4;\n", "mov.u32 %r4, 3;\n",
        "xor.b32 %r4, %r1, 21;\n", "mov.u32 %r4, %r1;\n",    "shl.b32 %r4, %r1, 1;\n"};

    (void)state;
    for (size_t k = 0; k < 6; k++)
        for (uint32_t threads = 32; threads >= 27; threads -= 5) {
            struct text body = {NULL, 0, 0};
            struct rig r;

            text_print(&body, ".shared .align 8 .b8 s[640];\n");
            text_add(&body, RIG_KERNEL, strlen(RIG_KERNEL));
            text_print(&body, "%s", index[k]);
            text_print(
                &body,
                "mov.u32 %%r3, s; shl.b32 %%r5, %%r4, 3; add.u32 %%r5, %%r3, %%r5;\n"
                "shl.b32 %%r15, %%r4, 2; add.u32 %%r15, %%r3, %%r15;\n"
                "cvt.u64.u32 %%rd8, %%r4; mul.wide.u32 %%rd9, %%r1, 8; add.s64 %%rd9, "
                "%%rd0, "
                "%%rd9;\nst.shared.u64 [%%r5+8], %%rd8; ld.shared.u64 %%rd10, [%%r5+8];\n"
                "st.shared.u32 [%%r15+4], %%r4; ld.shared.u32 %%r7, [%%r15+4];\n"
                "mul.wide.u32 %%rd11, %%r4, 4; add.s64 %%rd12, %%rd0, %%rd11;\n"
                "st.global.u32 [%%rd12+8000], %%r1; ld.global.u32 %%r8, [%%rd12+8000];\n"
                "st.global.u64 [%%rd9+4000], %%rd10; st.global.u32 [%%rd1+12000], %%r7;\n"
                "st.global.u32 [%%rd1+16000], %%r8; }\n");
            opened(&r, body.data, threads);
            rig_expect(&r, EXECUTE_EXITED);
            assert_int_equal(r.halves, k == 0 && threads == 32 ? 2 : 0);
            for (uint32_t i = 0; i < threads; i++) {
                uint32_t at = k == 0   ? i & 15
                              : k == 1 ? i >> 4
                              : k == 2 ? 3
                              : k == 3 ? i ^ 21
                              : k == 4 ? i
                                       : i * 2;
                uint32_t last = i; /* the store of the last lane remains */

                for (uint32_t n = i + 1; n < threads; n++)
                    if ((k == 0 && (n & 15) == at) || (k == 1 && n >> 4 == at) || k == 2)
                        last = n;
                assert_int_equal(r.memory[1000 + 2 * i], at);
                assert_int_equal(r.memory[3000 + i], at);
                assert_int_equal(r.memory[4000 + i], last);
            }
            rig_close(&r);
            text_clear(&body);
        }
}

static void copies_into_shared_memory(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           ".shared .align 16 .b8 s[512];\n" RIG_KERNEL
           "mov.u32 %r3, s; shl.b32 %r4, %r1, 4; add.u32 %r3, %r3, %r4;\n"
           "cvt.u64.u32 %rd3, %r4; add.s64 %rd4, %rd0, %rd3;\n"
           "cp.async.cg.shared.global [%r3], [%rd4], 16; cp.async.commit_group;\n"
           "cp.async.wait_group 0; ld.shared.u32 %r5, [%r3+12];\n"
           "st.global.u32 [%rd1+8000], %r5; }\n",
           32);
    for (uint32_t i = 0; i < 128; i++)
        r.memory[i] = i;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.memory[2000 + i], 4 * i + 3);
    rig_close(&r);
}

/* A lane copies a given number of bytes from its source and fills the rest with zeros. The
   source may end there. */
static void copies_end_with_zeros(void **state)
{
    static const char *const forms[] = {"cp.async.cg.shared.global [%r3], [%rd4], 16, %r1",
                                        "setp.lt.u32 %p2, %r1, 17;\n"
                                        "@%p2 cp.async.cg.shared.global [%r3], [%rd4], "
                                        "16, %r1",
                                        "cp.async.ca.shared.global [%r3], [%rd4], 8, 5"};

    (void)state;
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        struct rig r;
        char body[900];

        snprintf(
            body, sizeof body, "%s%s%s;\n%s",
            ".shared .align 16 .b8 s[512];\n" RIG_KERNEL
            "mov.u32 %r3, s; shl.b32 %r4, %r1, 4; add.u32 %r3, %r3, %r4; mov.u32 %r5, -1;\n"
            "st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};\n",
            "cvt.u64.u32 %rd3, %r4; add.s64 %rd4, %rd0, %rd3;\n", forms[form],
            "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];\n"
            "st.global.v4.u32 [%rd4+8000], {%r5, %r6, %r7, %r8}; }\n");
        opened(&r, body, 17);
        for (uint32_t i = 0; i < 68; i++)
            r.memory[i] = 0x01010101u * (i + 1);
        rig_expect(&r, EXECUTE_EXITED);
        for (uint32_t i = 0; i < 17 * 16; i++) {
            uint32_t has = form == 2 ? 5 : i / 16, to = form == 2 ? 8 : 16;

            assert_int_equal(((unsigned char *)&r.memory[2000])[i], i % 16 >= to ? 255
                                                                    : i % 16 >= has
                                                                        ? 0
                                                                        : i / 4 + 1);
        }
        rig_close(&r);
    }
}

static void faulty(const char *body, const char *sentence, uint32_t threads, bool check)
{
    struct rig r;

    opened(&r, body, threads);
    r.launch.check = check;
    r.launch.grid[0] = 2;
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_string_equal(r.fault, sentence);
    rig_close(&r);
}

static void faults_are_named(void **state)
{
    (void)state;
    faulty(
        ".shared .align 4 .b8 s[64];\n" RIG_KERNEL
        "mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;\n"
        "st.shared.u32 [%r3], 1; }\n",
        "kernel 'k', PTX line 12, CTA (0,0,0), thread (16,0,0): store of 4 bytes at offset "
        "64 of "
        "shared memory, which has 64",
        32, false);
    faulty(".shared .align 4 .b8 s[64];\n" RIG_KERNEL
           "mov.u32 %r3, s; ld.shared.u32 %r4, [%r3+2]; st.global.u32 [%rd1], %r4; }\n",
           "kernel 'k', PTX line 11, CTA (0,0,0), thread (0,0,0): load of 4 bytes at "
           "offset 2 of "
           "shared memory, which is no multiple of 4",
           32, false);
    faulty(
        RIG_KERNEL ".local .align 4 .b8 l[16];\nmov.u32 %r3, l; sub.u32 %r3, %r3, 4;\n"
                   "setp.eq.u32 %p1, %r1, 7; @%p1 st.local.u32 [%r3], 1; }\n",
        "kernel 'k', PTX line 12, CTA (0,0,0), thread (7,0,0): store of 4 bytes at offset "
        "4294967292 of local memory, which has 16",
        32, false);
    faulty(RIG_KERNEL
           "mov.u64 %rd3, 0; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd1], %r3; }\n",
           "kernel 'k', PTX line 10, CTA (0,0,0), thread (0,0,0): load of 4 bytes at "
           "address 0x0 "
           "was refused",
           32, false);
    faulty(".const .align 4 .u32 c[2] = {1, 2};\n" RIG_KERNEL
           "mov.u64 %rd3, c; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd3, %rd4;\n"
           "ld.const.u32 %r3, [%rd4]; st.global.u32 [%rd1], %r3; }\n",
           "kernel 'k', PTX line 12, CTA (0,0,0), thread (2,0,0): load of 4 bytes at "
           "offset 8 of "
           "constant memory, which has 8",
           32, false);
    faulty(RIG_KERNEL "setp.eq.u32 %p1, %r1, 40; @%p1 trap; }\n",
           "kernel 'k', PTX line 10, CTA (0,0,0), thread (40,0,0): trap", 64, false);
    faulty(".shared .align 4 .b8 s[64];\n" RIG_KERNEL
           "mov.u32 %r3, s; setp.lt.u32 %p1, %r1, 3; @%p1 st.shared.u32 [%r3], 1;\n"
           "ld.shared.u32 %r4, [%r3+4]; st.global.u32 [%rd1], %r4; }\n",
           "kernel 'k', PTX line 12, CTA (0,0,0), thread (0,0,0): load of 4 bytes at "
           "offset 4 of "
           "shared memory, where nothing was stored",
           32, true);
}

/* A wide load of a structure with a hole that was never stored. */
static const char holed[] =
    ".shared .align 8 .b8 s[64];\n" RIG_KERNEL "mov.u32 %r3, s; st.shared.u32 [%r3], 7;\n"
    ".pragma \"used_bytes_mask 15\";\n"
    "ld.shared.v2.u32 {%r4, %r5}, [%r3];\n"
    "st.global.u32 [%rd1], %r4; }\n";

static void holes_of_structures_may_be_loaded(void **state)
{
    char others[sizeof holed];
    struct rig r;

    (void)state;
    opened(&r, holed, 32);
    r.launch.check = true;
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.memory[0], 7);
    rig_close(&r);
    memcpy(others, holed, sizeof holed);
    memcpy(strstr(others, "mask 15"), "mask 31", 7);
    faulty(others,
           "kernel 'k', PTX line 13, CTA (0,0,0), thread (0,0,0): load of 8 bytes at "
           "offset 0 of "
           "shared memory, where nothing was stored",
           32, true);
}

/* Every operation on shared and on global memory against the same operation in C. 64
   threads update one word if the order does not matter, and a word each otherwise. */
static void atomics_update(void **state)
{
    static const struct {
        const char *word, *type;
        uint32_t start, operand, wanted;
    } rows[] = {
        {"add", "u32", 5, 3, 8},
        {"add", "s32", 5, 0xfffffffd, 2},
        {"min", "u32", 5, 3, 3},
        {"min", "s32", 5, 0xfffffffd, 0xfffffffd},
        {"max", "u32", 5, 0xfffffffd, 0xfffffffd},
        {"max", "s32", 5, 0xfffffffd, 5},
        {"and", "b32", 12, 10, 8},
        {"or", "b32", 12, 10, 14},
        {"xor", "b32", 12, 10, 6},
        {"exch", "b32", 12, 10, 10},
        {"inc", "u32", 5, 5, 0},
        {"inc", "u32", 4, 5, 5},
        {"dec", "u32", 0, 5, 5},
        {"dec", "u32", 9, 5, 5},
        {"dec", "u32", 3, 5, 2},
        {"add", "f32", 0x3f800000, 0x40000000, 0x40400000},
        {"add.noftz", "f16x2", 0x3c003c00, 0x40003800, 0x42003e00},
    };

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct text body = {NULL, 0, 0};
        struct rig r;
        const char *t = rows[k].type;

        text_print(&body, ".shared .align 4 .b8 s[256];\n");
        text_add(&body, RIG_KERNEL, strlen(RIG_KERNEL));
        text_print(
            &body,
            "mov.u32 %%r3, s; shl.b32 %%r4, %%r1, 2; add.u32 %%r3, %%r3, %%r4;\n"
            "st.global.u32 [%%rd1], %u; st.shared.u32 [%%r3], %u; mov.b32 %%r5, %u;\n"
            "mov.b32 %%f5, %%r5; atom.global.%s.%s %s, [%%rd1], %s;\n"
            "atom.shared.%s.%s %s, [%%r3], %s; ld.shared.u32 %%r8, [%%r3];\n"
            "st.global.u32 [%%rd1+4000], %s; st.global.u32 [%%rd1+8000], %s;\n"
            "st.global.u32 [%%rd1+12000], %%r8; }\n",
            rows[k].start, rows[k].start, rows[k].operand, rows[k].word, t,
            t[0] == 'f' && t[1] == '3' ? "%f6" : "%r6",
            t[0] == 'f' && t[1] == '3' ? "%f5" : "%r5", rows[k].word, t,
            t[0] == 'f' && t[1] == '3' ? "%f7" : "%r7",
            t[0] == 'f' && t[1] == '3' ? "%f5" : "%r5",
            t[0] == 'f' && t[1] == '3' ? "%f6" : "%r6",
            t[0] == 'f' && t[1] == '3' ? "%f7" : "%r7");
        opened(&r, body.data, 64);
        rig_expect(&r, EXECUTE_EXITED);
        for (uint32_t i = 0; i < 64; i++) {
            if (r.memory[i] != rows[k].wanted)
                fail_msg("%s.%s gives %#x", rows[k].word, t, r.memory[i]);
            assert_int_equal(r.memory[1000 + i], rows[k].start);
            assert_int_equal(r.memory[2000 + i], rows[k].start);
            assert_int_equal(r.memory[3000 + i], rows[k].wanted);
        }
        rig_close(&r);
        text_clear(&body);
    }
}

static void atomics_share_a_word(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "mov.u64 %rd5, 1; atom.global.add.u64 %rd6, [%rd0+8000], %rd5;\n"
                      "red.global.max.u32 [%rd0+8008], %r1; red.add.f64 [%rd0+8016], "
                      "0d3FE0000000000000;\n"
                      "cvt.u32.u64 %r3, %rd6; mul.wide.u32 %rd7, %r3, 4;\n"
                      "add.s64 %rd8, %rd0, %rd7; st.global.u32 [%rd8], 1;\n"
                      "AGAIN: ld.global.u32 %r4, [%rd0+8024]; add.u32 %r5, %r4, 2;\n"
                      "atom.global.cas.b32 %r6, [%rd0+8024], %r4, %r5;\n"
                      "setp.ne.u32 %p1, %r6, %r4; @%p1 bra AGAIN; }\n",
           96);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(r.memory[i], 1);
    double half;

    memcpy(&half, &r.memory[2004], 8);
    assert_int_equal(r.memory[2000], 96);
    assert_int_equal(r.memory[2002], 95);
    assert_true(half == 48.0);
    assert_int_equal(r.memory[2006], 192);
    rig_close(&r);
}

/* All threads add to four words, and each receives two old values that no other thread
   receives. */
static void atomics_of_vectors(void **state)
{
    bool noted[96] = {false};
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "mov.f32 %f1, 0f3F800000; cvt.rn.f32.u32 %f2, %r1;\n"
                      "red.global.add.v4.f32 [%rd0+8000], {%f1, %f2, %f1, %f2};\n"
                      "atom.global.add.v2.f32 {%f3, %f4}, [%rd0+8016], {%f1, %f2};\n"
                      "cvt.rzi.u32.f32 %r5, %f3; st.global.u32 [%rd1], %r5; }\n",
           96);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t n = 0; n < 6; n++) {
        float sum;

        memcpy(&sum, &r.memory[2000 + n], sizeof sum);
        assert_true(sum == (n % 2 ? 95 * 48 : 96));
    }
    for (uint32_t i = 0; i < 96; i++) {
        assert_in_range(r.memory[i], 0, 95);
        assert_false(noted[r.memory[i]]);
        noted[r.memory[i]] = true;
    }
    rig_close(&r);
}

/* Memory that is reserved for cooperative groups is separate from the CTA's variables. */
static void reserved_memory_is_separate(void **state)
{
    struct rig r;

    (void)state;
    for (int hoist = 0; hoist < 2; hoist++) {
        rig_open(
            &r,
            ".extern .shared .align 16 .b8 d[];\n.shared .align 4 .b8 s[4];\n" RIG_KERNEL
            "mov.u32 %r3, %reserved_smem_offset_1; mov.u32 %r4, d; mov.u32 %r5, 1;\n"
            "st.shared.u32 [s], %r5; st.shared.u32 [%r3], 2; st.shared.u32 [%r3+284], 3;\n"
            "st.shared.u32 [%r4], 4; st.shared.u32 [%r4+28], 5;\n"
            "ld.shared.u32 %r6, [s]; ld.shared.u32 %r7, [%r3]; ld.shared.u32 %r8, "
            "[%r3+284];\n"
            "st.global.u32 [%rd1], %r6; st.global.u32 [%rd1+4], %r7;\n"
            "st.global.u32 [%rd1+8], %r8; }\n",
            hoist);
        r.launch.block[0] = 1;
        r.launch.dynamic_shared_bytes = 32;
        rig_expect(&r, EXECUTE_EXITED);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(r.memory[i], i + 1);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_extend_and_cut),
        cmocka_unit_test(vectors_of_elements),
        cmocka_unit_test(spaces_and_generic_addresses),
        cmocka_unit_test(shapes_do_not_matter),
        cmocka_unit_test(copies_into_shared_memory),
        cmocka_unit_test(copies_end_with_zeros),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(holes_of_structures_may_be_loaded),
        cmocka_unit_test(atomics_update),
        cmocka_unit_test(atomics_share_a_word),
        cmocka_unit_test(atomics_of_vectors),
        cmocka_unit_test(reserved_memory_is_separate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
