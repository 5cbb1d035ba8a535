/* SPDX-License-Identifier: Apache-2.0 */
/* Pace of the host while the other devices are closed, or versions of kernels are compiled:
   it does not run far ahead of device 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "runtime/objects/session.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/pace.h"

/* A fake device. Every `far`th query reports that the marked work has ended. */
static struct {
    unsigned marks, queries, far;
} behind;

static enum proact_status mark_create(struct device_set *set, unsigned device, bool timed,
                                      struct device_event **out, struct proact_error *err)
{
    static char marks[2];

    (void)set, (void)timed, (void)err;
    assert_int_equal(device, 0);
    *out = (struct device_event *)&marks[behind.marks % 2];
    return PROACT_OK;
}

static enum proact_status mark_record(struct device_stream *s, struct device_event *e,
                                      struct proact_error *err)
{
    (void)s, (void)e, (void)err;
    behind.marks++;
    return PROACT_OK;
}

static enum proact_progress mark_progress(struct device_set *set, struct device_stream *s,
                                          const struct device_event *e)
{
    (void)set, (void)s;
    assert_non_null(e);
    return ++behind.queries % behind.far ? PROACT_PROGRESS_RUNNING : PROACT_PROGRESS_DONE;
}

static enum proact_status never_open(struct device_set *set, bool waits, bool *are_open,
                                     struct proact_error *err)
{
    (void)set, (void)waits, (void)err;
    *are_open = false;
    return PROACT_OK;
}

static bool always_compiles(const struct device_set *set)
{
    (void)set;
    return true;
}

static const struct device_backend paced = {.event_create = mark_create,
                                            .is_compiling = always_compiles,
                                            .record = mark_record,
                                            .progress = mark_progress,
                                            .open_remaining = never_open};

static struct proact *open_paced(uint64_t cost_ns, unsigned far)
{
    struct proact *p = calloc(1, sizeof *p);

    assert_non_null(p);
    behind.marks = behind.queries = 0;
    behind.far = far;
    p->backend = &paced;
    p->lazy_devices.are_pending = true;
    p->lazy_devices.cost_ns = cost_ns;
    return p;
}

static void launch_so_often(struct proact *p, unsigned launches, unsigned over)
{
    struct proact_error err;
    bool is_whole;

    while (launches--)
        assert_int_equal(lazy_devices_launch(p, over, &is_whole, &err), PROACT_OK);
}

/* The host does not queue the whole program before the devices may open. */
static void the_host_keeps_pace(void **state)
{
    struct proact *p = open_paced(60000000000u, 5);

    (void)state;
    launch_so_often(p, 9, 0);
    assert_int_equal(behind.marks, 1);
    assert_int_equal(behind.queries, 0);
    launch_so_often(p, 16, 0);
    assert_int_equal(behind.marks, 3);
    assert_int_equal(behind.queries, 2 * 5);
    launch_so_often(p, 100, 1); /* these run on one device in any case */
    assert_int_equal(behind.marks, 3);
    p->recording = (struct proact_recording *)p;
    launch_so_often(p, 100, 0);
    assert_int_equal(behind.marks, 3);
    free(p);
}

/* The pace has a time limit: a kernel may wait for an action of the host after later
   launches. */
static void the_pace_has_a_time_limit(void **state)
{
    struct proact *p = open_paced(2000000, UINT32_MAX);
    const uint64_t from = clock_host_ns();

    (void)state;
    p->lazy_devices.is_opening = true;
    p->lazy_devices.first_ns = from;
    launch_so_often(p, 17, 0);
    assert_true(behind.queries > 0);
    assert_true(clock_host_ns() - from >= 3 * 2000000);
    const unsigned queries = behind.queries, marks = behind.marks;

    launch_so_often(p, 1000, 0);
    assert_int_equal(behind.queries, queries);
    assert_int_equal(behind.marks, marks); /* no further cost either */
    free(p);
}

static void compile_so_long(struct proact *p, unsigned launches)
{
    struct proact_error err;

    while (launches--)
        assert_int_equal(pace_keep_compiling(p, &err), PROACT_OK);
}

/* The same for compilations, except in recordings and repetitions. A kernel that may wait
   for the host is not waited for. */
static void compilations_are_paced(void **state)
{
    enum { MOST_NS = 1000000000, LEFT_NS = 2000000 };
    struct proact *p = open_paced(0, 5);

    (void)state;
    compile_so_long(p, 8);
    assert_int_equal(behind.queries, 0);
    compile_so_long(p, 16);
    assert_int_equal(behind.marks, 3);
    assert_int_equal(behind.queries, 2 * 5);
    p->has_waiting = true;
    compile_so_long(p, 100);
    assert_int_equal(behind.marks, 3);
    p->has_waiting = false;
    p->recording = (struct proact_recording *)p;
    compile_so_long(p, 100);
    p->recording = NULL;
    p->repeating = (struct proact_loop *)p;
    compile_so_long(p, 100);
    p->repeating = NULL;
    assert_int_equal(behind.marks, 3);
    p->pace.waited_ns = MOST_NS - LEFT_NS;
    behind.far = UINT32_MAX;
    compile_so_long(p, 16);
    const unsigned queries = behind.queries;

    assert_true(queries > 2 * 5);
    assert_true(p->pace.waited_ns >= MOST_NS);
    compile_so_long(p, 100);
    assert_int_equal(behind.queries, queries);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_keeps_pace),
        cmocka_unit_test(the_pace_has_a_time_limit),
        cmocka_unit_test(compilations_are_paced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
