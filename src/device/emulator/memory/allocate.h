/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory calls of the device contract, for one device. */

#include "device/emulator/machine.h"

enum proact_status allocate_memory(struct device_set *set, unsigned device, size_t bytes,
                                   device_addr *out, struct proact_error *err);
void allocate_free(struct device_set *set, unsigned device, device_addr address);
