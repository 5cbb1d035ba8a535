/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/runtime_machine.h"

#include <proact/proact.h>
#include <string.h>

enum proact_status runtime_machine(const char *machine, struct topology *out,
                                   const struct device_backend **backend,
                                   struct proact_error *err)
{
    bool is_here = machine && strcmp(machine, PROACT_MACHINE_LOCAL) == 0;

    *backend = &device_cuda;
    if (is_here)
        return device_cuda.find(out, err);
    if (!machine && !device_cuda.find(out, NULL))
        return PROACT_OK;
    *backend = &device_emulator;
    return topology_load(machine ? machine : RUNTIME_MACHINE_DEFAULT, out, err);
}
