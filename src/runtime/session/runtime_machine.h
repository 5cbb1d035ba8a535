/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Topology and backend of a machine name. */

#include "device/device.h"

#define RUNTIME_MACHINE_DEFAULT "v100x4"

/* PROACT_MACHINE_LOCAL: the GPUs of this computer. NULL: the same if it has any, otherwise
   the emulated default. Any other name is emulated. Keys of local GPUs that the driver does
   not state, such as the rates of links, are those of the shipped machine with the same
   chip or compute capability; 0 if there is none. */
enum proact_status runtime_machine(const char *machine, struct topology *out,
                                   const struct device_backend **backend,
                                   struct proact_error *err);
