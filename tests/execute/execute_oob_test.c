/* SPDX-License-Identifier: Apache-2.0 */
/* fma.oob: zero if a factor is the NaN of elements outside a tensor, else the same as fma.
   The expected rule was seen on an H200 for all pairs of these values. */
#include "execute_testing.h"

static const uint16_t values[] = {0x7ff7, 0xfff7, 0x3c00, 0xbc00, 0x7fff, 0x0000, 0x7ff6};
enum { VALUES = sizeof values / sizeof *values, TRIPLES = VALUES * VALUES * VALUES };

static bool is_marked(uint16_t value)
{
    return (value & 0x7fff) == 0x7ff7;
}

/* Runs d = fma(a, b, c) with and without .oob over all triples: 16-bit registers, or pairs
   with the triple in one half and 1 * 1 + 0 in the other. */
static void compare(const char *modifier, const char *type, bool is_pair, bool is_upper)
{
    const char *bits = is_pair ? "b32" : "b16";
    uint32_t one = strstr(type, "bf16") ? 0x3f80 : 0x3c00;
    struct text body = {NULL, 0, 0};
    struct rig r;

    text_print(&body, "%s.reg .%s a, b, c, d, e;\n", RIG_KERNEL, bits);
    text_print(&body,
               "mul.wide.u32 %%rd2, %%r1, 12; add.s64 %%rd3, %%rd0, %%rd2;\n"
               "ld.global.%s a, [%%rd3+8192]; ld.global.%s b, [%%rd3+8196];\n"
               "ld.global.%s c, [%%rd3+8200]; fma.rn.oob%s.%s d, a, b, c;\n"
               "fma.rn%s.%s e, a, b, c; st.global.%s [%%rd1], d;\n"
               "st.global.%s [%%rd1+4096], e; }\n",
               bits, bits, bits, modifier, type, modifier, type, bits, bits);
    rig_open(&r, body.data, is_upper);
    r.launch.block[0] = TRIPLES;
    for (unsigned n = 0; n < TRIPLES; n++) {
        const uint32_t triple[] = {values[n % VALUES], values[n / VALUES % VALUES],
                                   values[n / VALUES / VALUES]};

        for (unsigned k = 0; k < 3; k++)
            r.memory[2048 + n * 3 + k] = is_upper  ? triple[k] << 16 | (k < 2 ? one : 0)
                                         : is_pair ? triple[k] | (k < 2 ? one << 16 : 0)
                                                   : triple[k];
    }
    rig_expect(&r, EXECUTE_EXITED);
    for (unsigned n = 0; n < TRIPLES; n++) {
        bool is_zero =
            is_marked(values[n % VALUES]) || is_marked(values[n / VALUES % VALUES]);
        uint32_t mask = is_upper ? 0xffff0000 : 0xffff;
        uint32_t wanted = r.memory[1024 + n] & ~(is_zero ? mask : 0);

        if (r.memory[n] != wanted)
            fail_msg("fma.rn.oob%s.%s of %04x, %04x, %04x: %08x, expected %08x", modifier,
                     type, values[n % VALUES], values[n / VALUES % VALUES],
                     values[n / VALUES / VALUES], r.memory[n], wanted);
    }
    rig_close(&r);
    text_clear(&body);
}

static void marked_factors_give_zero(void **state)
{
    static const char *const modifiers[] = {"", ".relu"};

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        compare(modifiers[n], "f16", false, false);
        compare(modifiers[n], "bf16", false, false);
        for (unsigned upper = 0; upper < 2; upper++) {
            compare(modifiers[n], "f16x2", true, upper);
            compare(modifiers[n], "bf16x2", true, upper);
        }
    }
    compare(".sat", "f16", false, false);
}

static void other_forms_are_refused(void **state)
{
    static const char *const wrong[] = {
        "fma.rn.oob.f32 %f1, %f1, %f1, %f1", "fma.rn.oob.ftz.f16 %h1, %h1, %h1, %h1",
        "mul.rn.oob.f16 %h1, %h1, %h1", "fma.rn.oob.f64 %d1, %d1, %d1, %d1"};

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct text body = {NULL, 0, 0};
        struct proact_error err = {""};
        struct ptx_module *m = NULL;
        struct execute_program *p = NULL;

        text_print(&body, "%s%s; ret; }\n", RIG_HEAD RIG_KERNEL, wrong[k]);
        assert_int_equal(ptx_parse("t.ptx", body.data, body.length, &m, &err), PROACT_OK);
        if (execute_program_create(m, &p, &err) != PROACT_EREFUSED)
            fail_msg("%s is not refused", wrong[k]);
        ptx_destroy(m);
        text_clear(&body);
    }
}

