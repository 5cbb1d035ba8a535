/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of programs: the planner selects the method of each launch shape, recordings have
   plans of their own in a profile, and a second run times nothing. */
#include "runtime/ring_testing.h"

#include <unistd.h>

#include "runtime/autotune/choice.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/kernel/problem_list.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

static const double DEFAULT_SHARE = 0.25;
enum { DEVICES = 4, STEPS = 40, REPLAYS = 6, AS_IS_FASTER = 0 };

static void program_begin(const char *profile)
{
    setenv("XDG_DATA_DIRS", "/nowhere", 1);
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    setenv("PROACT_PROFILE", profile, 1);
    unsetenv("PROACT_EFFORT");
    if (strcmp(profile, "none") != 0)
        unlink(profile);
}

static struct ring program_open(const char *method)
{
    return ring_open_with(
        &(struct proact_options){.machine = "v100x4", .plan = {.method = method}});
}

/* Steps with waits. */
static void program_steps(struct ring *r, int steps, unsigned devices)
{
    struct bench b = r->b;

    for (int i = 0; i < steps; i++) {
        MUST(ring_step_buffer(r, i, devices));
        MUST(proact_wait(b.p, &b.err));
    }
}

static void read_ring(struct ring *r, uint32_t out[2 * N])
{
    struct bench b = r->b;

    for (int i = 0; i < 2; i++)
        MUST(proact_array_read(r->two[i], 0, out + i * N, N, &b.err));
}

/* The method comes from the cost model, and nothing is timed for it. */
static void a_program_takes_the_plan_of_the_planner(void **state)
{
    static uint32_t expected[2 * N], got[2 * N];

    (void)state;
    program_begin("none");
    struct ring fixed = program_open("fused");

    program_steps(&fixed, STEPS, DEVICES);
    assert_string_equal(fixed.k->plan.method->name, "fused");
    read_ring(&fixed, expected);
    proact_close(fixed.b.p);

    struct ring r = program_open(NULL);

    program_steps(&r, STEPS, DEVICES);
    assert_string_equal(r.k->plan.method->name, "inline");
    assert_non_null(strstr(proact_kernel_plan(r.k), "method=inline: modelled"));
    assert_int_equal(r.b.p->profile->timed, 0);
    read_ring(&r, got);
    assert_memory_equal(got, expected, sizeof got);
    proact_close(r.b.p);
}

/* Steps on a machine whose instructions take long while `is_slow`. */
static void unsteady_steps(struct ring *r, int steps, unsigned devices,
                           bool (*is_slow)(const struct ring *r))
{
    double *cycles = &r->b.p->topology.device.dependent_cycles;
    const double usual = *cycles;
    struct bench b = r->b;

    for (int i = 0; i < steps; i++) {
        *cycles = is_slow(r) ? 1000 * usual : usual;
        MUST(ring_step_buffer(r, i, devices));
        if (devices) /* probes of the mode wait themselves */
            MUST(proact_wait(b.p, &b.err));
    }
    *cycles = usual;
}

/* After the split was timed under the default plan, until the selected one was, twice. The
   time under the default gets a share that differs from that of the selected plan. */
static bool is_slow_after_the_first(const struct ring *r)
{
    if (r->b.p->profile->timed == 1)
        r->b.p->choices->sending_share = DEFAULT_SHARE;
    return r->b.p->profile->timed == 1 || r->b.p->profile->timed == 2;
}

static bool is_slow_when_inline(const struct ring *r)
{
    return strcmp(r->k->plan.method->name, "inline") == 0;
}

/* A selected plan that turns out to be slower than the default is given up. The launches
   are those that decide between split and one device. */
static void a_slower_plan_is_given_up(void **state)
{
    (void)state;
    program_begin("none");
    struct ring r = program_open(NULL);

    unsteady_steps(&r, STEPS, AS_IS_FASTER, is_slow_after_the_first);
    const char *plan = proact_kernel_plan(r.k);
    const struct choice *c = r.b.p->choices;

    if (!strstr(plan, "method=fused chunk=65536: the default, measured") ||
        !strstr(plan, " took "))
        fail_msg("%s", plan);
    assert_true(c->split_ns < c->other.split_ns);
    assert_true(c->sending_share == DEFAULT_SHARE && c->other.sending_share == 0);
    proact_close(r.b.p);
}

