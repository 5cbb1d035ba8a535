/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/opening.h"

#include "base/fail.h"

static uint64_t one_ps(const struct device_set *set)
{
    return ps_of_ns(set->topology->device.open_ms * 1e6);
}

void opening_begin(struct device_set *set)
{
    set->here = set->options.lazy_devices && one_ps(set) ? 1 : set->count;
    set->host_ps += one_ps(set) * set->here;
}

enum proact_status opening_check(const struct device_set *set, unsigned device,
                                 struct proact_error *err)
{
    return device < set->here
               ? PROACT_OK
               : fail(err, PROACT_EINVAL, "device %u is not open yet", device);
}

uint64_t opening_ns(const struct device_set *set)
{
    return set->here < set->count ? one_ps(set) / PS + 1 : 0;
}

enum proact_status opening_remaining(struct device_set *set, bool waits, bool *are_open,
                                     struct proact_error *err)
{
    (void)err;
    if (!set->remaining_ps)
        set->remaining_ps = set->host_ps + one_ps(set) * (set->count - 1);
    if (waits && set->host_ps < set->remaining_ps)
        set->host_ps = set->remaining_ps;
    *are_open = set->host_ps >= set->remaining_ps;
    if (*are_open)
        set->here = set->count;
    return PROACT_OK;
}
