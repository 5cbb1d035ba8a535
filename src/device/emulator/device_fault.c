/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "device/emulator/machine.h"

void device_fault(struct emulated *d, enum proact_status status, const char *format, ...)
{
    va_list args;

    if (d->fault_status)
        return;
    d->fault_status = status;
    va_start(args, format);
    vsnprintf(d->fault, sizeof d->fault, format, args);
    va_end(args);
}
