/* SPDX-License-Identifier: Apache-2.0 */
/* Video instructions, mma.sp and fma.oob in kernels that are analysed and split. */
#include "module_testing.h"

static uint32_t bytes_added(uint32_t i)
{
    uint32_t sum = 0;

    for (unsigned at = 0; at < 32; at += 8)
        sum |= ((i >> at & 255) + 3 > 255 ? 255 : (i >> at & 255) + 3) << at;
    return sum;
}

static uint32_t negative_product(uint32_t i)
{
    return 1000000u - (i & 255) * (i >> 8 & 255);
}

static uint32_t halves(uint32_t i)
{
    return i + 0x4800; /* 8 products of 1 */
}

static uint32_t zero_or_two(uint32_t i)
{
    return i & 1 ? 0x4000 : 0;
}

#define STORE "st.global.u32 [p], i; ret; }\n"

static const struct module_case cases[] = {
    {"vadd4", MODULE_KERNEL "vadd4.u32.u32.u32.sat i, i, 0x03030303, i;\n" STORE,
     bytes_added, false},
    {"vmad",
     MODULE_KERNEL
     ".reg .b32 k; mov.b32 k, 1000000; vmad.s32.u32.u32 i, -i.b0, i.b1, k;\n" STORE,
     negative_product, false},
    {"mma.sp",
     MODULE_KERNEL
     ".reg .b32 a, d0, d1, e, z; mov.b32 a, 0x3c003c00; mov.b32 z, 0;\n"
     "mov.b32 e, 0x44444444;\n"
     "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {d0, d1}, {a, a},\n"
     "{a, a}, {z, z}, e, 1; and.b32 d0, d0, 0xffff; add.u32 i, i, d0;\n" STORE,
     halves, false},
    {"fma.oob", /* the factor is out of bounds where i is even */
     MODULE_KERNEL ".reg .b16 a, o; .reg .pred z; and.b32 c, i, 1; setp.eq.u32 z, c, 0;\n"
                   "mov.b16 o, 0x3c00; selp.b16 a, 0x7ff7, o, z;\n"
                   "fma.rn.oob.f16 a, a, o, o; cvt.u32.u16 i, a;\n" STORE,
     zero_or_two, false},
};

static void packed_forms_are_split(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        module_check(&cases[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_forms_are_split),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
