/* SPDX-License-Identifier: Apache-2.0 */
/* Plan of a launch: it may change between launches, a recording keeps the plans of its
   shapes, and the bits do not depend on it. */
#include <stdlib.h>

#include "runtime/ring_testing.h"

#include <unistd.h>

#include "plan/profile.h"
#include "runtime/kernel/problem_list.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

enum { DEVICES = 4, STEPS = 24, REPLAYS = 3, METHODS_LEAST = 5 };

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

static struct ring ring_open(uint64_t seed)
{
    struct ring r = ring_open_with(&(struct proact_options){
        .machine = "h200x4", .device_count = DEVICES, .check = true});

    r.b.p->vary_plans = seed;
    return r;
}

/* Adds the method to the set, and returns the number of members. */
static unsigned methods_add(const char *set[16], const char *name)
{
    unsigned count = 0;

    while (set[count] && strcmp(set[count], name) != 0)
        count++;
    set[count] = name;
    while (set[count])
        count++;
    return count;
}

static enum proact_status ring_step_as(struct ring *r, int number, bool is_program)
{
    return is_program ? ring_step_buffer(r, number, DEVICES) : ring_step(r, number);
}

static void ring_run(uint64_t seed, bool is_program, uint32_t *out)
{
    struct ring r = ring_open(seed);
    struct bench b = r.b;
    struct proact_recording *recording;
    const char *methods[16] = {NULL};
    unsigned count = 0;

    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS - 4) /* later launches have the plan of the planner */
            MUST(proact_wait(b.p, &b.err));
        MUST(ring_step_as(&r, i, is_program));
        assert_null(proact_kernel_refusal(r.k));
        count = methods_add(methods, r.k->plan.method->name);
    }
    if (seed)
        assert_true(count >= METHODS_LEAST);
    MUST(proact_wait(b.p, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    for (int i = 0; i < 2; i++)
        MUST(ring_step_as(&r, i, is_program));
    MUST(proact_record_end(b.p, &recording, &b.err));
    for (int i = 0; i < REPLAYS; i++)
        MUST(proact_replay(recording, &b.err));
    for (int i = 0; i < 2; i++)
        MUST(proact_array_read(r.two[i], 0, out + i * N, N, &b.err));
    proact_close(b.p);
}

static void the_bits_do_not_depend_on_the_plans(void **state)
{
    static uint32_t expected[2 * N], varied[2 * N];

    (void)state;
    ring_run(0, false, expected);
    ring_run(0, true, varied);
    assert_memory_equal(varied, expected, sizeof expected);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        for (int is_program = 0; is_program < 2; is_program++) {
            ring_run(seed, is_program, varied);
            assert_memory_equal(varied, expected, sizeof expected);
        }
    }
}

/* A recording has the plan of the last launch of its shape. */
static void a_recording_keeps_the_plans_of_its_shapes(void **state)
{
    struct ring r = ring_open(7);
    struct bench b = r.b;
    struct proact_recording *recording;

    (void)state;
    for (int i = 0; i < STEPS; i++)
        MUST(ring_step(&r, 0));
    const struct transfer_method *last = r.k->plan.method;
    const uint64_t chunk = r.k->plan.chunk_bytes;

    MUST(proact_wait(b.p, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    for (int i = 0; i < 4; i++) {
        MUST(ring_step(&r, 0));
        assert_ptr_equal(r.k->plan.method, last);
        assert_int_equal(r.k->plan.chunk_bytes, chunk);
    }
    MUST(proact_record_end(b.p, &recording, &b.err));
    proact_close(b.p);
}

/* Steps with waits, and the virtual time of the last ones; `out` receives the ring. */
static uint64_t ring_time(struct ring *r, uint32_t *out)
{
    struct bench b = r->b;
    uint64_t from = 0;

    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS - 4)
            from = proact_now_ns(b.p);
        MUST(ring_step(r, i));
        MUST(proact_wait(b.p, &b.err));
    }
    const uint64_t took = proact_now_ns(b.p) - from;

    MUST(proact_array_read(r->two[STEPS % 2], 0, out, N, &b.err));
    return took;
}

static void an_open_plan_is_selected_by_its_cost(void **state)
{
    static uint32_t expected[N], got[N];
    static const char *const machines[] = {"v100x4", "k40x4", "h200x4"};

    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        struct proact_options o = {.machine = machines[m], .plan = {.method = "fused"}};
        struct ring fixed = ring_open_with(&o);
        const uint64_t usual = ring_time(&fixed, expected);

        assert_string_equal(fixed.k->plan.method->name, "fused");
        assert_non_null(strstr(proact_kernel_plan(fixed.k), ": set by the caller"));
        proact_close(fixed.b.p);
        for (int effort = 0; effort <= PROACT_EFFORT_EXHAUSTIVE; effort++) {
            o.plan.method = NULL;
            o.effort = (enum proact_effort)effort;
            struct ring r = ring_open_with(&o);
            const uint64_t took = ring_time(&r, got);
            const char *plan = proact_kernel_plan(r.k);

            assert_memory_equal(got, expected, sizeof got);
            if (effort < PROACT_EFFORT_EXHAUSTIVE) /* that one still measures */
                assert_true(took <= usual);
            if (!effort)
                assert_non_null(strstr(plan, "method=inline: modelled"));
            if (effort == PROACT_EFFORT_MEASURE) {
                assert_non_null(strstr(plan, ": measured "));
                assert_true(took < usual);
                assert_true(proact_measurement_budget(r.b.p).spent_ns > 0);
            }
            proact_close(r.b.p);
        }
    }
}

