/* SPDX-License-Identifier: Apache-2.0 */
/* Loading of modules: refused ones, addresses of variables, hoisted instructions, and
   printf. */
#include "execute_testing.h"

static void refused(const char *body, const char *sentence)
{
    struct proact_error err = {""};
    struct execute_program *p = NULL;
    struct ptx_module *m = NULL;
    struct text all = {NULL, 0, 0};

    text_print(&all, RIG_HEAD "%s", body);
    assert_int_equal(ptx_parse("test.ptx", all.data, all.length, &m, &err), PROACT_OK);
    assert_int_equal(execute_program_create(m, &p, &err), PROACT_EREFUSED);
    assert_null(p);
    assert_string_equal(err.text, sentence);
    ptx_destroy(m);
    text_clear(&all);
}

static void refusals_name_opcode_kernel_and_line(void **state)
{
    (void)state;
    refused(RIG_KERNEL "clusterlaunchcontrol.try_cancel.async [%r3], [%r1];\n}\n",
            "opcode 'clusterlaunchcontrol.try_cancel.async' cannot be executed: kernel "
            "'k', PTX line 10");
    refused(RIG_KERNEL "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                       ".multicast::cluster [%r3], [%rd1], 16, [%r4], %h1;\n}\n",
            "opcode 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
            ".multicast::cluster' cannot be executed: kernel 'k', PTX line 10");
    refused(RIG_KERNEL "red.async.mmio.release.sys.global.add.u32 [%rd1], %r1;\n}\n",
            "opcode 'red.async.mmio.release.sys.global.add.u32' cannot be executed: kernel "
            "'k', PTX line 10");
    refused(RIG_KERNEL "st.async.mmio.release.sys.global.u32 [%rd1], %r1;\n}\n",
            "opcode 'st.async.mmio.release.sys.global.u32' cannot be executed: kernel 'k', "
            "PTX line 10");
    refused(RIG_KERNEL "setp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u32 %r3, %envreg3;\n}\n",
            "special register '%envreg3' cannot be read: kernel 'k', PTX line 11");
    refused(RIG_KERNEL "vabsdiff4.u32.u32.u32 %r3, %r1.b0128, %r1, 0;\n}\n",
            "opcode 'vabsdiff4.u32.u32.u32' cannot be executed: kernel 'k', PTX line 10");
    refused(".extern .func g();\n" RIG_KERNEL "call g; }\n",
            "function 'g' is called and not defined: kernel 'k', PTX line 11");
    refused(RIG_KERNEL "ld.param.u64 %rd3, [value+4]; }\n",
            "a parameter at byte 12 is read, and there are 16: kernel 'k', PTX line 10");
}

/* Instructions with the lowest capability of their target notes. */
static const struct {
    const char *text;
    unsigned capability;
} notes[] = {
    {"nanosleep.u32 1;", 70},
    {"lop3.b32 %r3, %r1, %r1, %r1, 1;", 50},
    {"dp4a.u32.u32 %r3, %r1, %r1, %r1;", 61},
    {"red.global.add.f64 [%rd1], %d1;", 60},
    {"match.any.sync.b32 %r3, %r1, 0xffffffff;", 70},
    {"redux.sync.add.u32 %r3, %r1, 0xffffffff;", 80},
    {"cp.async.wait_all;", 80},
    {"cp.async.bulk.commit_group;", 90},
    {"barrier.cluster.arrive;", 90},
    {"mapa.shared::cluster.u32 %r3, %r1, 0;", 90},
    {"createpolicy.fractional.L2::evict_last.b64 %rd2;", 80},
    {"@%p1 bra.uni away; away: griddepcontrol.wait;", 90},
};

static void earlier_devices_refuse_instructions(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof notes / sizeof *notes; n++)
        for (unsigned below = 0; below < 2; below++) {
            const unsigned capability = notes[n].capability - below;
            struct execute_program *p = NULL;
            struct proact_error err = {""};
            struct ptx_module *m = NULL;
            struct text all = {NULL, 0, 0};
            char sentence[80];

            text_print(&all, "%s%s\n}\n", RIG_HEAD RIG_KERNEL, notes[n].text);
            if (ptx_parse("test.ptx", all.data, all.length, &m, &err))
                fail_msg("%s", err.text);
            snprintf(sentence, sizeof sentence,
                     "requires compute capability %u.%u, the device has %u.%u: kernel 'k'",
                     notes[n].capability / 10, notes[n].capability % 10, capability / 10,
                     capability % 10);
            execute_program_create_for(m, capability, &p, &err);
            if (!strstr(err.text, sentence) != !below)
                fail_msg("%s on %u: %s", notes[n].text, capability, err.text);
            execute_program_destroy(p);
            ptx_destroy(m);
            text_clear(&all);
        }
}

