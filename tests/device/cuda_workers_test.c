/* SPDX-License-Identifier: Apache-2.0 */
/* Worker pool that queues on several devices at the same time. Each part runs once per
   round on any awake thread, and sleeping threads wake for later rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/clock.h"
#include "device/cuda/cuda_workers.h"

enum { PARTS = 4, ROUNDS = 2000, PATIENCE_S = 20 };

struct rig {
    atomic_uint done[PARTS], by_others;
    pthread_t caller;
};

static void count(void *context, unsigned part)
{
    struct rig *r = context;

    atomic_fetch_add(&r->done[part], 1);
    if (!pthread_equal(pthread_self(), r->caller))
        atomic_fetch_add(&r->by_others, 1);
}

static void each_part_runs_once_per_round(void **state)
{
    struct rig r = {.caller = pthread_self()};
    struct workers *c = workers_create(PARTS - 1);

    (void)state;
    for (unsigned n = 1; n <= ROUNDS; n++) {
        unsigned parts = 1 + n % PARTS;

        for (unsigned d = 0; d < PARTS; d++)
            atomic_store(&r.done[d], 0);
        workers_run(c, parts, count, &r);
        for (unsigned d = 0; d < PARTS; d++)
            assert_int_equal(atomic_load(&r.done[d]), d < parts);
    }
    assert_true(atomic_load(&r.by_others) > 0);
    workers_destroy(c);
}

/* The caller executes the first round after a pause and wakes the workers for the next
   ones. */
static void sleepers_are_woken(void **state)
{
    const struct timespec nap = {.tv_nsec = 30000000};
    struct rig r = {.caller = pthread_self()};
    struct workers *c = workers_create(PARTS - 1);

    (void)state;
    for (int n = 0; n < 4; n++) {
        uint64_t limit = clock_host_ns() + PATIENCE_S * 1000000000ull;

        atomic_store(&r.by_others, 0);
        while (!atomic_load(&r.by_others) && clock_host_ns() < limit)
            workers_run(c, PARTS, count, &r);
        assert_true(atomic_load(&r.by_others) > 0);
        nanosleep(&nap, NULL);
    }
    workers_destroy(c);
}

static void a_single_thread_runs_all_parts(void **state)
{
    struct rig r = {.caller = pthread_self()};
    struct workers *c = workers_create(0);

    (void)state;
    for (int n = 0; n < 100; n++)
        workers_run(c, PARTS, count, &r);
    for (unsigned d = 0; d < PARTS; d++)
        assert_int_equal(atomic_load(&r.done[d]), 100);
    assert_int_equal(atomic_load(&r.by_others), 0);
    workers_destroy(c);
    workers_destroy(workers_create(3)); /* never started a thread */
    workers_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_runs_once_per_round),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(a_single_thread_runs_all_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
