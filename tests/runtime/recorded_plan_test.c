/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of recordings: they may differ from those of the launches before, whose plans do
   not depend on recordings. A recording makes the tables and loads the kernel versions that
   its plans need. */
#include <stdlib.h>

#include "runtime/ring_testing.h"

#include <unistd.h>

#include "plan/profile.h"
#include "runtime/objects/kernel.h"

enum { DEVICES = 4, STEPS = 24, REPLAYS = 3 };

/* The step of ring_text for 64 elements of each thread, in turns of the threads of a CTA.
 */
static const char many_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry step(.param .u64 from, .param .u64 to, .param .u32 n)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<14>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [from]; cvta.to.global.u64 %rd1, %rd1;\n"
    "ld.param.u64 %rd2, [to]; cvta.to.global.u64 %rd2, %rd2; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "shl.b32 %r11, %r3, 6; mad.lo.s32 %r5, %r2, %r11, %r4; mov.u32 %r12, 0;\n"
    "LOOP: setp.eq.u32 %p2, %r5, 0; sub.u32 %r6, %r5, 1; sub.u32 %r7, %r1, 1;\n"
    "selp.b32 %r6, %r7, %r6, %p2;\n"
    "mul.wide.u32 %rd3, %r5, 4; mul.wide.u32 %rd4, %r6, 4;\n"
    "add.s64 %rd5, %rd1, %rd3; add.s64 %rd6, %rd1, %rd4;\n"
    "ld.global.u32 %r8, [%rd5]; ld.global.u32 %r9, [%rd6];\n"
    "mad.lo.u32 %r10, %r9, 3, %r8; add.u32 %r10, %r10, 1;\n"
    "add.s64 %rd7, %rd2, %rd3; st.global.u32 [%rd7], %r10;\n"
    "add.u32 %r5, %r5, %r3; add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 64;\n"
    "@%p1 bra LOOP;\nret;\n}\n";

static void ring_replays(struct ring *r, struct proact_recording *recording,
                         uint32_t content[N])
{
    struct bench b = r->b;

    for (int n = 0; n < REPLAYS; n++)
        MUST(proact_replay(recording, &b.err));
    MUST(proact_array_read(r->two[0], 0, content, N, &b.err));
}

/* Steps with waits. */
static void ring_steps(struct ring *r, unsigned ctas, unsigned threads)
{
    struct bench b = r->b;

    for (int i = 0; i < STEPS; i++) {
        MUST(ring_step_of(r, i, ctas, threads));
        MUST(proact_wait(b.p, &b.err));
    }
}

/* A recording takes the selected plan, or the user's, without a launch under it. */
static void a_recording_takes_the_selected_plan(void **state)
{
    static const struct proact_plan given[] = {{.method = NULL},
                                               {.chunk_bytes = 8192},
                                               {.method = "polling"},
                                               {.method = "dynamic", .chunk_bytes = 4096},
                                               {.method = "copy-engine"},
                                               {.method = "hardware"},
                                               {.method = "polling+copy-engine:16384"}};
    static uint32_t expected[N], got[N];
    struct proact_recording *recording;

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        struct ring r =
            ring_open_with(&(struct proact_options){.machine = "v100x4", .check = true});
        struct bench b = r.b;

        ring_steps(&r, CTAS, THREADS);
        MUST(proact_plan_set(b.p, &given[i], &b.err));
        MUST(proact_record_begin(b.p, &b.err));
        for (int step = 0; step < 2; step++)
            MUST(ring_step(&r, step));
        if (!i)
            assert_string_equal(r.k->plan.method->name, "inline");
        MUST(proact_record_end(b.p, &recording, &b.err));
        MUST(ring_step(&r, 0)); /* the same as the next launch, by the same tables */
        ring_replays(&r, recording, i ? got : expected);
        if (i)
            assert_memory_equal(got, expected, sizeof got);
        proact_close(b.p);
    }
}

/* to[i] = factor from[i], where the host writes the factor. */
static const char factor_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .u32 factor;\n"
    ".visible .entry step(.param .u64 from, .param .u64 to, .param .u32 n)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [from]; cvta.to.global.u64 %rd1, %rd1;\n"
    "ld.param.u64 %rd2, [to]; cvta.to.global.u64 %rd2, %rd2;\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4; mul.wide.u32 %rd3, %r5, 4;\n"
    "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    "ld.const.u32 %r6, [factor]; ld.global.u32 %r7, [%rd4];\n"
    "mul.lo.u32 %r8, %r7, %r6; st.global.u32 [%rd5], %r8;\nret;\n}\n";