static void a_kernel_is_refused_alone(void **state)
{
    struct rig r;

    (void)state;
    rig_open(
        &r,
        ".visible .entry bad()\n{ .reg .b32 %r<3>; tcgen05.fence::before_thread_sync; }\n"
        ".func unused()\n{ .reg .b32 %r<3>; tcgen05.fence::before_thread_sync; "
        "}\n" RIG_KERNEL "st.global.u32 [%rd1], 1; }\n",
        true);
    assert_null(execute_kernel_find(r.program, "bad"));
    assert_string_equal(
        execute_kernel_refusal(r.program, "bad"),
        "opcode 'tcgen05.fence::before_thread_sync' cannot be executed: kernel 'bad', "
        "PTX line 5");
    assert_null(execute_kernel_refusal(r.program, "k"));
    assert_null(execute_kernel_refusal(r.program, "nobody"));
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.memory[31], 1);
    rig_close(&r);
}

static void variables_lie_in_one_block(void **state)
{
    struct rig r;
    size_t offset, bytes;
    uint64_t pointer;

    (void)state;
    rig_open(&r,
             ".global .align 1 .u8 a = 3;\n.global .align 4 .u32 b[4] = {1, 2, 3};\n"
             ".const .align 8 .u64 p[2] = {generic(b), 9};\n" RIG_KERNEL "ret; }\n",
             true);
    assert_true(execute_variable(r.program, "p", &offset, &bytes));
    assert_int_equal(offset, 24);
    assert_int_equal(bytes, 16);
    memcpy(&pointer, r.variables + offset, 8);
    assert_true(execute_variable(r.program, "b", &offset, &bytes));
    assert_int_equal(pointer, (uint64_t)(uintptr_t)r.variables + offset);
    assert_int_equal(r.variables[offset + 8], 3);
    assert_int_equal(r.variables[offset + 12], 0);
    assert_false(execute_variable(r.program, "c", &offset, &bytes));
    assert_int_equal(r.variables[0], 3);
    rig_close(&r);
}

static const char indexed[] = RIG_KERNEL
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %nctaid.x;\n"
    "mad.lo.u32 %r6, %r3, %r4, %r1; mul.lo.u32 %r7, %r4, %r5; mov.u32 %r8, 0;\n"
    "mov.u32 %r9, %laneid; mov.u32 %r10, %lanemask_lt; popc.b32 %r11, %r10;\n"
    "mov.u32 %r12, %warpid; mov.u32 %r13, %nwarpid; mov.u32 %r14, WARP_SZ;\n"
    "mul.lo.u32 %r12, %r12, %r14; add.u32 %r12, %r12, %r9; sub.u32 %r12, %r12, %r1;\n"
    "mov.u32 %r15, %tid.x; mov.u32 %r16, %smid; sub.u32 %r16, %r16, %r3;\n"
    "TOP: add.u32 %r8, %r8, %r15; add.u32 %r15, %r15, 1; add.u32 %r17, %r3, 2;\n"
    "sub.u32 %r18, %r15, %r1; setp.lt.u32 %p1, %r18, %r17; @%p1 bra TOP;\n"
    "mul.wide.u32 %rd3, %r6, 16; add.s64 %rd4, %rd0, %rd3;\n"
    "sub.u32 %r9, %r9, %r11; add.u32 %r12, %r12, %r9;\n"
    "add.u32 %r12, %r12, %r16;\n"
    "st.global.v4.u32 [%rd4], {%r6, %r7, %r8, %r12}; ret; }\n";

