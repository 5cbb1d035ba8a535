/* SPDX-License-Identifier: Apache-2.0 */
/* Opening of devices: all at once, or all except device 0 in the background by one thread.
   More threads do not help, since the driver opens one context at a time (four H100s: 100
   ms each). Launches on device 0 are not delayed (9 us before and meanwhile). */
#include "device/cuda/cuda_lazy_devices.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"

struct cuda_lazy_devices {
    pthread_t thread;
    bool has_thread;
    atomic_bool is_done, ends; /* ends: cancels the remaining devices */
    struct cuda_trouble trouble;
    uint64_t first_ns; /* opening time of device 0 */
};

static bool trouble(struct cuda_trouble *t, unsigned device, cu_result result,
                    const char *call)
{
    if (result)
        *t = (struct cuda_trouble){result, call, device};
    return result != 0;
}

static bool open_context(struct device_set *set, unsigned number, struct cuda_trouble *t)
{
    struct cuda_device *d = &set->devices[number];
    const struct driver *v = &set->driver;

    if (trouble(t, number, v->primary_retain(&d->context, d->device),
                "cuDevicePrimaryCtxRetain"))
        return false;
    cu_result result = cuda_context_push(v, d->context);

    if (!result)
        result = v->priority_range(&d->lowest, &d->highest);
    if (!result)
        result = v->stream_create(&d->rescue, CU_STREAM_NON_BLOCKING, d->highest);
    cuda_context_pop(v);
    return !trouble(t, number, result, "cuStreamCreate");
}

static bool let_reach(struct device_set *set, unsigned device, struct cuda_trouble *t)
{
    struct cuda_device *d = &set->devices[device];
    const struct driver *v = &set->driver;
    cu_result result = cuda_context_push(v, d->context);

    for (unsigned p = 0; p < set->count && !result; p++) {
        if (p == device || !d->reaches[p])
            continue;
        result = v->enable_peer(set->devices[p].context, 0);
        if (result == CU_PEER_ALREADY_ENABLED) /* by the program's own runtime */
            result = 0;
    }
    cuda_context_pop(v);
    return !trouble(t, device, result, "cuCtxEnablePeerAccess");
}

/* Opens the remaining devices on any thread; accesses no state that other threads use. */
static bool cuda_lazy_open_rest(struct device_set *set, struct cuda_lazy_devices *o)
{
    bool goes_on = true;

    for (unsigned d = 1; d < set->count && goes_on; d++)
        goes_on = !atomic_load(&o->ends) && open_context(set, d, &o->trouble);
    for (unsigned d = 0; d < set->count && goes_on; d++)
        goes_on = !atomic_load(&o->ends) && let_reach(set, d, &o->trouble);
    return goes_on;
}

static void *run(void *context)
{
    struct device_set *set = context;

    cuda_lazy_open_rest(set, set->lazy_devices);
    atomic_store(&set->lazy_devices->is_done, true);
    return NULL;
}

/* Starts the thread with all signals blocked, since they belong to the program. Without a
   thread the devices are opened at once. */
static void start(struct device_set *set)
{
    struct cuda_lazy_devices *o = set->lazy_devices;
    sigset_t all, was;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    o->has_thread = pthread_create(&o->thread, NULL, run, set) == 0;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    if (!o->has_thread)
        run(set);
}

static void join(struct cuda_lazy_devices *o)
{
    if (o->has_thread)
        pthread_join(o->thread, NULL);
    o->has_thread = false;
}

/* Reports a failure. A fault breaks the set; otherwise device 0 remains usable. */
static enum proact_status cuda_lazy_result(struct device_set *set,
                                           const struct cuda_trouble *t,
                                           struct proact_error *err)
{
    if (driver_status(t->result) == PROACT_EFAULT)
        return cuda_result(set, t->device, t->result, t->call, err);
    return fail(err, PROACT_ENODEV, "device %u: %s: %s", t->device, t->call,
                driver_words(&set->driver, t->result).text);
}

/* Applies to the new devices what was set on device 0. */
static enum proact_status take_in(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = cuda_limits_follow(set, err);

    if (!status)
        status = cuda_memory_let_in(set, err);
    if (!status && set->observer)
        cuda_origins_set(set, 1);
    if (!status)
        cuda_batch_open(set, set->threads);
    return status;
}

enum proact_status cuda_lazy_devices_open(struct device_set *set, bool lazy,
                                          struct proact_error *err)
{
    struct cuda_lazy_devices *o = set->lazy_devices =
        must_calloc(1, sizeof *set->lazy_devices);
    const uint64_t from = clock_host_ns();

    if (!open_context(set, 0, &o->trouble))
        return cuda_lazy_result(set, &o->trouble, err);
    o->first_ns = clock_host_ns() - from + 1; /* never 0 */
    set->here = lazy ? 1 : set->count;
    if (!lazy && !cuda_lazy_open_rest(set, o))
        return cuda_lazy_result(set, &o->trouble, err);
    return PROACT_OK;
}

void cuda_lazy_devices_close(struct device_set *set)
{
    struct cuda_lazy_devices *o = set->lazy_devices;

    if (!o)
        return;
    atomic_store(&o->ends, true);
    join(o);
    free(o);
    set->lazy_devices = NULL;
}

uint64_t cuda_open_ns(const struct device_set *set)
{
    return set->here < set->count ? set->lazy_devices->first_ns : 0;
}

enum proact_status cuda_open_remaining(struct device_set *set, bool waits, bool *are_open,
                                       struct proact_error *err)
{
    struct cuda_lazy_devices *o = set->lazy_devices;
    const bool is_begun = o->has_thread || atomic_load(&o->is_done);

    *are_open = set->here == set->count;
    if (*are_open)
        return PROACT_OK;
    if (!is_begun)
        start(set);
    if (waits)
        join(o);
    if (!atomic_load(&o->is_done))
        return PROACT_OK;
    join(o);
    if (o->trouble.result)
        return cuda_lazy_result(set, &o->trouble, err);
    set->here = set->count;
    enum proact_status status = take_in(set, err);

    *are_open = !status;
    if (status)
        set->here = 1;
    return status;
}
