/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding and widths of atomics that differ between global and shared memory. */
#include "execute_testing.h"

/* Sums of subnormals: PTX ISA, atom. Only global memory flushes them. */
static const struct sum {
    uint32_t start, operand, in_global, in_shared;
} sums[] = {
    {0x00000001, 0x00000001, 0x00000000, 0x00000002}, /* inputs */
    {0x80000001, 0x80000001, 0x80000000, 0x80000002},
    {0x00800001, 0x80800000, 0x00000000, 0x00000001}, /* result */
    {0x80800001, 0x00800000, 0x80000000, 0x80000001},
    {0x00800000, 0x007fffff, 0x00800000, 0x00ffffff},
    {0x3f800000, 0x00000001, 0x3f800000, 0x3f800000},
    {0x00800000, 0x00800000, 0x01000000, 0x01000000},
    {0x7f800000, 0x80000001, 0x7f800000, 0x7f800000},
};
enum { SUMS = sizeof sums / sizeof *sums };

static const char *const forms[] = {
    "atom.global.add.f32 %f3, [%rd1], %f2; atom.shared.add.f32 %f4, [%r3], %f2;",
    "red.global.add.f32 [%rd1], %f2; red.shared.add.f32 [%r3], %f2;",
    "atom.add.f32 %f3, [%rd1], %f2; atom.add.f32 %f4, [%rd5], %f2;",
    "red.global.add.v2.f32 [%rd1], {%f2, %f5}; red.add.f32 [%rd5], %f2;",
};

/* Thread i adds sums[i].operand to its words; words are 8 bytes apart. */
static void sums_flush_in_global_memory(void **state)
{
    (void)state;
    for (size_t form = 0; form < 2 * sizeof forms / sizeof *forms; form++) {
        char body[2048];
        struct rig r;

        snprintf(body, sizeof body,
                 ".shared .align 8 .b8 s[256];\n%s"
                 "mad.lo.u32 %%r4, %%r1, 8, 0; cvt.u64.u32 %%rd2, %%r4;\n"
                 "add.s64 %%rd1, %%rd0, %%rd2; mov.u32 %%r3, s; add.u32 %%r3, %%r3, %%r4;\n"
                 "cvt.u64.u32 %%rd4, %%r3; cvta.shared.u64 %%rd5, %%rd4;\n"
                 "ld.global.f32 %%f1, [%%rd1]; ld.global.f32 %%f2, [%%rd1+4000];\n"
                 "mov.f32 %%f5, 0f00000000; st.shared.f32 [%%r3], %%f1;\n%s\n"
                 "ld.shared.f32 %%f6, [%%r3]; st.global.f32 [%%rd1+8000], %%f6; }\n",
                 RIG_KERNEL, forms[form / 2]);
        rig_open(&r, body, true);
        r.launch.block[0] = SUMS;
        r.remote = form & 1 ? (uint64_t)(uintptr_t)r.memory : 0;
        for (size_t i = 0; i < SUMS; i++) {
            r.memory[2 * i] = sums[i].start;
            r.memory[1000 + 2 * i] = sums[i].operand;
        }
        rig_expect(&r, EXECUTE_EXITED);
        for (size_t i = 0; i < SUMS; i++)
            if (r.memory[2 * i] != sums[i].in_global ||
                r.memory[2000 + 2 * i] != sums[i].in_shared)
                fail_msg("form %zu, sum %zu: %08x and %08x", form, i, r.memory[2 * i],
                         r.memory[2000 + 2 * i]);
        rig_close(&r);
    }
}

/* Threads count up a pair of 64-bit numbers, which must change together, in global memory
   (by compare-and-swap in a loop) and in shared memory, and exchange another one. */