static void hoisting_changes_nothing_but_the_stream(void **state)
{
    size_t stream[2];

    (void)state;
    for (int hoist = 0; hoist < 2; hoist++) {
        struct rig r;

        rig_open(&r, indexed, hoist);
        r.launch.block[0] = 50;
        r.launch.grid[0] = 4;
        rig_expect(&r, EXECUTE_EXITED);
        stream[hoist] = r.launch.kernel->stream.count;
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t cta = i / 50, t = i % 50, sum = 0;

            for (uint32_t k = 0; k < cta + 2; k++)
                sum += t + k;
            assert_int_equal(r.memory[4 * i], i);
            assert_int_equal(r.memory[4 * i + 1], 200);
            assert_int_equal(r.memory[4 * i + 2], sum);
            assert_int_equal(r.memory[4 * i + 3], 0);
        }
        /* Per warp: 5 + 18 before the loop, 6 per iteration, 7 after it; two warps, four
           CTAs. */
        assert_int_equal(r.issued, 2 * (4 * (23 + 7) + 6 * (2 + 3 + 4 + 5)));
        rig_close(&r);
    }
    assert_int_equal(stream[1] + 14, stream[0]);
}

static const char printing[] =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 fmt[60] = "
    "{37,100,32,37,53,46,50,102,124,37,115,124,37,45,52,117,124,"
    "37,108,108,120,32,37,99,37,37,32,37,42,100,10};\n" /* %d %5.2f|%s|%-4u|%llx %c%% %*d\n
                                                         */
    ".global .align 1 .b8 word[3] = {104, 105};\n" RIG_KERNEL
    ".local .align 8 .b8 args[64]; mov.u64 %rd3, args; cvta.local.u64 %rd4, %rd3;\n"
    "sub.u32 %r3, %r1, 2; st.local.u32 [%rd3], %r3; cvt.rn.f64.u32 %d1, %r1;\n"
    "st.local.f64 [%rd3+8], %d1; mov.u64 %rd5, word; cvta.global.u64 %rd5, %rd5;\n"
    "st.local.u64 [%rd3+16], %rd5; st.local.u32 [%rd3+24], %r1;\n"
    "mov.u64 %rd6, 0xabcdef0123; st.local.u64 [%rd3+32], %rd6; mov.u32 %r4, 120;\n"
    "st.local.u32 [%rd3+40], %r4; st.local.u32 [%rd3+44], 4; st.local.u32 [%rd3+48], 7;\n"
    "mov.u64 %rd7, fmt; cvta.global.u64 %rd7, %rd7;\n"
    "setp.lt.u32 %p1, %r1, 2; @!%p1 bra END;\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 q;\n"
    "st.param.b64 [p0], %rd7; st.param.b64 [p1], %rd4;\n"
    "call.uni (q), vprintf, (p0, p1); ld.param.b32 %r5, [q]; }\n"
    "END: ret; }\n";

static void kernels_print(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, printing, true);
    rig_expect(&r, EXECUTE_EXITED);
    assert_string_equal(r.printed.data, "-2  0.00|hi|0   |abcdef0123 x%    7\n"
                                        "-1  1.00|hi|1   |abcdef0123 x%    7\n");
    rig_close(&r);
}

static void assertions_are_quoted(void **state)
{
    struct rig r;

    (void)state;
    rig_open(
        &r,
        ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, "
        ".param .b64 n, .param .b64 c);\n"
        ".global .align 1 .b8 word[6] = {120, 32, 62, 32, 48};\n" RIG_KERNEL
        "mov.u64 %rd3, word; cvta.global.u64 %rd4, %rd3;\n"
        "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
        "st.param.b64 [a], %rd4; st.param.b64 [b], %rd4; st.param.b32 [c], 12;\n"
        "st.param.b64 [d], %rd4; st.param.b64 [e], 1;\n"
        "call.uni __assertfail, (a, b, c, d, e); }\n}\n",
        true);
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_string_equal(r.fault,
                        "kernel 'k', PTX line 16, CTA (0,0,0), thread (0,0,0): x > 0:12: "
                        "assertion `x > 0' failed");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_name_opcode_kernel_and_line),
        cmocka_unit_test(earlier_devices_refuse_instructions),
        cmocka_unit_test(a_kernel_is_refused_alone),
        cmocka_unit_test(variables_lie_in_one_block),
        cmocka_unit_test(hoisting_changes_nothing_but_the_stream),
        cmocka_unit_test(kernels_print),
        cmocka_unit_test(assertions_are_quoted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
