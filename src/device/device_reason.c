/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "device/device.h"

void device_reason_print(const struct device_reason *reason, char into[DEVICE_REASON_BYTES])
{
    into[0] = '\0';
    if (reason && reason->array)
        snprintf(into, DEVICE_REASON_BYTES, "chunk %u of array '%.80s': ", reason->chunk,
                 reason->array);
}

void device_late_print(const struct device_reason *reason, unsigned device, double limit_ms,
                       const char *who, char into[DEVICE_LATE_BYTES])
{
    snprintf(into, DEVICE_LATE_BYTES,
             "array '%.80s': chunk %u was not complete on device %u within %.6g ms: %s",
             reason->array, reason->chunk, device, limit_ms, who);
}
