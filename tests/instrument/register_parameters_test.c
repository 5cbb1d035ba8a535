/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters in registers, and arguments that are registers or numbers: every combination
   that ptxas accepts gives the value of the same call with .param variables. */
#include "module_testing.h"

static uint32_t twice(uint32_t i)
{
    return 2 * i;
}

static uint32_t twice_odd(uint32_t i)
{
    return i & 1 ? 2 * i : i;
}

static uint32_t late(uint32_t i)
{
    return i > 5 ? i : i + 100;
}

static uint32_t swapped(uint32_t i)
{
    return (i << 16 | i >> 16) + 3 * i;
}

static uint32_t sum(uint32_t i)
{
    return i + 5 + 2 + 3;
}

static uint32_t same(uint32_t i)
{
    return i;
}

static uint32_t seven(uint32_t i)
{
    return i + 7;
}

static uint32_t factorial(uint32_t i)
{
    uint32_t product = 1;

    for (uint32_t n = 2; n <= i % 9; n++)
        product *= n;
    return product;
}

#define TWICE ".func (.reg .b32 r) f(.reg .b32 x) { add.u32 r, x, x; ret; }\n"
#define STORE "st.global.u32 [p], i; ret; }\n"

static const struct module_case cases[] = {
    {"registers", TWICE MODULE_KERNEL "call (i), f, (i);\n" STORE, twice, false},
    {"a function without ret",
     ".func (.reg .b32 r) f(.reg .b32 x) { add.u32 r, x, x; }\n" MODULE_KERNEL
     "call (i), f, (i);\n" STORE,
     twice, false},
    {"a forward declaration",
     ".func (.reg .b32 r) f(.reg .b32 x);\n" MODULE_KERNEL
     "call (i), f, (i);\n" STORE TWICE,
     twice, false},
    {"one result of two calls",
     TWICE MODULE_KERNEL
     ".reg .b32 a; call (a), f, (7); call (a), f, (i); mov.b32 i, a;\n" STORE,
     twice, false},
    {"a guarded call",
     TWICE MODULE_KERNEL ".reg .pred odd; .reg .b32 o; and.b32 o, i, 1;\n"
                         "setp.ne.u32 odd, o, 0; @odd call (i), f, (i);\n" STORE,
     twice_odd, false},
    {"a guarded ret",
     ".func (.reg .b32 r) f(.reg .b32 x) { .reg .pred z; setp.gt.u32 z, x, 5;\n"
     "mov.b32 r, x; @z ret; add.u32 r, r, 100; ret; }\n" MODULE_KERNEL
     "call (i), f, (i);\n" STORE,
     late, false},
    {"a label at the end",
     ".func (.reg .b32 r) f(.reg .b32 x) { .reg .pred z; setp.gt.u32 z, x, 5;\n"
     "mov.b32 r, x; @z bra DONE; add.u32 r, r, 100; ret; DONE: }\n" MODULE_KERNEL
     "call (i), f, (i);\n" STORE,
     late, false},
    {"a parameter that changes",
     ".func (.reg .b32 r) f(.reg .b32 x) { .reg .pred z; setp.gt.u32 z, x, 5;\n"
     "mov.b32 r, x; @z bra DONE; mov.b32 x, 100; add.u32 r, r, x; DONE: ret; "
     "}\n" MODULE_KERNEL "call (i), f, (i);\n" STORE,
     late, false},
    {"vectors and wide values",
     ".func (.reg .v2 .b32 r, .reg .b64 s) f(.reg .v2 .b32 x, .reg .b64 y) {\n"
     "mov.b32 r.x, x.y; mov.b32 r.y, x.x; mul.lo.u64 s, y, 3; ret; }\n" MODULE_KERNEL
     ".reg .v2 .b32 v; .reg .b64 w; .reg .b32 a, b; shl.b32 v.x, i, 16; shr.b32 v.y, i, "
     "16;\n"
     "cvt.u64.u32 w, i; call (v, w), f, (v, w); cvt.u32.u64 a, w; or.b32 b, v.x, v.y;\n"
     "add.u32 i, a, b;\n" STORE,
     swapped, false},
    {"numbers and both kinds of parameters",
     ".func (.reg .b32 r, .reg .f32 s) f(.reg .b32 x, .param .b32 y, .reg .f64 z) {\n"
     ".reg .b32 t; ld.param.b32 t, [y]; add.u32 r, x, t; cvt.rn.f32.f64 s, z; ret; "
     "}\n" MODULE_KERNEL ".reg .f32 a; .reg .b32 b;\n"
     "call (i, a), f, (i, 5, 0d4000000000000000); cvt.rni.u32.f32 b, a; add.u32 i, i, b;\n"
     "call (i, _), f, (i, 3, 0d0000000000000000);\n" STORE,
     sum, false},
    {"registers for .param",
     ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.b32 t, [x];\n"
     "add.u32 t, t, t; st.param.b32 [r], t; ret; }\n" MODULE_KERNEL
     "call (i), f, (i);\n" STORE,
     twice, false},
    {".param for registers",
     TWICE MODULE_KERNEL ".param .b32 a; .param .b32 b; st.param.b32 [a], i;\n"
                         "call (b), f, (a); ld.param.b32 i, [b];\n" STORE,
     twice, false},
    {"a declaration without a semicolon",
     ".visible .func (.param .b32 r) f(.param .b32 x)\n"
     ".visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.b32 t, [x];\n"
     "add.u32 t, t, t; st.param.b32 [r], t; ret; }\n" MODULE_KERNEL
     "call (i), f, (i);\n" STORE,
     twice, false},
    {"vector registers and .param",
     ".func (.param .align 8 .b8 r[8]) f(.param .align 8 .b8 x[8]) { .reg .v2 .b32 v;\n"
     "ld.param.v2.b32 v, [x]; add.u32 v.x, v.x, v.y; st.param.v2.b32 [r], v; ret; "
     "}\n" MODULE_KERNEL
     ".reg .v2 .b32 v; .param .align 8 .b8 a[8]; .param .align 8 .b8 b[8];\n"
     "mov.b32 v.x, i; mov.b32 v.y, i; st.param.v2.b32 [a], v; call (b), f, (a);\n"
     "ld.param.v2.b32 v, [b]; mov.b32 i, v.x;\n" STORE,
     twice, false},
    {"a pointer",
     ".func f(.reg .b64 to, .reg .b32 x) { st.global.u32 [to], x; ret; }\n" MODULE_KERNEL
     "call f, (p, i); ret; }\n",
     same, true},
    {"calls in calls",
     TWICE ".func (.reg .b32 r) g(.reg .b32 x) { .reg .b32 t; call (t), f, (x);\n"
           "call (r), f, (5); sub.u32 r, r, 10; add.u32 r, r, t; ret; }\n" MODULE_KERNEL
           "call (i), g, (i);\n" STORE,
     twice, false},
    {"recursion",
     ".func (.reg .b32 r) f(.reg .b32 x) { .reg .pred z; .reg .b32 t; setp.le.u32 z, x, "
     "1;\n"
     "mov.b32 r, 1; @z ret; sub.u32 t, x, 1; call (t), f, (t); mul.lo.u32 r, t, x; ret; "
     "}\n" MODULE_KERNEL "rem.u32 i, i, 9; call (i), f, (i);\n" STORE,
     factorial, false},
    {"a call by address",
     TWICE MODULE_KERNEL ".reg .b64 a; mov.u64 a, f;\n"
                         "pr: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                         "call (i), a, (i), pr;\n" STORE,
     twice, false},
    {"a number in a call by address",
     ".func (.reg .b64 r) f(.reg .b64 x, .reg .b32 y) { .reg .b64 z; cvt.u64.u32 z, y;\n"
     "add.u64 r, x, z; ret; }\n" MODULE_KERNEL ".reg .b64 a, b; mov.u64 a, f;\n"
     "pr: .callprototype (.reg .b64 _) _ (.reg .b64 _, .reg .b32 _);\n"
     "call (b), a, (7, i), pr; cvt.u32.u64 i, b;\n" STORE,
     seven, false},
};

static void every_call_gives_its_value(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        module_check(&cases[n]);
}

static void wrong_parameters_have_a_message(void **state)
{
    static const char *const wrong[] = {
        ".visible .entry k(.reg .b32 x) { ret; }\n",
        ".func f(.reg .pred x) { ret; }\n",
        ".func f(.reg .b32 x) { .reg .b32 x; ret; }\n",
        ".func (.reg .b32 x) f(.reg .b32 x) { ret; }\n",
    };

    (void)state;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        struct proact_error err = {""};
        struct ptx_module *m = NULL;

        if (ptx_parse("wrong.ptx", wrong[n], strlen(wrong[n]), &m, &err) != PROACT_EINVAL)
            fail_msg("accepted: %s", wrong[n]);
        assert_true(err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_gives_its_value),
        cmocka_unit_test(wrong_parameters_have_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
