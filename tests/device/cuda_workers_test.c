/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that queue on several devices at once: each part once a round, by whoever is
   awake, and sleepers are awake the next time. */
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

static void each_part_once_a_round(void **state)
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

/* The first round after a pause is the caller's; it wakes the others for the next ones. */
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

static void who_is_alone_does_all(void **state)
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
    workers_destroy(workers_create(3)); /* which never had a thread */
    workers_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_once_a_round),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(who_is_alone_does_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
