/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/windows.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "device/emulator/checked.h"
#include "device/emulator/kernel_run.h"
#include "device/emulator/message.h"
#include "device/emulator/print_log.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream.h"

enum { THREADS_MAX = 16 };
/* Windows in which two devices or more have work, before threads are worth their start. */
enum { WINDOWS_ALONE = 4 };
/* Looks at what another thread does before the processor is given to somebody else. */
enum { SPINS = 1000 };

/* Host threads that share the devices of a window. The caller is one of them; a window is
   `round`, and who ends as the last lets the caller go on. */
struct team {
    struct device_set *set;
    unsigned size, windows; /* size 0: nobody was needed yet */
    pthread_t threads[THREADS_MAX];
    atomic_uint round, next, working;
    atomic_bool over;
};

static void run_window(struct emulated *d)
{
    struct agenda *a = &d->agenda;

    while (a->count && a->heap[0].time_ps < d->set->window_end_ps && !d->fault_status) {
        struct happening h = agenda_pop(a);

        d->now_ps = h.time_ps;
        h.happen(d, h.subject, h.detail);
    }
}

static void take_devices(struct team *t)
{
    unsigned i;

    while ((i = atomic_fetch_add(&t->next, 1)) < t->set->count)
        run_window(&t->set->devices[i]);
}

static void rest(unsigned *spins)
{
    if (++*spins > SPINS)
        sched_yield();
}

static void *helper(void *context)
{
    struct team *t = context;
    unsigned seen = 0;

    for (;;) {
        unsigned spins = 0;

        while (atomic_load(&t->round) == seen && !atomic_load(&t->over))
            rest(&spins);
        if (atomic_load(&t->over))
            return NULL;
        seen = atomic_load(&t->round);
        take_devices(t);
        atomic_fetch_sub(&t->working, 1);
    }
}

static void team_begin(struct team *t)
{
    const struct device_set *set = t->set;
    unsigned wanted = set->options.threads < set->count ? set->options.threads : set->count;

    for (t->size = 1; t->size < wanted && t->size < THREADS_MAX; t->size++)
        if (pthread_create(&t->threads[t->size], NULL, helper, t))
            break;
}

static bool has_work(const struct emulated *d)
{
    return d->agenda.count && d->agenda.heap[0].time_ps < d->set->window_end_ps;
}

static void run_alone(struct device_set *set)
{
    for (unsigned i = 0; i < set->count; i++)
        run_window(&set->devices[i]);
}

static void team_window(struct team *t)
{
    unsigned busy = 0, spins = 0;

    for (unsigned i = 0; i < t->set->count; i++)
        busy += has_work(&t->set->devices[i]);
    if (busy < 2 || t->set->options.threads < 2 || ++t->windows < WINDOWS_ALONE) {
        run_alone(t->set);
        return;
    }
    if (!t->size)
        team_begin(t);
    atomic_store(&t->next, 0);
    atomic_store(&t->working, t->size - 1);
    atomic_fetch_add(&t->round, 1);
    take_devices(t);
    while (atomic_load(&t->working))
        rest(&spins);
}

static void team_end(struct team *t)
{
    atomic_store(&t->over, true);
    for (unsigned i = 1; i < t->size; i++)
        pthread_join(t->threads[i], NULL);
}

/* The earliest thing on any agenda; false if all are empty. */
static bool next_time(const struct device_set *set, uint64_t *out)
{
    bool found = false;

    for (unsigned i = 0; i < set->count; i++) {
        const struct agenda *a = &set->devices[i].agenda;

        if (a->count && (!found || a->heap[0].time_ps < *out)) {
            *out = a->heap[0].time_ps;
            found = true;
        }
    }
    return found;
}

static void collect_faults(struct device_set *set)
{
    for (unsigned i = 0; i < set->count && !set->broken; i++)
        if (set->devices[i].fault_status) {
            set->broken = set->devices[i].fault_status;
            memcpy(set->sentence, set->devices[i].fault, sizeof set->sentence);
        }
}

static void give_up(struct device_set *set)
{
    char who[sizeof set->sentence - 64];

    stall_sentence(set, who, sizeof who);
    set->broken = PROACT_ETIMEOUT;
    snprintf(set->sentence, sizeof set->sentence, "nothing can satisfy the wait of %s",
             who);
}

static void run_windows(struct device_set *set, struct team *team, const bool *finished)
{
    struct stall stall = {0};
    uint64_t time = 0;

    while (!set->broken && !(finished ? *finished : streams_idle(set))) {
        if (!next_time(set, &time)) {
            give_up(set);
            return;
        }
        set->window_end_ps = time + set->latency_ps;
        team_window(team);
        messages_deliver(set);
        prints_tell(set);
        collect_faults(set);
        if (!set->broken && !stall_check(set, &stall))
            give_up(set);
    }
}

/* What is still under way when the last stream is empty: acknowledgements, signals. */
static void drain(struct device_set *set)
{
    uint64_t time = 0;

    while (!set->broken && streams_idle(set) && next_time(set, &time)) {
        set->window_end_ps = time + set->latency_ps;
        run_alone(set);
        messages_deliver(set);
        collect_faults(set);
    }
}

/* What was in flight will never end, and its modules may go before the set does. */
static void tear_down(struct device_set *set)
{
    for (unsigned i = 0; i < set->count; i++)
        runs_clear(&set->devices[i]);
}

static void set_clocks(struct device_set *set)
{
    for (unsigned i = 0; i < set->count; i++)
        if (set->devices[i].now_ps > set->host_ps)
            set->host_ps = set->devices[i].now_ps;
}

enum proact_status machine_run(struct device_set *set, const bool *finished,
                               struct proact_error *err)
{
    struct team team = {.set = set};

    if (!set->broken) {
        streams_start(set);
        run_windows(set, &team, finished);
        team_end(&team);
        drain(set);
        set_clocks(set);
        if (set->broken)
            tear_down(set);
    }
    spans_tell(set);
    if (set->broken)
        return fail(err, set->broken, "%s", set->sentence);
    if (streams_idle(set))
        checked_quiet(set);
    return PROACT_OK;
}
