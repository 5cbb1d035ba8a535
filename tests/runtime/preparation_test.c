/* SPDX-License-Identifier: Apache-2.0 */
/* Host time of a program's first split launches on GPUs: what is measured and charged, and
   what launches do meanwhile. */
#include <stdlib.h>

#include "runtime/ring_testing.h"

#include <time.h>

#include "runtime/autotune/choice.h"
#include "runtime/kernel/problem_list.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

enum { STEPS = 24, POLLS_MAX = 10000, QUEUED_NS = 50000000 };

static const struct device_backend *hold_below;
static char hold_log[512];

static void hold_note(char what)
{
    const size_t n = strlen(hold_log);

    if (n + 1 < sizeof hold_log)
        memcpy(hold_log + n, (char[]){what, 0}, 2);
}

static enum proact_status hold_begins(struct device_stream *s, uint64_t limit_ns,
                                      struct proact_error *err)
{
    hold_note('H');
    return hold_below->hold(s, limit_ns, err);
}

static void hold_ends(struct device_set *set)
{
    hold_note('E');
    hold_below->let_go(set);
}

static enum proact_status hold_launches(struct device_stream *s, struct device_function *f,
                                        const struct device_launch *launch,
                                        struct proact_error *err)
{
    if (strchr(hold_log, 'H') && !strchr(hold_log, 'E'))
        hold_note('L');
    return hold_below->launch(s, f, launch, err);
}

static enum proact_status hold_queues(struct device_set *set, struct proact_error *err)
{
    if (strchr(hold_log, 'H') && !strchr(hold_log, 'E'))
        hold_note('Q');
    return hold_below->batch_end(set, err);
}

/* The time of a kernel excludes the host: its stream waits once, until the kernels of
   both devices are queued. */
static void the_host_is_not_timed(void **state)
{
    struct ring r =
        ring_open_with(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL});
    struct bench b = r.b;
    struct device_backend logged = *(hold_below = b.p->backend);

    (void)state;
    logged.hold = hold_begins;
    logged.let_go = hold_ends;
    logged.launch = hold_launches;
    logged.batch_end = hold_queues;
    b.p->backend = &logged;
    hold_log[0] = '\0';
    for (int i = 0; i < STEPS; i++)
        MUST(ring_step(&r, i));
    assert_string_equal(hold_log, "HLLQE");
    b.p->backend = hold_below;
    proact_close(b.p);
}

static bool versions_compile; /* compilations are in progress */

static bool versions_module_compile(struct device_set *set, const char *ptx, size_t bytes)
{
    (void)set, (void)ptx, (void)bytes;
    return !versions_compile;
}

static bool versions_are_compiling(const struct device_set *set)
{
    (void)set;
    return versions_compile;
}

static unsigned versions_paced; /* questions whether an earlier launch has ended */

static enum proact_progress versions_progress(struct device_set *set,
                                              struct device_stream *s,
                                              const struct device_event *e)
{
    versions_paced += e != NULL;
    return hold_below->progress(set, s, e);
}

/* Number of split launches of `count`. */
static unsigned versions_split(struct ring *r, unsigned count)
{
    struct bench b = r->b;
    unsigned split = 0;

    for (unsigned i = 0; i < count; i++) {
        MUST(ring_step_buffer(r, 0, 0));
        MUST(proact_wait(b.p, &b.err));
        split += !proact_kernel_refusal(r->k);
    }
    return split;
}

/* Launches run on one device while their version is compiled, at the pace of that device,
   and under the plan before while that of a new plan is. */
