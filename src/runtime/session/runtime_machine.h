/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which machine a name means, and who keeps the device contract there. */

#include "device/device.h"

#define RUNTIME_MACHINE_DEFAULT "v100x4"

/* PROACT_MACHINE_LOCAL is this box's GPUs; NULL is too if it has any, else the emulated
   default; any other is emulated. */
enum proact_status runtime_machine(const char *machine, struct topology *out,
                                   const struct device_backend **backend,
                                   struct proact_error *err);
