/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

/* Time that a helper stays awake; consecutive kernels within it are sensitive to start
   delays. */
enum { AWAKE_NS = 1000000, LOOKS = 64 /* between two reads of the clock */ };
/* Polls of a helper, some 50 us, before it counts as descheduled. */
enum { SPINS = 5000 };

enum helper_state { HELPER_WAITS, HELPER_WORKS, HELPER_SLEEPS, HELPER_ENDS };

struct helper {
    _Alignas(64) atomic_int state; /* one cache line each */
    struct workers *workers;
    unsigned part;
    pthread_t thread;
};

struct workers {
    unsigned size; /* number of helpers */
    workers_task *run;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    struct helper *helper;
};

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Polls for work until a timeout; returns the state. */
static int look_out(struct helper *h)
{
    uint64_t end_ns = clock_host_ns() + AWAKE_NS;
    int state;

    do
        for (unsigned n = 0; n < LOOKS; n++) {
            state = atomic_load_explicit(&h->state, memory_order_acquire);
            if (state != HELPER_WAITS)
                return state;
            relax();
        }
    while (clock_host_ns() < end_ns);
    return state;
}

static void sleep_until_woken(struct helper *h)
{
    int waits = HELPER_WAITS;

    if (!atomic_compare_exchange_strong(&h->state, &waits, HELPER_SLEEPS))
        return;
    pthread_mutex_lock(&h->workers->lock);
    while (atomic_load(&h->state) == HELPER_SLEEPS)
        pthread_cond_wait(&h->workers->woken, &h->workers->lock);
    pthread_mutex_unlock(&h->workers->lock);
}

static void *helper_thread(void *context)
{
    struct helper *h = context;
    int state;

    while ((state = look_out(h)) != HELPER_ENDS) {
        if (state == HELPER_WORKS) {
            h->workers->run(h->workers->context, h->part);
            atomic_store_explicit(&h->state, HELPER_WAITS, memory_order_release);
        } else
            sleep_until_woken(h);
    }
    return NULL;
}

/* Starts the helpers with all signals blocked, since they belong to the program. The caller
   does the part of a missing thread. */
static void start(struct workers *c, unsigned helpers)
{
    sigset_t all, was;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    for (; c->size < helpers; c->size++) {
        struct helper *h = &c->helper[c->size];

        *h = (struct helper){.workers = c, .part = c->size + 1};
        if (pthread_create(&h->thread, NULL, helper_thread, h))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &was, NULL);
}

struct workers *workers_create(unsigned helpers)
{
    struct workers *c = must_calloc(1, sizeof *c);

    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->woken, NULL);
    c->helper = aligned_alloc(_Alignof(struct helper), (helpers + 1) * sizeof *c->helper);
    if (c->helper)
        start(c, helpers);
    return c;
}

static void change(struct workers *c, int from, int to)
{
    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->size; i++) {
        int state = from;

        if (from < 0)
            atomic_store(&c->helper[i].state, to);
        else
            atomic_compare_exchange_strong(&c->helper[i].state, &state, to);
    }
    pthread_cond_broadcast(&c->woken);
    pthread_mutex_unlock(&c->lock);
}

void workers_destroy(struct workers *c)
{
    if (!c)
        return;
    change(c, -1, HELPER_ENDS);
    for (unsigned i = 0; i < c->size; i++)
        pthread_join(c->helper[i].thread, NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->woken);
    free(c->helper);
    free(c);
}

static bool hand_over(struct workers *c, unsigned part)
{
    int waits = HELPER_WAITS;

    return part <= c->size &&
           atomic_compare_exchange_strong(&c->helper[part - 1].state, &waits, HELPER_WORKS);
}

static void await(const struct helper *h)
{
    for (unsigned n = 0;
         atomic_load_explicit(&h->state, memory_order_acquire) == HELPER_WORKS; n++)
        if (n < SPINS)
            relax();
        else
            sched_yield();
}

void workers_run(struct workers *c, unsigned count, workers_task *run, void *context)
{
    uint64_t helped = 0;

    c->run = run;
    c->context = context;
    for (unsigned part = 1; part < count; part++)
        helped |= (uint64_t)hand_over(c, part) << part;
    for (unsigned part = 0; part < count; part++)
        if (!(helped >> part & 1))
            run(context, part);
    for (unsigned part = 1; part < count; part++)
        if (helped >> part & 1)
            await(&c->helper[part - 1]);
    if (count > 1 && helped != ((uint64_t)2 << (count - 1)) - 2)
        change(c, HELPER_SLEEPS, HELPER_WAITS);
}
