/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "device/device.h"

void device_reason_say(const struct device_reason *reason, char into[DEVICE_REASON_BYTES])
{
    into[0] = '\0';
    if (reason && reason->array)
        snprintf(into, DEVICE_REASON_BYTES, "chunk %u of array '%.80s': ", reason->chunk,
                 reason->array);
}