/* A kernel version that the recording loads has the contents of the variables. */
static void a_recorded_version_has_the_variables(void **state)
{
    static uint32_t got[N];
    struct ring r = ring_load(
        &(struct proact_options){.machine = "v100x4", .plan = {.method = "fused"}},
        factor_text);
    struct bench b = r.b;
    struct proact_image image = {.name = "step.ptx", .text = factor_text};
    struct proact_recording *recording;
    struct proact_variable v;

    (void)state;
    MUST(proact_variable_find(b.p, &image, "factor", &v, &b.err));
    MUST(proact_variable_write(b.p, &v, 0, &(uint32_t){7}, sizeof(uint32_t), &b.err));
    MUST(ring_step_of(&r, 0, N / THREADS, THREADS));
    MUST(proact_plan_set(b.p, &(struct proact_plan){.method = "inline"}, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    MUST(ring_step_of(&r, 0, N / THREADS, THREADS));
    MUST(proact_record_end(b.p, &recording, &b.err));
    MUST(proact_replay(recording, &b.err));
    MUST(proact_array_read(r.two[1], 0, got, N, &b.err));
    for (uint32_t i = 0; i < N / THREADS * THREADS; i++)
        assert_int_equal(got[i], 7 * i * i);
    proact_close(b.p);
}

/* An unknown shape has no write set yet. */
static void a_new_shape_is_not_recorded(void **state)
{
    struct ring r = ring_open_with(&(struct proact_options){.machine = "v100x4"});
    struct bench b = r.b;
    struct proact_recording *recording;

    (void)state;
    MUST(ring_step(&r, 0));
    MUST(proact_wait(b.p, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    assert_int_equal(ring_step(&r, 1), PROACT_EINVAL);
    assert_non_null(strstr(r.b.err.text, "it was not launched before with these arrays"));
    MUST(proact_record_end(b.p, &recording, &b.err));
    proact_close(b.p);
}

/* A step of few CTAs with many elements each, of a program or of the C API. */
static enum proact_status ring_few(struct ring *r, int number, bool is_program)
{
    return is_program ? ring_step_buffer_of(r, number, DEVICES, DEVICES, 16)
                      : ring_step_of(r, number, DEVICES, 16);
}

/* Steps with a plan that differs from that of recordings, after those with the default. No
   launch has the plan of recordings, also not the first one that writes other arrays. */
static void ring_plan(struct ring *r, bool is_program)
{
    struct bench b = r->b;

    for (int i = 0; i < 2 * STEPS; i++) {
        if (i == STEPS) {
            proact_array_destroy(r->two[1]);
            r->two[1] = testing_array(&r->b, "another");
        }
        MUST(ring_few(r, i, is_program));
        assert_string_equal(r->k->plan.method->name, "fused");
        if (i % 8 == 3)
            MUST(proact_wait(b.p, &b.err));
    }
}

/* A copy in a graph takes less time than sends of the CTAs, and the host more time to queue
   one. The recording makes the tables of its plan. */
static void check_own_plan(bool is_program)
{
    struct ring r = ring_load(&(struct proact_options){.machine = "h200x4"}, many_text);
    struct bench b = r.b;
    struct proact_recording *recording;

    ring_plan(&r, is_program);
    MUST(proact_wait(b.p, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    for (int i = 0; i < 2; i++) {
        MUST(ring_few(&r, i, is_program));
        assert_string_equal(r.k->plan.method->name, "bulk");
        assert_non_null(strstr(proact_kernel_plan(r.k), "method=bulk: modelled"));
    }
    MUST(proact_record_end(b.p, &recording, &b.err));
    MUST(proact_replay(recording, &b.err));
    proact_close(b.p);
}

static void a_recording_has_a_plan_of_its_own(void **state)
{
    (void)state;
    check_own_plan(false);
    check_own_plan(true);
}

/* Time of the replays of a recording after launches with waits. `plan` receives the method
   of the launches and that of the recording. */
static uint64_t ring_replay_time(const struct proact_options *o,
                                 const struct transfer_method *plan[2])
{
    struct ring r = ring_load(o, many_text);
    struct bench b = r.b;
    struct proact_recording *recording;

    ring_steps(&r, DEVICES, 16);
    plan[0] = r.k->plan.method;
    MUST(proact_record_begin(b.p, &b.err));
    for (int i = 0; i < 2; i++)
        MUST(ring_step_of(&r, i, DEVICES, 16));
    plan[1] = r.k->plan.method;
    MUST(proact_record_end(b.p, &recording, &b.err));
    MUST(proact_replay(recording, &b.err));
    MUST(proact_wait(b.p, &b.err));
    const uint64_t from = proact_now_ns(b.p);

    for (int i = 0; i < REPLAYS; i++)
        MUST(proact_replay(recording, &b.err));
    MUST(proact_wait(b.p, &b.err));
    const uint64_t took = proact_now_ns(b.p) - from;

    proact_close(b.p);
    return took;
}

/* The same after measurements: the times of single launches, and the modelled difference of
   a recording. */
static void a_recording_has_a_measured_plan_of_its_own(void **state)
{
    const struct transfer_method *fixed[2], *open[2];
    struct proact_options o = {.machine = "h200x4", .plan = {.method = "fused"}};
    const uint64_t usual = ring_replay_time(&o, fixed);

    (void)state;
    o.plan.method = NULL;
    o.effort = PROACT_EFFORT_MEASURE;
    const uint64_t took = ring_replay_time(&o, open);

    assert_ptr_equal(fixed[0], fixed[1]);
    assert_ptr_equal(open[0], fixed[0]);
    assert_string_equal(open[1]->name, "bulk");
    if (took >= usual)
        fail_msg("%llu ns with bulk, %llu ns with fused", (unsigned long long)took,
                 (unsigned long long)usual);
}

/* A profile has an entry of the recording with its own prediction, and a second session
   has the same plans. */
static void a_recording_has_an_entry_of_its_own(void **state)
{
    const struct proact_options o = {.machine = "h200x4"};
    const struct transfer_method *first[2], *second[2];
    struct profile *p = profile_create();

    (void)state;
    setenv("XDG_DATA_DIRS", "/nowhere", 1);
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    setenv("PROACT_PROFILE", "recorded_entry", 1);
    unlink("recorded_entry");
    ring_replay_time(&o, first);
    assert_int_equal(profile_read("recorded_entry", p, NULL), PROACT_OK);
    const struct profile_entry *e = profile_at(p, 0);

    assert_int_equal(profile_count(p), 1);
    assert_true(e->key.is_recorded);
    assert_string_equal(e->plan.method, "bulk");
    assert_true(e->measured_ns > 0 && e->predicted_ns > e->measured_ns / 4 &&
                e->predicted_ns < e->measured_ns); /* a timed replay starts idle */
    profile_free(p);
    ring_replay_time(&o, second);
    assert_ptr_equal(second[0], first[0]);
    assert_ptr_equal(second[1], first[1]);
    setenv("PROACT_PROFILE", "none", 1);
}

/* The driver captures nothing until the end of the recording, so its launches may allocate
   and write tables. */
static void gpus_record_a_plan_without_a_launch(void **state)
{
    static const char *const methods[] = {"fused", "inline", "polling", "bulk"};
    static uint32_t expected[N], got[N];
    struct proact_recording *recording;

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct ring r = ring_open_with(&(struct proact_options){
            .machine = PROACT_MACHINE_LOCAL, .plan = {.method = "fused"}});
        struct bench b = r.b;

        for (int step = 0; step < 4; step++)
            MUST(ring_step(&r, step));
        MUST(proact_wait(b.p, &b.err));
        MUST(proact_plan_set(b.p, &(struct proact_plan){.method = methods[i]}, &b.err));
        MUST(proact_record_begin(b.p, &b.err));
        for (int step = 0; step < 2; step++)
            MUST(ring_step(&r, step));
        MUST(proact_record_end(b.p, &recording, &b.err));
        ring_replays(&r, recording, i ? got : expected);
        if (i)
            assert_memory_equal(got, expected, sizeof got);
        proact_close(b.p);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest local[] = {
        cmocka_unit_test(gpus_record_a_plan_without_a_launch),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_takes_the_selected_plan),
        cmocka_unit_test(a_recorded_version_has_the_variables),
        cmocka_unit_test(a_new_shape_is_not_recorded),
        cmocka_unit_test(a_recording_has_a_plan_of_its_own),
        cmocka_unit_test(a_recording_has_a_measured_plan_of_its_own),
        cmocka_unit_test(a_recording_has_an_entry_of_its_own),
    };

    return argc > 1 && !strcmp(argv[1], "local")
               ? cmocka_run_group_tests(local, NULL, NULL)
               : cmocka_run_group_tests(tests, NULL, NULL);
}
