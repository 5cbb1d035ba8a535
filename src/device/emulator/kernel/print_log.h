/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Output of kernels and the first warning. The log is filled while the devices run
   concurrently. It is reported device by device when they stop: the order is then
   deterministic, and callbacks run on the caller's thread. */

#include "device/emulator/machine.h"

void print_add(struct emulated *d, const char *text, size_t length);
void print_log_report(struct device_set *set);
void prints_clear(struct emulated *d);
