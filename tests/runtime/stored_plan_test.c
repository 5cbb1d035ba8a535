/* SPDX-License-Identifier: Apache-2.0 */
/* Stored plans of launch shapes: partition axis of a program's kernel; mechanism, chunk
   size and threads of any launch. */
#include "runtime/interchange_testing.h"

#include <unistd.h>

#include "runtime/autotune/session_profile.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "transfer/transfer.h"

enum { W = 1024, H = 512, D = 4, ROUNDS = 14 };
static const unsigned a_to_b[] = {0, 1}, b_to_a[] = {1, 0};

static void begin(const char *profile)
{
    setenv("XDG_DATA_DIRS", "/nowhere", 1);
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    setenv("PROACT_PROFILE", profile, 1);
    unlink(profile);
}

/* The program of choose_order_test.c in which a kernel takes the axis of its producer.
   `axis` is a letter per round, of the axis after it. */
static uint64_t follow(char axis[ROUNDS + 1], uint32_t **content)
{
    struct rig rig, *r = &rig;

    rig_open(r, &(struct proact_options){.machine = "v100x4", .plan = {.method = "bulk"}},
             (struct cells){W, H, D});
    struct proact_kernel *rows = rig_kernel(r, "rows"), *each = rig_kernel(r, "each");

    for (unsigned n = 0; n < ROUNDS; n++) {
        rig_launch(r, rows, a_to_b, (const uint32_t[]){1, H, 1}, W, 0);
        rig_launch(r, each, b_to_a, (const uint32_t[]){W / 64, H, D}, 64, 0);
        axis[n] = proact_kernel_split_axis(each) ? proact_kernel_split_axis(each) : '-';
    }
    axis[ROUNDS] = '\0';
    *content = rig_content(r);
    const uint64_t timed = r->p->profile->timed;

    rig_close(r);
    return timed;
}

static void an_axis_is_stored(void **state)
{
    char first[ROUNDS + 1], second[ROUNDS + 1];
    uint32_t *wanted, *content;

    (void)state;
    begin("axis");
    assert_true(follow(first, &wanted) > 0);
    assert_int_equal(first[ROUNDS - 1], 'y');
    assert_int_equal(follow(second, &content), 0);
    assert_string_equal(second, "yyyyyyyyyyyyyy");
    assert_memory_equal(wanted, content, 4 * INTERCHANGE_ARRAYS * W * H * D);
    free(wanted);
    free(content);
}

/* Sets the plan of all entries. */
static void set_plans(struct profile *p, void *context)
{
    for (size_t i = profile_count(p); i-- > 0;) {
        struct profile_entry e = *profile_at(p, i);

        e.is_pinned = true;
        assert_int_equal(plan_parse(context, &e.plan, NULL), PROACT_OK);
        profile_put(p, &e);
    }
}

/* A profile with the shape of testing_fill(). */
static void store_plan(const char *path, const char *plan)
{
    struct profile *p = profile_create();

    setenv("PROACT_PROFILE", "none", 1);
    struct bench b = testing_open(&(struct proact_options){.machine = "v100x4"});

    session_profile_list_shapes(b.p);
    assert_int_equal(testing_fill(&b, 1), PROACT_OK);
    assert_int_equal(b.p->profile->shape_count, 1);
    assert_int_equal(b.p->profile->shapes[0].bytes, 4 * N);
    profile_put(
        p, &(struct profile_entry){.key = b.p->profile->shapes[0], .date = "2026-11-29"});
    proact_close(b.p);
    unlink(path);
    assert_int_equal(profile_save(p, path, NULL), PROACT_OK);
    assert_int_equal(profile_update(path, set_plans, (void *)plan, NULL), PROACT_OK);
    profile_free(p);
    setenv("PROACT_PROFILE", path, 1);
}

static void check_plan(struct bench *b, const char *method, uint64_t chunk,
                       unsigned threads)
{
    assert_int_equal(testing_fill(b, 3), PROACT_OK);
    const struct transfer_plan *plan = &b->fill->bindings->transfer.plan;

    assert_string_equal(plan->method->name, method);
    assert_int_equal(plan->chunk_bytes, chunk);
    if (threads)
        assert_int_equal(plan->threads, threads);
    testing_holds(b, b->out, 3);
}