/* A recording takes the selected plan; a new constraint must have been launched. */
static void a_recording_takes_the_selected_plan(void **state)
{
    struct ring r = ring_open_with(&(struct proact_options){.machine = "v100x4"});
    struct bench b = r.b;
    static uint32_t words[N];
    struct proact_recording *recording;

    (void)state;
    ring_time(&r, words);
    MUST(proact_record_begin(b.p, &b.err));
    MUST(ring_step(&r, 0));
    assert_string_equal(r.k->plan.method->name, "inline");
    MUST(proact_record_end(b.p, &recording, &b.err));
    MUST(proact_replay(recording, &b.err));
    MUST(proact_wait(b.p, &b.err));
    MUST(proact_plan_set(b.p, &(struct proact_plan){.chunk_bytes = 8192}, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    assert_int_equal(ring_step(&r, 0), PROACT_EINVAL);
    MUST(proact_record_end(b.p, &recording, &b.err));
    proact_close(b.p);
}

/* Modelled time of a step in us; the host waits after each, or after every eighth. */
static double ring_modelled_us(int waits_each)
{
    struct ring r = ring_open_with(&(struct proact_options){.machine = "v100x4"});
    struct bench b = r.b;

    for (int i = 0; i < STEPS; i++) {
        MUST(ring_step(&r, i));
        if (waits_each || i % 8 == 3)
            MUST(proact_wait(b.p, &b.err));
    }
    const char *modelled = strstr(proact_kernel_plan(r.k), "modelled ");

    assert_non_null(modelled);
    const double us = strtod(modelled + strlen("modelled "), NULL);

    proact_close(b.p);
    return us;
}

/* The host queues a launch while an earlier one runs. */
static void queued_launches_are_modelled_without_the_host(void **state)
{
    (void)state;
    assert_true(ring_modelled_us(false) < 0.9 * ring_modelled_us(true));
}

/* A kernel keeps the problems of its last shapes only. */
static void a_kernel_forgets_its_oldest_problems(void **state)
{
    enum { SHAPES = 70, KEPT = 64 };
    struct ring r = ring_open_with(&(struct proact_options){.machine = "v100x4"});
    struct bench b = r.b;
    unsigned count = 0;

    (void)state;
    for (unsigned i = 0; i < SHAPES; i++)
        MUST(ring_step_of(&r, (int)i, CTAS + i, THREADS));
    for (const struct launch_problem *q = r.k->problems->first; q; q = q->next)
        count++;
    assert_int_equal(count, KEPT);
    assert_int_equal(r.k->problems->count, KEPT);
    assert_int_equal(r.k->problems->first->grid[0], CTAS + SHAPES - 1);
    proact_close(b.p);
}

/* Steps after which single launches have a plan, which differs from that of recordings. */
static void ring_plan(struct ring *r)
{
    struct bench b = r->b;

    for (int i = 0; i < STEPS; i++) {
        MUST(ring_step_of(r, i, DEVICES, 16));
        if (i % 8 == 3)
            MUST(proact_wait(b.p, &b.err));
    }
    assert_string_equal(r->k->plan.method->name, "fused");
}

/* A copy in a graph takes less time than sends of the CTAs, and the host more time to queue
   one. The first planned launches prepare the plan of the recording. */
static void a_recording_has_a_plan_of_its_own(void **state)
{
    struct ring r = ring_load(&(struct proact_options){.machine = "h200x4"}, many_text);
    struct bench b = r.b;
    struct proact_recording *recording;

    (void)state;
    ring_plan(&r);
    MUST(proact_wait(b.p, &b.err));
    MUST(proact_record_begin(b.p, &b.err));
    for (int i = 0; i < 2; i++) {
        MUST(ring_step_of(&r, i, DEVICES, 16));
        assert_string_equal(r.k->plan.method->name, "bulk");
        assert_non_null(strstr(proact_kernel_plan(r.k), "method=bulk: modelled"));
    }
    MUST(proact_record_end(b.p, &recording, &b.err));
    MUST(proact_replay(recording, &b.err));
    proact_close(b.p);
}

/* Time of the replays of a recording after launches with waits. `plan` receives the method
   of the launches and that of the recording. */
static uint64_t ring_replay_time(const struct proact_options *o,
                                 const struct transfer_method *plan[2])
{
    struct ring r = ring_load(o, many_text);
    struct bench b = r.b;
    struct proact_recording *recording;

    for (int i = 0; i < STEPS; i++) {
        MUST(ring_step_of(&r, i, DEVICES, 16));
        MUST(proact_wait(b.p, &b.err));
    }
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

/* A search of the kernel's bindings for a plan. */
static unsigned searches;
const struct kernel_binding *__real_kernel_binding_of(const struct launching *l,
                                                      const struct transfer_plan *plan);
const struct kernel_binding *__wrap_kernel_binding_of(const struct launching *l,
                                                      const struct transfer_plan *plan);
const struct kernel_binding *__wrap_kernel_binding_of(const struct launching *l,
                                                      const struct transfer_plan *plan)
{
    searches++;
    return __real_kernel_binding_of(l, plan);
}

/* Launches whose plan differs from that of recordings, on two arrays in turn. New arrays
   are searched for, and the first launch that writes one has the plan of recordings. */
static void an_unchanged_plan_takes_no_search(void **state)
{
    struct ring r = ring_load(&(struct proact_options){.machine = "h200x4"}, many_text);
    struct bench b = r.b;

    (void)state;
    ring_plan(&r);
    assert_in_range(searches, 1, STEPS);
    searches = 0;
    for (int i = 0; i < STEPS; i++)
        MUST(ring_step_of(&r, i, DEVICES, 16));
    assert_int_equal(searches, 0);
    proact_array_destroy(r.two[1]);
    r.two[1] = testing_array(&r.b, "another");
    for (int i = 0; i < 2 * STEPS; i++) {
        MUST(ring_step_of(&r, i, DEVICES, 16));
        assert_string_equal(r.k->plan.method->name, i ? "fused" : "bulk");
    }
    assert_int_equal(searches, 3); /* of the new array twice, of the other one once */
    proact_close(b.p);
}

/* Whether relay is among the candidates that are timed. */
static bool ring_times_relay(bool broadcast)
{
    struct ring r = ring_open_with(
        &(struct proact_options){.machine = "v100x4",
                                 .plan = {.broadcast = broadcast, .chunk_bytes = 64 << 10},
                                 .effort = PROACT_EFFORT_EXHAUSTIVE});
    struct bench b = r.b;
    bool is_timed = false;

    for (int i = 0; i < 4 * STEPS; i++) {
        MUST(ring_step(&r, i));
        MUST(proact_wait(b.p, &b.err));
        is_timed |= strcmp(r.k->plan.method->name, "relay") == 0;
    }
    assert_non_null(strstr(proact_kernel_plan(r.k), ": measured "));
    proact_close(b.p);
    return is_timed;
}

/* A relay sends each piece to all devices, which costs more where one neighbour reads. */
static void only_what_all_read_is_relayed(void **state)
{
    (void)state;
    assert_true(ring_times_relay(true));
    assert_false(ring_times_relay(false));
}

/* On GPUs the time of a kernel comes from events. The budget may end before the
   measurements do. */
static void gpus_time_a_kernel_without_a_wait(void **state)
{
    struct ring r = ring_open_with(&(struct proact_options){
        .machine = PROACT_MACHINE_LOCAL, .effort = PROACT_EFFORT_MEASURE});
    struct bench b = r.b;

    (void)state;
    for (int i = 0; i < 2 * STEPS; i++) {
        MUST(ring_step(&r, i));
        if (i % 4 == 3)
            MUST(proact_wait(b.p, &b.err));
    }
    assert_non_null(strstr(proact_kernel_plan(r.k), "measured"));
    proact_close(b.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest local[] = {
        cmocka_unit_test(gpus_time_a_kernel_without_a_wait),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_plan_is_selected_by_its_cost),
        cmocka_unit_test(a_recording_takes_the_selected_plan),
        cmocka_unit_test(queued_launches_are_modelled_without_the_host),
        cmocka_unit_test(a_kernel_forgets_its_oldest_problems),
        cmocka_unit_test(a_recording_has_a_plan_of_its_own),
        cmocka_unit_test(an_unchanged_plan_takes_no_search),
        cmocka_unit_test(a_recording_has_a_measured_plan_of_its_own),
        cmocka_unit_test(only_what_all_read_is_relayed),
        cmocka_unit_test(a_recording_has_an_entry_of_its_own),
        cmocka_unit_test(the_bits_do_not_depend_on_the_plans),
        cmocka_unit_test(a_recording_keeps_the_plans_of_its_shapes),
    };

    return argc > 1 && !strcmp(argv[1], "local")
               ? cmocka_run_group_tests(local, NULL, NULL)
               : cmocka_run_group_tests(tests, NULL, NULL);
}
