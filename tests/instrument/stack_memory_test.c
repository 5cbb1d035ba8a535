/* SPDX-License-Identifier: Apache-2.0 */
/* alloca, stacksave and stackrestore in kernels and functions. */
#include "module_testing.h"

static uint32_t same(uint32_t i)
{
    return i;
}

static uint32_t sum_to(uint32_t i)
{
    uint32_t n = i % 32;

    return n * (n + 1) / 2;
}

static uint32_t distance(uint32_t i)
{
    return 16 + (i % 8 * 4 + 15) / 16 * 16; /* the emulator's record precedes each area */
}

static uint32_t zero(uint32_t i)
{
    return 0 * i;
}

static uint32_t aligned(uint32_t i)
{
    return 256 + 0 * i;
}

static uint32_t thrice(uint32_t i)
{
    return 3 * i;
}

static uint32_t nested(uint32_t i)
{
    uint32_t n = i % 6;

    return n * (n + 1) / 2;
}

#define STORE "st.global.u32 [p], i; ret; }\n"
/* Words 0 to i % 32 of an array of that size, written upwards and summed downwards. */
#define FILL_AND_SUM                                                                       \
    "rem.u32 n, i, 32; add.u32 c, n, 1; shl.b32 c, c, 2; cvt.u64.u32 s, c;\n"              \
    "alloca.u64 a, s, 16; mov.b32 c, 0; UP: mul.wide.u32 q, c, 4; add.u64 q, a, q;\n"      \
    "st.local.u32 [q], c; add.u32 c, c, 1; setp.le.u32 z, c, n; @z bra UP;\n"              \
    "mov.b32 i, 0; cvta.local.u64 a, a; DOWN: sub.u32 c, c, 1; mul.wide.u32 q, c, 4;\n"    \
    "add.u64 q, a, q; ld.u32 t, [q]; add.u32 i, i, t; setp.ne.u32 z, c, 0; @z bra DOWN;\n"

static const struct module_case cases[] = {
    {"a size of each thread",
     MODULE_KERNEL ".reg .b64 a, s; .reg .pred z;\n" FILL_AND_SUM STORE, sum_to, false},
    {"two areas",
     MODULE_KERNEL ".reg .b64 a, b; .local .u32 l; st.local.u32 [l], 7;\n"
                   "alloca.u64 a, 4; alloca.u64 b, 4; st.local.u32 [a], i;\n"
                   "st.local.u32 [b], 9; ld.local.u32 i, [a];\n" STORE,
     same, false},
    {"a register of 32 bits",
     MODULE_KERNEL ".reg .b32 a, b, s; rem.u32 s, i, 8; shl.b32 s, s, 2;\n"
                   "alloca.u32 a, s; alloca.u32 b, 4; sub.u32 i, b, a;\n" STORE,
     distance, false},
    {"stackrestore frees",
     MODULE_KERNEL
     ".reg .b64 a, b, s; stacksave.u64 s; alloca.u64 a, 100;\n"
     "stackrestore.u64 s; alloca.u64 b, 50; sub.u64 a, a, b; cvt.u32.u64 i, a;\n" STORE,
     zero, false},
    {"stacksave of 32 bits in a loop",
     MODULE_KERNEL ".reg .b32 a, s; .reg .pred z; mov.b32 c, 0;\n"
                   "LOOP: stacksave.u32 s; alloca.u32 a, 4096; st.local.u32 [a+4092], i;\n"
                   "ld.local.u32 i, [a+4092]; stackrestore.u32 s; add.u32 c, c, 1;\n"
                   "setp.lt.u32 z, c, 100; @z bra LOOP;\n" STORE,
     same, false},
    {"an alignment",
     MODULE_KERNEL
     ".reg .b64 a, b; alloca.u64 b, 8; alloca.u64 a, 8, 256;\n"
     "neg.s64 b, a; and.b64 a, a, b; min.u64 a, a, 256; cvt.u32.u64 i, a;\n" STORE,
     aligned, false},
    {"a function that returns frees",
     ".func (.param .b32 r) f(.param .b32 x) { .reg .b64 a; .reg .b32 v;\n"
     "alloca.u64 a, 2048; ld.param.b32 v, [x]; st.local.u32 [a], v; add.u32 v, v, v;\n"
     "st.local.u32 [a+2044], v; ld.local.u32 v, [a+2044]; st.param.b32 [r], v; ret; "
     "}\n" MODULE_KERNEL
     ".reg .b64 a; .reg .pred z; .param .b32 x; .param .b32 r; mov.b32 c, 0;\n"
     "alloca.u64 a, 4; st.local.u32 [a], i;\n"
     "LOOP: st.param.b32 [x], i; call (r), f, (x); ld.param.b32 n, [r];\n"
     "add.u32 c, c, 1; setp.lt.u32 z, c, 100; @z bra LOOP;\n"
     "ld.local.u32 i, [a]; add.u32 i, i, n;\n" STORE,
     thrice, false},
    {"recursion",
     ".func (.reg .b32 r) f(.reg .b32 x) { .reg .b64 a, s; .reg .b32 v; .reg .pred z;\n"
     "mov.b32 r, 0; setp.eq.u32 z, x, 0; @z ret; mul.wide.u32 s, x, 4; alloca.u64 a, s;\n"
     "st.local.u32 [a], x; sub.u32 v, x, 1; call (v), f, (v); ld.local.u32 r, [a];\n"
     "add.u32 r, r, v; ret; }\n" MODULE_KERNEL "rem.u32 i, i, 6; call (i), f, (i);\n" STORE,
     nested, false},
};

static void stack_memory_is_local(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        module_check(&cases[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stack_memory_is_local)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