/* Two kernels in turn. The second one runs on one device. */
static void ring_pairs(struct ring r[2], int pairs)
{
    struct bench b = r->b;

    for (int i = 0; i < pairs; i++)
        for (int k = 0; k < 2; k++)
            MUST(ring_step_buffer(&r[k], k, AS_IS_FASTER));
}

/* Of two timed plans of a split, the joint step takes the slower one if a reader on one
   device then gets the output while the writer runs. */
static void the_joint_step_selects_the_other_plan(void **state)
{
    (void)state;
    program_begin("none");
    struct ring r[2] = {program_open(NULL)};
    struct bench b = r->b;

    r[1] = r[0];
    MUST(proact_kernel_load(b.p,
                            &(struct proact_image){.name = "step.ptx", .text = ring_text},
                            "step", &r[1].k, &b.err));
    ring_pairs(r, STEPS);
    struct choice *reader = b.p->choices, *writer = reader->next_of_all;
    const struct transfer_method *faster = r[0].k->plan.method;

    assert_true(writer->other.split_ns > 0);
    writer->whole_ns = reader->split_ns = 1000000;
    writer->split_ns = 20000;
    writer->sending_share = 0;
    writer->other.split_ns = 21000;
    writer->other.sending_share = 1;
    reader->other.split_ns = 0;
    reader->whole_ns = 1000;
    b.p->validation = (struct validation){.next = UINT64_MAX};
    ring_pairs(r, 4);
    assert_int_equal(reader->now, CHOICE_SINGLE);
    assert_int_equal(writer->now, CHOICE_SPLIT_OTHER);
    assert_ptr_not_equal(r[0].k->plan.method, faster);
    assert_non_null(strstr(proact_kernel_plan(r[0].k), "costs other kernels less"));
    writer->other.split_ns = 60000;
    ring_pairs(r, 4);
    assert_int_equal(writer->now, CHOICE_SPLIT);
    assert_ptr_equal(r[0].k->plan.method, faster);
    proact_close(b.p);
}

static void measure_times_three_candidates(void **state)
{
    enum { LAUNCHES_EACH = 5 }; /* alternating arrays: two of them build tables */

    (void)state;
    program_begin("none");
    setenv("PROACT_EFFORT", "measure", 1);
    struct ring r = program_open(NULL);

    program_steps(&r, STEPS, DEVICES);
    assert_non_null(strstr(proact_kernel_plan(r.k), ", the fastest of 3 plans"));
    assert_in_range(r.b.p->profile->timed, 3, 3 * LAUNCHES_EACH);
    assert_true(proact_measurement_budget(r.b.p).spent_ns > 0);
    proact_close(r.b.p);
    unsetenv("PROACT_EFFORT");
}

/* Records two steps. NULL: their plans are being measured. */
static struct proact_recording *program_record(struct ring *r, unsigned devices)
{
    struct bench b = r->b;
    struct proact_recording *recording = NULL;
    enum proact_status status = PROACT_OK;

    MUST(proact_record_begin(b.p, &b.err));
    for (int i = 0; i < 2 && !status; i++)
        status = ring_step_buffer(r, i, devices);
    MUST(proact_record_end(b.p, &recording, &b.err));
    if (!status)
        return recording;
    assert_int_equal(status, PROACT_EINVAL);
    proact_recording_destroy(recording);
    return NULL;
}

/* The first steps decide nothing. The recording has the plan that the planner selects,
   which no launch has had. */
static void a_recording_needs_no_launch_under_its_plan(void **state)
{
    static uint32_t expected[2 * N], got[2 * N];

    (void)state;
    program_begin("none");
    struct ring fixed = program_open("fused"), r = program_open(NULL);
    struct bench b = r.b;

    program_steps(&fixed, 3, DEVICES);
    program_steps(&fixed, 2, DEVICES);
    read_ring(&fixed, expected);
    proact_close(fixed.b.p);
    program_steps(&r, 3, DEVICES);
    assert_string_equal(r.k->plan.method->name, "fused");
    struct proact_recording *recording = program_record(&r, DEVICES);

    assert_non_null(recording);
    assert_string_equal(r.k->plan.method->name, "inline");
    MUST(proact_replay(recording, &b.err));
    read_ring(&r, got);
    assert_memory_equal(got, expected, sizeof got);
    proact_close(b.p);
}

