/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_set.h"

static enum proact_status set_on(struct device_set *set, unsigned device,
                                 enum device_limit what, size_t bytes,
                                 struct proact_error *err)
{
    const cu_limit limit = what == DEVICE_STACK_BYTES ? CU_STACK_BYTES : CU_HEAP_BYTES;
    enum proact_status status = cuda_enter(set, device, err);

    return status ? status
                  : cuda_leave(set, device, set->driver.limit_set(limit, bytes),
                               "cuCtxSetLimit", err);
}

enum proact_status cuda_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err)
{
    enum proact_status status = cuda_synchronize(set, err);

    for (unsigned d = 0; d < set->here && !status; d++)
        status = set_on(set, d, what, bytes, err);
    if (!status)
        set->limits[what] = bytes;
    return status;
}

enum proact_status cuda_limits_follow(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 1; d < set->here; d++)
        for (int what = DEVICE_STACK_BYTES; what <= DEVICE_HEAP_BYTES; what++)
            if (!status && set->limits[what])
                status = set_on(set, d, (enum device_limit)what, set->limits[what], err);
    return status;
}
