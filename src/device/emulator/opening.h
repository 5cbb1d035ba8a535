/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Opening times of devices (`open_ms` of the machine file): all devices open at the start,
   or only device 0, and the others later while it works. */

#include "device/emulator/machine.h"

void opening_begin(struct device_set *set);

/* PROACT_EINVAL: the device is not open. */
enum proact_status opening_check(const struct device_set *set, unsigned device,
                                 struct proact_error *err);

/* Calls of the device contract. */
uint64_t opening_ns(const struct device_set *set);
enum proact_status opening_remaining(struct device_set *set, bool waits, bool *are_open,
                                     struct proact_error *err);
