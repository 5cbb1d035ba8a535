/* SPDX-License-Identifier: Apache-2.0 */
/* Resources and occupancy of kernels. */
#include <limits.h>

#include "device/cuda/cuda_set.h"

static enum proact_status attribute(struct device_function *f, cu_function_attribute what,
                                    int *out, struct proact_error *err)
{
    struct device_set *set = f->module->set;
    enum proact_status status = cuda_enter(set, f->module->device, err);

    return status ? status
                  : cuda_leave(set, f->module->device,
                               set->driver.function_attribute(out, what, f->function),
                               "cuFuncGetAttribute", err);
}

enum proact_status cuda_function_info(struct device_function *f,
                                      struct device_function_info *out,
                                      struct proact_error *err)
{
    int registers, local, constant;
    enum proact_status status;

    if ((status = attribute(f, CU_REGISTERS, &registers, err)) ||
        (status = attribute(f, CU_LOCAL_BYTES, &local, err)) ||
        (status = attribute(f, CU_CONST_BYTES, &constant, err)))
        return status;
    *out = (struct device_function_info){.registers = (uint32_t)registers,
                                         .threads = (uint32_t)f->thread_limit,
                                         .local_bytes = (uint64_t)local,
                                         .const_bytes = (uint64_t)constant};
    return PROACT_OK;
}

enum proact_status cuda_residency(struct device_function *f, uint32_t threads,
                                  uint64_t shared_bytes, uint32_t *out,
                                  struct proact_error *err)
{
    struct device_set *set = f->module->set;
    enum proact_status status;
    int ctas;

    *out = 0;
    if (!threads || threads > INT_MAX ||
        shared_bytes + (uint64_t)f->static_shared_bytes > (uint64_t)f->shared_limit)
        return PROACT_OK;
    if ((status = cuda_enter(set, f->module->device, err)))
        return status;
    cu_result result =
        set->driver.residency(&ctas, f->function, (int)threads, (size_t)shared_bytes);

    status = cuda_leave(set, f->module->device, result,
                        "cuOccupancyMaxActiveBlocksPerMultiprocessor", err);
    if (!status)
        *out = (uint32_t)ctas;
    return status;
}
