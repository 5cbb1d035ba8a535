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

static void family_open(struct family *f, unsigned limit, bool check)
{
    struct emulator_rig *r = &f->r;
    char *text;
    size_t bytes;

    emulator_prepare(r, 1);
    r->options.children_limit = limit;
    r->options.check = check;
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
    family_open(&f, 0, true);
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
    family_open(&f, 0, true);
    launch_parents(&f, 1, 0);
    assert_int_equal(f.r.b->synchronize(f.r.set, &f.r.err), PROACT_EFAULT);
    assert_non_null(strstr(f.r.err.text, "kernel 'child'"));
    emulator_close(&f.r);
}

/* A launch above the limit is refused, and ended children free their places. */
static void limit_is_reported(void **state)
{
    enum { LIMIT = 3 };
    struct family f;

    (void)state;
    family_open(&f, LIMIT, true);
    for (uint32_t round = 1; round <= 5; round++) {
        launch_parents(&f, CTAS_MAX, 1);
        emulator_sync(&f.r);
        assert_int_equal(answered(&f, CTAS_MAX, LAUNCHED), LIMIT);
        assert_int_equal(answered(&f, CTAS_MAX, NO_ROOM), CTAS_MAX - LIMIT);
        assert_int_equal(emulator_word(&f.r, 0, f.ended), LIMIT * round);
    }
    emulator_close(&f.r);
}

static void foreign_parameters_launch_nothing(void **state)
{
    struct family f;

    (void)state;
    family_open(&f, 0, false);
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
    family_open(&f, 0, false);
    uint64_t before = f.r.b->now_ns(f.r.set);

    launch_parents(&f, 1, 1);
    emulator_sync(&f.r);
    assert_in_range((uint64_t)emulator_since(&f.r, before), 6000, 16000);
    emulator_close(&f.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_end_with_their_children),
        cmocka_unit_test(a_child_races_with_unsynchronized_warps),
        cmocka_unit_test(limit_is_reported),
        cmocka_unit_test(foreign_parameters_launch_nothing),
        cmocka_unit_test(launch_takes_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
