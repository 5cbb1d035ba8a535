/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar video instructions against values by the PTX ISA. */
#include "execute_testing.h"

/* The sources are x = 0x80ff7f01, y = 0x01028003, z = 0x11223344; the result is in d. */
static const struct video {
    const char *text;
    uint32_t expected;
} videos[] = {
    {"vadd.s32.s32.s32 d, x, y", 0x8201ff04},
    {"vadd.s32.s32.s32 d, x.b2, y.b0", 2}, /* -1 + 3 */
    {"vadd.s32.u32.s32 d, x.b2, y.b1", 255 - 128},
    {"vadd.u32.u32.u32 d, x.h1, y.h0", 0x80ff + 0x8003},
    {"vadd.s32.s32.s32.sat d, x, x", 0x80000000},
    {"vadd.u32.u32.u32.sat d, x, x", 0xffffffff},
    {"vadd.u32.s32.s32.sat d, x.b2, y.b1", 0},
    {"vadd.s32.s32.s32.add d, x.b2, y.b0, z", 0x11223346},
    {"vadd.s32.s32.s32.sat.min d, x, x, z", 0x80000000},
    {"vadd.u32.u32.u32.max d, x.b3, y.b3, z", 0x11223344},
    {"vadd.s32.s32.s32 d.b1, x.b0, y.b0, z", 0x11220444},
    {"vadd.u32.u32.u32.sat d.b3, x.b2, y.b1, z", 0xff223344},
    {"vadd.s32.u32.u32.sat d.h0, x.h1, y.h0, z", 0x11227fff},
    {"vadd.s32.u32.u32 d.h1, x.b0, y.b0, z", 0x00043344},
    {"vsub.s32.u32.u32 d, x.b0, y.b0", 0xfffffffe},
    {"vsub.u32.u32.u32.sat d, x.b0, y.b0", 0},
    {"vabsdiff.u32.u32.u32 d, x.b0, y.b0", 2},
    {"vabsdiff.u32.s32.s32 d, x, y", 0x01028003u - 0x80ff7f01u},
    {"vabsdiff.u32.s32.s32.add d, x.b3, y.b3, z", 0x11223344 + 129},
    {"vmin.s32.s32.u32 d, x.b3, y.b3", 0xffffff80},
    {"vmin.u32.u32.u32 d, x.b3, y.b2", 2},
    {"vmax.s32.s32.s32 d, x.h1, y.h0", 0xffff80ff},
    {"vmax.u32.u32.u32 d.b2, x.b1, y.b0, z", 0x117f3344},
    {"vshl.u32.u32.u32.clamp d, x, 33", 0},
    {"vshl.u32.u32.u32.wrap d, x, 33", 0x01fefe02},
    {"vshl.u32.u32.u32.wrap d, x.b0, y.b0", 8},
    {"vshr.s32.s32.u32.clamp d, x, 40", 0xffffffff},
    {"vshr.u32.u32.u32.wrap d, x, 36", 0x080ff7f0},
    {"vshr.s32.s32.u32.clamp.add d, x.h1, y.b3, z", 0x11223344 - 0x3f81},
    {"vset.s32.u32.lt d, x, y", 1},
    {"vset.u32.u32.lt d, x, y", 0},
    {"vset.s32.s32.ge d.h1, x.b0, y.b3, z", 0x00013344},
    {"vset.u32.u32.ne.add d, x.b0, y.b3, z", 0x11223344},
    {"vset.u32.u32.eq.add d, x.b0, y.b3, z", 0x11223345},
};

static void parts_are_computed(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * sizeof videos / sizeof *videos; k++) {
        const struct video *v = &videos[k / 2];
        char body[1024];
        struct rig r;

        snprintf(body, sizeof body,
                 "%s.reg .b32 d, x, y, z; ld.global.v4.u32 {x, y, z, d}, [%%rd0+4096];\n"
                 "%s; st.global.u32 [%%rd1], d; }\n",
                 RIG_KERNEL, v->text);
        rig_open(&r, body, k & 1);
        memcpy(r.memory + 1024, (const uint32_t[]){0x80ff7f01, 0x01028003, 0x11223344}, 12);
        rig_expect(&r, EXECUTE_EXITED);
        if (r.memory[0] != v->expected || r.memory[31] != v->expected)
            fail_msg("%s: %08x, expected %08x", v->text, r.memory[0], v->expected);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_computed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
