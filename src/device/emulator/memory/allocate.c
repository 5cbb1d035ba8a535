/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/memory/allocate.h"

#include "device/emulator/opening.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/stream/windows.h"

enum proact_status allocate_memory(struct device_set *set, unsigned device, size_t bytes,
                                   device_addr *out, struct proact_error *err)
{
    enum proact_status status = opening_check(set, device, err);

    if (!status)
        status = memory_allocate(&set->memory, device, bytes, out, err);
    if (!status && set->check)
        check_allocated(set->check, *out, bytes);
    return status;
}

void allocate_free(struct device_set *set, unsigned device, device_addr address)
{
    struct allocation was;

    if (!address)
        return;
    if (!set->broken && !streams_idle(set))
        machine_run(set, NULL, NULL);
    if (memory_free(&set->memory, device, address, &was) && set->check)
        check_freed(set->check, was.first, was.end - was.first);
}
