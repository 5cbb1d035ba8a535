/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose CTAs all write across the whole array. Counting is useless there, so copies
   after the kernel replace the plan's method, unless the user requested that method. */
#include "runtime/runtime_testing.h"
#include "transfer/transfer.h"

#include <proact/program.h>

#include "runtime/objects/kernel.h"

enum { FEW = 8, MANY = 128, SIDE = 64, LONG = 1 << 20, HALF = 3 << 16, SHORT = 1 << 15 };

/* to[i] = 3 i, from the thread's index on, in steps of the grid size. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 to, .param .u32 n)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd1, %rd1; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mov.u32 %r5, %nctaid.x; mad.lo.s32 %r6, %r2, %r3, %r4; mul.lo.s32 %r7, %r3, %r5;\n"
    "setp.ge.s32 %p1, %r6, %r1; @%p1 bra END;\n"
    "LOOP: mul.wide.s32 %rd2, %r6, 4; add.s64 %rd2, %rd1, %rd2; mul.lo.s32 %r8, %r6, 3;\n"
    "st.global.u32 [%rd2], %r8; add.s32 %r6, %r6, %r7; setp.lt.s32 %p1, %r6, %r1;\n"
    "@%p1 bra LOOP;\nEND: ret;\n}\n";

static struct bench open_with(const char *method, struct proact_kernel **kernel)
{
    struct bench b = testing_open(&(struct proact_options){
        .machine = "h200x4", .device_count = 2, .plan = {.method = method}});

    if (proact_kernel_load(b.p, &(struct proact_image){.name = "k.ptx", .text = text}, "k",
                           kernel, &b.err))
        fail_msg("%s", b.err.text);
    return b;
}

/* Method of a launch over `words` words. */
static const char *launch_of(struct bench *b, struct proact_kernel *k,
                             struct proact_array *to, uint32_t count, uint32_t ctas)
{
    const struct proact_grid grid = {.ctas = {ctas}, .threads = {SIDE}, .device_count = 2};
    const struct {
        uint64_t to;
        uint32_t n;
    } arguments = {0, count};
    const struct proact_relocation relocation = {0, to, 0};

    if (proact_launch_buffer(
            k, &grid, &(struct proact_parameter_buffer){&arguments, 12, &relocation, 1},
            &b->err) ||
        proact_wait(b->p, &b->err))
        fail_msg("%s", b->err.text);
    assert_null(proact_kernel_refusal(k));
    return k->plan.method->name;
}

static const char *launch(struct bench *b, struct proact_kernel *k, struct proact_array *to,
                          uint32_t count)
{
    return launch_of(b, k, to, count, FEW);
}

static struct proact_array *array_of(struct bench *b, size_t count)
{
    struct proact_array *a = NULL;

    if (proact_array_create(b->p, &(struct proact_shape){"a", count, 4}, &a, &b->err))
        fail_msg("%s", b->err.text);
    return a;
}

static void interleaved_writers_use_bulk_copies(void **state)
{
    static uint32_t back[LONG];
    struct proact_kernel *k;
    struct bench b = open_with(NULL, &k);
    struct proact_array *a = array_of(&b, LONG);

    (void)state;
    for (int round = 0; round < 2; round++) { /* every launch of the loop */
        assert_string_equal(launch(&b, k, a, LONG), "bulk");
        assert_string_equal(launch(&b, k, a, SHORT), "fused");
    }
    assert_int_equal(proact_array_read(a, 0, back, LONG, &b.err), PROACT_OK);
    for (uint32_t i = 0; i < LONG; i++)
        assert_int_equal(back[i], 3 * i);
    proact_close(b.p);
}

/* Twelve chunks per CTA are many only if the array has more chunks than that. Then the
   times of copies and of counts decide. */
static void twelve_chunks_are_few_in_a_larger_array(void **state)
{
    struct proact_kernel *k;
    struct bench b = open_with(NULL, &k);
    struct proact_array *a = array_of(&b, LONG);
    const char *plan;

    (void)state;
    assert_string_equal(launch_of(&b, k, a, HALF, FEW), "bulk");
    plan = proact_kernel_plan(k);
    if (!strstr(plan, "writes into 12.0 chunks, which takes ") ||
        !strstr(plan, " us (modelled)"))
        fail_msg("%s", plan);
    assert_string_equal(launch_of(&b, k, a, HALF, MANY), "fused");
    proact_close(b.p);
}

/* Time of a launch after several, whose output goes to all devices. */
static uint64_t settled_ns(const char *method, uint32_t ctas)
{
    struct proact_kernel *k;
    struct bench b = testing_open(&(struct proact_options){
        .machine = "v100x4", .plan = {.method = method, .broadcast = true}});
    const struct proact_grid grid = {.ctas = {ctas}, .threads = {SIDE}};
    const uint32_t count = HALF;
    uint64_t from = 0;

    if (proact_kernel_load(b.p, &(struct proact_image){.name = "k.ptx", .text = text}, "k",
                           &k, &b.err))
        fail_msg("%s", b.err.text);
    const struct proact_arg args[] = {PROACT_ARRAY(array_of(&b, HALF)),
                                      PROACT_VALUE(count)};

    for (int i = 0; i < 6; i++) {
        from = proact_now_ns(b.p);
        if (proact_launch(k, &grid, args, 2, &b.err) || proact_wait(b.p, &b.err))
            fail_msg("%s", b.err.text);
    }
    const uint64_t took = proact_now_ns(b.p) - from;

    proact_close(b.p);
    return took;
}

/* The cost model lets the last CTA complete all chunks: of many CTAs an agent then sends in
   less time than copies or the CTA. */
static void the_planner_knows_interleaved_writers(void **state)
{
    (void)state;
    for (uint32_t ctas = FEW; ctas <= 4 * MANY; ctas *= 8) {
        const uint64_t planned = settled_ns(NULL, ctas), copied = settled_ns("bulk", ctas);

        assert_true(planned <= copied && copied < settled_ns("fused", ctas));
        assert_true(ctas < 4 * MANY || planned < copied);
    }
}

static void requested_methods_stay(void **state)
{
    struct proact_kernel *k;
    struct bench b = open_with("fused", &k);

    (void)state;
    assert_string_equal(launch(&b, k, array_of(&b, LONG), LONG), "fused");
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaved_writers_use_bulk_copies),
        cmocka_unit_test(twelve_chunks_are_few_in_a_larger_array),
        cmocka_unit_test(the_planner_knows_interleaved_writers),
        cmocka_unit_test(requested_methods_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
