/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaims resources of completed work when all devices are idle. */
#include "base/clock.h"
#include "base/fail.h"
#include "device/cuda/cuda_set.h"

static void cuda_idle_reclaim(struct device_set *set)
{
    cuda_waits_forget(set, NULL);
    cuda_staging_reset(set);
    cuda_spans_report(set);
    for (unsigned d = 0; d < set->count; d++)
        set->devices[d].label_count = 0;
}

/* Waits for all work. The clock is read last, so that the reclaimed resources count toward
   the interval that used them. */
enum proact_status cuda_synchronize(struct device_set *set, struct proact_error *err)
{
    enum proact_status status =
        set->broken ? fail(err, set->broken, "%s", set->sentence) : PROACT_OK;

    if (!status)
        status = cuda_await(set, NULL, err);
    if (!status)
        cuda_idle_reclaim(set);
    set->now_ns = clock_host_ns() - set->opened_ns;
    return status;
}

void cuda_observe(struct device_set *set, device_observer *observer, void *context)
{
    if (cuda_synchronize(set, NULL))
        return;
    set->observer = observer;
    set->observer_context = context;
    if (observer)
        cuda_origins_set(set, 0);
}
