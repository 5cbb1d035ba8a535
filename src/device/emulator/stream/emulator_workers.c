/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream/emulator_workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/emulator/machine.h"

enum { THREADS_MAX = 16 };
/* Polls of other threads, some 20 us, before a waiting thread sleeps. A thread that only
   yields would get no processor while others compete for it. */
enum { SPINS = 2000 };
/* Waking a thread takes some microseconds; shorter windows wake none. */
enum { WORTH_NS = 10000 };

/* Work distribution: incrementing `next` claims a device if the result is below `count`. A
   thread that wakes late claims a device of a later window or none. */
struct emulator_workers {
    struct device_set *set;
    emulator_workers_task *run;
    unsigned wanted, size; /* size 1: no helper started yet */
    bool has_requested;    /* in this window */
    uint64_t began_ns;
    pthread_t caller, threads[THREADS_MAX];
    atomic_uint next, left; /* left: devices that are not done */
    atomic_uint asleep;
    atomic_bool over, caller_sleeps;
    pthread_mutex_t lock;
    pthread_cond_t offered, done;
};

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static bool is_offered(struct emulator_workers *t)
{
    return atomic_load(&t->next) < t->set->count;
}

static void finish_one(struct emulator_workers *t)
{
    if (atomic_fetch_sub(&t->left, 1) > 1 || !atomic_load(&t->caller_sleeps))
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->done);
    pthread_mutex_unlock(&t->lock);
}

static void take_devices(struct emulator_workers *t)
{
    unsigned i;

    while (is_offered(t) && (i = atomic_fetch_add(&t->next, 1)) < t->set->count) {
        t->run(t->set, i);
        finish_one(t);
    }
}

static bool helper_waits(struct emulator_workers *t)
{
    return !is_offered(t) && !atomic_load(&t->over);
}

static void *helper(void *context)
{
    struct emulator_workers *t = context;

    while (!atomic_load(&t->over)) {
        for (unsigned n = 0; n < SPINS && helper_waits(t); n++)
            relax();
        if (helper_waits(t)) {
            pthread_mutex_lock(&t->lock);
            atomic_fetch_add(&t->asleep, 1);
            while (helper_waits(t))
                pthread_cond_wait(&t->offered, &t->lock);
            atomic_fetch_sub(&t->asleep, 1);
            pthread_mutex_unlock(&t->lock);
        }
        take_devices(t);
    }
    return NULL;
}

struct emulator_workers *emulator_workers_create(struct device_set *set)
{
    struct emulator_workers *t = must_calloc(1, sizeof *t);
    unsigned wanted = set->options.threads;

    if (wanted > set->count)
        wanted = set->count;
    t->set = set;
    t->wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    t->size = 1;
    atomic_store(&t->next, set->count);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->offered, NULL);
    pthread_cond_init(&t->done, NULL);
    return t;
}

static void wake_helpers(struct emulator_workers *t)
{
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->offered);
    pthread_mutex_unlock(&t->lock);
}

void emulator_workers_destroy(struct emulator_workers *t)
{
    if (!t)
        return;
    atomic_store(&t->over, true);
    wake_helpers(t);
    for (unsigned i = 1; i < t->size; i++)
        pthread_join(t->threads[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->offered);
    pthread_cond_destroy(&t->done);
    free(t);
}

/* Only the caller requests help: when a helper runs, the others are awake. */
void emulator_workers_request(struct emulator_workers *t)
{
    if (!pthread_equal(pthread_self(), t->caller) || t->has_requested || !is_offered(t) ||
        clock_host_ns() - t->began_ns < WORTH_NS)
        return;
    t->has_requested = true;
    if (t->size == t->wanted) {
        if (atomic_load(&t->asleep))
            wake_helpers(t);
        return;
    }
    for (; t->size < t->wanted; t->size++)
        if (pthread_create(&t->threads[t->size], NULL, helper, t)) {
            t->wanted = t->size; /* continue with fewer */
            break;
        }
}

static void wait_for_helpers(struct emulator_workers *t)
{
    for (unsigned n = 0; n < SPINS && atomic_load(&t->left); n++)
        relax();
    if (!atomic_load(&t->left))
        return;
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->caller_sleeps, true);
    while (atomic_load(&t->left))
        pthread_cond_wait(&t->done, &t->lock);
    atomic_store(&t->caller_sleeps, false);
    pthread_mutex_unlock(&t->lock);
}

void emulator_workers_run(struct emulator_workers *t, emulator_workers_task *run)
{
    t->run = run;
    t->has_requested = t->wanted == 1;
    t->caller = pthread_self();
    t->began_ns = clock_host_ns();
    atomic_store(&t->left, t->set->count);
    atomic_store(&t->next, 0);
    take_devices(t);
    wait_for_helpers(t);
}
