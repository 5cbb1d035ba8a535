/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream/windows.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/float_mode.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/kernel_run.h"
#include "device/emulator/kernel/print_log.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream/emulator_workers.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/traffic/message.h"

static bool has_work(const struct emulated *d)
{
    return d->agenda.count && d->agenda.heap[0].time_ps < d->set->window_end_ps;
}

static void run_device(struct device_set *set, unsigned number)
{
    struct emulated *d = &set->devices[number];

    while (has_work(d) && !d->fault_status) {
        struct happening h = agenda_pop(&d->agenda);

        d->now_ps = h.time_ps;
        h.happen(d, h.subject, h.detail);
        if (set->is_shared)
            emulator_workers_request(set->workers);
    }
}

static void run_window(struct device_set *set)
{
    unsigned busy = 0;

    for (unsigned i = 0; i < set->count; i++)
        busy += has_work(&set->devices[i]);
    set->is_shared = busy > 1 && set->options.threads > 1;
    if (set->is_shared) {
        if (!set->workers)
            set->workers = emulator_workers_create(set);
        emulator_workers_run(set->workers, run_device);
        return;
    }
    for (unsigned i = 0; i < set->count; i++)
        run_device(set, i);
}

/* Time of the earliest event of all agendas; false: all are empty. */
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

/* Runs one window. False: nothing can happen any more. */
static bool run_one(struct device_set *set, struct stall *stall)
{
    uint64_t time = 0;

    if (!next_time(set, &time))
        return false;
    set->window_end_ps = time + set->latency_ps;
    run_window(set);
    messages_deliver(set);
    print_log_report(set);
    collect_faults(set);
    return set->broken || stall_check(set, stall);
}

static void run_windows(struct device_set *set, const bool *finished)
{
    struct stall stall = {0};

    while (!set->broken && !(finished ? *finished : streams_idle(set)))
        if (!run_one(set, &stall))
            give_up(set);
}

static void try_windows(struct device_set *set)
{
    struct stall stall = {0};

    while (!set->broken && !streams_idle(set))
        if (!run_one(set, &stall) || (!set->broken && stall_is_near(set)))
            return;
}

/* Runs the remaining events after the last stream is empty: acknowledgements, signals. */
static void drain(struct device_set *set)
{
    uint64_t time = 0;

    while (!set->broken && streams_idle(set) && next_time(set, &time)) {
        set->window_end_ps = time + set->latency_ps;
        run_window(set);
        messages_deliver(set);
        collect_faults(set);
    }
}

/* Discards CTAs in flight after a fault; their modules may be unloaded before the set
   closes. */
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

/* Runs the devices in their floating-point mode, which worker threads inherit. */
static void run_devices(struct device_set *set, const bool *finished, bool tries)
{
    struct float_mode mode;

    float_mode_begin(&mode);
    streams_start(set);
    if (tries)
        try_windows(set);
    else
        run_windows(set, finished);
    drain(set);
    float_mode_end(&mode);
    set_clocks(set);
    if (set->broken)
        tear_down(set);
}

enum proact_status machine_run(struct device_set *set, const bool *finished,
                               struct proact_error *err)
{
    host_settle(set);
    if (!set->broken)
        run_devices(set, finished, false);
    span_log_report(set);
    if (set->broken)
        return fail(err, set->broken, "%s", set->sentence);
    if (streams_idle(set))
        checked_quiesce(set);
    return PROACT_OK;
}

bool machine_is_idle(struct device_set *set)
{
    host_settle(set);
    if (!set->broken)
        run_devices(set, NULL, true);
    span_log_report(set);
    return set->broken || streams_idle(set);
}
