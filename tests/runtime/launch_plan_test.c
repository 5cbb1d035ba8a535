/* SPDX-License-Identifier: Apache-2.0 */
/* Plan of a launch: it may change between launches, a recording has plans of its own, and
   the bits do not depend on it. */
#include <stdlib.h>

#include "runtime/ring_testing.h"

#include "runtime/kernel/problem_list.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

enum { DEVICES = 4, STEPS = 24, REPLAYS = 3, METHODS_LEAST = 5 };

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
    for (int i = 0; i < 2; i++) /* under plans without tables */
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

/* A plan without counts suits a launch whose output no device reads. Once some read it, the
   launch is planned again. */
static void readers_change_the_plan(void **state)
{
    struct ring r = ring_open_with(&(struct proact_options){.machine = "v100x4"});
    struct bench b = r.b;

    (void)state;
    for (int i = 0; i < STEPS; i++) {
        MUST(ring_step(&r, 0));
        MUST(proact_wait(b.p, &b.err));
    }
    assert_string_equal(r.k->plan.method->name, "bulk");
    for (int i = 0; i < STEPS; i++) {
        MUST(ring_step(&r, i));
        MUST(proact_wait(b.p, &b.err));
    }
    assert_string_equal(r.k->plan.method->name, "inline");
    proact_close(b.p);
}

/* Copies follow a kernel on a stream of their own. A launch without readers on other
   devices leaves that stream alone. */
static void copies_of_nothing_use_no_stream(void **state)
{
    struct ring r = ring_open_with(
        &(struct proact_options){.machine = "v100x4", .plan = {.method = "bulk"}});
    struct bench b = r.b;
    const struct order_lane *side = &b.p->order.lane[1][TRANSFER_SIDE];

    (void)state;
    for (int i = 0; i < STEPS; i++)
        MUST(ring_step(&r, 0));
    const uint64_t last = side->last;

    MUST(ring_step(&r, 0));
    assert_int_equal(side->last, last);
    for (int i = 0; i < STEPS; i++)
        MUST(ring_step(&r, i));
    assert_true(side->last > last);
    proact_close(b.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest local[] = {
        cmocka_unit_test(gpus_time_a_kernel_without_a_wait),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_plan_is_selected_by_its_cost),
        cmocka_unit_test(queued_launches_are_modelled_without_the_host),
        cmocka_unit_test(a_kernel_forgets_its_oldest_problems),
        cmocka_unit_test(only_what_all_read_is_relayed),
        cmocka_unit_test(readers_change_the_plan),
        cmocka_unit_test(copies_of_nothing_use_no_stream),
        cmocka_unit_test(the_bits_do_not_depend_on_the_plans),
    };

    return argc > 1 && !strcmp(argv[1], "local")
               ? cmocka_run_group_tests(local, NULL, NULL)
               : cmocka_run_group_tests(tests, NULL, NULL);
}