static void a_recording_waits_for_measurements(void **state)
{
    (void)state;
    program_begin("none");
    setenv("PROACT_EFFORT", "measure", 1);
    struct ring r = program_open(NULL);

    program_steps(&r, 4, DEVICES);
    assert_null(program_record(&r, DEVICES));
    assert_true(proact_record_is_early(r.b.p));
    program_steps(&r, STEPS, DEVICES);
    assert_non_null(program_record(&r, DEVICES));
    assert_false(proact_record_is_early(r.b.p));
    proact_close(r.b.p);
    unsetenv("PROACT_EFFORT");
}

/* Whether the next launch does not measure the method. */
static bool is_slow_unless(const struct ring *r, const char *method)
{
    const struct launch_problem *q = r->k->problems ? r->k->problems->first : NULL;

    return !q || q->state != PROBLEM_PROBING ||
           strcmp(q->candidates[q->now].plan.method, method) != 0;
}

static bool is_slow_unless_relayed(const struct ring *r)
{
    return is_slow_unless(r, "relay");
}

static bool is_slow_without_children(const struct ring *r)
{
    return is_slow_unless(r, "dynamic");
}

/* GPUs do not record the launches of a relay, and none that launch kernels. One of them is
   the fastest plan of single launches. All devices read the array. */
static void a_recording_is_possible_on_gpus(void **state)
{
    static const struct {
        const char *method;
        bool (*is_slow)(const struct ring *r);
    } rows[] = {{"relay", is_slow_unless_relayed}, {"dynamic", is_slow_without_children}};

    (void)state;
    program_begin("none");
    setenv("PROACT_EFFORT", "exhaustive", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ring r = ring_open_with(&(struct proact_options){
            .machine = "v100x4", .plan = {.broadcast = true, .chunk_bytes = 64 << 10}});

        unsteady_steps(&r, 4 * STEPS, DEVICES, rows[i].is_slow);
        assert_string_equal(r.k->plan.method->name, rows[i].method);
        assert_non_null(program_record(&r, DEVICES));
        assert_string_not_equal(r.k->plan.method->name, rows[i].method);
        proact_close(r.b.p);
    }
    unsetenv("PROACT_EFFORT");
}

/* Measurements after the recording select another plan. */
static void a_change_of_plan_ends_a_recording(void **state)
{
    (void)state;
    program_begin("none");
    setenv("PROACT_EFFORT", "measure", 1);
    struct ring r = program_open(NULL);
    struct bench b = r.b;
    bool (*const is_lifted)(const void *context) = b.p->budget.is_lifted;

    b.p->budget.is_lifted = NULL;
    b.p->budget.spent_ns = UINT64_MAX / 2;
    program_steps(&r, 8, DEVICES);
    const struct transfer_plan before = r.k->plan;
    struct proact_recording *recording = program_record(&r, DEVICES);

    assert_non_null(recording);
    MUST(proact_replay(recording, &b.err));
    b.p->budget.is_lifted = is_lifted;
    unsteady_steps(&r, STEPS, DEVICES, is_slow_when_inline);
    assert_false(before.method == r.k->plan.method &&
                 before.chunk_bytes == r.k->plan.chunk_bytes);
    REFUSED(proact_replay(recording, &b.err), PROACT_EINVAL,
            "its launches have other plans now");
    proact_recording_destroy(recording);
    recording = program_record(&r, DEVICES);
    assert_non_null(recording);
    MUST(proact_replay(recording, &b.err));
    proact_close(b.p);
    unsetenv("PROACT_EFFORT");
}

/* What a session with a profile did. */
struct program_outcome {
    uint64_t timed;
    size_t used;
    const struct transfer_method *recorded; /* method of the recorded launches */
    uint32_t content[2 * N];
};

static void program_run(struct program_outcome *o, unsigned devices)
{
    struct ring r = program_open(NULL);
    struct bench b = r.b;
    struct proact_recording *recording = NULL;

    program_steps(&r, STEPS, devices);
    for (int tries = 0; tries < 20 && !(recording = program_record(&r, devices)); tries++)
        program_steps(&r, 2, devices);
    assert_non_null(recording);
    o->recorded = r.k->plan.method;
    for (int i = 0; i < REPLAYS; i++)
        MUST(proact_replay(recording, &b.err));
    read_ring(&r, o->content);
    proact_profile_save(b.p);
    o->timed = b.p->profile->timed;
    o->used = b.p->profile->used_count;
    proact_close(b.p);
}

