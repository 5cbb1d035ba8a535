/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host clock. Devices have their own clock: device.h. */

#include <stdint.h>

/* Monotonic nanoseconds with an arbitrary origin. */
uint64_t clock_host_ns(void);