static void pairs_of_64_bits_change_together(void **state)
{
    static const char *const spaces[] = {".global", ""};

    (void)state;
    for (size_t form = 0; form < 4; form++) {
        char body[4096];
        struct rig r;

        snprintf(
            body, sizeof body,
            ".shared .align 16 .b8 s[32];\n%s.reg .b128 %%q<8>;\n"
            "mov.u64 %%rd3, 0; mov.u64 %%rd4, 0; mov.u64 %%rd5, s;\n"
            "cvta.shared.u64 %%rd6, %%rd5; mov.b128 %%q7, {%%rd3, %%rd4};\n"
            "setp.ne.u32 %%p2, %%r1, 0; @%%p2 bra READY;\n"
            "st.shared.v2.u64 [%%rd5], {%%rd3, %%rd4}; READY: bar.sync 0;\n"
            "AGAIN: add.u64 %%rd7, %%rd3, 1; sub.u64 %%rd8, %%rd4, 3;\n"
            "mov.b128 %%q1, {%%rd3, %%rd4}; mov.b128 %%q2, {%%rd7, %%rd8};\n"
            "atom%s.cas.b128 %%q3, [%%rd0+4096], %%q1, %%q2;\n"
            "mov.b128 {%%rd9, %%rd10}, %%q3;\n"
            "setp.ne.u64 %%p1, %%rd9, %%rd3; mov.u64 %%rd3, %%rd9; mov.u64 %%rd4, %%rd10;\n"
            "@%%p1 bra AGAIN;\n"
            "mov.u64 %%rd3, 0; mov.u64 %%rd4, 0;\n"
            "OTHER: add.u64 %%rd7, %%rd3, 1; sub.u64 %%rd8, %%rd4, 3;\n"
            "mov.b128 %%q1, {%%rd3, %%rd4}; mov.b128 %%q2, {%%rd7, %%rd8};\n"
            "atom%s.cas.b128 %%q3, [%s], %%q1, %%q2; mov.b128 {%%rd9, %%rd10}, %%q3;\n"
            "setp.ne.u64 %%p1, %%rd9, %%rd3; mov.u64 %%rd3, %%rd9; mov.u64 %%rd4, %%rd10;\n"
            "@%%p1 bra OTHER;\n"
            "cvt.u64.u32 %%rd11, %%r1; neg.s64 %%rd12, %%rd11;\n"
            "mov.b128 %%q4, {%%rd11, %%rd12}; mul.wide.u32 %%rd13, %%r1, 16;\n"
            "add.u64 %%rd13, %%rd0, %%rd13;\n"
            "atom.relaxed.gpu.global.exch.b128 %%q5, [%%rd13+8192], %%q4;\n"
            "mov.b128 {%%rd14, %%rd15}, %%q5; st.global.v2.u64 [%%rd13+16384], {%%rd14, "
            "%%rd15};\n"
            "bar.sync 0; ld.shared.v2.u64 {%%rd16, %%rd17}, [%%rd5];\n"
            "st.global.v2.u64 [%%rd0+4112], {%%rd16, %%rd17}; }\n",
            RIG_KERNEL, spaces[form / 2], form / 2 ? "" : ".shared",
            form / 2 ? "%rd6" : "%rd5");
        rig_open(&r, body, true);
        r.launch.block[0] = 96;
        r.remote = form & 1 ? (uint64_t)(uintptr_t)r.memory : 0;
        for (uint32_t i = 0; i < 96 * 4; i++)
            r.memory[2048 + i] = 7 * i;
        rig_expect(&r, EXECUTE_EXITED);
        const uint64_t *pairs = (const uint64_t *)(r.memory + 1024);

        for (uint32_t k = 0; k < 4; k += 2) {
            assert_int_equal(pairs[k], 96);
            assert_int_equal(pairs[k + 1], -3 * INT64_C(96));
        }
        for (uint32_t i = 0; i < 96; i++) {
            const uint64_t *now = (const uint64_t *)(r.memory + 2048 + 4 * i);

            assert_int_equal(now[0], i);
            assert_int_equal(now[1], 0 - (uint64_t)i);
            for (uint32_t k = 0; k < 4; k++)
                assert_int_equal(r.memory[4096 + 4 * i + k], 7 * (4 * i + k));
        }
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_flush_in_global_memory),
        cmocka_unit_test(pairs_of_64_bits_change_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
