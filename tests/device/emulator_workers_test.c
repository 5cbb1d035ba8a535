/* SPDX-License-Identifier: Apache-2.0 */
/* Worker pool of the emulator: every device runs once per round. A device may ask for help,
   also from a sleeping thread. A single thread receives none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/clock.h"
#include "device/emulator/machine.h"
#include "device/emulator/stream/emulator_workers.h"

enum { DEVICES = 4, ROUNDS = 20000, PATIENCE_S = 20 };

/* A device set without backend state. */
struct rig {
    struct device_set set;
    struct emulated devices[DEVICES];
    atomic_uint done[DEVICES], by_others;
    pthread_t caller;
};

static void rig_begin(struct rig *r, unsigned threads)
{
    *r = (struct rig){0};
    r->set.count = DEVICES;
    r->set.options.threads = threads;
    r->set.devices = r->devices;
    r->caller = pthread_self();
    r->set.workers = emulator_workers_create(&r->set);
}

static void rig_end(struct rig *r)
{
    emulator_workers_destroy(r->set.workers);
}

static struct rig *rig_of(struct device_set *set)
{
    return (struct rig *)(void *)set; /* first member of the rig */
}

static void count(struct device_set *set, unsigned device)
{
    atomic_fetch_add(&rig_of(set)->done[device], 1);
}

/* The caller waits and asks for help until another thread has executed a device. */
static void wait_for_help(struct device_set *set, unsigned device)
{
    struct rig *r = rig_of(set);
    uint64_t limit = clock_host_ns() + PATIENCE_S * 1000000000ull;

    count(set, device);
    if (!pthread_equal(pthread_self(), r->caller)) {
        atomic_fetch_add(&r->by_others, 1);
        return;
    }
    while (!atomic_load(&r->by_others) && clock_host_ns() < limit)
        emulator_workers_request(set->workers);
}

static void every_device_runs_once_per_round(void **state)
{
    struct rig r;

    (void)state;
    rig_begin(&r, 3);
    emulator_workers_run(r.set.workers, wait_for_help); /* starts the threads */
    for (unsigned n = 1; n <= ROUNDS; n++) {
        emulator_workers_run(r.set.workers, count);
        for (unsigned d = 0; d < DEVICES; d++)
            assert_int_equal(atomic_load(&r.done[d]), n + 1);
    }
    rig_end(&r);
}

static void sleeping_workers_help(void **state)
{
    const struct timespec nap = {.tv_nsec = 30000000};
    struct rig r;

    (void)state;
    rig_begin(&r, 2);
    for (int n = 0; n < 4; n++) {
        atomic_store(&r.by_others, 0);
        emulator_workers_run(r.set.workers, wait_for_help);
        assert_true(atomic_load(&r.by_others) > 0);
        nanosleep(&nap, NULL);
    }
    rig_end(&r);
}

static void a_single_thread_runs_all_devices(void **state)
{
    struct rig r;

    (void)state;
    rig_begin(&r, 1);
    for (int n = 0; n < 100; n++)
        emulator_workers_run(r.set.workers, count);
    for (unsigned d = 0; d < DEVICES; d++)
        assert_int_equal(atomic_load(&r.done[d]), 100);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_runs_once_per_round),
        cmocka_unit_test(sleeping_workers_help),
        cmocka_unit_test(a_single_thread_runs_all_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
