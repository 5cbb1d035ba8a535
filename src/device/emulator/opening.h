/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Devices that take time to open (`open_ms` of the machine file): all at the beginning, or
   all but the first beside what goes on. */

#include "device/emulator/machine.h"

void opening_begin(struct device_set *set);

/* PROACT_EINVAL for one that is not open: it has nothing, and is asked for nothing. */
enum proact_status opening_check(const struct device_set *set, unsigned device,
                                 struct proact_error *err);

/* The contract's. */
uint64_t opening_ns(const struct device_set *set);
enum proact_status opening_remaining(struct device_set *set, bool waits, bool *are_open,
                                     struct proact_error *err);
