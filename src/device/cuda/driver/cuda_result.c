/* SPDX-License-Identifier: Apache-2.0 */
/* Driver results as a status and a message. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "device/cuda/cuda_set.h"

enum proact_status cuda_break(struct device_set *set, enum proact_status status,
                              struct proact_error *err)
{
    if (!set->broken) {
        set->broken = status;
        if (err)
            memcpy(set->sentence, err->text, sizeof set->sentence - 1);
    }
    return status;
}

/* Reports a fault with the kernels in flight, since hardware does not identify the failed
   one. */
static enum proact_status fault(struct device_set *set, unsigned device, cu_result result,
                                struct proact_error *err)
{
    const struct cuda_device *d = &set->devices[device];
    struct proact_error failure;
    char list[200] = "";
    size_t length = 0;

    for (unsigned i = 0; i < CUDA_LABELS && i < d->label_count; i++)
        if (length + strlen(d->labels[i]) + sizeof ", ''" < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s'%s'",
                                       length ? ", " : " ", d->labels[i]);
    fail(&failure, PROACT_EFAULT,
         "device %u: a kernel failed: %s; the last kernels queued there are%s", device,
         driver_words(&set->driver, result).text, list[0] ? list : " none");
    set->is_lost = true;
    if (err)
        *err = failure;
    return cuda_break(set, PROACT_EFAULT, &failure);
}

enum proact_status cuda_result(struct device_set *set, unsigned device, cu_result result,
                               const char *call, struct proact_error *err)
{
    enum proact_status status = driver_status(result);

    if (!status)
        return PROACT_OK;
    if (status == PROACT_EFAULT)
        return fault(set, device, result, err);
    return fail(err, status, "device %u: %s: %s", device, call,
                driver_words(&set->driver, result).text);
}