/* A stack that is too small for alloca. */
static void alloca_has_a_limit(void **state)
{
    static const char text[] =
        RIG_KERNEL "mov.b64 %rd3, 60000; alloca.u64 %rd4, %rd3; alloca.u64 %rd4, %rd3; }\n";
    static const char wide[] =
        RIG_KERNEL "mov.b64 %rd3, 0x100000000; alloca.u64 %rd4, %rd3; }\n";
    struct rig r;

    (void)state;
    rig_open(&r, text, true);
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_non_null(
        strstr(r.fault, "alloca needs 120032 bytes of stack, and a thread has 65536"));
    rig_close(&r);
    rig_open(&r, wide, true);
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_non_null(strstr(r.fault, "alloca needs 4294967296 bytes of stack"));
    rig_close(&r);
}

/* A value that no stacksave gave, one inside an allocation, one before the frame, and one
   that was released; in some lanes only. */
static void foreign_stack_values_are_faults(void **state)
{
    static const char *const bodies[] = {
        "mov.b64 %rd5, 12345; stackrestore.u64 %rd5; }\n",
        "mov.b64 %rd5, -1; stackrestore.u64 %rd5; }\n",
        ".local .align 8 .b8 l[32]; mov.u64 %rd6, l; st.local.u32 [%rd6], %r1; mov.b64 "
        "%rd5, "
        "0; stackrestore.u64 %rd5; }\n",
        "stacksave.u64 %rd5; mov.b64 %rd3, 64; alloca.u64 %rd4, %rd3; add.u64 %rd5, %rd5, "
        "32; stackrestore.u64 %rd5; }\n",
        "stacksave.u64 %rd5; mov.b64 %rd3, 64; alloca.u64 %rd4, %rd3; stacksave.u64 %rd6; "
        "stackrestore.u64 %rd5; stackrestore.u64 %rd6; }\n",
        "stacksave.u64 %rd5; mov.b64 %rd3, 64; alloca.u64 %rd4, %rd3; stacksave.u64 %rd6; "
        "stackrestore.u64 %rd5; alloca.u64 %rd4, 128; stackrestore.u64 %rd6; }\n",
    };

    (void)state;
    for (size_t n = 0; n < 2 * (sizeof bodies / sizeof *bodies); n++) {
        struct text body = {NULL, 0, 0};
        struct rig r;

        /* Odd runs: only lane 3 is active. */
        text_print(&body, "%s%s%s", RIG_KERNEL,
                   n % 2 ? "mov.u32 %r9, %tid.x; setp.ne.u32 %p1, %r9, 3; @%p1 ret; " : "",
                   bodies[n / 2]);
        rig_open(&r, body.data, true);
        rig_expect(&r, EXECUTE_TRAPPED);
        if (!strstr(r.fault, "which is no value of a stacksave in this function"))
            fail_msg("%s: %s", body.data, r.fault);
        rig_close(&r);
        text_clear(&body);
    }
}

static void a_damaged_stack_is_a_fault(void **state)
{
    static const char text[] =
        RIG_KERNEL "mov.b64 %rd3, 64; alloca.u64 %rd4, %rd3; stacksave.u64 %rd5;\n"
                   "mov.b64 %rd6, 7; st.local.u64 [%rd4+-16], %rd6;\n"
                   "stackrestore.u64 %rd5; }\n";
    struct rig r;

    (void)state;
    rig_open(&r, text, true);
    rig_expect(&r, EXECUTE_TRAPPED);
    if (!strstr(r.fault, "stackrestore finds the memory of alloca damaged"))
        fail_msg("%s", r.fault);
    rig_close(&r);
}

/* Lanes save and release by themselves, more than once. */
static void saved_stack_values_are_released(void **state)
{
    static const char text[] =
        RIG_KERNEL "mov.u32 %r9, %tid.x; setp.lt.u32 %p1, %r9, 7; @%p1 bra FEW;\n"
                   "alloca.u64 %rd4, 256;\nFEW: stacksave.u64 %rd5;\n"
                   "mov.b64 %rd3, 30000; alloca.u64 %rd4, %rd3; stackrestore.u64 %rd5;\n"
                   "stackrestore.u64 %rd5; alloca.u64 %rd4, %rd3; alloca.u64 %rd6, 48;\n"
                   "st.local.u32 [%rd4], %r9; st.local.u32 [%rd6], %r9;\n"
                   "stackrestore.u64 %rd5; alloca.u64 %rd4, %rd3; ret; }\n";
    struct rig r;

    (void)state;
    rig_open(&r, text, true);
    rig_expect(&r, EXECUTE_EXITED);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_factors_give_zero),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(alloca_has_a_limit),
        cmocka_unit_test(foreign_stack_values_are_faults),
        cmocka_unit_test(a_damaged_stack_is_a_fault),
        cmocka_unit_test(saved_stack_values_are_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
