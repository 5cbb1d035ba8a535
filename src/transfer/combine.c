/* SPDX-License-Identifier: Apache-2.0 */
#include "combine.h"

#include <string.h>

#include "transfer/transfer.h"

extern const char kernel_combine[]; /* kernels/combine.cu, embedded as PTX */

/* Enough CTAs to fill a device; each thread combines consecutive elements. */
enum { COMBINE_THREADS = 256, COMBINE_CTAS_MAX = 1024 };

enum proact_status transfer_combine_load(struct transfer_devices *t, unsigned device,
                                         struct proact_error *err)
{
    struct transfer_device *here = &t->device[device];
    enum proact_status status = PROACT_OK;

    if (here->combine)
        return PROACT_OK;
    if (!here->combine_module)
        status =
            t->backend->module_load(t->set, device, "combine.cu", kernel_combine,
                                    strlen(kernel_combine), &here->combine_module, err);
    return status ? status
                  : t->backend->function(here->combine_module, "proact_combine",
                                         &here->combine, err);
}

enum proact_status transfer_combine(const struct transfer_devices *t, unsigned device,
                                    const struct combine_work *work,
                                    struct proact_error *err)
{
    const struct transfer_device *here = &t->device[device];
    const uint64_t ctas = (work->count + COMBINE_THREADS - 1) / COMBINE_THREADS;
    const struct device_launch launch = {
        .grid = {ctas < COMBINE_CTAS_MAX ? (uint32_t)ctas : COMBINE_CTAS_MAX, 1, 1},
        .block = {COMBINE_THREADS, 1, 1},
        .parameters = work,
        .parameter_bytes = sizeof *work,
        .label = TRANSFER_COMBINE_LABEL,
    };

    return t->backend->launch(here->lane[TRANSFER_MAIN], here->combine, &launch, err);
}
