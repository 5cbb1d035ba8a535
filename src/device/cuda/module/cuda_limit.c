/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_set.h"

enum proact_status cuda_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err)
{
    const cu_limit limit = what == DEVICE_STACK_BYTES ? CU_STACK_BYTES : CU_HEAP_BYTES;
    enum proact_status status = cuda_synchronize(set, err);

    for (unsigned d = 0; d < set->count && !status; d++)
        if (!(status = cuda_enter(set, d, err)))
            status = cuda_leave(set, d, set->driver.limit_set(limit, bytes),
                                "cuCtxSetLimit", err);
    return status;
}
