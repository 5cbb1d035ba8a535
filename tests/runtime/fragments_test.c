/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to one word of each struct. The gaps are sent with the words where the sender is
   current there, and never overwrite the data of other devices. */
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "transfer/transfer.h"

enum { COUNT = 1024, SIDE = 64, WORDS = 8, ALL = COUNT * WORDS };

/* to[8 n + at] = from[8 n + at] + add, where n is the thread index, or counts down from the
   last element so that another device writes it. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 to, .param .u64 from, .param .u32 at, .param .u32 add,\n"
    ".param .u32 turn)\n{\n.reg .b32 %r<12>; .reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd1, %rd1;\n"
    "ld.param.u64 %rd2, [from]; cvta.to.global.u64 %rd2, %rd2;\n"
    "ld.param.u32 %r1, [at]; ld.param.u32 %r2, [add]; ld.param.u32 %r10, [turn];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    "mad.lo.s32 %r6, %r3, %r4, %r5; mad.lo.s32 %r6, %r6, %r10, 0;\n"
    "mad.lo.s32 %r7, %r6, 8, %r1;\n"
    "mul.wide.s32 %rd3, %r7, 4; add.s64 %rd4, %rd2, %rd3; add.s64 %rd5, %rd1, %rd3;\n"
    "ld.global.u32 %r8, [%rd4]; add.s32 %r9, %r8, %r2; st.global.u32 [%rd5], %r9;\n"
    "ret;\n}\n";

struct rig {
    struct bench b;
    unsigned devices;
    struct proact_kernel *kernel;
    struct proact_array *to, *from;
    uint32_t host[2][ALL];
};

static void open_rig(struct rig *r, const char *method, unsigned devices)
{
    struct proact_array **array[2] = {&r->to, &r->from};

    r->devices = devices;
    r->b = testing_open(&(struct proact_options){.machine = "h200x4",
                                                 .device_count = devices,
                                                 .check = true,
                                                 .seed = devices,
                                                 .plan = {.method = method}});
    if (proact_kernel_load(r->b.p, &(struct proact_image){.name = "k.ptx", .text = text},
                           "k", &r->kernel, &r->b.err))
        fail_msg("%s", r->b.err.text);
    for (int i = 0; i < 2; i++) {
        for (uint32_t n = 0; n < ALL; n++)
            r->host[i][n] = (n + (uint32_t)i * ALL) * 2654435761u;
        if (proact_array_create(r->b.p, &(struct proact_shape){"a", ALL, 4}, array[i],
                                &r->b.err) ||
            proact_array_write(*array[i], 0, r->host[i], ALL, &r->b.err))
            fail_msg("%s", r->b.err.text);
    }
}

/* A launch with a parameter buffer. Each thread's element follows the previous one by
   `turn`. */
static void launch(struct rig *r, uint32_t at, uint32_t add, int turn)
{
    const struct proact_grid grid = {
        .ctas = {COUNT / SIDE}, .threads = {SIDE}, .device_count = r->devices};
    const uint32_t first = turn < 0 ? (COUNT - 1) * WORDS : 0;
    const struct {
        uint64_t to, from;
        uint32_t at, add;
        int32_t turn;
    } arguments = {0, 0, first + at, add, turn};
    const struct proact_relocation relocation[2] = {{0, r->to, 0}, {8, r->from, 0}};

    if (proact_launch_buffer(
            r->kernel, &grid,
            &(struct proact_parameter_buffer){&arguments, 28, relocation, 2}, &r->b.err))
        fail_msg("%s", r->b.err.text);
    if (proact_kernel_refusal(r->kernel))
        fail_msg("%s", proact_kernel_refusal(r->kernel));
    for (uint32_t n = 0; n < COUNT; n++)
        r->host[0][n * WORDS + at] = r->host[1][n * WORDS + at] + add;
}

static void expect(struct rig *r)
{
    static uint32_t got[ALL];

    if (proact_array_read(r->to, 0, got, ALL, &r->b.err))
        fail_msg("%s", r->b.err.text);
    assert_memory_equal(got, r->host[0], sizeof got);
}

/* Number of ranges of the last launch that device 0 owns. */
static size_t stretches(const struct rig *r)
{
    return r->kernel->bindings->tables[0]->tables->table[0].owned.count;
}

static void words_with_gaps_are_one_range(void **state)
{
    static const char *const methods[] = {"fused", "copy-engine", "bulk", "inline"};
    static struct rig r;

    (void)state;
    for (int m = 0; m < 4; m++) {
        open_rig(&r, methods[m], 2);
        launch(&r, 3, 5, 1);
        assert_int_equal(stretches(&r), m < 3 ? 1 : COUNT / 2);
        expect(&r);
        proact_close(r.b.p);
    }
}

/* Gaps that other devices wrote keep their content. */
static void gaps_keep_other_devices_writes(void **state)
{
    static const char *const methods[] = {"fused",  "copy-engine", "bulk",
                                          "inline", "polling",     "relay"};
    static struct rig r;

    (void)state;
    for (unsigned devices = 2; devices <= 4; devices++)
        for (int m = 0; m < 6; m++) {
            open_rig(&r, methods[m], devices);
            for (uint32_t n = 0; n < 12; n++) {
                launch(&r, n % 5, 7 * n, n & 2 ? -1 : 1);
                if (n % 4 == 1)
                    expect(&r);
            }
            expect(&r);
            proact_close(r.b.p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_with_gaps_are_one_range),
        cmocka_unit_test(gaps_keep_other_devices_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
