/* SPDX-License-Identifier: Apache-2.0 */

/* cvt.pack against values by the PTX ISA. */

#include <string.h>

#include "lanes_machine.h"

static const struct pack {
    const char *text, *signature;
    int32_t a, b;
    uint32_t c, expected;
} packs[] = {
    {"cvt.pack.sat.s8.s32.b32", "4=444", -300, 300, 0, 0x0000807f},
    {"cvt.pack.sat.s8.s32.b32", "4=444", -1, 5, 0xabcd8001, 0x8001ff05},
    {"cvt.pack.sat.u8.s32.b32", "4=444", -300, 300, 0xffff1234, 0x123400ff},
    {"cvt.pack.sat.u8.s32.b32", "4=444", 255, 254, 0, 0x0000fffe},
    {"cvt.pack.sat.s4.s32.b32", "4=444", -9, 8, 0x00123456, 0x12345687},
    {"cvt.pack.sat.u4.s32.b32", "4=444", 16, -1, 0x00123456, 0x123456f0},
    {"cvt.pack.sat.s2.s32.b32", "4=444", -3, 2, 0x01234567, 0x12345679},
    {"cvt.pack.sat.u2.s32.b32", "4=444", 4, 2, 0x01234567, 0x1234567e},
    {"cvt.pack.sat.s16.s32", "4=44", -40000, 40000, 0, 0x80007fff},
    {"cvt.pack.sat.s16.s32", "4=44", -2, 3, 0, 0xfffe0003},
    {"cvt.pack.sat.u16.s32", "4=44", -1, 70000, 0, 0x0000ffff},
    {"cvt.pack.sat.u16.s32", "4=44", INT32_MAX, INT32_MIN, 0, 0xffff0000},
};

static void integers_are_clamped_and_packed(void **unused)
{
    const struct op_table *t;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (size_t k = 0; k < sizeof packs / sizeof *packs; k++) {
            const struct pack *p = &packs[k];
            struct machine m;

            machine_init(&m, p->text, p->signature);
            for (unsigned l = 0; l < LANES; l++) {
                m.in[0][l] = (uint32_t)p->a;
                m.in[1][l] = (uint32_t)p->b;
                m.in[2][l] = p->c;
            }
            machine_run(&m, t, 0xfff0ffff);
            if (m.out[0][9] != p->expected)
                fail_msg("%s, case %zu: %08x", p->text, k, (unsigned)m.out[0][9]);
        }
}

static void other_forms_are_refused(void **unused)
{
    static const char *const texts[] = {"cvt.pack.s8.s32.b32", "cvt.pack.sat.s8.u32.b32",
                                        "cvt.pack.sat.s8.s32", "cvt.pack.sat.s16.s32.b32",
                                        "cvt.pack.sat.s32.s32.b32"};
    const struct op_table *t;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct execute_op op = {.to = PLACE(FILE_WARP, 0), .to2 = PLACE_NONE};
            struct machine m;

            machine_init(&m, texts[k], "4=444");
            if (t->choose(&m.instruction, &op))
                fail_msg("%s is accepted", texts[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_clamped_and_packed),
        cmocka_unit_test(other_forms_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
