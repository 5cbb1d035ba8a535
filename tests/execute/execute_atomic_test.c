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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_flush_in_global_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
