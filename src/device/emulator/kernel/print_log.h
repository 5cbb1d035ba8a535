/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What kernels print, and the first warning: kept while the devices run side by side, told
   when they stand, device by device, so that neither the order nor the caller's thread
   depends on chance. */

#include "device/emulator/machine.h"

void print_add(struct emulated *d, const char *text, size_t length);
void print_log_report(struct device_set *set);
void prints_clear(struct emulated *d);