static void a_shape_has_its_plan(void **state)
{
    (void)state;
    begin("plans");
    store_plan("plans", "method=polling chunk=8192 threads=256");
    struct bench b = testing_open(&(struct proact_options){.machine = "v100x4"});

    check_plan(&b, "polling", 8192, 256);
    assert_int_equal(b.p->profile->used_count, 1);
    /* Its recording has the same plan. */
    struct proact_recording *recording;

    assert_int_equal(proact_wait(b.p, &b.err), PROACT_OK);
    assert_int_equal(proact_record_begin(b.p, &b.err), PROACT_OK);
    assert_int_equal(testing_fill(&b, 5), PROACT_OK);
    assert_int_equal(proact_record_end(b.p, &recording, &b.err), PROACT_OK);
    assert_int_equal(proact_replay(recording, &b.err), PROACT_OK);
    testing_holds(&b, b.out, 5);
    assert_int_equal(b.p->profile->used_count, 1);
    /* A plan of the user has precedence. */
    assert_int_equal(proact_plan_set(b.p, &(struct proact_plan){.method = "bulk"}, NULL),
                     PROACT_OK);
    check_plan(&b, "bulk", 65536, 0);
    assert_int_equal(proact_plan_set(b.p, &(struct proact_plan){.method = NULL}, NULL),
                     PROACT_OK);
    check_plan(&b, "polling", 8192, 256);
    proact_close(b.p);
    b = testing_open(
        &(struct proact_options){.machine = "v100x4", .plan = {.chunk_bytes = 16384}});
    check_plan(&b, "fused", 16384, 0);
    proact_close(b.p);
}

/* Adds the plan of the recordings of each shape. */
static void add_recorded(struct profile *p, void *context)
{
    for (size_t i = profile_count(p); i-- > 0;) {
        struct profile_entry e = *profile_at(p, i);

        e.key.is_recorded = true;
        assert_int_equal(plan_parse(context, &e.plan, NULL), PROACT_OK);
        profile_put(p, &e);
    }
}

static const char *fill_method(struct bench *b, uint32_t seed)
{
    assert_int_equal(testing_fill(b, seed), PROACT_OK);
    assert_non_null(strstr(proact_kernel_plan(b->fill), ": of a profile"));
    return b->fill->plan.method->name;
}

/* Each launch outside of the recording has its own plan. */
static void a_recording_has_its_stored_plan(void **state)
{
    struct proact_recording *recording;

    (void)state;
    store_plan("both", "method=polling chunk=8192 threads=256");
    assert_int_equal(profile_update("both", add_recorded, "method=bulk", NULL), PROACT_OK);
    struct bench b = testing_open(&(struct proact_options){.machine = "v100x4"});

    for (uint32_t i = 1; i < 6; i++)
        assert_string_equal(fill_method(&b, i), "polling");
    testing_holds(&b, b.out, 5);
    assert_int_equal(proact_record_begin(b.p, &b.err), PROACT_OK);
    assert_string_equal(fill_method(&b, 6), "bulk");
    assert_int_equal(proact_record_end(b.p, &recording, &b.err), PROACT_OK);
    assert_string_equal(fill_method(&b, 7), "polling");
    testing_holds(&b, b.out, 7);
    assert_int_equal(proact_replay(recording, &b.err), PROACT_OK);
    testing_holds(&b, b.out, 6);
    assert_int_equal(b.p->profile->used_count, 2);
    assert_int_equal(b.p->profile->timed, 0);
    proact_close(b.p);
}

static void check_warning(const char *plan, const char *wanted)
{
    bool is_warning;

    store_plan("wrong", plan);
    struct bench b = testing_open(&(struct proact_options){.machine = "v100x4"});

    check_plan(&b, "fused", 65536, 0);
    assert_string_equal(proact_profile_report(b.p, 1, &is_warning), wanted);
    assert_true(is_warning);
    proact_close(b.p);
}

static void an_impossible_plan_is_a_warning(void **state)
{
    (void)state;
    check_warning("method=absent",
                  "the stored plan of 'fill' is not used: unknown method 'absent': known "
                  "are bulk, bulk-serial, inline, fused, polling, dynamic, copy-engine, "
                  "relay, hardware");
    check_warning("chunk=5000", "the stored plan of 'fill' is not used: chunk of 5000 "
                                "bytes: a power of two from 4096 to 268435456 is possible");
    check_warning("method=copy-engine chunk=65536 step=65536",
                  "the stored plan of 'fill' is not used: chunks of increasing size are "
                  "not supported");
}

/* GPUs: the driver's version, and the kind of their links. */
static void a_driver_is_a_key(void **state)
{
    (void)state;
    begin("local");
    struct bench b = testing_open(
        &(struct proact_options){.machine = PROACT_MACHINE_LOCAL, .device_count = 2});
    const struct session_profile *s = b.p->profile;

    assert_true(strncmp(s->driver, "cuda-", 5) == 0);
    assert_true(s->driver[5] >= '1' && s->driver[5] <= '9' && strchr(s->driver, '.'));
    assert_non_null(strstr(s->machine, ", NVLink"));
    proact_close(b.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest local[] = {cmocka_unit_test(a_driver_is_a_key)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_is_stored),
        cmocka_unit_test(a_shape_has_its_plan),
        cmocka_unit_test(a_recording_has_its_stored_plan),
        cmocka_unit_test(an_impossible_plan_is_a_warning),
    };

    if (argc > 1 && strcmp(argv[1], "local") == 0)
        return cmocka_run_group_tests(local, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
