/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that launch kernels (CUDA dynamic parallelism) on an emulated device. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/emulator_testing.h"

enum { THREADS = 64, CHILD_CTAS = 2, CTAS_MAX = 64, LAUNCHED = 100, NO_ROOM = 101 };

struct family {
    struct emulator_rig r;
    struct device_module *module;
    device_addr to, from, ended, answers;
};

static void family_prepare(struct family *f, bool check)
{
    emulator_prepare(&f->r, 1);
    f->r.options.check = check;
}

static void family_start(struct family *f)
{
    struct emulator_rig *r = &f->r;
    char *text;
    size_t bytes;

    emulator_start(r);
    emulator_must(
        r, file_read(PROACT_SOURCE "/tests/device/children.ptx", &text, &bytes, &r->err));
    emulator_must(
        r, r->b->module_load(r->set, 0, "children.ptx", text, bytes, &f->module, &r->err));
    free(text);
    f->to = emulator_words(r, 0, THREADS * CTAS_MAX);
    f->from = emulator_words(r, 0, THREADS * CTAS_MAX);
    f->ended = emulator_words(r, 0, 1);
    f->answers = emulator_words(r, 0, CTAS_MAX);
}

static void family_open(struct family *f, bool check)
{
    family_prepare(f, check);
    family_start(f);
}

static void launch(struct family *f, const char *kernel, uint32_t ctas,
                   const struct contract_parameters *p)
{
    const struct device_launch l = {.grid = {ctas, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .parameters = p->block,
                                    .parameter_bytes = p->bytes};
    struct device_function *function;

    emulator_must(&f->r, f->r.b->function(f->module, kernel, &function, &f->r.err));
    emulator_must(&f->r, f->r.b->launch(f->r.stream[0][0], function, &l, &f->r.err));
}

static void launch_parents(struct family *f, uint32_t ctas, uint32_t meets)
{
    const struct contract_parameters p = emulator_parameters(
        "ddddww", f->to, f->from, f->ended, f->answers, meets, CHILD_CTAS);

    launch(f, "parent", ctas, &p);
}

static uint32_t answered(struct family *f, uint32_t ctas, uint32_t what)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < ctas; c++)
        count += emulator_word(&f->r, 0, f->answers + 4 * c) == what;
    return count;
}

/* An operation queued after the parents also follows their children. */
static void parents_end_with_their_children(void **state)
{
    struct family f;

    (void)state;
    family_open(&f, true);
    device_addr noted = emulator_words(&f.r, 0, 1);

    launch_parents(&f, CTAS_MAX, 1);
    emulator_must(&f.r, f.r.b->copy(f.r.stream[0][0], noted, f.ended, 4, &f.r.err));
    emulator_sync(&f.r);
    assert_int_equal(emulator_word(&f.r, 0, noted), CTAS_MAX);
    assert_int_equal(answered(&f, CTAS_MAX, LAUNCHED), CTAS_MAX);
    for (uint32_t i = 0; i < THREADS * CTAS_MAX; i++)
        assert_int_equal(emulator_word(&f.r, 0, f.to + 4 * i), i % THREADS + 11);
    emulator_close(&f.r);
}

/* A child is ordered after its launching thread only, not after warps that did not
   synchronize with it. */
static void a_child_races_with_unsynchronized_warps(void **state)
{
    struct family f;

    (void)state;
    family_open(&f, true);
    launch_parents(&f, 1, 0);
    assert_int_equal(f.r.b->synchronize(f.r.set, &f.r.err), PROACT_EFAULT);
    assert_non_null(strstr(f.r.err.text, "kernel 'child'"));
    emulator_close(&f.r);
}

enum { LIMIT = 3 };

static void check_limit(struct family *f)
{
    family_start(f);
    for (uint32_t round = 1; round <= 5; round++) {
        launch_parents(f, CTAS_MAX, 1);
        emulator_sync(&f->r);
        assert_int_equal(answered(f, CTAS_MAX, LAUNCHED), LIMIT);
        assert_int_equal(answered(f, CTAS_MAX, NO_ROOM), CTAS_MAX - LIMIT);
        assert_int_equal(emulator_word(&f->r, 0, f->ended), LIMIT * round);
    }
    emulator_close(&f->r);
}

/* A launch above the limit is refused, and ended children free their places. */
static void limit_is_reported(void **state)
{
    struct family f;

    (void)state;
    family_prepare(&f, true);
    f.r.options.children_limit = LIMIT;
    check_limit(&f);
    family_prepare(&f, true);
    f.r.topology.device.child_launch_limit = LIMIT;
    check_limit(&f);
}