static void launches_go_on_while_versions_are_compiled(void **state)
{
    struct ring r =
        ring_open_with(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL});
    struct bench b = r.b;
    struct device_backend slow = *(hold_below = b.p->backend);

    (void)state;
    slow.module_compile = versions_module_compile;
    slow.is_compiling = versions_are_compiling;
    slow.progress = versions_progress;
    b.p->backend = &slow;
    versions_compile = true;
    versions_paced = 0;
    assert_int_equal(versions_split(&r, STEPS), 0);
    assert_true(versions_paced > 0);
    assert_non_null(strstr(proact_kernel_refusal(r.k),
                           "the versions for several devices are being compiled"));
    assert_int_equal(b.p->preparations.done, 0);
    assert_int_equal(b.p->preparations.ns, 0); /* of all prepared kernels */
    const uint64_t used = b.p->budget.spent_ns;

    plan_budget_spend(&b.p->budget, UINT64_MAX / 2);
    versions_split(&r, 1);
    assert_non_null(strstr(proact_kernel_refusal(r.k), "not analyzed: 1 kernels"));
    b.p->budget.spent_ns = used;
    versions_compile = false;
    while (!versions_split(&r, 1))
        ;
    assert_int_equal(b.p->preparations.done, 1);
    assert_true(b.p->preparations.ns > 0);
    versions_compile = true; /* those of another kernel */
    assert_int_equal(versions_split(&r, 3), 0);
    versions_compile = false;
    versions_split(&r, 4 * STEPS);
    assert_non_null(b.p->whole_by);
    b.p->whole_by->is_stored = true;
    b.p->whole_by->now = CHOICE_SPLIT;
    struct launch_problem *q = r.k->problems->first;

    assert_int_equal(q->state, PROBLEM_PLANNED);
    MUST(transfer_methods_read("copy-engine", &q->plan, &b.err));
    versions_compile = true;
    assert_int_equal(versions_split(&r, STEPS), STEPS);
    assert_string_not_equal(r.k->plan.method->name, "copy-engine");
    versions_compile = false;
    const uint64_t spent = b.p->budget.spent_ns; /* a load waits for queued work */

    MUST(b.p->backend->hold(b.p->devices.device[0].lane[TRANSFER_MAIN], QUEUED_NS, &b.err));
    assert_int_equal(versions_split(&r, STEPS), STEPS);
    assert_string_equal(r.k->plan.method->name, "copy-engine");
    assert_true(b.p->budget.spent_ns - spent < QUEUED_NS / 2);
    b.p->backend = hold_below;
    proact_close(b.p);
}

/* On GPUs the host time of the preparation is charged, and counted once for each kernel. */
static void a_preparation_is_charged(void **state)
{
    struct ring r =
        ring_open_with(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL});
    struct bench b = r.b;

    (void)state;
    for (int i = 0; i < POLLS_MAX && !b.p->preparations.done; i++) {
        MUST(ring_step_buffer(&r, i, 0));
        nanosleep(&(struct timespec){0, 100000}, NULL); /* the version is compiled */
    }
    const uint64_t ns = b.p->preparations.ns;

    assert_true(ns > 0 && proact_measurement_budget(b.p).spent_ns >= ns);
    for (int i = 0; i < STEPS; i++)
        MUST(ring_step_buffer(&r, i, 0));
    assert_int_equal(b.p->preparations.done, 1);
    assert_int_equal(b.p->preparations.waiting, 0);
    assert_true(b.p->preparations.ns == ns);
    proact_close(b.p);
}

static bool versions_request_slowly(struct device_set *set, const char *ptx, size_t bytes)
{
    nanosleep(&(struct timespec){0, QUEUED_NS}, NULL);
    return hold_below->module_compile(set, ptx, bytes);
}

/* Host time that overlaps with queued work is no part of it, nor is that work where a load
   waits for it. */
static void queued_work_is_not_charged(void **state)
{
    struct ring r =
        ring_open_with(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL});
    struct bench b = r.b;
    struct device_backend slow = *(hold_below = b.p->backend);

    (void)state;
    slow.module_compile = versions_request_slowly;
    b.p->backend = &slow;
    /* A program's kernels may run on any stream. */
    MUST(hold_below->hold(b.p->devices.device[0].lane[TRANSFER_SIDE], 4 * QUEUED_NS,
                          &b.err));
    MUST(ring_step_buffer(&r, 0, 0));
    assert_int_equal(b.p->preparations.ns, 0);
    slow.module_compile = hold_below->module_compile;
    for (int i = 0; i < POLLS_MAX && !b.p->preparations.done; i++) {
        MUST(ring_step_buffer(&r, i, 0));
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    assert_int_equal(b.p->preparations.done, 1);
    assert_true(b.p->preparations.ns < QUEUED_NS / 2);
    b.p->backend = hold_below;
    proact_close(b.p);
}

/* Emulated machines take no host time, and compile nothing. */
static void emulated_preparations_are_free(void **state)
{
    struct ring r = ring_open_with(&(struct proact_options){.machine = "v100x4"});
    struct bench b = r.b;

    (void)state;
    assert_true(versions_split(&r, STEPS) > 0);
    assert_int_equal(b.p->preparations.done, 1);
    assert_int_equal(b.p->preparations.ns, 0);
    proact_close(b.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest local[] = {
        cmocka_unit_test(the_host_is_not_timed),
        cmocka_unit_test(launches_go_on_while_versions_are_compiled),
        cmocka_unit_test(a_preparation_is_charged),
        cmocka_unit_test(queued_work_is_not_charged),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emulated_preparations_are_free),
    };

    return argc > 1 && !strcmp(argv[1], "local")
               ? cmocka_run_group_tests(local, NULL, NULL)
               : cmocka_run_group_tests(tests, NULL, NULL);
}
