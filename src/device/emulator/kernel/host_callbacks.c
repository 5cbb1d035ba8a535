/* SPDX-License-Identifier: Apache-2.0 */
/* Callback table of execute_host, with the small callbacks: clocks, barriers, printf. */
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/children.h"
#include "device/emulator/kernel/print_log.h"
#include "device/emulator/memory/heap.h"
#include "device/emulator/memory/objects.h"
#include "device/emulator/traffic/global_access.h"

static void barrier(void *context, struct execute_cta *cta)
{
    checked_barrier(context, cta->user);
}

static void shared(void *context, struct execute_warp *w, enum execute_order order)
{
    checked_shared(context, w, order);
}

static void cluster(void *context, struct execute_warp *w, struct execute_cta *const *ctas,
                    uint32_t count)
{
    struct emulated *d = context;
    struct resident *all[EXECUTE_CLUSTER_MAX];

    d->usage.meetings++;
    for (uint32_t i = 0; i < count; i++) {
        all[i] = ctas[i]->user;
        if (all[i] != d->current)
            resident_wake_at(d, all[i], instant(d, w));
    }
    checked_cluster(d, all, count);
}

static uint64_t clock_cycles(void *context, struct execute_warp *w)
{
    struct emulated *d = context;

    d->usage.clocks++;
    return (uint64_t)((double)instant(d, w) * d->set->topology->device.clock_ghz / PS);
}

static uint64_t globaltimer(void *context, struct execute_warp *w)
{
    struct emulated *d = context;

    d->usage.clocks++;
    return instant(d, w) / PS;
}

static void print(void *context, const char *text, size_t length)
{
    print_add(context, text, length);
}

void host_callbacks(struct emulated *d)
{
    d->host = (struct execute_host){
        .context = d,
        .access = access_global,
        .remote = access_far,
        .fence = fence_global,
        .shared = d->set->check ? shared : NULL,
        .barrier = d->set->check ? barrier : NULL,
        .cluster = cluster,
        .clock = clock_cycles,
        .globaltimer = globaltimer,
        .print = print,
        .bulk = bulk_global,
        .child_parameters = child_parameters,
        .child_launch = child_launch,
        .heap_take = heap_take,
        .heap_give = heap_give,
        .texture = objects_find,
    };
}