static void foreign_parameters_launch_nothing(void **state)
{
    struct family f;

    (void)state;
    family_open(&f, false);
    const struct contract_parameters p = emulator_parameters("d", f.answers);

    launch(&f, "astray", 1, &p);
    emulator_sync(&f.r);
    assert_int_equal(emulator_word(&f.r, 0, f.answers), 1); /* cudaErrorInvalidValue */
    emulator_close(&f.r);
}

/* The machine has space for all parents and children; each generation takes 3 us to
   launch. */
static void launch_takes_its_time(void **state)
{
    struct family f;

    (void)state;
    family_open(&f, false);
    uint64_t before = f.r.b->now_ns(f.r.set);

    launch_parents(&f, 1, 1);
    emulator_sync(&f.r);
    assert_in_range((uint64_t)emulator_since(&f.r, before), 6000, 16000);
    emulator_close(&f.r);
}

/* Virtual ns of `ctas` parents with a child each. */
static double family_ns(struct family *f, uint32_t ctas)
{
    family_start(f);
    const uint64_t before = f->r.b->now_ns(f->r.set);

    launch_parents(f, ctas, 1);
    emulator_sync(&f->r);
    const double ns = emulator_since(&f->r, before);

    assert_int_equal(emulator_word(&f->r, 0, f->ended), ctas);
    emulator_close(&f->r);
    return ns;
}

static void latency_precedes_a_child(void **state)
{
    struct family f;

    (void)state;
    family_prepare(&f, false);
    const double before_ns = family_ns(&f, 1); /* 3 us, as a launch by the host */

    family_prepare(&f, false);
    f.r.topology.device.child_launch_latency_us = 53;
    assert_in_range((uint64_t)(family_ns(&f, 1) - before_ns), 49998, 50002);
}

static void children_start_at_intervals(void **state)
{
    struct family f;

    (void)state;
    family_prepare(&f, false);
    f.r.topology.device.child_launch_interval_us = 40;
    assert_in_range((uint64_t)family_ns(&f, 1), 6000, 16000);
    family_prepare(&f, false);
    f.r.topology.device.child_launch_interval_us = 40;
    assert_in_range((uint64_t)family_ns(&f, 32), 31 * 40000 + 6000, 31 * 40000 + 16000);
}

/* All 32 children start together, or one after the end of another: each takes more than
   the 200 ns of its load. */
static void concurrency_limits_children(void **state)
{
    struct family f;

    (void)state;
    family_prepare(&f, false);
    const double together_ns = family_ns(&f, 32);

    family_prepare(&f, false);
    f.r.topology.device.child_concurrency = 1;
    const double in_turn_ns = family_ns(&f, 32);

    family_prepare(&f, false);
    f.r.topology.device.child_concurrency = 32;
    assert_true(family_ns(&f, 32) == together_ns);
    assert_true(in_turn_ns > together_ns + 31 * 200);
}

/* A child kernel that waits for its own child leaves its place to it. */
static void nested_child_needs_no_second_place(void **state)
{
    struct family f;

    (void)state;
    family_prepare(&f, false);
    f.r.topology.device.child_concurrency = 1;
    family_start(&f);
    const struct contract_parameters p = emulator_parameters("ddd", f.to, f.from, f.ended);

    launch(&f, "nested", 1, &p);
    emulator_sync(&f.r);
    assert_int_equal(emulator_word(&f.r, 0, f.ended), 1);
    emulator_close(&f.r);
}

/* 32 of the 64 parent CTAs have slots at first. Returns the number of ended children that
   the first of the others observes. */
static uint32_t family_ended_before(unsigned priority)
{
    struct family f;

    family_prepare(&f, false);
    f.r.topology.device.child_priority = priority;
    family_start(&f);
    const struct contract_parameters p =
        emulator_parameters("ddddw", f.to, f.from, f.ended, f.answers, 1000);

    launch(&f, "watcher", CTAS_MAX, &p);
    emulator_sync(&f.r);
    const uint32_t count = emulator_word(&f.r, 0, f.answers + 4 * (CTAS_MAX / 2));

    assert_int_equal(emulator_word(&f.r, 0, f.ended), 1);
    emulator_close(&f.r);
    return count;
}

static void priority_precedes_waiting_parents(void **state)
{
    (void)state;
    assert_int_equal(family_ended_before(0), 0);
    assert_int_equal(family_ended_before(1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_end_with_their_children),
        cmocka_unit_test(a_child_races_with_unsynchronized_warps),
        cmocka_unit_test(limit_is_reported),
        cmocka_unit_test(foreign_parameters_launch_nothing),
        cmocka_unit_test(launch_takes_its_time),
        cmocka_unit_test(latency_precedes_a_child),
        cmocka_unit_test(children_start_at_intervals),
        cmocka_unit_test(concurrency_limits_children),
        cmocka_unit_test(nested_child_needs_no_second_place),
        cmocka_unit_test(priority_precedes_waiting_parents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
