/* SPDX-License-Identifier: Apache-2.0 */
/* The last CTA of all devices adds up the results of all CTAs, under the race checker. The
   fences before the sum have system scope. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

enum { PARTS = 60 };

/* sums: each CTA stores left[cta] = 3 * in[cta], and the last CTA stores their sum to
   `out`. */
static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry sums(.param .u64 in, .param .u64 left, .param .u64 done, .param .u64 "
    "out)\n{\n .reg .pred %p<4>;\n .reg .b32 %r<12>;\n .reg .b64 %rd<12>;\n"
    " ld.param.u64 %rd1, [in];\n ld.param.u64 %rd2, [left];\n ld.param.u64 %rd3, [done];\n"
    " ld.param.u64 %rd4, [out];\n mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %tid.x;\n"
    " mov.u32 %r3, %nctaid.x;\n setp.ne.u32 %p1, %r2, 0;\n @%p1 bra END;\n"
    " mul.wide.u32 %rd5, %r1, 4;\n add.u64 %rd6, %rd1, %rd5;\n add.u64 %rd7, %rd2, %rd5;\n"
    " ld.global.u32 %r4, [%rd6];\n mul.lo.u32 %r4, %r4, 3;\n st.global.u32 [%rd7], %r4;\n"
    " membar.gl;\n sub.u32 %r5, %r3, 1;\n atom.global.inc.u32 %r6, [%rd3], %r5;\n"
    " membar.gl;\n setp.ne.u32 %p2, %r6, %r5;\n @%p2 bra END;\n mov.u32 %r7, 0;\n"
    " mov.u32 %r8, 0;\nNEXT:\n mul.wide.u32 %rd9, %r8, 4;\n add.u64 %rd8, %rd2, %rd9;\n"
    " ld.global.u32 %r9, [%rd8];\n add.u32 %r7, %r7, %r9;\n add.u32 %r8, %r8, 1;\n"
    " setp.lt.u32 %p3, %r8, %r3;\n @%p3 bra NEXT;\n st.global.u32 [%rd4], %r7;\nEND:\n"
    " ret;\n}\n";

static const struct proact_image image = {.name = "sums.ptx", .text = text};

static void launch(struct bench *of, struct proact_kernel *k, unsigned devices,
                   struct proact_array *const arrays[4])
{
    const struct proact_grid g = {
        .ctas = {PARTS}, .threads = {32}, .device_count = devices};
    static const uint64_t block[4];
    struct proact_relocation relocations[4];
    struct bench b = *of;

    for (uint32_t n = 0; n < 4; n++)
        relocations[n] = (struct proact_relocation){8 * n, arrays[n], 0};
    MUST(proact_launch_buffer(
        k, &g, &(struct proact_parameter_buffer){block, sizeof block, relocations, 4},
        &b.err));
}

static void the_last_cta_reads_all_results(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        const unsigned devices = 2 + (unsigned)(m - proact_method_names()) % 3;
        struct bench b = testing_open(&(struct proact_options){.machine = "h200x4",
                                                               .device_count = devices,
                                                               .check = true,
                                                               .plan = {.method = *m}});
        struct proact_array *const arrays[] = {testing_array(&b, "in"),
                                               testing_array(&b, "left"),
                                               testing_array(&b, "done"), b.out};
        const int32_t zero = 0;
        struct proact_kernel *k;
        int32_t is[N], got;

        for (int i = 0; i < N; i++)
            is[i] = i + 1;
        MUST(proact_kernel_load(b.p, &image, "sums", &k, &b.err));
        MUST(proact_array_write(arrays[0], 0, is, N, &b.err));
        MUST(proact_array_write(arrays[2], 0, &zero, 1, &b.err));
        for (int round = 0; round < 3; round++) {
            launch(&b, k, devices, arrays);
            assert_null(proact_kernel_refusal(k));
            MUST(proact_array_read(b.out, 0, &got, 1, &b.err));
            assert_int_equal(got, 3 * PARTS * (PARTS + 1) / 2);
            MUST(proact_array_write(b.out, 0, &zero, 1, &b.err));
        }
        proact_close(b.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_cta_reads_all_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