static const struct profile_entry *entry_find(const struct profile *p, bool is_recorded)
{
    const struct profile_entry *e = NULL;

    for (size_t i = 0; i < profile_count(p); i++)
        if (profile_at(p, i)->key.is_recorded == is_recorded)
            e = profile_at(p, i);
    assert_non_null(e);
    return e;
}

static void check_entry(const struct profile_entry *e)
{
    assert_true(e->predicted_ns > 0);
    assert_true(e->measured_ns > 0);
    assert_true(e->predicted_ns < 8 * e->measured_ns &&
                e->measured_ns < 8 * e->predicted_ns);
    assert_true(e->candidate_count > 0);
}

/* Launched and recorded shapes have an entry each, with predicted and measured times. */
static void a_second_run_times_no_recording(void **state)
{
    static struct program_outcome first, second;
    struct profile *p = profile_create();

    (void)state;
    program_begin("recorded");
    program_run(&first, AS_IS_FASTER);
    assert_true(first.timed > 0);
    assert_int_equal(first.used, 0);
    assert_int_equal(profile_read("recorded", p, NULL), PROACT_OK);
    assert_int_equal(profile_count(p), 2);
    check_entry(entry_find(p, false));
    check_entry(entry_find(p, true));
    for (size_t i = 0; i < entry_find(p, false)->candidate_count; i++)
        assert_true(entry_find(p, false)->candidates[i].predicted_ns > 0);
    program_run(&second, AS_IS_FASTER);
    assert_int_equal(second.timed, 0);
    assert_int_equal(second.used, 2);
    assert_memory_equal(first.content, second.content, sizeof first.content);
    profile_free(p);
}

static void pin_recorded(struct profile *p, void *context)
{
    for (size_t i = profile_count(p); i-- > 0;) {
        struct profile_entry e = *profile_at(p, i);

        if (!e.key.is_recorded)
            continue;
        e.is_pinned = true;
        e.candidates = NULL;
        e.candidate_count = 0;
        assert_int_equal(plan_parse(context, &e.plan, NULL), PROACT_OK);
        assert_true(profile_put(p, &e));
    }
}

/* A program's graph is launched call by call, in a loop, before it is recorded: these calls
   have their own plan. */
static void a_recording_has_a_stored_plan_of_its_own(void **state)
{
    static struct program_outcome first;
    static uint32_t got[2 * N];
    struct proact_loop *loop;

    (void)state;
    program_begin("own");
    program_run(&first, DEVICES);
    assert_string_equal(first.recorded->name, "inline");
    assert_int_equal(
        profile_update("own", pin_recorded, "devices=4 method=polling chunk=8192", NULL),
        PROACT_OK);
    struct ring r = program_open(NULL);
    struct bench b = r.b;

    program_steps(&r, STEPS - 2, DEVICES);
    assert_string_equal(r.k->plan.method->name, "inline");
    MUST(proact_loop_create(b.p, &loop, &b.err));
    MUST(proact_loop_begin(loop, &b.err));
    program_steps(&r, 2, DEVICES);
    MUST(proact_loop_end(loop, &b.err));
    assert_string_equal(r.k->plan.method->name, "inline");
    struct proact_recording *recording = program_record(&r, DEVICES);

    assert_non_null(recording);
    assert_string_equal(r.k->plan.method->name, "polling");
    for (int i = 0; i < REPLAYS; i++)
        MUST(proact_replay(recording, &b.err));
    read_ring(&r, got);
    assert_memory_equal(got, first.content, sizeof got);
    assert_int_equal(b.p->profile->timed, 0);
    program_steps(&r, 1, DEVICES);
    assert_string_equal(r.k->plan.method->name, "inline");
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_takes_the_plan_of_the_planner),
        cmocka_unit_test(a_slower_plan_is_given_up),
        cmocka_unit_test(the_joint_step_selects_the_other_plan),
        cmocka_unit_test(measure_times_three_candidates),
        cmocka_unit_test(a_recording_needs_no_launch_under_its_plan),
        cmocka_unit_test(a_recording_waits_for_measurements),
        cmocka_unit_test(a_recording_is_possible_on_gpus),
        cmocka_unit_test(a_change_of_plan_ends_a_recording),
        cmocka_unit_test(a_second_run_times_no_recording),
        cmocka_unit_test(a_recording_has_a_stored_plan_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
